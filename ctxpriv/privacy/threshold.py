"""The thresholded Gaussian release of counts over strings that nobody knew beforehand.

Noise is added to the count of each string that occurs, and a string is released only when its
noisy count reaches a threshold τ (paper App. A.3). Which strings occur is private as well: a
string that one record alone holds comes out with a probability of at most δ_τ. One record holds
at most `l0` strings, each counted once, so that under add/drop of a record ℓ0 = l0, ℓ2 = √l0 and
ℓ∞ = 1. The release is δ_τ-approximate ρ-zCDP (Rogers, arXiv 2309.09170), which
is (ε, δ_c + δ_τ)-DP when ρ converts to (ε, δ_c).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from, rho_from
from ctxpriv.privacy.noise import gaussian_sigma, threshold_mechanism


def threshold_price(sigma: float, threshold: int, l0: int) -> tuple[float, float]:
    """(ρ, δ_τ) under add/drop of a record with at most `l0` strings, as OpenDP's map says.

    δ_τ is the map's value one threshold lower: OpenDP 0.16 releases a count that *equals* the
    threshold, while its map bounds the chance of exceeding it (a single string at σ = 2, τ = 4:
    map 0.067, exact and measured 0.103). Raises BadInput unless threshold >= 2 and l0 >= 1.
    """
    if threshold < 2 or l0 < 1:
        raise BadInput(f"a threshold of {threshold} with {l0} strings a record protects no single record.")
    distance = (int(l0), math.nextafter(math.sqrt(l0), math.inf), 1.0)
    rho = threshold_mechanism(sigma, threshold).map(distance)[0]
    return rho, threshold_mechanism(sigma, threshold - 1).map(distance)[1]


@dataclass(frozen=True)
class ThresholdPlan:
    """σ and τ for an (ε, δ). Half of δ pays the conversion of ρ and half the threshold: a stated
    choice; the optimum differs little, since both enter through the root of a logarithm."""

    l0: int
    epsilon: float
    delta: float
    rho: float
    sigma: float
    threshold: int
    delta_conversion: float
    delta_threshold: float

    @property
    def replacement(self) -> tuple[float, float, float]:
        """(ρ, ε, δ) when one record is exchanged for another: 2·l0 strings differ."""
        rho, extra = threshold_price(self.sigma, self.threshold, 2 * self.l0)
        return rho, epsilon_from(rho, self.delta_conversion), self.delta_conversion + extra

    def chance(self, count: int) -> float:
        """The probability that a string held by `count` records is released, exactly."""
        return chance_of_release(count, self.sigma, self.threshold)

    def count_with_chance(self, chance: float) -> int:
        """The least number of records that is released with at least this probability, 0 < chance < 1."""
        count = max(0, math.floor(self.threshold + self.sigma * norm.ppf(chance)) - 2)
        while self.chance(count) < chance:
            count += 1
        return count


def threshold_plan(epsilon: float, delta: float, l0: int) -> ThresholdPlan:
    """The least noise and then the least threshold for a finite (ε, δ). Raises BadInput."""
    if not math.isfinite(epsilon):
        raise BadInput("epsilon is infinite: there is no threshold to choose.", where="epsilon")
    conversion = delta / 2
    rho = rho_from(epsilon, conversion)
    sigma = gaussian_sigma(rho, math.nextafter(math.sqrt(l0), math.inf))
    while threshold_price(sigma, 2, l0)[0] > rho:
        sigma = math.nextafter(sigma, math.inf)
    allowed = delta - conversion
    each = -math.expm1(math.log1p(-allowed) / l0)
    threshold = max(2, math.ceil(2 + sigma * norm.isf(each)) - 1)
    while threshold_price(sigma, threshold, l0)[1] > allowed:
        threshold += 1
    while threshold > 2 and threshold_price(sigma, threshold - 1, l0)[1] <= allowed:
        threshold -= 1
    spent, extra = threshold_price(sigma, threshold, l0)
    return ThresholdPlan(l0, float(epsilon), float(delta), spent, sigma, threshold, conversion, extra)


def chance_of_release(count: int, sigma: float, threshold: int) -> float:
    """P(count + Z >= threshold) for discrete Gaussian Z with scale σ, by summing its weights."""
    reach = math.ceil(40 * sigma) + 40
    z = np.arange(-reach, reach + 1, dtype=np.float64)
    weights = np.exp(-(z**2) / (2 * sigma**2))
    return float(weights[z >= threshold - count].sum() / weights.sum())
