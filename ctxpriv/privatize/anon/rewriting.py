"""The one driver behind ANON-CI, RUPTA and 1-2-3 Check (DESIGN section 6).

PRIVATE SIDE. Charges the ledger, hands the private records to the loop or the three agents, keeps
every episode as it comes, and makes the release of what may leave.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.asking import Meter
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput, CtxprivError
from ctxpriv.extract.word_count import counted_values
from ctxpriv.matching import Matcher
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.anon.assess import Assessor, Record
from ctxpriv.privatize.anon.episode import CANCELLED, Episode
from ctxpriv.privatize.anon.episode_file import EPISODES, EpisodeFile
from ctxpriv.privatize.anon.loop import run_loop, same_text
from ctxpriv.privatize.anon.pace import Pace
from ctxpriv.privatize.anon.recipe import Recipe
from ctxpriv.privatize.anon.statement import guarantee, ledger_entry, notes
from ctxpriv.privatize.anon.three_pass import run_pass
from ctxpriv.privatize.release import Checkpoint, Release
from ctxpriv.progress import CancelToken, Progress
from ctxpriv.rewriting_roles import model_of
from ctxpriv.roles import Roles

WAVE = 32
"""Records worked on at once. Servers answer as many of their prompts side by side as they can; the
embedded engine's throughput is flat from 32 on."""
COST = "cost of rewriting"
"""The checkpoint of what the goes at a run took so far: seconds and model calls."""
LOCAL_WAVE = 8
"""Where no language model rewrites: a cancel waits for a wave, and larger ones are no faster."""


def rewrite_corpus(
    recipe: Recipe,
    config: Mapping[str, Any],
    corpus: Corpus,
    roles: Roles,
    played_by: Sequence[str],
    *,
    ledger: Ledger,
    run_id: str,
    checkpoint: Checkpoint,
    seed: int,
    progress: Progress,
    cancel: CancelToken,
) -> Release:
    """The private split, rewritten; records that could not be are withheld.

    Resumes where a stopped run left off: what has a rewrite is not done again, what failed then is
    tried once more. Raises BadInput (settings, nothing private, nothing donated for a local role),
    ModelFailed (the model is gone), CtxprivError (nothing at all may be released), Cancelled.
    """
    private = corpus.part("private")
    if not len(private):
        raise BadInput("there are no private records.", where=recipe.method, fix="Check the splits.")
    recipe.require_something_private()
    started, before = time.perf_counter(), checkpoint.load(COST) or {"seconds": 0.0, "model": {}}
    meter = Meter(**before["model"])
    sitting = _Sitting(recipe, corpus, private, roles, seed, cancel, meter)
    sitting.prepare(progress)
    ledger.charge(ledger_entry(recipe, corpus, run_id))
    file = EpisodeFile(checkpoint.file(EPISODES))
    try:
        sitting.work(file, progress)
    finally:
        seconds = before["seconds"] + time.perf_counter() - started
        checkpoint.save(COST, {"seconds": seconds, "model": vars(meter)})
    return _release(recipe, config, private, file, roles, played_by, meter, seconds)


@dataclass
class _Sitting:
    """One go at a run, from the start or from what an earlier go left."""

    recipe: Recipe
    corpus: Corpus
    private: Corpus
    roles: Roles
    seed: int
    cancel: CancelToken
    meter: Meter
    assessor: Assessor = field(init=False)

    def prepare(self, progress: Progress) -> None:
        """Local roles learn from the donated texts. Nothing private is read."""
        progress("prepare the roles", 0, 1)
        brief = self.recipe.brief(self.corpus.donated(), self.corpus.context)
        actor = self.roles.rewriter if self.recipe.loop else self.roles.agents
        players = (actor, self.roles.privacy_evaluator, self.roles.utility_evaluator)
        if None in players:
            raise BadInput(
                "nobody plays the roles of rewriting.",
                where=self.recipe.method,
                fix="Choose models for them.",
            )
        self.actor, privacy, utility = (p.prepared(brief, self.seed) for p in players)
        matcher = Matcher(self.recipe.schema, self.roles.embedder)
        self.assessor = Assessor(
            brief,
            privacy,
            utility,
            matcher,
            self.recipe.guesses,
            self.recipe.checked,
            self.seed,
            self.cancel,
            self.meter,
        )
        progress("prepare the roles", 1, 1)

    def work(self, file: EpisodeFile, progress: Progress) -> None:
        """Every record of which nothing in `file` may be released yet is worked on."""
        rows = self.recipe.rows(len(self.private), self.seed)
        begun: dict[int, Episode] = {}
        done_rows, pace = set(), Pace(len(rows), progress)
        for episode in file:
            if episode.stop == CANCELLED:
                begun[episode.row] = episode
            elif episode.released:  # else it failed, and models have better days
                done_rows.add(episode.row)
                pace.found(episode)
        wave = LOCAL_WAVE if model_of(self.actor) is None else WAVE
        records = self._records([row for row in rows if row not in done_rows])
        assessor = replace(self.assessor, progress=pace.answers)
        pace.begin()

        def keep(episode: Episode) -> None:
            file.append(episode)
            if episode.stop != CANCELLED:
                pace.done(episode)

        if self.recipe.loop:
            run_loop(
                records,
                self.actor,
                assessor,
                keep,
                rounds=self.recipe.rounds,
                wave=wave,
                begun=begun,
            )
        else:
            run_pass(records, self.actor, assessor, keep, wave=wave)

    def _records(self, rows: Sequence[int]) -> list[Record]:
        table = self.private.table.iloc[list(rows)].to_dict("records")
        return [
            Record(i, self.private.ids[i], self.private.texts[i], {str(k): str(v) for k, v in truths.items()})
            for i, truths in zip(rows, table, strict=True)
        ]


def _release(
    recipe: Recipe,
    config: Mapping[str, Any],
    private: Corpus,
    file: EpisodeFile,
    roles: Roles,
    played_by: Sequence[str],
    meter: Meter,
    seconds: float,
) -> Release:
    """What may leave, in the order of the private split. Raises CtxprivError when nothing may."""
    told = _Told(recipe, len(private))
    for episode in file:
        told.note(episode)
    if not told.rows:
        # Not ModelFailed, which would stop the study: other methods may do better.
        raise CtxprivError(
            f"{recipe.method}: not one of {sum(told.stops.values())} records may be released "
            f"({', '.join(f'{why}: {n}' for why, n in told.withheld.items())})."
        )
    return Release(
        method=recipe.method,
        audience=recipe.partition.audience,
        partition=recipe.partition,
        config=config,
        guarantee=guarantee(recipe),
        records=_records(recipe, private, told.rows, told.texts),
        n_private=len(private),
        models={role: who for role, who in roles.identities().items() if role in played_by},
        seconds={"rewrite": seconds, "language model": meter.model_seconds},
        notes=tuple(notes(recipe, told.outcome)),
        bucketed=tuple(n for n in recipe.disclosed if n in recipe.partition.coarsened),
        origin=tuple(told.rows),
        outcome={**told.outcome, "model": vars(meter)},
    )


@dataclass
class _Told:
    """The released rows and the counts of a run, from one pass over its episodes."""

    recipe: Recipe
    n_private: int
    rows: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    withheld: Counter = field(default_factory=Counter)
    stops: Counter = field(default_factory=Counter)
    survivors: Counter = field(default_factory=Counter)
    rounds: list[int] = field(default_factory=list)
    safe: int = 0
    unchanged: int = 0
    added: int = 0

    def note(self, episode: Episode) -> None:
        self.stops[episode.stop] += 1
        self.rounds.append(len(episode.rounds) - 1)
        now = episode.released
        if now is None:
            self.withheld[episode.why_withheld] += 1
        elif self.recipe.withhold_unsafe and not now.safe:
            self.withheld["still unsafe after the last round"] += 1
        else:
            self.rows.append(episode.row)
            self.texts.append(now.text)
            self.safe += now.safe
            self.unchanged += same_text(now.text, episode.original)
            self.added += bool(now.added)
            self.survivors.update(now.survivors)

    @property
    def outcome(self) -> dict[str, Any]:
        """Counts of records, for the curator: JSON-able, no text."""
        return {
            "private_records": self.n_private,
            "records": sum(self.stops.values()),
            "released": len(self.rows),
            "safe": self.safe,
            "unsafe": len(self.rows) - self.safe,
            "unchanged": self.unchanged,
            "with_added_values": self.added,
            "withheld": dict(self.withheld),
            "stops": dict(self.stops),
            "survivors": dict(self.survivors),
            "rounds_mean": float(np.mean(self.rounds)) if self.rounds else 0.0,
        }


def _records(recipe: Recipe, private: Corpus, rows: Sequence[int], texts: Sequence[str]) -> pd.DataFrame:
    """Text and disclosed attributes; buckets where only these are public. Counted attributes are
    those of the rewrite."""
    kept = private.table.iloc[list(rows)].reset_index(drop=True)
    out: dict[str, Any] = {"text": np.array(texts, object)}
    for name in recipe.disclosed:
        counted = counted_values(texts, recipe.schema[name])
        values = list(kept[name].astype(str)) if counted is None else list(counted)
        if name in recipe.partition.coarsened:
            mapping = recipe.schema.coarsenings[name].mapping
            values = [mapping[v] for v in values]
        out[name] = np.array(values, object)
    return pd.DataFrame(out)
