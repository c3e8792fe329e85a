"""Two releases held against each other on the same atoms, which is what fixed public concepts are for.

RELEASE SIDE: post-processing of two plans. Supports are shares of each plan's own public denominator, so
two audiences, periods or corpora of different size can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan

Direction = Literal["higher", "lower", "equal", "cannot tell", "not released"]

SAYS: dict[str, str] = {
    "higher": "higher in the second",
    "lower": "lower in the second",
    "equal": "equal, without noise in either",
    "cannot tell": "cannot tell: the noise intervals overlap",
    "not released": "not released in both",
}
"""Each verdict in words."""


@dataclass(frozen=True)
class Interval:
    """A released support with the interval that its noise stays within (`semantic_plan.INTERVAL`)."""

    support: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class Difference:
    """One atom in two plans; `first` and `second` are None where its mass was not released.

    The verdict tells of the second against the first. It is "higher" or "lower" only where the two
    intervals leave each other out, which noise alone causes for at most one atom in ten, each taken by
    itself; among many atoms some will differ by noise.
    """

    atom: int
    label: str
    first: Interval | None
    second: Interval | None
    verdict: Direction

    @property
    def difference(self) -> float | None:
        """Second − first, in shares of the denominators."""
        if self.first is None or self.second is None:
            return None
        return self.second.support - self.first.support

    @property
    def around(self) -> float | None:
        """The half width of the difference's interval: the sum of both. It covers the noise of Laplace and
        Gaussian releases with at least the probability of one interval."""
        if self.first is None or self.second is None:
            return None
        return (self.first.high - self.first.low + self.second.high - self.second.low) / 2

    @property
    def told(self) -> bool:
        """Whether the two differ by more than their noise."""
        return self.verdict in ("higher", "lower")


def compare(first: SemanticPlan, second: SemanticPlan) -> tuple[Difference, ...]:
    """Every atom in the order of the atoms.

    Raises BadInput where the plans do not measure the same: other atoms, another protected unit, or
    another bound on what one unit may add.
    """
    _check_same(first, second)
    one, two = _released(first), _released(second)
    return tuple(
        Difference(i, label, one.get(i), two.get(i), _verdict(one.get(i), two.get(i)))
        for i, label in enumerate(first.atoms.labels)
    )


def comparable(first: SemanticPlan, second: SemanticPlan) -> bool:
    """Whether `compare` takes the two."""
    alike = [(p.atoms.digest, p.unit, p.bound) for p in (first, second)]
    return alike[0] == alike[1]


def _released(plan: SemanticPlan) -> dict[int, Interval]:
    """Of every atom whose mass was released: all with a full sketch, else the admitted ones."""
    masses = dict(enumerate(plan.sketch)) if plan.sketch is not None else {r.atom: r.mass for r in plan.rows}
    n, around = plan.denominator, plan.half_width
    return {a: Interval(v / n, (v - around) / n, (v + around) / n) for a, v in masses.items()}


def _verdict(first: Interval | None, second: Interval | None) -> Direction:
    if first is None or second is None:
        return "not released"
    if second.low > first.high:
        return "higher"
    if second.high < first.low:
        return "lower"
    return "equal" if first.exact and second.exact else "cannot tell"


def _check_same(first: SemanticPlan, second: SemanticPlan) -> None:
    if first.atoms.digest != second.atoms.digest:
        raise BadInput(
            f"the two releases measure different atoms: {_first_difference(first, second)}.",
            where="compare",
            fix="Compare releases whose atoms have the same digest.",
        )
    for what, a, b in (
        ("protect different units", first.unit, second.unit),
        ("bound one user's mass differently", f"B = {first.bound}", f"B = {second.bound}"),
    ):
        if a != b:
            raise BadInput(
                f"the two releases {what}: {a} and {b}.",
                where="compare",
                fix="Compare releases made with the same measurement.",
            )


def _first_difference(first: SemanticPlan, second: SemanticPlan) -> str:
    if len(first.atoms) != len(second.atoms):
        return f"there are {len(first.atoms)} and {len(second.atoms)}"
    pairs = enumerate(zip(first.atoms.atoms, second.atoms.atoms, strict=True), 1)
    number, (a, b) = next(
        (i, (a, b)) for i, (a, b) in pairs if (a.label, a.description) != (b.label, b.description)
    )
    if a.label != b.label:
        return f"atom {number} is {a.label!r} and {b.label!r}"
    return f"atom {number}, {a.label!r}, is described differently"
