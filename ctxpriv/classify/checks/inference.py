"""Check (a): what one who knows only what is disclosed learns about each private attribute. PRIVATE SIDE.

The paper's Limitations (lines 821-850): Feature-DP does not prevent inference from public
attributes. The measure is accuracy on held-out records over always guessing the most common
value. Where a private attribute has buckets, both its bucket and its value are guessed and the
worse is told: nearly all records may share a bucket while their values are plain to see. Low
accuracy is no proof of safety: a guess may become likelier without becoming right.

Contributors are told by what an attribute tells *alone* (or two together where that is more).
"What is lost without it" would name nobody where two attributes tell the same; it is given as
the effect of a suggested move instead, and moves are added until the guess is no better than
allowed, so that a suggestion works as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ctxpriv.classify.checks.adversary import Adversary, Hits, Rule
from ctxpriv.classify.checks.finding import CheckSettings, Finding, count, listed, percent
from ctxpriv.classify.checks.records import Column, Records
from ctxpriv.context import Partition
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

FEWEST = 20
"""With fewer records the standard error is above ten points: a figure would say nothing."""

MOST_VALUES = 50  # paper App. A.1; of more values the bucket alone is guessed, for tables grow with them
MOST_MOVES = 3
TOLD = 2  # private attributes and moves that the text names; the rows have them all


@dataclass(frozen=True)
class Gain:
    """Accuracy above always guessing the most common value.

    `low`, `high`: 95 % interval of the accuracy. `gain_low`: the gain is above it but for `chance`.
    """

    majority: float
    accuracy: float
    low: float
    high: float
    gain_low: float

    @property
    def gain(self) -> float:
        return self.accuracy - self.majority

    def leaks(self, settings: CheckSettings) -> bool:
        rest = 1 - self.majority
        return self.gain_low > 0 and (
            self.gain >= settings.gain or self.gain >= settings.gain_of_rest * rest > 0
        )


@dataclass(frozen=True)
class Moves:
    """Attributes to make private against one target, what is guessed right then, and with the
    first of them public when coarsened instead (None where it has no buckets)."""

    attributes: tuple[str, ...]
    accuracy: float
    enough: bool
    coarsened: float | None


def inference(
    records: Records,
    partition: Partition,
    settings: CheckSettings = CheckSettings(),
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Finding:
    """Rows, one per private attribute, worst first: attribute, level ("value" or "bucket"), majority,
    accuracy, low, high (95 %), gain, warning, told (the contributors in words), alone (accuracy by
    disclosed attribute); moves (attributes to make private) and what is guessed right after_moves, whether
    that is enough, and after_coarsening the first of them instead: empty or None without a warning."""
    n, known = len(records), records.disclosed(partition)
    private = [a for a in records.schema.names if a in partition.private]
    if why := _nothing_to_test(n, known, private):
        return Finding("inference", False, why, facts={"n": n})
    rows: list[dict] = []
    cells: dict[Rule, Column] = {}
    for done, name in enumerate(private):
        cancel.check()
        progress("guess private attributes", done, len(private))
        found = [
            _row(records, known, name, level, partition, settings, cells) for level in _levels(records, name)
        ]
        rows.append(min(found, key=_worst_first))
    progress("guess private attributes", len(private), len(private))
    rows.sort(key=_worst_first)
    facts = {"n": n, "disclosed": len(known), "authors_apart": records.authors_apart, "folds": settings.folds}
    warned = [r for r in rows if r["warning"]]
    text = _sentence(rows, warned, facts)
    if records.author is not None and not records.authors_apart:
        text += " There are too few authors to test on people whom the guesser has not met."
    return Finding("inference", bool(warned), text, _suggestion(warned, records.label), tuple(rows), facts)


def _worst_first(row: Mapping) -> tuple[bool, float]:
    return not row["warning"], -row["gain"]


def _levels(records: Records, name: str) -> list[str]:
    if name not in records.schema.coarsenings:
        return ["value"]
    return ["bucket", "value"] if records.exact[name].size <= MOST_VALUES else ["bucket"]


def gain_of(guess: Hits, majority: Hits, units: np.ndarray, chance: float) -> Gain:
    """Standard errors from sums over units (authors or records), which are taken as independent;
    quantiles of Student's t."""
    right, base = float(guess.mean()), float(majority.mean())
    freedom = max(int(units.max()), 1)
    wide, one_sided = (float(stdtrit(freedom, 1 - p)) for p in (0.025, chance))
    error = _standard_error(guess.astype(float) - right, units)
    gain = guess.astype(float) - majority
    gain_error = _standard_error(gain - gain.mean(), units)
    return Gain(
        base,
        right,
        max(0.0, right - wide * error),
        min(1.0, right + wide * error),
        right - base - one_sided * gain_error,
    )


def _standard_error(centred: np.ndarray, units: np.ndarray) -> float:
    sums = np.bincount(units, weights=centred)
    m = len(sums)
    return float(np.sqrt(m / max(m - 1, 1) * (sums**2).sum()) / len(centred))


def _nothing_to_test(n: int, known: Mapping[str, Column], private: list[str]) -> str:
    if not private:
        return "Nothing is private, so there is nothing to guess: every value is disclosed."
    if not known:
        return "Nothing is disclosed, so nothing can be guessed from it."
    if n < FEWEST:
        return (
            f"Not tested: {count(n, 'private record')}, and below {FEWEST} a test says nothing. What the "
            "disclosed attributes tell about the private ones is not known."
        )
    return ""


def _row(
    records: Records,
    known: Mapping[str, Column],
    name: str,
    level: str,
    partition: Partition,
    settings: CheckSettings,
    cells: dict[Rule, Column],
) -> dict:
    target = (records.coarse if level == "bucket" else records.exact)[name]
    buckets = records.buckets(partition)
    adversary = Adversary(known, buckets, target, records.bounds, cells, alike=records.alike)
    guess = adversary.guess(tuple(known))
    gain = gain_of(guess, adversary.majority, records.units, settings.chance)
    alone = {a: float(adversary.alone(a).mean()) for a in known}
    leaks = gain.leaks(settings)
    moves = _moves(adversary, records, settings) if leaks else None
    return {
        "attribute": name,
        "level": level,
        "majority": gain.majority,
        "accuracy": gain.accuracy,
        "low": gain.low,
        "high": gain.high,
        "gain": gain.gain,
        "warning": leaks,
        "told": _told(adversary, alone) if leaks else "",
        "alone": dict(sorted(alone.items(), key=lambda item: -item[1])),
        "moves": list(moves.attributes) if moves else [],
        "after_moves": moves.accuracy if moves else None,
        "enough": moves.enough if moves else None,
        "after_coarsening": moves.coarsened if moves else None,
    }


def _told(adversary: Adversary, alone: Mapping[str, float]) -> str:
    """The largest contributors in words."""
    best = max(alone, key=alone.__getitem__)
    told = f"{best} alone gives {percent(alone[best])}"
    main = adversary.contributors(tuple(alone))
    if len(main) == 2:
        return f"{listed(main)} together give {percent(float(adversary.together(main).mean()))}, {told}"
    majority = float(adversary.majority.mean())
    gained = [a for a in alone if a != best and alone[a] - majority >= 0.5 * (alone[best] - majority) > 0]
    gained = sorted(gained, key=lambda a: -alone[a])[:TOLD]
    return told + "".join(f", {a} {percent(alone[a])}" for a in gained)


def _moves(adversary: Adversary, records: Records, settings: CheckSettings) -> Moves:
    """Withholds the largest contributor, then that of what is left, until the guess is as good as
    allowed or `MOST_MOVES` are spent."""
    taken: list[str] = []
    left = list(adversary.known)
    coarsened, accuracy, enough = None, 1.0, False
    while left and len(taken) < MOST_MOVES and not enough:
        taken.append(_largest(adversary, left))
        left.remove(taken[-1])
        if len(taken) == 1 and taken[0] in adversary.buckets:
            coarsened = _with_buckets(adversary, taken[0], records)
        gain = gain_of(adversary.guess(left), adversary.majority, records.units, settings.chance)
        accuracy, enough = gain.accuracy, not gain.leaks(settings)
    return Moves(tuple(taken), accuracy, enough, coarsened)


def _largest(adversary: Adversary, names: list[str]) -> str:
    """The attribute that tells most alone; of two that tell most together, the one whose loss costs
    the guesser more."""
    main = adversary.contributors(names)
    if len(main) == 1:
        return main[0]
    return min(main, key=lambda a: adversary.guess([b for b in names if b != a]).mean())


def _with_buckets(adversary: Adversary, name: str, records: Records) -> float:
    """Accuracy of one who gets the bucket of `name` only."""
    known = {**adversary.known, name: records.coarse[name]}
    buckets = {a: c for a, c in adversary.buckets.items() if a != name}
    other = Adversary(known, buckets, adversary.target, records.bounds, alike=records.alike)
    return float(other.guess(tuple(known)).mean())


def _sentence(rows: list[dict], warned: list[dict], facts: Mapping) -> str:
    n, who = facts["n"], f"Whoever knows the {count(facts['disclosed'], 'disclosed attribute')}"
    if facts["disclosed"] == 1:
        who = "Whoever knows the one disclosed attribute"
    if not warned:
        best = rows[0]
        return (
            f"{who} guesses no private attribute clearly better than by always guessing its most common "
            f"value ({count(n, 'record')}; the closest is {_what(best)}: {percent(best['accuracy'])} "
            f"right, {percent(best['majority'])} by always guessing)."
        )
    told = [_about(row) for row in warned[1:TOLD]]
    if len(warned) > TOLD:
        told.append(f"Also guessed: {listed([r['attribute'] for r in warned[TOLD:]])}.")
    worst = warned[0]
    first = (
        f"{who} guesses {_what(worst)} right for {percent(worst['accuracy'])} of {count(n, 'record')}; "
        f"always guessing the most common value gives {percent(worst['majority'])}. {worst['told']}."
    )
    return " ".join([first, *told])


def _about(row: Mapping) -> str:
    return f"For {_what(row)}: {percent(row['accuracy'])} against {percent(row['majority'])}. {row['told']}."


def _what(row: Mapping) -> str:
    return f"the bucket of {row['attribute']}" if row["level"] == "bucket" else row["attribute"]


def _suggestion(warned: list[dict], label: str | None) -> str:
    """What to do about the worst ones; equal moves are said once."""
    by_moves: dict[tuple[str, ...], list[dict]] = {}
    for row in warned:
        by_moves.setdefault(tuple(row["moves"]), []).append(row)
    told = [_advice(moves, rows, label) for moves, rows in list(by_moves.items())[:TOLD]]
    if len(by_moves) > TOLD:
        others = [row["attribute"] for rows in list(by_moves.values())[TOLD:] for row in rows]
        told.append(f"Then look at {listed(others)} again.")
    return " ".join(told)


def _advice(moves: tuple[str, ...], rows: list[dict], label: str | None) -> str:
    named = listed([f"{a} (the utility label)" if a == label else a for a in moves])
    targets = listed(
        [
            f"{r['attribute']}{' is then guessed right' * (i == 0)} for {percent(r['after_moves'])}"
            for i, r in enumerate(rows)
        ],
        most=3,
    )
    first = rows[0]
    coarsen = ""
    if first["after_coarsening"] is not None:
        coarsen = (
            f" With {moves[0]} public when coarsened instead, {first['attribute']} is guessed right for "
            f"{percent(first['after_coarsening'])}."
        )
    if not all(r["enough"] for r in rows):
        return (
            f"Many attributes tell it: even with {named} private, {targets}. Make more of them "
            f"private, or approve with a reason.{coarsen}"
        )
    return f"Make {named} private: {targets}.{coarsen}"
