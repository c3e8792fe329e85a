"""What one adversary made of rewritten records (paper App. I, "Anonymization methods").

CURATOR-ONLY (DESIGN section 4.7): scores are computed against true private values, so an attack is
never part of a release bundle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxpriv.evaluate.metric import Metric
from ctxpriv.models.weights import SMOLLM2

CLASSIFIER = "classifier"
INFORMED = "informed"
CLASSIFY = "classify"
OPEN = "open-ended"

TITLES = {
    CLASSIFIER: "Classifier trained on the donated texts",
    INFORMED: "The same, knowing other released records",
    CLASSIFY: "Language model choosing among the values",
    OPEN: "Language model guessing freely",
}
"""Attacks by name, for people, in the order in which they are shown."""


@dataclass(frozen=True)
class Attack:
    """An adversary reads each released rewrite and names the private values of its record.

    `leak`: how often it names the true value, the mean over private attributes (the paper's accuracy).
    `majority`: the same for naming the most common values whatever the text says, with as many guesses;
    `advantage` is leak − majority, and may be negative. `unprotected`: the same adversary on the
    original texts of the same records, so that unprotected − leak is what the rewriting bought.
    `leak_when_useful`: leak over the records that kept label and public values (PrivacyLens counts so).

    `n`: released records; records whose true value is not stated are left out per attribute. `unknown`:
    answers that could not be read. They are no evidence of safety and are left out of every share.
    `per_attribute[a]`: accuracy with its interval (low, high), majority, unprotected, advantage, n, unknown.
    `same_as_evaluator`: the adversary is the model that judged the rewriting while it ran.
    """

    name: str
    who: Mapping[str, str]
    leak: Metric
    majority: Metric
    advantage: Metric
    unprotected: Metric
    leak_when_useful: Metric
    guesses: int = 1
    n: int = 0
    unknown: int = 0
    per_attribute: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    same_as_evaluator: bool = False
    seconds: float = 0.0

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)

    @property
    def misled(self) -> bool:
        """Whether it does worse than one who never reads: it was led astray, which is not the same as
        being told nothing. Who knows that does at least as well as the majority. (The informed one is
        below it where it knows too few records to tell which value is the most common.)"""
        return self.name != INFORMED and self.advantage.high is not None and self.advantage.high < 0

    @property
    def by_stand_in(self) -> bool:
        """Whether the small embedded model played: that it infers little says little."""
        return self.who.get("name") == SMOLLM2.name

    @property
    def removed(self) -> float | None:
        """Share of the adversary's advantage on the originals that the rewriting took away; None where
        it had none there. Above 1 where it does worse than the majority on the rewrites."""
        figures = (self.leak.value, self.majority.value, self.unprotected.value)
        if None in figures:
            return None
        leak, majority, unprotected = (float(f) for f in figures if f is not None)
        return (unprotected - leak) / (unprotected - majority) if unprotected > majority else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "who": dict(self.who),
            **{name: getattr(self, name).to_dict() for name in _FIGURES},
            "guesses": self.guesses,
            "n": self.n,
            "unknown": self.unknown,
            "per_attribute": {name: dict(row) for name, row in self.per_attribute.items()},
            "same_as_evaluator": self.same_as_evaluator,
            "seconds": self.seconds,
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Attack:
        return Attack(**{**data, **{name: Metric.from_dict(data[name]) for name in _FIGURES}})


_FIGURES = ("leak", "majority", "advantage", "unprotected", "leak_when_useful")
