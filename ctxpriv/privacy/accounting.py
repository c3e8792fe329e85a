"""Conversion between zCDP and (ε, δ)-DP, the same tight one for every method (DESIGN 4.1).

The curve is Canonne, Kamath and Steinke's, evaluated by OpenDP with outward rounding: a
rho that `rho_from` returns never costs more than the ε that was asked for.
"""

from __future__ import annotations

import math
from functools import lru_cache

import opendp.prelude as dp
from scipy.optimize import brentq

from ctxpriv.errors import BadInput

dp.enable_features("contrib")

RHO_AIM_UNLIMITED = 1000.0
"""ρ_AIM at ε = ∞ (paper, Table 3): research only, never exportable."""

LEAST_EPSILON, LARGEST_EPSILON = 1e-6, 1000.0
"""Beyond, the conversion runs out of floating point, and nobody is protected or nothing is left."""

LARGEST_TIGHT_RHO = 10_000.0
"""Beyond, OpenDP's conversion overflows; there the loose one is 0.05 % above it."""

_SCALAR = dp.atom_domain(T=dp.i64), dp.absolute_distance(T=float)


def rho_from(epsilon: float, delta: float) -> float:
    """The largest ρ whose tight conversion stays within (ε, δ).

    ε = ∞ gives `math.inf`; a caller that supports it (research) decides what that means.
    Raises BadInput unless ε > 0 and 0 < δ < 1.
    """
    check_epsilon_delta(epsilon, delta)
    return math.inf if math.isinf(epsilon) else _rho_from(float(epsilon), float(delta))


def epsilon_from(rho: float, delta: float) -> float:
    """The smallest ε that a ρ-zCDP mechanism is known to satisfy at δ.

    ρ = 0 gives 0, ρ = ∞ gives ∞. Raises BadInput for a negative ρ, nan, or δ outside (0, 1).
    """
    rho = float(rho)
    if math.isnan(rho) or rho < 0:
        raise BadInput(
            f"the zCDP budget rho is {rho}, which is not a cost.", fix="Use a number of at least 0."
        )
    _check_delta(delta)
    if rho == 0 or math.isinf(rho):
        return rho
    return _epsilon_from(rho, float(delta))


def group_epsilon(rho: float, m: int, delta: float) -> float:
    """The ε at `delta` that a ρ-zCDP mechanism guarantees to m records changed at once.

    ρ-zCDP for one record is m²ρ-zCDP for m (Bun and Steinke 2016, Proposition 1.9). Where
    m²ρ is beyond the tight conversion, their Proposition 1.3 is used, which never understates.
    Raises BadInput for m < 1, and as `epsilon_from`.
    """
    if isinstance(m, bool) or not isinstance(m, int) or m < 1:
        raise BadInput(
            f"a group of {m!r} records is none.", where="group", fix="Use a whole number from 1 on."
        )
    grouped = float(rho) * m * m
    if math.isfinite(grouped) and grouped > LARGEST_TIGHT_RHO:
        _check_delta(delta)
        return grouped + 2 * math.sqrt(grouped * math.log(1 / delta))
    return epsilon_from(grouped, delta)


def check_epsilon_delta(epsilon: float, delta: float) -> None:
    """Raises BadInput unless ε is a positive number (∞ allowed) and 0 < δ < 1."""
    number = isinstance(epsilon, (int, float)) and not isinstance(epsilon, bool)
    # Plain comparisons: `math.isnan` raises for whole numbers beyond floating point.
    if not number or epsilon != epsilon or epsilon <= 0:
        raise BadInput(
            f"epsilon is {epsilon!r}, which is not a privacy level.",
            where="epsilon",
            fix="Use a number above 0, for instance 1.",
        )
    if not (LEAST_EPSILON <= epsilon <= LARGEST_EPSILON or epsilon == math.inf):
        raise BadInput(
            f"epsilon is {min(epsilon, 1e300):g}, outside {LEAST_EPSILON:g} to {LARGEST_EPSILON:g}, where it "
            "can be converted to a budget.",
            where="epsilon",
            fix="Use for instance 1, or infinity for research.",
        )
    _check_delta(delta)


def _check_delta(delta: float) -> None:
    if isinstance(delta, bool) or not isinstance(delta, (int, float)) or not 0 < delta < 1:
        raise BadInput(
            f"delta is {delta!r}, which is not a probability below 1.",
            where="delta",
            fix="Use 1/n, with n the number of protected records.",
        )


@lru_cache(maxsize=4096)
def _epsilon_from(rho: float, delta: float) -> float:
    scale = math.sqrt(1 / (2 * rho))
    gauss = dp.m.make_gaussian(*_SCALAR, scale=scale)
    while gauss.map(1.0) < rho:  # the stand-in must cost at least rho, or ε would be understated
        scale = math.nextafter(scale, 0)
        gauss = dp.m.make_gaussian(*_SCALAR, scale=scale)
    return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gauss), delta).map(1.0)[0]


@lru_cache(maxsize=4096)
def _rho_from(epsilon: float, delta: float) -> float:
    log_inverse = math.log(1 / delta)
    # The loose conversion rho + 2 sqrt(rho ln 1/delta) solved for rho never costs more than epsilon.
    low = (epsilon / (math.sqrt(epsilon + log_inverse) + math.sqrt(log_inverse))) ** 2 * (1 - 1e-9)
    while _epsilon_from(low, delta) > epsilon:  # at a δ near 1 OpenDP's rounding leaves no room
        low *= 0.99
    high = 2 * low
    while _epsilon_from(high, delta) <= epsilon:
        high *= 16 if high < 1e-6 else 2  # a large δ alone allows far more than a small ε
    rho = math.exp(
        brentq(
            lambda x: _epsilon_from(math.exp(x), delta) - epsilon, math.log(low), math.log(high), xtol=1e-11
        )
    )
    while rho > low and _epsilon_from(rho, delta) > epsilon:  # brentq may end a hair above
        rho *= 1 - 1e-11
    return max(rho, low)
