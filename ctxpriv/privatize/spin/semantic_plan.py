"""The semantic plan: the only thing that decoders, verifiers and readers get of the records.

RELEASE SIDE. Admitted atoms with noisy masses (DP-SPIN §3.4, §4.2); supports, bins and ranks are
post-processing. Nothing here was computed without noise, except in plans whose guarantee says so
(curator-only references).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ctxpriv.privatize.spin.atoms import AtomSet

BINS: tuple[tuple[str, float], ...] = (
    ("very high", 0.20),
    ("high", 0.10),
    ("moderate", 0.05),
    ("low", 0.02),
    ("very low", -math.inf),
)
"""Support bins with the least support of each: fixed cut points [ours; the paper leaves them open]."""

INTERVAL = 0.90
"""Each row's interval covers the noise of that row alone with this probability."""

Law = Literal["Laplace", "Gaussian", "none"]


def bin_of(support: float) -> str:
    """The first of `BINS` that the support reaches; the last takes all others, negative ones too."""
    return next(name for name, least in BINS if support >= least)


@dataclass(frozen=True)
class PlanRow:
    """One admitted atom. `mass`, `low` and `high` are in units of protected units (records or users);
    `support` is `mass` / the public denominator, as it comes: it may be negative or above 1."""

    rank: int  # from 1
    atom: int  # position in the plan's atoms
    label: str
    description: str
    mass: float
    low: float
    high: float
    support: float
    bin: str

    @property
    def above_noise(self) -> bool:
        """Whether the interval leaves out zero: else the atom may well not occur at all."""
        return self.low > 0


@dataclass(frozen=True)
class SemanticPlan:
    """What was released. `rows` are the admitted atoms by rank.

    `sketch`: the noisy mass of every atom where the mechanism releases them all, else None.
    `noise_scale`: the Laplace scale or σ of one mass, in protected units; 0 without noise.
    `threshold`: the largest released mass that was not admitted, None where none was released.
    `unit` is "record" or "user"; `bound` is B; `denominator` is public.
    """

    atoms: AtomSet
    rows: tuple[PlanRow, ...]
    sketch: tuple[float, ...] | None
    unit: Literal["record", "user"]
    bound: int
    denominator: int
    law: Law
    noise_scale: float
    mechanism: str
    size: int  # L, as asked for

    @property
    def threshold(self) -> float | None:
        if self.sketch is None:
            return None
        admitted = {r.atom for r in self.rows}
        return max((v for i, v in enumerate(self.sketch) if i not in admitted), default=None)

    @property
    def admitted(self) -> tuple[int, ...]:
        return tuple(r.atom for r in self.rows)

    def row(self, atom: int) -> PlanRow | None:
        return next((r for r in self.rows if r.atom == atom), None)

    def marker(self, row: PlanRow) -> str:
        return self.atoms.marker(row.atom)

    @property
    def half_width(self) -> float:
        """Of the interval of one mass."""
        return half_width(self.law, self.noise_scale)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, whole: what `from_dict` needs."""
        return {
            "atoms": self.atoms.to_list(),
            "atoms_digest": self.atoms.digest,
            "rows": [
                {
                    "rank": r.rank, "atom": r.atom, "label": r.label, "mass": r.mass, "low": r.low,
                    "high": r.high, "support": r.support, "bin": r.bin,
                }
                for r in self.rows
            ],
            "sketch": None if self.sketch is None else list(self.sketch),
            "unit": self.unit,
            "bound": self.bound,
            "denominator": self.denominator,
            "law": self.law,
            "noise_scale": self.noise_scale,
            "mechanism": self.mechanism,
            "size": self.size,
        }  # fmt: skip

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> SemanticPlan:
        return plan_of(
            AtomSet.from_list(data["atoms"]),
            {r["atom"]: r["mass"] for r in data["rows"]},
            sketch=data["sketch"],
            unit=data["unit"],
            bound=data["bound"],
            denominator=data["denominator"],
            law=data["law"],
            noise_scale=data["noise_scale"],
            mechanism=data["mechanism"],
            size=data["size"],
        )


def plan_of(
    atoms: AtomSet,
    masses: Mapping[int, float],
    *,
    sketch: Sequence[float] | None,
    unit: Literal["record", "user"],
    bound: int,
    denominator: int,
    law: Law,
    noise_scale: float,
    mechanism: str,
    size: int,
) -> SemanticPlan:
    """A plan from the released masses of the admitted atoms (`masses`: atom → mass).

    Ranks follow the released mass, ties the order of the atoms.
    """
    around = half_width(law, noise_scale)
    rows = []
    for rank, atom in enumerate(sorted(masses, key=lambda a: (-masses[a], a)), 1):
        mass = float(masses[atom])
        support = mass / denominator
        about = atoms.atoms[atom]
        rows.append(
            PlanRow(
                rank, atom, about.label, about.description, mass, mass - around, mass + around, support,
                bin_of(support),
            )
        )  # fmt: skip
    return SemanticPlan(
        atoms, tuple(rows), None if sketch is None else tuple(float(v) for v in sketch), unit, bound,
        denominator, law, float(noise_scale), mechanism, size,
    )  # fmt: skip


def half_width(law: Law, scale: float, level: float = INTERVAL) -> float:
    """Half of the two-sided interval that noise of this scale stays within with probability `level`."""
    if law == "none" or scale == 0:
        return 0.0
    if law == "Laplace":
        return scale * math.log(1 / (1 - level))
    from scipy.stats import norm

    return scale * float(norm.ppf((1 + level) / 2))
