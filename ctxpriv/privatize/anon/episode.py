"""What happened to one record: every round with its guesses, the round chosen, why it ended.

PRIVATE SIDE, CURATOR-ONLY (DESIGN section 4.7): holds texts and true values of private records.
Kept in the workspace beside the run, never in a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

SAFE_AND_USEFUL = "safe and useful"
SAFE_SOME_LOST = "safe, some utility lost"
UNSAFE = "unsafe after the last round"
MODEL_FAILED = "model failed"
CANCELLED = "cancelled"
STOPS = (SAFE_AND_USEFUL, SAFE_SOME_LOST, UNSAFE, MODEL_FAILED, CANCELLED)


@dataclass(frozen=True)
class Decision:
    """One guess held against the truth. `rule` names the rule of `ctxpriv.matching` that decided."""

    attribute: str
    guess: str
    truth: str
    matched: bool
    rule: str
    credit: float = 0.0  # 1 the value itself, between 0 and 1 a part of it (the country of a city)


@dataclass(frozen=True)
class Round:
    """One rewrite and what the evaluators made of it; round 0 is the original.

    `failure` says why there is no usable rewrite. `unknown`: private attributes for which the
    privacy evaluator gave no readable answer: such a round is never safe. `survivors`: attributes whose
    value stands in the text as it is, whatever the evaluator said. What had to stay inferable is `kept`,
    `lost`, `untold` (the original does not tell it either, so it is no loss [ours]) or
    `unknown_utility` (no readable answer). `added`: values that the rewrite states and the original
    does not.
    """

    number: int
    text: str
    failure: str = ""
    privacy: tuple[Decision, ...] = ()
    spans: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    leaked: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    survivors: tuple[str, ...] = ()
    utility: tuple[Decision, ...] = ()
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    unknown_utility: tuple[str, ...] = ()
    added: tuple[tuple[str, str], ...] = ()  # (attribute, value)
    memory: Mapping[str, Any] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        """Whether this may be released at all: a rewrite that the privacy evaluator could read."""
        return self.number > 0 and not self.failure and not self.unknown

    @property
    def open(self) -> tuple[str, ...]:
        """Private attributes that this text still tells."""
        return tuple(dict.fromkeys((*self.leaked, *self.survivors)))

    @property
    def safe(self) -> bool:
        return self.usable and not self.open

    @property
    def useful(self) -> bool:
        return not self.lost and not self.unknown_utility


@dataclass(frozen=True)
class Episode:
    """All rounds of one record. `row`: its place in the private split. `chosen`: the number of the
    round that is released, None where the record is withheld; `why_withheld` then says why."""

    row: int
    record_id: str
    rounds: tuple[Round, ...]
    chosen: int | None
    stop: str
    why_withheld: str = ""
    seconds: float = 0.0

    @property
    def released(self) -> Round | None:
        """The round whose text is released."""
        return next((r for r in self.rounds if r.number == self.chosen), None) if self.chosen else None

    @property
    def original(self) -> str:
        return self.rounds[0].text

    @property
    def safe(self) -> bool:
        return self.released is not None and self.released.safe

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Episode:
        return Episode(**{**data, "rounds": tuple(_round(r) for r in data["rounds"])})


def _round(data: Mapping[str, Any]) -> Round:
    decisions = {k: tuple(Decision(**d) for d in data[k]) for k in ("privacy", "utility")}
    lists = ("leaked", "unknown", "survivors", "kept", "lost", "untold", "unknown_utility")
    return Round(
        **{
            **data,
            **decisions,
            **{k: tuple(data[k]) for k in lists},
            "spans": {k: tuple(v) for k, v in data["spans"].items()},
            "added": tuple((a, v) for a, v in data["added"]),
        }
    )
