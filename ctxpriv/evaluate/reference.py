"""What every release of one corpus is measured against, and the measuring.

CURATOR-ONLY and PRIVATE SIDE: a `Reference` holds embeddings and values of private
records; nothing of it may enter a release (DESIGN section 4.7).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.evaluate.attacks.adversary import Adversary, Originals, adversaries_of
from ctxpriv.evaluate.fidelity import Quantisation, attribute_jsd, kl_and_tv, mauve, mauve_ceiling
from ctxpriv.evaluate.leak import NOTHING_PRIVATE, attribute_inference
from ctxpriv.evaluate.report import METRICS, Metric, Report
from ctxpriv.evaluate.rewritten import examine
from ctxpriv.evaluate.settings import MIN_HISTOGRAM, EvaluationSettings
from ctxpriv.evaluate.utility import (
    EMBEDDING_CLASSIFIER,
    TestSide,
    Verdicts,
    accuracy,
    demographic_gap,
    majority_accuracy,
    train_and_test,
    why_no_training,
)
from ctxpriv.evaluate.values import ByRole, CrossFitted, ReadsValues
from ctxpriv.models.base import Embedder
from ctxpriv.privacy.guarantee import EMPIRICAL
from ctxpriv.privatize.release import Release
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.schema import Schema

NO_LABEL = "the corpus has no utility label"


@dataclass(frozen=True)
class Reference:
    """Built once per corpus and shared by all methods and audiences.

    `real`: embeddings (n, d) of the private split. `quantisation` and `values` are None when
    there are fewer than `MIN_HISTOGRAM` private records or fewer than two authors.
    `real_codes`, `test_codes`: true coarse codes (n, |A|) of the private and the test split.
    """

    settings: EvaluationSettings
    schema: Schema = field(repr=False)
    label: str | None
    embedder: Embedder = field(repr=False)
    real: np.ndarray = field(repr=False)
    quantisation: Quantisation | None = field(repr=False)
    values: ReadsValues | None = field(repr=False)
    test: TestSide = field(repr=False)
    real_codes: np.ndarray = field(repr=False)
    test_codes: np.ndarray = field(repr=False)
    references: Mapping[str, Metric] = field(repr=False)
    originals: Originals = field(repr=False)
    adversaries: tuple[Adversary, ...] = ()
    # What does not depend on the audience, by content of the release: an audience-agnostic
    # release is measured once, however many audiences it is compared for.
    _measured: dict[str, _Measured] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def build(
        corpus: Corpus,
        roles: Roles,
        *,
        settings: EvaluationSettings | None = None,
        adversaries: Sequence[Adversary] | None = None,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Reference:
        """Embeds the private and test texts and fits what is shared. `adversaries` attack rewritten
        releases: those that `roles` can play where none are named.

        A language model's extractor role reads the values of both sides; a local one is
        replaced by extractors trained on the private split, because the local extractor has
        learnt from the donated texts that local generators recombine.
        """
        settings = settings or EvaluationSettings()
        private, test = corpus.part("private"), corpus.part("test")
        real = _embed(roles.embedder, private.texts, progress, cancel)
        test_vectors = _embed(roles.embedder, test.texts, progress, cancel)
        enough = len(private) >= MIN_HISTOGRAM and len(set(private.authors or private.ids)) > 1
        values: ReadsValues | None = None
        if enough and roles.extractor is not None and roles.extractor.identity.kind != "local":
            values = ByRole.fit(private, roles.extractor, progress=progress, cancel=cancel)
        elif enough:
            values = CrossFitted.fit(
                private, roles.embedder, real, settings.seed, progress=progress, cancel=cancel
            )
        progress("reference figures", 0, 2)
        side = _test_side(test, test_vectors, settings)
        ceiling = mauve_ceiling(real, settings, progress=progress, cancel=cancel)
        progress("reference figures", 1, 2)
        out = Reference(
            settings,
            corpus.schema,
            corpus.label,
            roles.embedder,
            real,
            Quantisation.fit(real, settings.seed) if enough else None,
            values,
            side,
            private.codes(),
            test.codes(),
            {
                "mauve_ceiling": ceiling,
                **_accuracy_references(private, real, side, settings, progress, cancel),
            },
            Originals.of(corpus),
            tuple(adversaries_of(roles) if adversaries is None else adversaries),
        )
        progress("reference figures", 2, 2)
        return out


@dataclass(frozen=True)
class _Measured:
    """What one release's records give, whatever the audience."""

    metrics: Mapping[str, Metric]
    jsd_rows: Mapping[str, Mapping[str, Any]]
    table_rows: Mapping[str, Mapping[str, Any]]
    extracted: np.ndarray | None  # coarse codes (m, |A|) read from the released texts
    classifier: str


def evaluate(
    release: Release,
    reference: Reference,
    partition: Partition,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Report:
    """All metrics of one release for the audience of `partition`.

    Deterministic given the reference's settings. Metrics that cannot be computed say why;
    raises Cancelled, and BadInput when a released value is outside the schema.
    """
    started = time.perf_counter()
    key = _content_key(release)
    if key not in reference._measured:
        reference._measured[key] = _measure(release, reference, progress, cancel)
    measured = reference._measured[key]
    progress("attack attributes", 0, 1)
    told = None
    if release.guarantee.kind == EMPIRICAL:
        told = examine(
            release,
            reference.originals,
            reference.adversaries,
            partition,
            reference.embedder,
            reference.settings,
            progress=progress,
            cancel=cancel,
        )
        leak, leak_rows = told.leak, told.leak_rows
    else:
        leak, leak_rows = _leak(release, measured, reference, partition, cancel)
    progress("attack attributes", 1, 1)
    metrics = {**measured.metrics, "leak": leak}
    return Report(
        release.method,
        partition.audience,
        release.epsilon,
        {name: metrics[name] for name in METRICS},
        reference.embedder.identity.name,
        measured.classifier,
        reference.values.name if reference.values else "",
        {"leak": leak_rows, "jsd": measured.jsd_rows, "jsd of the table": measured.table_rows},
        reference.references,
        time.perf_counter() - started,
        told.attacks if told else (),
        told.rewriting if told else {},
    )


def _measure(release: Release, reference: Reference, progress: Progress, cancel: CancelToken) -> _Measured:
    written = [i for i, text in enumerate(release.records["text"]) if str(text).strip()]
    records = release.records.iloc[written]
    texts = tuple(records["text"])
    vectors = _embed(reference.embedder, texts, progress, cancel)
    settings, steps = reference.settings, 4
    progress("measure release", 0, steps)
    metrics = {"mauve": mauve(reference.real, vectors, settings, progress=progress, cancel=cancel)}
    progress("measure release", 1, steps)
    metrics["kl"], metrics["tv"] = kl_and_tv(reference.quantisation, vectors, settings)
    extracted, jsd_rows = None, {}
    if reference.values is None:
        why = f"needs at least {MIN_HISTOGRAM} private records of two or more authors"
        metrics["jsd"] = Metric.not_computed(why, len(texts))
    elif not texts:
        metrics["jsd"] = Metric.not_computed(f"needs at least {MIN_HISTOGRAM} released records, there are 0")
    else:
        read = reference.values.read(texts, vectors, progress=progress, cancel=cancel)
        metrics["jsd"], jsd_rows = attribute_jsd(reference.values.real.shares, read.shares, settings)
        extracted = read.codes(reference.schema.names)
    progress("measure release", 2, steps)
    verdicts = _verdicts(release, records, texts, vectors, reference, progress, cancel)
    progress("measure release", 3, steps)
    metrics["accuracy"] = accuracy(verdicts, reference.test, settings)
    metrics["demographic_gap"] = demographic_gap(verdicts, reference.test, settings)
    progress("measure release", steps, steps)
    table_rows = _table_jsd(release, reference)
    return _Measured(metrics, jsd_rows, table_rows, extracted, verdicts.classifier)


def _codes(release: Release, records: pd.DataFrame, reference: Reference, names: Sequence[str]) -> np.ndarray:
    """Coarse codes (len(records), len(names)) of released values, whether specific or buckets."""
    schema = reference.schema.only(names).at_coarse_level(release.bucketed)
    return schema.codes(records.reset_index(drop=True))


def _table_jsd(release: Release, reference: Reference) -> dict[str, dict[str, Any]]:
    """JSD per attribute between the released values themselves and the true private ones.

    [ours] The paper's JSD reads values from texts; this one shows what the tabular stage alone did,
    whatever the generator made of its rows. Empty for attributes that the method does not release.
    """
    names = [n for n in reference.schema.names if n in release.records.columns]
    codes = _codes(release, release.records, reference, names)
    real, released = {}, {}
    for i, name in enumerate(names):
        one_hot = np.eye(len(reference.schema.coarse_values(name)), dtype=np.float32)
        real[name] = one_hot[reference.real_codes[:, reference.schema.names.index(name)]]
        released[name] = one_hot[codes[:, i]]
    return attribute_jsd(real, released, reference.settings)[1] if names and len(codes) else {}


def _verdicts(
    release: Release, records, texts, vectors, reference: Reference, progress: Progress, cancel: CancelToken
) -> Verdicts:
    """A classifier trained on the released texts and labels, judged on the real test records."""
    label, test, settings = reference.label, reference.test, reference.settings
    if label is None:
        return Verdicts.none(NO_LABEL)
    if label not in records.columns:
        return Verdicts.none(f"the release has no values of the utility label {label!r}")
    if why := why_no_training(len(texts), len(test)):
        return Verdicts.none(why)
    labels = _codes(release, records, reference, [label])[:, 0]
    if settings.classifier == "roberta":
        from ctxpriv.evaluate.roberta import fine_tune_and_test

        return fine_tune_and_test(texts, labels, test, settings, progress=progress, cancel=cancel)
    return train_and_test(vectors, labels, test, settings, progress=progress, cancel=cancel)


def _leak(
    release: Release, measured: _Measured, reference: Reference, partition: Partition, cancel: CancelToken
) -> tuple[Metric, dict[str, dict[str, Any]]]:
    """The attack on the release's own table, or on extracted values where it has none."""
    names = reference.schema.names
    if not partition.private:
        return Metric.not_computed(NOTHING_PRIVATE), {}
    if all(n in release.records.columns for n in names):
        codes, source = _codes(release, release.records, reference, names), "the release's table"
    elif measured.extracted is not None:
        codes, source = measured.extracted, "values extracted from the released texts"
    else:
        return Metric.not_computed(
            "the release has no table and no values could be extracted from its texts"
        ), {}
    return attribute_inference(
        codes,
        reference.test_codes,
        reference.test.units,
        reference.schema,
        partition,
        reference.settings,
        values_from=source,
        cancel=cancel,
    )


def _accuracy_references(
    private: Corpus,
    real: np.ndarray,
    side: TestSide,
    settings: EvaluationSettings,
    progress: Progress,
    cancel: CancelToken,
) -> dict[str, Metric]:
    """Accuracy when trained on the real private records, and when always naming the majority.

    With the embedding classifier always: it is the yardstick that costs seconds.
    """
    if private.label is None:
        none = Metric.not_computed(NO_LABEL)
        return {"accuracy_real": none, "accuracy_majority": none}
    if why := why_no_training(len(private), len(side), "private records"):
        trained = Verdicts.none(why)
    else:
        labels = private.schema.only([private.label]).codes(private.table)[:, 0]
        trained = train_and_test(real, labels, side, settings, progress=progress, cancel=cancel)
    found = accuracy(trained, side, settings)
    if not found.missing:
        found = Metric(
            found.value,
            found.low,
            found.high,
            found.n,
            detail={**found.detail, "classifier": EMBEDDING_CLASSIFIER},
        )
    return {"accuracy_real": found, "accuracy_majority": majority_accuracy(side)}


def _test_side(test: Corpus, vectors: np.ndarray, settings: EvaluationSettings) -> TestSide:
    codes, names = test.codes(), test.schema.names
    labels = codes[:, names.index(test.label)] if test.label else np.zeros(len(test), np.int64)
    group = settings.group_attribute
    known = group is not None and group in names
    return TestSide(
        vectors,
        test.texts,
        labels,
        test.authors or test.ids,
        codes[:, names.index(group)] if known else None,
        test.schema.coarse_values(group) if known else (),
    )


def _embed(embedder: Embedder, texts: tuple[str, ...], progress: Progress, cancel: CancelToken) -> np.ndarray:
    if not texts:
        return np.zeros((0, embedder.dimension), np.float32)
    return embedder.embed(texts, progress=progress, cancel=cancel)


def _content_key(release: Release) -> str:
    h = hashlib.sha256()
    for column in release.records.columns:
        h.update(f"{column}\x01".encode())
        for value in release.records[column]:
            h.update(f"{value}\x00".encode())
    return h.hexdigest()
