"""What a decoder wrote, what the verifier said to it, and what was shown in the end.

RELEASE SIDE. All of it depends on the plan and on public rules alone (DP-SPIN §4.3, App. G).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["audit", "display"]
"""Audit: canonical markers, and masses may be told. Display: labels and bins only (paper G.2)."""

VIOLATIONS = {
    "unknown marker": "a marker that stands for no atom",
    "unadmitted atom": "an atom that the plan does not admit",
    "invented theme": "a theme that is no atom at all",
    "missing marker": "a claim without its marker (audit mode)",
    "forbidden marker": "a marker or a mass in a text for display",
    "unsupported number": "a number that the plan does not hold",
    "wrong number": "a number of another atom",
    "wrong bin": "another support bin than the plan's",
    "unsupported comparison": "a comparison that the released values do not bear out",
    "wrong rank": "another rank than the plan's",
    "false promise": "a promise of protection that the plan does not bear out",
    "claim of importance": "importance, severity or urgency, of which the plan says nothing",
    "cause or group": "a cause, a trend or a subgroup, of which the plan says nothing",
    "raw record": "words that look like a record or a quotation from one",
    "individual": "a statement about one person",
    "markup": "markup, a link or an instruction",
    "nothing said": "no statement that the plan supports",
}
"""The kinds of violation, with what each is."""


@dataclass(frozen=True)
class Violation:
    """`kind` is a key of `VIOLATIONS`; `where` the words; `sentence` the position from 0; `fix` tells the
    decoder what to do instead."""

    kind: str
    where: str
    sentence: int
    fix: str = ""

    def told(self) -> str:
        """One line for feedback and pages."""
        return f"{self.kind}: “{self.where}”." + (f" {self.fix}" if self.fix else "")


@dataclass(frozen=True)
class Sentence:
    """One sentence of a summary with the atoms whose plan rows support it."""

    text: str
    atoms: tuple[int, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What the verifier found. Counts are for UAR and UCR (paper B.4): `mentions` of atoms, of which
    `unadmitted`; `comparisons` found, of which `unsupported`."""

    violations: tuple[Violation, ...]
    sentences: tuple[Sentence, ...]
    mentions: int = 0
    unadmitted: int = 0
    comparisons: int = 0
    unsupported: int = 0

    @property
    def accepted(self) -> bool:
        return not self.violations

    @property
    def uar(self) -> float:
        """Unadmitted mentions / atom mentions; 0 where there is none."""
        return self.unadmitted / self.mentions if self.mentions else 0.0

    @property
    def ucr(self) -> float:
        """Unsupported / detected comparisons; 0 where there is none."""
        return self.unsupported / self.comparisons if self.comparisons else 0.0


@dataclass(frozen=True)
class Attempt:
    """One candidate. `failure` is a model's ("cut off", "timed out", ...) where it gave no text."""

    text: str
    verdict: Verdict
    failure: str = ""

    @property
    def accepted(self) -> bool:
        return not self.failure and self.verdict.accepted


@dataclass(frozen=True)
class Summary:
    """The text that is shown, its sentences with their support, and every attempt that led there.

    `fallback`: no attempt was accepted, so the template speaks. `decoder` names who wrote the text.
    """

    text: str
    sentences: tuple[Sentence, ...]
    mode: Mode
    decoder: Mapping[str, str]
    attempts: tuple[Attempt, ...] = ()
    fallback: bool = False
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; the reverse is `from_dict`."""
        return {
            "text": self.text,
            "sentences": [{"text": s.text, "atoms": list(s.atoms)} for s in self.sentences],
            "mode": self.mode,
            "decoder": dict(self.decoder),
            "attempts": [_attempt_dict(a) for a in self.attempts],
            "fallback": self.fallback,
            "notes": list(self.notes),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Summary:
        return Summary(
            data["text"],
            _sentences(data["sentences"]),
            data["mode"],
            data["decoder"],
            tuple(_attempt(a) for a in data["attempts"]),
            data["fallback"],
            tuple(data.get("notes", ())),
        )


def _sentences(data: Any) -> tuple[Sentence, ...]:
    return tuple(Sentence(s["text"], tuple(s["atoms"])) for s in data)


def _attempt_dict(attempt: Attempt) -> dict[str, Any]:
    v = attempt.verdict
    return {
        "text": attempt.text,
        "failure": attempt.failure,
        "violations": [vars(x) for x in v.violations],
        "sentences": [{"text": s.text, "atoms": list(s.atoms)} for s in v.sentences],
        "mentions": v.mentions,
        "unadmitted": v.unadmitted,
        "comparisons": v.comparisons,
        "unsupported": v.unsupported,
    }


def _attempt(data: Mapping[str, Any]) -> Attempt:
    verdict = Verdict(
        tuple(Violation(**v) for v in data["violations"]),
        _sentences(data["sentences"]),
        data["mentions"],
        data["unadmitted"],
        data["comparisons"],
        data["unsupported"],
    )
    return Attempt(data["text"], verdict, data["failure"])
