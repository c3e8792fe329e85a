"""1-2-3 Check (arXiv 2508.07667): extract, classify, generate; one pass, no loop.

PRIVATE SIDE. No public code of it exists: this is a reimplementation from the paper's description.
The evaluators look at the result once, for the curator; the method itself does not use them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ctxpriv.privatize.anon.assess import Assessor, Record
from ctxpriv.privatize.anon.episode import Round
from ctxpriv.privatize.anon.loop import UNCHANGED, OnEpisode, failure_of, finish, same_text
from ctxpriv.rewriting_roles import Rewritten, ThreeAgents, Told


def run_pass(
    records: Sequence[Record], agents: ThreeAgents, assessor: Assessor, on_episode: OnEpisode, *, wave: int
) -> None:
    """Every record to its episode of one round. A record for which an agent failed is withheld.

    A text in which the agents found nothing to hide is released as it is: that is the method.
    Raises Cancelled and ModelFailed; finished records have been handed over then.
    """
    for start in range(0, len(records), wave):
        assessor.cancel.check()
        group, started = records[start : start + wave], time.perf_counter()
        rounds = _Pass(group, agents, assessor).rounds()
        seconds = (time.perf_counter() - started) / len(group)
        for record, (original, now) in zip(group, rounds, strict=True):
            on_episode(finish(record, [original, now], seconds=seconds))


@dataclass
class _Pass:
    """The three agents on some records; whoever fails on one ends its way, not that of the others."""

    group: Sequence[Record]
    agents: ThreeAgents
    assessor: Assessor

    def rounds(self) -> list[tuple[Round, Round]]:
        """The original and the rewrite of every record, both assessed."""
        texts = [r.text for r in self.group]
        asking = self.agents.extract(texts, seed=self.assessor.seed)
        told, *guessed = self.assessor.ask(asking, *self.assessor.askings(texts))
        originals = self.assessor.judge(self.group, [Round(0, t) for t in texts], *guessed)
        rounds = [self._round(o, *made) for o, made in zip(originals, self._made(texts, told), strict=True)]
        good = [i for i, r in enumerate(rounds) if not r.failure]
        assessed = self.assessor.assess(
            [self.group[i] for i in good], [rounds[i] for i in good], [originals[i] for i in good]
        )
        for i, done in zip(good, assessed, strict=True):
            rounds[i] = done
        return list(zip(originals, rounds, strict=True))

    def _made(
        self, texts: Sequence[str], told: Sequence[tuple[Told, ...] | str]
    ) -> list[tuple[Rewritten, tuple[Told, ...]]]:
        """Each text anew, with what was to be hidden in it."""
        seed = self.assessor.seed
        out: dict[int, tuple[Rewritten, tuple[Told, ...]]] = {
            i: (Rewritten(failure=t), ()) for i, t in enumerate(told) if isinstance(t, str)
        }
        read = {i: t for i, t in enumerate(told) if not isinstance(t, str)}
        sides = self.assessor.ask(self.agents.classify(list(read.values()), seed=seed))[0]
        hide: dict[int, tuple[Told, ...]] = {}
        for (i, things), private in zip(read.items(), sides, strict=True):
            if isinstance(private, str):
                out[i] = (Rewritten(failure=private), ())
            else:
                hide[i] = tuple(t for t, hidden in zip(things, private, strict=True) if hidden)
        out |= {i: (Rewritten(texts[i]), ()) for i, things in hide.items() if not things}
        hide = {i: things for i, things in hide.items() if things}
        made = self.assessor.ask(
            self.agents.generate([texts[i] for i in hide], list(hide.values()), seed=seed)
        )[0]
        out |= {i: (got, hide[i]) for i, got in zip(hide, made, strict=True)}
        return [out[i] for i in range(len(texts))]

    def _round(self, original: Round, got: Rewritten, hidden: tuple[Told, ...]) -> Round:
        failure = failure_of(got)
        if not failure and hidden and same_text(got.text, original.text):
            failure = UNCHANGED
        return Round(1, "" if failure else got.text, failure)
