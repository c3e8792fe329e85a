"""What the evaluators make of a text, held against the truth (paper Alg. 3, lines 7 and 8).

PRIVATE SIDE: compares guesses with true values. Every guess is decided by a named rule of
`ctxpriv.matching`; what could not be read is unknown, never safe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ctxpriv.asking import Meter, together
from ctxpriv.matching import Matcher
from ctxpriv.privatize.anon.episode import Decision, Round
from ctxpriv.progress import CancelToken, Progress, silent
from ctxpriv.rewriting_roles import Asking, Brief, Guessed, Guesser
from ctxpriv.schema import SAYS_NOTHING, Attribute
from ctxpriv.traces import added, must_not_stand, traces

AGAIN = 500_009
"""What a second asking adds to the seed."""


@dataclass(frozen=True)
class Record:
    """One private record as the engine needs it; `truths` holds its specific values."""

    row: int
    record_id: str
    text: str = field(repr=False)
    truths: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class Assessor:
    """The two evaluators and how their guesses are judged.

    `guesses`: attempts allowed per private attribute. `checked`: what must stay inferable (the label
    and, for ANON-CI, every public value). `matcher` decides guesses on `brief.schema`.
    """

    brief: Brief
    privacy: Guesser
    utility: Guesser
    matcher: Matcher
    guesses: Mapping[str, int]
    checked: tuple[str, ...]
    seed: int
    cancel: CancelToken
    meter: Meter
    progress: Progress = silent  # told of the answers of a batch as they come

    def protected(self, record: Record) -> tuple[str, ...]:
        """Private attributes that this record has a value of."""
        return tuple(a for a in self.brief.private if record.truths[a] not in SAYS_NOTHING)

    def ask(self, *askings: Asking[Any]) -> list[Any]:
        """What they return, their prompts batched (`asking.together`)."""
        return together(*askings, cancel=self.cancel, meter=self.meter, progress=self.progress)

    def keeps(self, record: Record) -> dict[str, str]:
        """What must stay inferable of this record: value, or bucket where only that is public."""
        told = {a: record.truths[a] for a in self.checked if record.truths[a] not in SAYS_NOTHING}
        for name in (a for a in told if a in self.brief.coarsened):
            told[name] = self.brief.schema.coarsenings[name].mapping[told[name]]
        return {name: value for name, value in told.items() if value not in SAYS_NOTHING}

    def askings(self, texts: Sequence[str], *, again: bool = False) -> tuple:
        """The privacy and the utility evaluator's askings on `texts`, to be run `together`; `again`
        asks with another seed. Else the seed is that of the run, so that a text which was guessed
        before, in whatever round or method, costs no call.
        """
        seed = self.seed + AGAIN if again else self.seed
        hidden = {a: self.guesses[a] for a in self.brief.private}
        return (
            self.privacy.guess(texts, hidden, seed=seed),
            self.utility.guess(texts, dict.fromkeys(self.checked, 1), seed=seed),
        )

    def assess(
        self, records: Sequence[Record], rounds: Sequence[Round], originals: Sequence[Round]
    ) -> list[Round]:
        """Each round with what the evaluators say of its text; the privacy evaluator is asked once more
        where it gave no readable answer.

        `originals`: round 0 of each record, judged already.
        """
        texts = [r.text for r in rounds]
        if not texts:
            return []
        told, kept = self.ask(*self.askings(texts))
        again = [i for i, g in enumerate(told) if self._unread(records[i], g)]
        if again:
            asking, _ = self.askings([texts[i] for i in again], again=True)
            for i, got in zip(again, self.ask(asking)[0], strict=True):
                told[i] = min(told[i], got, key=lambda g: len(self._unread(records[i], g)))  # noqa: B023
        judged = self.judge(records, rounds, told, kept)
        return [_losses(now, original) for now, original in zip(judged, originals, strict=True)]

    def judge(
        self,
        records: Sequence[Record],
        rounds: Sequence[Round],
        told: Sequence[Guessed],
        kept: Sequence[Guessed],
    ) -> list[Round]:
        """Guesses to verdicts; all guesses of all rounds are matched in one go."""
        asked = [
            (i, side, name, guess, truth)
            for i, record in enumerate(records)
            for side, guessed, truths in (
                ("privacy", told[i], {n: record.truths[n] for n in self.protected(record)}),
                ("utility", kept[i], self.keeps(record)),
            )
            for name, truth in truths.items()
            if name in guessed.guesses
            # An empty guess is kept as well: that the text gives no indication is an answer.
            for guess in guessed.guesses[name] or ("",)
        ]
        found = self.matcher.match_many([(name, guess, truth) for _, _, name, guess, truth in asked])
        decisions: list[dict[str, list[Decision]]] = [{"privacy": [], "utility": []} for _ in records]
        for (i, side, name, guess, truth), m in zip(asked, found, strict=True):
            decisions[i][side].append(Decision(name, guess, truth, m.matched, m.rule, m.credit))
        return [
            self._round(record, rounds[i], decisions[i], told[i], kept[i]) for i, record in enumerate(records)
        ]

    def _round(
        self, record: Record, now: Round, made: Mapping[str, list[Decision]], told: Guessed, kept: Guessed
    ) -> Round:
        protected, keep = self.protected(record), self.keeps(record)
        leaked = {d.attribute for d in made["privacy"] if d.matched}
        good = {d.attribute for d in made["utility"] if d.matched}
        unread = tuple(n for n in keep if n not in kept.guesses)
        standing = self.standing(record, now.text)
        return replace(
            now,
            privacy=tuple(made["privacy"]),
            spans=_merged({n: s for n, s in told.spans.items() if n in protected}, standing),
            leaked=tuple(n for n in protected if n in leaked),
            unknown=self._unread(record, told),
            survivors=tuple(standing),
            utility=tuple(made["utility"]),
            kept=tuple(n for n in keep if n in good),
            untold=tuple(n for n in keep if n not in good and n not in unread),
            unknown_utility=unread,
            added=() if now.number == 0 else self.added(record, now.text),
        )

    def _unread(self, record: Record, told: Guessed) -> tuple[str, ...]:
        return tuple(n for n in self.protected(record) if n not in told.guesses)

    def standing(self, record: Record, text: str) -> dict[str, tuple[str, ...]]:
        """Attributes whose exact value stands in `text` although this audience may not have it, and where."""
        schema = self.brief.schema
        return traces(text, must_not_stand(record.truths, schema, self.brief), schema)

    def added(self, record: Record, text: str) -> tuple[tuple[str, str], ...]:
        return added(record.text, text, self.brief.schema)


def _merged(a: Mapping[str, tuple[str, ...]], b: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys((*a, *b))
    found = {n: tuple(dict.fromkeys((*a.get(n, ()), *b.get(n, ())))) for n in names}
    return {n: spans for n, spans in found.items() if spans}


def _losses(now: Round, original: Round) -> Round:
    """What the original tells, or might, and this text does not is lost."""
    told = {*original.kept, *original.unknown_utility}
    return replace(
        now,
        lost=tuple(n for n in now.untold if n in told),
        untold=tuple(n for n in now.untold if n not in told),
    )


def attempts(attribute: Attribute, most: int) -> int:
    """How many guesses an evaluator has at an attribute: at most `most` (p_threshold, paper Alg. 3).

    [ours] Three guesses at one of two sexes, or at an age when five years either way count as right,
    always hit. So an attribute with d values that can be told apart gets at most (d − 1) / 2: of
    whole numbers, that is the range in steps of 11 years, which one guess covers.
    """
    values = [v for v in attribute.values if v not in SAYS_NOTHING]
    numbers = [int(v) for v in values if v.isdecimal()]
    whole = bool(values) and len(numbers) == len(values)
    apart = (max(numbers) - min(numbers)) / 11 if whole else len(values)
    return max(1, min(most, int((apart - 1) / 2)))
