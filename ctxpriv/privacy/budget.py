"""A privacy filter: what a run may spend, in exact arithmetic.

Adaptive composition of zCDP holds for budgets chosen on the way as long as their realised
sum stays within a bound fixed beforehand (paper App. E, "Budget"). Fractions make "within"
exact: charges that are meant to add up to ρ do, with no rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from ctxpriv.errors import BadInput, BudgetExceeded

Mechanism = Literal["discrete Gaussian", "discrete Laplace", "exponential mechanism"]

# What a charge becomes when one record's private part is replaced instead of a record being
# added or dropped: Δ2 grows by √2, Δ1 and the range of a selection score by 2 (DESIGN 4.4).
_REPLACEMENT_RHO: dict[str, int] = {"discrete Gaussian": 2, "discrete Laplace": 4, "exponential mechanism": 4}


@dataclass(frozen=True)
class Charge:
    """The price of one noisy answer: zCDP `rho`, its declared `sensitivity`, its `scale`.

    `scale` is σ for a Gaussian, the Laplace scale, or ε of an exponential-mechanism draw.
    `epsilon` is set when the answer is also pure ε-DP (Laplace, exponential mechanism).
    """

    what: str
    mechanism: Mechanism
    rho: Fraction
    sensitivity: float
    scale: float
    epsilon: float | None = None

    @property
    def rho_replacement(self) -> Fraction:
        """The price under replacement of one record's private part."""
        return self.rho * _REPLACEMENT_RHO[self.mechanism]

    def to_dict(self) -> dict[str, Any]:
        """JSON with ρ as an exact fraction in text."""
        return {
            "what": self.what,
            "mechanism": self.mechanism,
            "rho": str(self.rho),
            "sensitivity": self.sensitivity,
            "scale": self.scale,
            "epsilon": self.epsilon,
        }

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Charge:
        return Charge(
            data["what"],
            data["mechanism"],
            Fraction(data["rho"]),
            data["sensitivity"],
            data["scale"],
            data.get("epsilon"),
        )


@dataclass
class Budget:
    """At most `rho` may be spent; every charge is kept in order."""

    rho: Fraction
    charges: list[Charge] = field(default_factory=list)

    def __init__(self, rho: Fraction | float) -> None:
        if not (rho > 0 and math.isfinite(rho)):
            raise BadInput(
                f"a privacy budget of {float(rho)} cannot be spent.", fix="Use a positive, finite rho."
            )
        self.rho = Fraction(rho)
        self.charges = []

    @property
    def spent(self) -> Fraction:
        return sum((c.rho for c in self.charges), Fraction(0))

    @property
    def remaining(self) -> Fraction:
        return self.rho - self.spent

    def spend(self, charge: Charge) -> None:
        """Records the charge. Call it before drawing the noise.

        Raises BudgetExceeded, and records nothing, when the charge exceeds what remains.
        """
        if charge.rho < 0:
            raise BadInput(f"a charge cannot be negative ({charge.what}).")
        if charge.rho > self.remaining:
            raise BudgetExceeded(
                f"{charge.what} costs rho = {float(charge.rho):.6g}, but only {float(self.remaining):.6g} "
                f"of {float(self.rho):.6g} is left."
            )
        self.charges.append(charge)
