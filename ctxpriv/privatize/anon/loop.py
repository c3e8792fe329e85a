"""The rewriting loop (paper Alg. 3): rewrite, evaluate privacy and utility, feed back, choose the best.

PRIVATE SIDE. ANON-CI and RUPTA are two configurations of this one engine. Records are worked on in
waves, so that all rewriters' prompts of a wave are one batch and all evaluators' another; a record
that is finished makes room for the next.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ctxpriv.errors import ModelFailed
from ctxpriv.privatize.anon.assess import Assessor, Record
from ctxpriv.privatize.anon.episode import (
    CANCELLED,
    MODEL_FAILED,
    SAFE_AND_USEFUL,
    SAFE_SOME_LOST,
    UNSAFE,
    Episode,
    Round,
)
from ctxpriv.progress import Cancelled
from ctxpriv.rewriting_roles import UNREADABLE, LeakFound, Rewriter, RewriteTask, Rewritten

UNCHANGED = "unchanged"
"""The rewriter gave the original back although it tells something: not a rewrite."""
FAILURES_IN_A_ROW = 3
"""After so many rounds without a usable rewrite a record is given up: each had several attempts."""
EARLIER_SHOWN = 3  # RUPTA shows the rewriter its last three edits

OnEpisode = Callable[[Episode], None]


@dataclass
class _Work:
    """One record on its way."""

    record: Record
    rounds: list[Round] = field(default_factory=list)
    exhausted: bool = False
    seconds: float = 0.0

    @property
    def number(self) -> int:
        """Of the last round; 0 when only the original was looked at."""
        return self.rounds[-1].number if self.rounds else 0

    @property
    def last_text(self) -> Round | None:
        """The last round that has a text: what the next round starts from."""
        return next((r for r in reversed(self.rounds) if not r.failure), None)


def run_loop(
    records: Iterable[Record],
    rewriter: Rewriter,
    assessor: Assessor,
    on_episode: OnEpisode,
    *,
    rounds: int,
    wave: int,
    begun: Mapping[int, Episode] | None = None,
) -> None:
    """Every record to its episode, handed over as soon as it is finished.

    `rounds` is T_max, `wave` how many records are worked on at once, `begun` what a cancelled
    run left of a row. Raises Cancelled and ModelFailed after handing over what was begun, as
    episodes that ended with "cancelled".
    """
    waiting = deque(records)
    active: list[_Work] = []
    try:
        while waiting or active:
            assessor.cancel.check()
            while waiting and len(active) < wave:
                record = waiting.popleft()
                active.append(_taken_up(record, (begun or {}).get(record.row)))
            started = time.perf_counter()
            _one_round(active, rewriter, assessor)
            share = (time.perf_counter() - started) / len(active)
            for work in active:
                work.seconds += share
            active = [w for w in active if not _handed_over(w, rounds, on_episode)]
    except (Cancelled, ModelFailed):
        for work in active:
            if work.number:
                on_episode(_episode(work, CANCELLED, None, "the run was stopped before it was finished"))
        raise


def _taken_up(record: Record, before: Episode | None) -> _Work:
    return _Work(record) if before is None else _Work(record, list(before.rounds), seconds=before.seconds)


def _one_round(active: Sequence[_Work], rewriter: Rewriter, assessor: Assessor) -> None:
    """Line 6 for every active record, and the evaluators on the originals of those that are new;
    then lines 7 and 8 on what was rewritten. A cancel in between leaves every record as it was before
    the round, or with its original looked at."""
    new = [w for w in active if not w.rounds]
    tasks = [_task(w, assessor) for w in active]
    originals = [w.record.text for w in new]
    askings = [rewriter.rewrite(tasks, seed=assessor.seed)]
    askings += list(assessor.askings(originals)) if new else []
    written, *told = assessor.ask(*askings)
    first = [Round(0, text) for text in originals]
    judged = assessor.judge([w.record for w in new], first, *told) if new else []
    for work, original in zip(new, judged, strict=True):
        work.rounds = [original]
    made = [_made(w, task.round, got) for w, task, got in zip(active, tasks, written, strict=True)]
    fresh = [i for i, r in enumerate(made) if not r.failure and _seen(active[i], r.text) is None]
    assessed = assessor.assess(
        [active[i].record for i in fresh],
        [made[i] for i in fresh],
        [active[i].rounds[0] for i in fresh],
    )
    for i, done in zip(fresh, assessed, strict=True):
        made[i] = done
    for work, now, got in zip(active, made, written, strict=True):
        before = None if now.failure else _seen(work, now.text)
        if before is not None:  # the same text again: what was found then holds now
            now = replace(before, number=now.number, memory=now.memory)
        work.rounds.append(now)
        work.exhausted = got.exhausted


def _task(work: _Work, assessor: Assessor) -> RewriteTask:
    last = work.last_text
    keep = assessor.keeps(work.record)
    if last is None:  # round 1: nothing was looked at yet (line 4, f = ∅)
        return RewriteTask(work.record.text, work.record.text, 1, keep)
    return RewriteTask(
        work.record.text,
        last.text,
        work.number + 1,
        keep,
        leaks=_feedback(last),
        lost=last.lost,
        earlier=tuple(r.text for r in work.rounds if r.number and not r.failure and r is not last)[
            -EARLIER_SHOWN:
        ],
        # Of a failed round as well: how it failed is the rewriter's to remember.
        memory={**last.memory, **work.rounds[-1].memory},
    )


def _feedback(last: Round) -> tuple[LeakFound, ...]:
    """What leaked, by which guess, from which spans (line 12)."""
    guesses = {d.attribute: d.guess for d in reversed(last.privacy) if d.matched}
    truths = {d.attribute: d.truth for d in last.privacy}
    return tuple(
        LeakFound(name, guesses.get(name) or truths.get(name, ""), tuple(last.spans.get(name, ())))
        for name in last.open
    )


def _made(work: _Work, number: int, got: Rewritten) -> Round:
    """A rewriter's answer as a round that is still to be assessed, or its failure."""
    failure = failure_of(got)
    same = same_text(got.text, work.record.text)
    original = work.rounds[0]
    if not failure and same and (original.open or original.unknown):
        failure = UNCHANGED
    if failure:
        return Round(number, "", failure, memory=got.memory)
    return Round(number, got.text, memory=got.memory)


def failure_of(got: Rewritten) -> str:
    """Why a rewriter's answer is none, "" where it is usable. Half of a surrogate pair, which a cut JSON
    escape leaves, is no text that a file can hold."""
    if got.failure:
        return got.failure
    if not got.text.strip():
        return "empty"
    return UNREADABLE if any("\ud800" <= c <= "\udfff" for c in got.text) else ""


def same_text(a: str, b: str) -> bool:
    """Whether two texts differ in nothing but white space."""
    return a.split() == b.split()


def _seen(work: _Work, text: str) -> Round | None:
    """An earlier round with this very text that the evaluators could read."""
    return next((r for r in work.rounds if r.number and r.text == text and r.usable), None)


def _handed_over(work: _Work, rounds: int, on_episode: OnEpisode) -> bool:
    last = work.rounds[-1]
    tail = work.rounds[1:][-FAILURES_IN_A_ROW:]
    given_up = len(tail) == FAILURES_IN_A_ROW and all(r.failure for r in tail)
    if not (last.safe and last.useful) and not work.exhausted and not given_up and work.number < rounds:
        return False
    on_episode(finish(work.record, work.rounds, given_up=given_up, seconds=work.seconds))
    return True


def finish(
    record: Record, rounds: Sequence[Round], *, given_up: bool = False, seconds: float = 0.0
) -> Episode:
    """The episode of a record that gets no further round: its best round, and why it ended.

    Line 14: the privacy-safe round that keeps most utility, else the one with fewest leaks. Without a
    usable round the record is withheld: what failed, or could not be judged, is never released.
    """
    work = _Work(record, list(rounds), seconds=seconds)
    best = best_round(rounds)
    if best is None:
        failures = list(dict.fromkeys(r.failure or "privacy could not be judged" for r in rounds[1:]))
        return _episode(work, MODEL_FAILED, None, ", ".join(failures))
    if not best.safe:
        return _episode(work, MODEL_FAILED if given_up else UNSAFE, best.number, "")
    return _episode(work, SAFE_AND_USEFUL if best.useful else SAFE_SOME_LOST, best.number, "")


def best_round(rounds: Sequence[Round]) -> Round | None:
    """The round to release (DESIGN section 6); None where none may be.

    Equally useful rounds: the one that adds fewest values of its own, then the earliest.
    """
    usable = [r for r in rounds if r.usable]

    def order(r: Round) -> tuple[int, ...]:
        return len(r.open), len(r.lost) + len(r.unknown_utility), len(r.added), r.number

    return min(usable, key=order, default=None)


def _episode(work: _Work, stop: str, chosen: int | None, why: str) -> Episode:
    return Episode(
        work.record.row, work.record.record_id, tuple(work.rounds), chosen, stop, why, work.seconds
    )
