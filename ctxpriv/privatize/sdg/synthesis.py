"""The one engine behind SDG-CI, MAPLE and Aug-PE (paper Alg. 2).

PRIVATE SIDE: the driver. It hands private codes to conditional AIM and private embeddings to
the votes; evolution and the generator get synthetic rows, donated texts and noisy histograms.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.budget import Budget
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.release import Checkpoint, Release
from ctxpriv.privatize.sdg import aim
from ctxpriv.privatize.sdg.donors import require_donated
from ctxpriv.privatize.sdg.evolution import Candidates, evolve, largest_remainder
from ctxpriv.privatize.sdg.recipe import Recipe, Split, split_budget
from ctxpriv.privatize.sdg.rows import chosen_rows, specific, value_sets
from ctxpriv.privatize.sdg.statement import guarantee, ledger_entry, notes
from ctxpriv.privatize.sdg.votes import Electorate, noisy_votes, vote_charge
from ctxpriv.privatize.stages import PaidStages
from ctxpriv.progress import CancelToken, Progress
from ctxpriv.roles import Roles

# Independent random streams of one run, from its stated seed; none of them is privacy noise.
_ROWS, _SAMPLE, _VALUES, _TEXTS = range(4)


def synthesise(
    recipe: Recipe,
    config: Mapping[str, Any],
    corpus: Corpus,
    partition: Partition,
    roles: Roles,
    *,
    ledger: Ledger,
    run_id: str,
    noise: Noise,
    checkpoint: Checkpoint,
    seed: int,
    progress: Progress,
    cancel: CancelToken,
) -> Release:
    """A synthetic corpus of `recipe.n_synthetic` texts for the partition's audience.

    The ledger is charged before anything is computed. `checkpoint` makes the run resumable:
    no finished noisy stage is drawn twice (see `stages`). `seed` fixes everything but the
    noise. Raises BadInput (settings, no donated texts), ModelFailed (nothing usable was
    written), Cancelled.
    """
    private = corpus.part("private")
    split = split_budget(recipe, len(private))
    if not len(private):
        raise BadInput("there are no private records.", where=recipe.method, fix="Check the splits.")
    donated = corpus.donated()
    require_donated(donated)  # before anything is paid
    stages = PaidStages(
        checkpoint,
        ledger,
        ledger_entry(recipe, split, corpus, run_id),
        None if split.unlimited else Budget(split.rho),
        noise,
    )
    stages.start()
    sitting = _Sitting(recipe, split, private, donated, roles, stages, noise, seed, progress, cancel)
    rows = sitting.rows()
    evolved = evolve(
        rows.table,
        rows.labels,
        rows.quotas,
        roles.generator,
        donated,
        sitting.vote,
        rounds=recipe.rounds,
        variations=recipe.variations,
        seed=_stream(seed, _TEXTS),
        checkpoint=checkpoint,
        progress=progress,
        cancel=cancel,
    )
    kept = evolved.kept
    values = rows.table.iloc[list(kept.rows)].reset_index(drop=True)
    records = pd.concat([pd.DataFrame({"text": np.array(kept.texts, object)}), values], axis=1)
    return Release(
        method=recipe.method,
        audience=partition.audience,
        partition=partition,
        config=config,
        guarantee=guarantee(recipe, split, stages, noise, corpus.schema),
        records=records,
        n_private=len(private),
        bucketed=recipe.as_buckets,
        models={role: roles.identities()[role] for role in ("embedder", "generator")},
        seconds={**sitting.seconds, **evolved.seconds},
        history=evolved.history,
        notes=tuple(notes(recipe, evolved, rows.fit, stages, corpus.schema)),
    )


@dataclass(frozen=True)
class _Rows:
    """The synthetic rows that get a text each: specific values, label codes, quota per label."""

    table: pd.DataFrame
    labels: NDArray[np.int64]
    quotas: NDArray[np.int64]
    fit: Mapping[str, Any] = field(default_factory=dict)  # released diagnostics of conditional AIM


@dataclass
class _Sitting:
    """One go at a run, from the start or from its checkpoints."""

    recipe: Recipe
    split: Split
    private: Corpus
    donated: DonatedExamples
    roles: Roles
    stages: PaidStages
    noise: Noise
    seed: int
    progress: Progress
    cancel: CancelToken

    def __post_init__(self) -> None:
        self.seconds: dict[str, float] = {"table": 0.0, "embed": 0.0, "vote": 0.0}
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        return self.private.codes()

    # ---- rows

    def rows(self) -> _Rows:
        """Alg. 2, line 5, and the rows of Z_0."""
        recipe, schema = self.recipe, self.private.schema
        if not recipe.has_rows:
            return self._label_rows()
        if recipe.fits_table:
            self.cancel.check()
            saved = self.stages.once("table", self.split.table, self._drawn_table)
        else:
            saved = self._copied_table()
        self.seconds["table"] = saved["seconds"]
        table = pd.DataFrame(
            {n: np.array(saved["values"][n], object) for n in schema.names}, index=range(len(saved["labels"]))
        )
        labels = np.array(saved["labels"], np.int64)
        return _Rows(table, labels, np.bincount(labels, minlength=self._n_labels()), saved.get("fit", {}))

    def _drawn_table(self) -> dict[str, Any]:
        recipe, schema = self.recipe, self.private.schema
        started = time.perf_counter()
        fit = aim.fit(
            self.codes,
            schema.coarse_sizes(),
            schema.names,
            [schema.names.index(n) for n in recipe.private],
            self.split.table,
            recipe.aim,
            noise=self.noise,
            budget=self.stages.budget,
            progress=self.progress,
            cancel=self.cancel,
        )
        if recipe.public:
            chosen = self._chosen()
            codes = fit.sample(rows=chosen, seed=_stream(self.seed, _SAMPLE))
        else:
            chosen = None
            codes = fit.sample(n_rows=self._n_synthetic(), seed=_stream(self.seed, _SAMPLE))
        return {
            **self._table_value(codes, chosen),
            "charges": [c.to_dict() for c in fit.charges],
            "fit": fit.diagnostics(),
            "seconds": time.perf_counter() - started,
        }

    def _copied_table(self) -> dict[str, Any]:
        """Nothing is private: the rows are the records' own values, and cost nothing."""
        chosen = self._chosen()
        return {**self._table_value(self.codes[chosen], chosen), "seconds": 0.0}

    def _table_value(self, codes: NDArray[np.int64], chosen: NDArray[np.int64] | None) -> dict[str, Any]:
        """Private values drawn within their bucket, public ones as in the records, or their bucket."""
        recipe, schema = self.recipe, self.private.schema
        observed = self.private.table if recipe.value_expansion == "observed" else None
        where = [schema.names.index(n) for n in recipe.private]
        drawn = specific(
            codes[:, where],
            recipe.private,
            value_sets(schema, recipe.private, observed),
            np.random.default_rng(_stream(self.seed, _VALUES)),
        )
        values = {n: drawn[n].tolist() for n in recipe.private}
        for name in recipe.exact:
            values[name] = self.private.table[name].iloc[chosen].astype(object).tolist()
        where = [schema.names.index(n) for n in recipe.as_buckets]
        for name, column in schema.decode(codes[:, where], recipe.as_buckets).items():
            values[name] = column.tolist()
        label = recipe.label
        labels = codes[:, schema.names.index(label)] if label else np.zeros(len(codes), np.int64)
        return {"values": values, "labels": labels.tolist()}

    def _label_rows(self) -> _Rows:
        """Aug-PE: equal numbers for every declared label, whatever the records hold."""
        label, schema = self.recipe.label, self.private.schema
        quotas = largest_remainder(np.ones(self._n_labels()), self._n_synthetic())
        labels = np.repeat(np.arange(len(quotas)), quotas)
        names = (label,) if label else ()
        table = specific(
            labels[:, None][:, : len(names)],
            names,
            value_sets(schema, names, None),
            np.random.default_rng(_stream(self.seed, _VALUES)),
        )
        return _Rows(table, labels, quotas)

    def _chosen(self) -> NDArray[np.int64]:
        rng = np.random.default_rng(_stream(self.seed, _ROWS))
        return chosen_rows(len(self.private), self._n_synthetic(), rng)

    def _n_synthetic(self) -> int:
        return self.recipe.n_synthetic or len(self.private)

    def _n_labels(self) -> int:
        return len(self.private.schema.coarse_values(self.recipe.label)) if self.recipe.label else 1

    # ---- votes

    def vote(self, round_: int, pool: Candidates) -> NDArray[np.int64]:
        """Alg. 2, lines 10 and 11. Embedding comes before the stage begins, so that an embedder
        that fails, or a cancelled one, costs nothing."""
        stage = f"votes-{round_}"
        if self.stages.checkpoint.load(stage) is None:
            started = time.perf_counter()
            voters, vectors = self._electorate, self._embedded(pool.texts)
            self.seconds["embed"] += time.perf_counter() - started
            self.cancel.check()
        value = self.stages.once(
            stage, self.split.vote, lambda: self._drawn_votes(stage, voters, vectors, pool)
        )
        self.seconds["vote"] += value["seconds"]
        return np.array(value["votes"], np.int64)

    def _drawn_votes(
        self, stage: str, voters: Electorate, vectors: NDArray[np.float32], pool: Candidates
    ) -> dict[str, Any]:
        started = time.perf_counter()
        rho = self.split.vote
        votes = noisy_votes(
            voters, vectors, pool.labels, rho, what=stage, noise=self.noise, budget=self.stages.budget
        )
        charges = [] if rho is None else [vote_charge(rho, stage).to_dict()]
        return {"votes": votes.tolist(), "charges": charges, "seconds": time.perf_counter() - started}

    @cached_property
    def _electorate(self) -> Electorate:
        vectors = self.roles.embedder.embed(self.private.texts, progress=self.progress, cancel=self.cancel)
        label = self.recipe.label
        labels = (
            self.codes[:, self.private.schema.names.index(label)]
            if label
            else np.zeros(len(vectors), np.int64)
        )
        return Electorate.of(vectors, labels)

    def _embedded(self, texts: tuple[str, ...]) -> NDArray[np.float32]:
        """Kept candidates come back every round: only new texts are embedded."""
        new = [t for t in dict.fromkeys(texts) if t not in self._vectors]
        fresh = self.roles.embedder.embed(new, progress=self.progress, cancel=self.cancel) if new else ()
        known = {**self._vectors, **dict(zip(new, fresh, strict=True))}
        self._vectors = {t: known[t] for t in texts}
        return np.stack([known[t] for t in texts])


def _stream(seed: int, purpose: int) -> int:
    return int(np.random.SeedSequence([seed, purpose]).generate_state(1)[0])
