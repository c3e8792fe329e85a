"""Sensitivity of a sketch, and the noise that a budget buys (notes on DP-SPIN; paper §5).

RELEASE SIDE: a function of public settings alone. For non-negative vectors with ‖v‖₁ ≤ B:

| | add/drop of a unit | replacement |
|---|---|---|
| Δ1 | B | 2B |
| Δ2 | B (B/√K with equal weights at record level) | √2 times that |
| one coordinate | B (1/K) | B (1/K) |

A charge is stated under add/drop, as the ledger adds them up; noise that is calibrated to replacement
gets the share of the budget after which `Charge.rho_replacement` meets it: 1/2 of ρ for the Gaussian,
1/4 for the Laplace (half of ε) and for selections.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ctxpriv.privacy.accounting import rho_from
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import (
    gaussian_rho,
    gaussian_sigma,
    laplace_epsilon,
    laplace_scale,
    noisy_max_epsilon,
    noisy_max_rho,
    pure_rho,
)
from ctxpriv.privatize.spin.measurement import ONE, Measurement


@dataclass(frozen=True)
class Sensitivity:
    """Under add/drop of one protected unit, in units of 1/`ONE`: ℓ1, ℓ2 and one coordinate."""

    l1: int
    l2: float
    linf: int

    @staticmethod
    def of(measurement: Measurement) -> Sensitivity:
        whole = measurement.bound * ONE
        if measurement.weights == "equal" and measurement.unit == "record":
            each = ONE // measurement.k
            return Sensitivity(whole, math.nextafter(each * math.sqrt(measurement.k), math.inf), each)
        return Sensitivity(whole, float(whole), whole)


@dataclass(frozen=True)
class Calibrated:
    """Noise for the sketch: `scale` in units of 1/`ONE`, with its price."""

    scale: float
    charge: Charge

    @property
    def in_units(self) -> float:
        """The scale in protected units."""
        return self.scale / ONE


def laplace(measurement: Measurement, epsilon: float, what: str) -> Calibrated:
    """Pure ε-DP under the measurement's relation."""
    moved = Sensitivity.of(measurement).l1
    scale = laplace_scale(epsilon / (1 if _add_drop(measurement) else 2), moved)
    paid = laplace_epsilon(scale, moved)
    return Calibrated(scale, Charge(what, "discrete Laplace", pure_rho(paid), moved / ONE, scale / ONE, paid))


def gaussian(measurement: Measurement, rho: Fraction | float, what: str) -> Calibrated:
    """ρ-zCDP under the measurement's relation."""
    moved = Sensitivity.of(measurement).l2
    scale = gaussian_sigma(Fraction(rho) / (1 if _add_drop(measurement) else 2), moved)
    paid = Fraction(gaussian_rho(scale, moved))
    return Calibrated(scale, Charge(what, "discrete Gaussian", paid, moved / ONE, scale / ONE))


def selection(measurement: Measurement, rho: Fraction | float, rounds: int, what: str) -> Calibrated:
    """`rounds` draws of the exponential mechanism for ρ together; `scale` is ε_r of one draw."""
    moved = Sensitivity.of(measurement).linf
    share = Fraction(rho) / rounds / (1 if _add_drop(measurement) else 4)
    each = noisy_max_epsilon(share)
    charge = Charge(
        what, "exponential mechanism", rounds * noisy_max_rho(each), moved / ONE, each, rounds * each
    )
    return Calibrated(each, charge)


def budget(measurement: Measurement, epsilon: float) -> Fraction:
    """ρ of (ε, δ), by the tight conversion that all methods use."""
    return Fraction(rho_from(epsilon, measurement.delta))


def _add_drop(measurement: Measurement) -> bool:
    return measurement.relation == "add/drop"
