"""How records are measured: the public settings that every method of a study shares.

RELEASE SIDE: fixed without the protected records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import check_epsilon_delta
from ctxpriv.privatize.spin.atoms import MOST_ATOMS, AtomSet

Unit = Literal["record", "user"]
Relation = Literal["add/drop", "replacement"]
Assign = Literal["tfidf", "embedding", "model"]
Weights = Literal["scores", "equal"]

ONE = 2**20
"""One protected unit's mass as an integer: masses are floored to this grid record by record."""

FLOOR = 0.05

MOST = 10**12
"""Of units and of what one may add: masses and their noise then fit 64 bits on the grid of `ONE`."""


@dataclass(frozen=True)
class Measurement:
    """`k` atoms a record at most (K), total mass at most 1; a similarity below `floor` counts as none.

    `weights`: "scores" shares a record's mass by similarity; "equal" gives each of its atoms 1/K, which
    lowers the ℓ2 sensitivity to 1/√K at record level. `unit` "user": a user's records are summed and
    clipped to ℓ1 norm `bound` (B). `size` is L. `denominator`: the public number that masses are
    divided by. `relation` is what the noise is calibrated to.

    Raises BadInput for a setting that is none, or that does not fit the others.
    """

    atoms: AtomSet
    denominator: int
    delta: float
    k: int = 3
    size: int = 10
    floor: float = FLOOR
    assign: Assign = "tfidf"
    weights: Weights = "scores"
    unit: Unit = "record"
    bound: int = 1
    relation: Relation = "add/drop"

    def __post_init__(self) -> None:
        check_epsilon_delta(1.0, self.delta)
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise BadInput(
                    f"{getattr(self, name)!r} is unknown.",
                    where=f"measurement, {name}",
                    fix=f"Choose one of {', '.join(allowed)}.",
                )
        for name in ("k", "size", "denominator", "bound"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise BadInput("is not a whole number of at least 1.", where=f"measurement, {name}")
            if value > (most := MOST_ATOMS if name == "k" else MOST):
                raise BadInput(f"is above {most:,}.", where=f"measurement, {name}")
        if self.size > len(self.atoms):
            raise BadInput(
                f"asks for {self.size} atoms of {len(self.atoms)}.",
                where="measurement, size",
                fix="Lower L, or add atoms.",
            )
        if self.unit == "record" and self.bound != 1:
            raise BadInput(
                "a record's mass is at most 1.",
                where="measurement, bound",
                fix="Use bound: 1, or protect users (unit: user).",
            )
        if not (isinstance(self.floor, (int, float)) and 0 <= self.floor < 1):
            raise BadInput("is not a similarity from 0 to below 1.", where="measurement, floor")

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with the atoms' digest in their place."""
        out = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "atoms"}
        return {**out, "atoms_digest": self.atoms.digest, "m": len(self.atoms)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], atoms: AtomSet) -> Measurement:
        return Measurement(atoms, **{k: v for k, v in data.items() if k not in ("atoms_digest", "m")})


_CHOICES = {
    "unit": get_args(Unit),
    "relation": get_args(Relation),
    "assign": get_args(Assign),
    "weights": get_args(Weights),
}
