"""The error that App. A of the DP-SPIN paper promises, to be set beside the one observed. CURATOR-ONLY:
the margin is computed without noise; the bounds themselves are public (`noise_bounds`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.noise_bounds import BETA, loss_bound, selection_gap, tau
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.sensitivity import Sensitivity


def margin(exact: NDArray[np.int64], size: int) -> float | None:
    """Γ_L: the mass of the L-th atom less that of the next, in protected units; None where there is no
    next. A margin above 2τ means that the noise cannot change the admitted atoms (App. A.3)."""
    if len(exact) <= size:
        return None
    ordered = np.sort(exact)[::-1]
    return int(ordered[size - 1] - ordered[size]) / ONE


def most_off(plan: SemanticPlan, beta: float = BETA) -> float:
    """τ over the masses that the plan releases, in protected units."""
    released = len(plan.rows) if plan.sketch is None else len(plan.sketch)
    return tau(plan.law, plan.noise_scale, max(released, 1), beta)


def most_lost(plan: SemanticPlan, measurement: Measurement, spin: Spin | None = None) -> float | None:
    """What Loss_L stays below with probability 1 − `BETA`, in protected units: 2Lτ for a full sketch,
    L·`selection_gap` for private admission. None for an admission without its config `spin`: how
    noisy the choice was is no part of a plan."""
    if plan.sketch is not None:
        return loss_bound(plan.size, most_off(plan))
    if spin is None or spin.mechanism != "admission":
        return None
    return plan.size * selection_gap(draw_scale(spin, measurement), plan.size, len(plan.atoms))


def draw_scale(spin: Spin, measurement: Measurement) -> float:
    """Δ∞/ε_r of one private draw, in protected units: the scale of its Gumbel noise."""
    chosen, _ = spin.calibrated(measurement)
    return Sensitivity.of(measurement).linf / chosen.scale / ONE
