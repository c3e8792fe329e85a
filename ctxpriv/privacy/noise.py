"""Noise and its price. The only place that draws privacy noise (DESIGN 4.2, 4.3).

Noise is OpenDP's: discrete, exactly sampled, over 64-bit integers, without a seed. Prices
are zCDP; each `*_rho` is what OpenDP's own privacy map says, and each inverse
(`gaussian_sigma`, `noisy_max_epsilon`) rounds towards more noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

import numpy as np
import opendp.prelude as dp
from numpy.typing import ArrayLike, NDArray

from ctxpriv.errors import BadInput

dp.enable_features("contrib")

_INTEGERS = dp.vector_domain(dp.atom_domain(T=dp.i64))
_STRING_COUNTS = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=dp.i64))
_I64_SAFE = 2**62  # scores and counts stay below it, so that noise cannot saturate


class Noise(Protocol):
    """A source of noise. `name` goes on the card; only `private` sources make releases."""

    name: str
    private: bool

    def gaussian(
        self, counts: NDArray[np.int64], sigma: float, sensitivity: float = 1.0
    ) -> NDArray[np.int64]:
        """Counts plus discrete Gaussian noise; costs `gaussian_rho(sigma, ℓ2 sensitivity)`."""
        ...

    def laplace(self, counts: NDArray[np.int64], scale: float, sensitivity: int = 1) -> NDArray[np.int64]:
        """Counts plus discrete Laplace noise; costs `laplace_epsilon(scale, ℓ1 sensitivity)`."""
        ...

    def noisy_max(self, scores: ArrayLike, epsilon: float, sensitivity: float) -> int:
        """Index drawn ∝ exp(ε·score / (2·sensitivity)); costs `noisy_max_rho(epsilon)`."""
        ...

    def noisy_top_k(
        self, scores: NDArray[np.int64], k: int, epsilon: float, sensitivity: int
    ) -> NDArray[np.int64]:
        """k indices by k peeled draws ∝ exp(ε·score / sensitivity), best draw first.

        For scores that a further record can only raise (monotone), each by at most `sensitivity`. Costs
        k·`noisy_max_rho(epsilon)`; the scores themselves are not released.
        """
        ...

    def gaussian_threshold(self, counts: Mapping[str, int], sigma: float, threshold: int) -> dict[str, int]:
        """Noisy counts of the strings whose noisy count is at least `threshold`, the largest first.

        Costs `threshold.threshold_price`, given how many strings one record may hold.
        """
        ...


class OpenDPNoise:
    """The real one."""

    name = "OpenDP"
    private = True

    def gaussian(
        self, counts: NDArray[np.int64], sigma: float, sensitivity: float = 1.0
    ) -> NDArray[np.int64]:
        """See `Noise`. The sensitivity does not change the draw; it is validated with the scale."""
        gaussian_rho(sigma, sensitivity)
        mechanism = dp.m.make_gaussian(_INTEGERS, dp.l2_distance(T=float), scale=float(sigma))
        return _draw(mechanism, counts)

    def laplace(self, counts: NDArray[np.int64], scale: float, sensitivity: int = 1) -> NDArray[np.int64]:
        laplace_epsilon(scale, sensitivity)
        mechanism = dp.m.make_laplace(_INTEGERS, dp.l1_distance(T=dp.i64), scale=float(scale))
        return _draw(mechanism, counts)

    def noisy_max(self, scores: ArrayLike, epsilon: float, sensitivity: float) -> int:
        whole, moved = quantised_scores(scores, sensitivity)
        scale = 2 * moved / epsilon
        price = noisy_max_rho(epsilon)
        while Fraction((mechanism := _noisy_max(scale)).map(moved)) > price:
            scale = math.nextafter(scale, math.inf)
        return int(mechanism(whole.tolist()))

    def noisy_top_k(
        self, scores: NDArray[np.int64], k: int, epsilon: float, sensitivity: int
    ) -> NDArray[np.int64]:
        exact = _whole(scores)
        scale, price = sensitivity / epsilon, k * noisy_max_rho(epsilon)
        while Fraction((mechanism := _noisy_top_k(k, scale)).map(int(sensitivity))) > price:
            scale = math.nextafter(scale, math.inf)
        return np.array(mechanism(exact.tolist()), dtype=np.int64)

    def gaussian_threshold(self, counts: Mapping[str, int], sigma: float, threshold: int) -> dict[str, int]:
        mechanism = threshold_mechanism(sigma, threshold)
        if not counts:
            return {}  # as the mechanism would; it cannot tell the type of an empty map
        return _largest_first(mechanism({name: int(count) for name, count in counts.items()}))


class NoNoise:
    """ε = ∞, for research only: true counts and the true maximum. Never makes a release."""

    name = "none (epsilon = infinity, research only)"
    private = False

    def gaussian(
        self, counts: NDArray[np.int64], sigma: float, sensitivity: float = 1.0
    ) -> NDArray[np.int64]:
        return np.array(counts, dtype=np.int64)

    def laplace(self, counts: NDArray[np.int64], scale: float, sensitivity: int = 1) -> NDArray[np.int64]:
        return np.array(counts, dtype=np.int64)

    def noisy_max(self, scores: ArrayLike, epsilon: float, sensitivity: float) -> int:
        return int(np.argmax(np.asarray(scores)))

    def noisy_top_k(
        self, scores: NDArray[np.int64], k: int, epsilon: float, sensitivity: int
    ) -> NDArray[np.int64]:
        return np.argsort(-np.asarray(scores), kind="stable")[:k]

    def gaussian_threshold(self, counts: Mapping[str, int], sigma: float, threshold: int) -> dict[str, int]:
        return _largest_first({name: count for name, count in counts.items() if count >= threshold})


def gaussian_rho(sigma: float, sensitivity: float = 1.0) -> float:
    """zCDP price of discrete Gaussian noise: sensitivity² / (2σ²), rounded up by OpenDP."""
    _positive(sigma, "sigma")
    return dp.m.make_gaussian(_INTEGERS, dp.l2_distance(T=float), scale=float(sigma)).map(float(sensitivity))


def gaussian_sigma(rho: Fraction | float, sensitivity: float = 1.0) -> float:
    """The least σ (to a few units in the last place) whose price is at most ρ."""
    _positive(rho, "rho")
    sigma = sensitivity / math.sqrt(2 * rho)
    while Fraction(gaussian_rho(sigma, sensitivity)) > rho:
        sigma = math.nextafter(sigma, math.inf)
    return sigma


def laplace_epsilon(scale: float, sensitivity: int = 1) -> float:
    """Pure-DP price of discrete Laplace noise: sensitivity / scale, rounded up by OpenDP."""
    _positive(scale, "the Laplace scale")
    return dp.m.make_laplace(_INTEGERS, dp.l1_distance(T=dp.i64), scale=float(scale)).map(int(sensitivity))


def laplace_scale(epsilon: float, sensitivity: int = 1) -> float:
    """The least scale (to a few units in the last place) whose price is at most ε."""
    _positive(epsilon, "epsilon")
    scale = sensitivity / epsilon
    while laplace_epsilon(scale, sensitivity) > epsilon:
        scale = math.nextafter(scale, math.inf)
    return scale


def pure_rho(epsilon: float) -> Fraction:
    """zCDP price of any ε-DP mechanism: ε²/2 (Bun and Steinke, Prop. 1.4), exactly."""
    return Fraction(epsilon) ** 2 / 2


def noisy_max_rho(epsilon: float) -> Fraction:
    """zCDP price of one exponential-mechanism draw: ε²/8, exactly (DESIGN 4.5)."""
    return Fraction(epsilon) ** 2 / 8


def noisy_max_epsilon(rho: Fraction | float) -> float:
    """The largest ε (to a few units in the last place) with ε²/8 ≤ ρ."""
    _positive(rho, "rho")
    epsilon = math.sqrt(8 * rho)
    while noisy_max_rho(epsilon) > rho:
        epsilon = math.nextafter(epsilon, 0)
    return epsilon


def quantised_scores(scores: ArrayLike, sensitivity: float) -> tuple[NDArray[np.int64], int]:
    """Scores as integers, and their sensitivity as integers with the rounding included.

    Integer scores with an integer sensitivity pass unchanged (the exact way: prefer it).
    Others are rounded to a grid of 2^-20 (coarser for huge scores); each score is off by at
    most half a step, so a difference of two scores gains at most one step.
    Raises BadInput for no scores, non-finite scores or a sensitivity that is not positive.
    """
    values = np.asarray(scores)
    _positive(sensitivity, "the sensitivity")
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values)):
        raise BadInput("selection needs a non-empty list of finite scores.")
    if np.issubdtype(values.dtype, np.integer) and float(sensitivity).is_integer():
        whole, moved = values.astype(np.int64), int(sensitivity)
    else:
        largest = float(np.abs(values).max())
        grid = 2.0 ** min(20, math.floor(math.log2(2.0**52 / max(largest, 1.0))))
        whole = np.rint(values.astype(np.float64) * grid).astype(np.int64)
        moved = math.ceil(Fraction(sensitivity) * Fraction(grid)) + 1
    if int(np.abs(whole).max()) >= _I64_SAFE or moved >= _I64_SAFE:
        raise BadInput("scores are too large for 64-bit integers.")
    return whole, moved


def threshold_mechanism(sigma: float, threshold: int) -> dp.Measurement:
    """OpenDP's thresholded discrete Gaussian over string counts; distances are (ℓ0, ℓ2, ℓ∞)."""
    _positive(sigma, "sigma")
    metric = dp.l02inf_distance(dp.absolute_distance(T=float))
    return dp.m.make_gaussian_threshold(_STRING_COUNTS, metric, scale=float(sigma), threshold=int(threshold))


def _largest_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _noisy_max(scale: float) -> dp.Measurement:
    distance = dp.linf_distance(T=dp.i64, monotonic=False)
    return dp.m.make_noisy_max(_INTEGERS, distance, dp.zero_concentrated_divergence(), scale=scale)


def _noisy_top_k(k: int, scale: float) -> dp.Measurement:
    distance = dp.linf_distance(T=dp.i64, monotonic=True)
    return dp.m.make_noisy_top_k(_INTEGERS, distance, dp.zero_concentrated_divergence(), k=k, scale=scale)


def _draw(mechanism: dp.Measurement, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    exact = _whole(counts)
    noisy = np.array(mechanism(exact.ravel().tolist()), dtype=np.int64)
    return noisy.reshape(exact.shape)


def _whole(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    exact = np.asarray(counts)
    if not np.issubdtype(exact.dtype, np.integer):
        raise BadInput(
            "noise is added to integers only.", fix="Quantise per record first (floor(w * 2**20))."
        )
    if exact.size and int(np.abs(exact).max()) >= _I64_SAFE:
        raise BadInput("counts are too large for 64-bit integers.")
    return exact.astype(np.int64)


def _positive(value: Fraction | float, what: str) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise BadInput(f"{what} is {float(value)}, but must be a positive number.")
