"""Which marginals Conditional AIM may measure, and their weights (Alg. 1, lines 2 and 3).

Everything here is a function of the schema and the partition, never of a record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ctxpriv.errors import BadInput

Attributes = tuple[int, ...]
"""Attribute positions in the table, ascending."""


@dataclass(frozen=True)
class Candidate:
    """A marginal r = (r ∩ A_priv, r ∩ A_pub) with its weight w_r = Σ_{s∈W} |r ∩ s|."""

    private: Attributes
    public: Attributes
    weight: int


@dataclass(frozen=True)
class Workload:
    """W⁺, grouped by private part: `candidates` with equal `private` are neighbours."""

    candidates: tuple[Candidate, ...]

    @property
    def max_weight(self) -> int:
        """The sensitivity of the selection score in records (DESIGN 4.4)."""
        return max(c.weight for c in self.candidates)


def build_workload(
    sizes: Sequence[int], private: Sequence[int], *, max_order: int, max_cells: int
) -> Workload:
    """W and its closure W⁺ for attributes of the given domain sizes.

    W holds every set of at most `max_order` attributes that has a private one and at most
    `max_cells` cells. Subsets of such a set are within the same limits, so W⁺ without the
    public-only sets is W itself, and w_r = Σ_{a∈r} (number of sets in W that hold a).
    Raises BadInput when nothing is private or a private attribute alone exceeds `max_cells`.
    """
    secret = frozenset(private)
    if not secret:
        raise BadInput(
            "no attribute is private, so there is nothing to estimate.",
            where="partition",
            fix="Mark at least one attribute private, or release the table as it is.",
        )
    if too_large := [a for a in sorted(secret) if sizes[a] > max_cells]:
        raise BadInput(
            f"attribute number {too_large[0] + 1} has more than {max_cells} values.",
            where="schema",
            fix="Coarsen it.",
        )
    sets = [
        r
        for order in range(1, max_order + 1)
        for r in combinations(range(len(sizes)), order)
        if secret.intersection(r) and math.prod(sizes[a] for a in r) <= max_cells
    ]
    degree = [sum(a in r for r in sets) for a in range(len(sizes))]
    found = [
        Candidate(
            tuple(a for a in r if a in secret),
            tuple(a for a in r if a not in secret),
            sum(degree[a] for a in r),
        )
        for r in sets
    ]
    return Workload(tuple(sorted(found, key=lambda c: (len(c.private), c.private, len(c.public), c.public))))
