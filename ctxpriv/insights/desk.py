"""What an insights study works on: the dictionary, the measurements, the protected records.

PRIVATE SIDE.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.insights.study import InsightAudience, InsightStudy
from ctxpriv.privatize.method import epsilon_of
from ctxpriv.privatize.spin.assign.assigner import assigner_for
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.contributions import Contributions, sketch
from ctxpriv.privatize.spin.insight import Protected
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.strict import did_you_mean
from ctxpriv.work_folder import digest_of


@dataclass
class Desk:
    """One study's material. Assignments are made when first asked for, once per dictionary and K."""

    study: InsightStudy
    corpus: Corpus
    key: str
    roles: Roles
    atoms: AtomSet
    records: Corpus  # the protected ones: the private split, restricted by `only`
    progress: Progress = silent
    cancel: CancelToken = NEVER
    _assigned: dict[str, Contributions] = field(default_factory=dict)
    _unmapped: dict[str, dict[str, int]] = field(default_factory=dict)
    _assigned_by: dict[str, dict[str, str]] = field(default_factory=dict)

    @cached_property
    def donated(self) -> DonatedExamples:
        return self.corpus.donated()

    @cached_property
    def users(self) -> NDArray[np.int64] | None:
        """A code for the author of each protected record; None where the corpus knows none."""
        authors = self.records.authors
        return None if authors is None else np.unique(authors, return_inverse=True)[1].astype(np.int64)

    @property
    def corpus_named(self) -> dict[str, str]:
        return {"name": self.corpus.name, "digest": self.corpus.digest, "key": self.key}

    @property
    def known_units(self) -> bool:
        """Whether δ or the denominator was taken from the number of protected units."""
        return not {"delta", "denominator"} <= set(self.study.measure)

    def conditions(self, config: Any) -> dict[str, Any]:
        """What a method's guarantee depends on beside its measurement: see `statement.guarantee`."""
        baseline = config.family == "baseline"
        provenance = {a.name: a.provenance for a in self.corpus.schema.attributes}
        told = self.study.atoms.taxonomy
        if baseline:
            told = (config.column or self.corpus.label,) if hasattr(config, "column") else ()
        return {
            "observed": tuple(n for n in told if provenance.get(n) == "observed"),
            "known_units": self.known_units,
            "own_counts": baseline,
        }

    def measurement(self, audience: InsightAudience) -> Measurement:
        """What is measured for an audience: the study's atoms without those withheld from it."""
        atoms = self.atoms.without(audience.withhold) if audience.withhold else self.atoms
        return self.study.measurement(atoms, n_units(self.study, self.corpus))

    def atoms_up_to(self, m: int) -> AtomSet:
        """The study's dictionary with as many as m atoms where its sources have them: what experiments with
        a larger one measure."""
        if m <= len(self.atoms):
            return self.atoms
        recipe = replace(self.study.atoms, m=m)
        return recipe.build(self.donated, self.roles, progress=self.progress, cancel=self.cancel)

    def contributions(self, measurement: Measurement) -> Contributions:
        """The protected records' vectors over the measurement's atoms."""
        name = _map_of(measurement)
        if name not in self._assigned:
            assigner = assigner_for(measurement, self.donated.texts, self.roles)
            self._assigned[name] = assigner.assign(
                self.records.texts, users=self.users, progress=self.progress, cancel=self.cancel
            )
            self._unmapped[name] = dict(assigner.failures)
            self._assigned_by[name] = assigner.identity.to_dict()
        return self._assigned[name]

    def assigned_by(self, measurement: Measurement) -> dict[str, str]:
        """Who mapped the records to the atoms (`ModelIdentity.to_dict`)."""
        self.contributions(measurement)
        return self._assigned_by[_map_of(measurement)]

    def unmapped(self, measurement: Measurement) -> dict[str, int]:
        """Records for which a mapper gave no usable answer, by reason: exact counts, curator-only."""
        return self._unmapped.get(_map_of(measurement), {})

    def protected(self, measurement: Measurement) -> Protected:
        return Protected(self.records.texts, self.records.table, self.contributions(measurement))

    def exact(self, measurement: Measurement) -> NDArray[np.int64]:
        """The sketch without noise: curator-only."""
        return sketch(self.contributions(measurement), measurement)


@dataclass(frozen=True)
class InsightRun:
    """One method at one ε for one audience."""

    run_id: str
    config: Any
    audience: InsightAudience
    measurement: Measurement

    @property
    def title(self) -> str:
        return self.config.title

    @property
    def epsilon(self) -> float | None:
        return epsilon_of(self.config)


def set_up(
    study: InsightStudy,
    corpus: Corpus,
    key: str,
    roles: Roles,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Desk:
    """Builds the dictionary and checks that the study fits the corpus; reads no private text yet.

    Raises BadInput for unknown attributes or values in `only`, no protected record, users that the corpus
    does not know, or labels withheld that are none.
    """
    schema = corpus.schema
    for name in (*study.only, *study.atoms.taxonomy):
        if name not in schema.names:
            raise BadInput(
                f"there is no attribute {name!r}.",
                where=f"study {study.name!r}",
                fix=did_you_mean(name, schema.names),
            )
    if study.unit == "user" and corpus.authors is None:
        raise BadInput(
            "users are to be protected, but the corpus knows no authors.",
            where="measure, unit",
            fix="Name the author column when loading it, or use unit: record.",
        )
    atoms = study.atoms.build(corpus.donated(), roles, progress=progress, cancel=cancel)
    desk = Desk(study, corpus, key, roles, atoms, _restricted(study, corpus), progress, cancel)
    for audience in study.audiences:
        desk.measurement(audience)
    return desk


def n_units(study: InsightStudy, corpus: Corpus) -> int:
    """How many records or users the private split has; `only` does not count, since who is in it is
    private."""
    private = corpus.splits == "private"
    if study.unit == "user" and corpus.authors is not None:
        return len({a for a, inside in zip(corpus.authors, private, strict=True) if inside})
    return int(private.sum())


def runs_of(desk: Desk) -> list[InsightRun]:
    """By audience, then in the order of the study's methods."""
    out = []
    for audience in desk.study.audiences:
        measured = desk.measurement(audience)
        for config in desk.study.methods:
            out.append(InsightRun(_run_id(desk, config, audience, measured), config, audience, measured))
    return out


def _run_id(desk: Desk, config: Any, audience: InsightAudience, measured: Measurement) -> str:
    """From all that decides what is drawn; who puts it into words does not."""
    who = desk.roles.identities()
    player = {"embedding": "embedder", "model": "mapper"}.get(measured.assign)
    return digest_of(
        {
            "corpus": desk.corpus.digest,
            "only": {k: list(v) for k, v in desk.study.only.items()},
            "measurement": measured.to_dict(),
            "sources": [a.source for a in measured.atoms.atoms],
            "method": config.to_dict(),
            "audience": audience.name,
            "assigned_by": who.get(player) if player else None,
            "seed": desk.study.seed,
        }
    )[:20]


def chosen(study: InsightStudy, corpus: Corpus) -> NDArray[np.bool_]:
    """Which records `only` leaves: bool of shape (len(corpus),). Raises BadInput for an unknown value."""
    rows = np.ones(len(corpus), bool)
    for name, values in study.only.items():
        known = corpus.schema[name].values
        if unknown := [v for v in values if v not in known]:
            raise BadInput(
                f"{unknown[0]!r} is no value.", where=f"only, {name}", fix=did_you_mean(unknown[0], known)
            )
        rows &= corpus.table[name].isin(values).to_numpy()
    return rows


def _restricted(study: InsightStudy, corpus: Corpus) -> Corpus:
    rows = chosen(study, corpus) & (corpus.splits == "private")
    if not (corpus.splits == "private").any():
        raise BadInput("the corpus has no private record.", where=f"study {study.name!r}")
    return corpus.subset(np.flatnonzero(rows))


def _map_of(measurement: Measurement) -> str:
    """What decides how records are mapped: neither noise nor what is done with the sums."""
    return digest_of({**measurement.to_dict(), "delta": 0, "denominator": 0, "size": 0, "bound": 0})
