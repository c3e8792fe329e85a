"""How far noise moves masses, and what a plan can lose by it at most (DP-SPIN App. A).

RELEASE SIDE: a function of public noise scales alone.
"""

from __future__ import annotations

import math

from ctxpriv.privatize.spin.semantic_plan import Law

BETA = 0.05
"""Bounds here hold with probability 1 − β over the noise."""


def tau(law: Law, scale: float, m: int, beta: float = BETA) -> float:
    """No one of m masses is off by more than this, with probability at least 1 − β (App. A.2).

    `scale`: the Laplace scale or σ; the answer has its unit. Laplace: scale·ln(m/β); Gaussian:
    σ√(2 ln(2m/β)); 0 without noise.
    """
    if law == "none" or scale == 0:
        return 0.0
    if law == "Laplace":
        return scale * math.log(m / beta)
    return scale * math.sqrt(2 * math.log(2 * m / beta))


def loss_bound(size: int, tau: float) -> float:
    """Loss_L ≤ 2Lτ where every mass is off by at most τ (App. A.3), in the unit of τ."""
    return 2 * size * tau


def selection_gap(scale: float, size: int, m: int, beta: float = BETA) -> float:
    """No one of L private draws picks an atom whose mass is further than this below the largest that was
    left, with probability at least 1 − β: scale·ln(mL/β), `scale` being Δ∞/ε_r of one draw (the
    exponential mechanism's utility bound and a union over the draws; App. A.4).

    Before draw j only j − 1 atoms are gone, so it picks a mass of at least C_(j) − gap: the loss is at
    most L times the gap, and a margin above the gap means exact recovery.
    """
    return scale * math.log(m * size / beta)
