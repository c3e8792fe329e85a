"""What a method of aggregate insight is to everything around it: one protocol, one line in `registry`.

PRIVATE SIDE: `Protected` holds the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import pandas as pd

from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin.contributions import Contributions
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles

Family = Literal["plan", "baseline", "reference"]
"""DP-SPIN; other differentially private summaries; what the curator sees without any noise."""


@dataclass(frozen=True)
class Protected:
    """The protected records of a run. `values` has one row a record, the schema's columns.

    `contributions` go to the atoms of the measurement; their `users` are the protected users.
    """

    texts: Sequence[str] = field(repr=False)
    values: pd.DataFrame = field(repr=False)
    contributions: Contributions = field(repr=False)


@dataclass(frozen=True)
class Task:
    """What one draw works with. `seed` decides public choices only, never noise."""

    protected: Protected
    measurement: Measurement
    donated: DonatedExamples
    roles: Roles
    noise: Noise
    seed: int = 0
    progress: Progress = silent
    cancel: CancelToken = NEVER


@dataclass(frozen=True)
class Outcome:
    """What a method released.

    `plan`: what is put into words and verified; its atoms may be a method's own (keywords). None where
    the release has no atoms, and `text` says it instead. `atoms`: the measurement's atoms that the
    release stands for, best first, at most L: what Overlap@L and MassRetained are computed on.
    `details`: further released facts, JSON-able (clusters with their sizes and keywords).
    """

    plan: SemanticPlan | None
    atoms: tuple[int, ...]
    text: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class InsightMethod(Protocol):
    """A frozen config whose fields are its settings; those that are private have `epsilon`.

    `charges` is the whole price, known beforehand from public settings: the ledger is charged with it
    before `draw` is called. A reference has no charges and may never leave the curator.
    """

    name: ClassVar[str]
    family: ClassVar[Family]

    @property
    def title(self) -> str:
        """The name with what tells its variants apart: "DP-SPIN, Laplace"."""
        ...

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        """Raises BadInput where the settings do not fit the measurement."""
        ...

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """Raises BadInput where the method could not work on these: called before anything is charged."""
        ...

    def draw(self, task: Task) -> Outcome:
        """Spends exactly `charges`, all noise from `task.noise`."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """JSON-able settings with the key `method`, read back by `registry.insight_from`."""
        ...
