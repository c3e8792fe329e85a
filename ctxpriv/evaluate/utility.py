"""Train on the release, test on real records: accuracy of the utility label, and its gap
between two groups (paper section 5, Utility and Fairness)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ctxpriv.evaluate.intervals import CENTRED, interval, record_weights, unit_weights
from ctxpriv.evaluate.linear import EMBEDDING_C, Logistic
from ctxpriv.evaluate.report import Metric
from ctxpriv.evaluate.settings import MIN_GROUP, MIN_TEST, MIN_TRAIN, EvaluationSettings
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import NOT_STATED

EMBEDDING_CLASSIFIER = f"sentence embeddings + logistic regression (C = {EMBEDDING_C:g})"


@dataclass(frozen=True)
class TestSide:
    """The real held-out records that classifiers are tested on.

    `labels`: coarse codes (n,) of the utility label. `units`: author (or record) per
    record. `group_codes` (n,) and `group_values` belong to `settings.group_attribute`.
    """

    __test__ = False  # not a test case, whatever pytest makes of the name

    embeddings: np.ndarray = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    labels: np.ndarray = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    group_codes: np.ndarray | None = field(default=None, repr=False)
    group_values: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.units)


@dataclass(frozen=True)
class Verdicts:
    """Which test records a classifier trained on the release got right.

    `correct` (n_test,) of the classifier itself; `refits` (r, n_test) of classifiers
    trained on resampled releases, possibly none. `missing` says why there are no verdicts.
    """

    correct: np.ndarray = field(repr=False)
    refits: np.ndarray = field(repr=False)
    classifier: str = ""
    n_train: int = 0
    unseen: int = 0  # test records whose label no training record has; they count as wrong
    missing: str = ""

    @staticmethod
    def none(why: str, classifier: str = EMBEDDING_CLASSIFIER) -> Verdicts:
        return Verdicts(np.zeros(0, bool), np.zeros((0, 0), bool), classifier, missing=why)


def why_no_training(n_train: int, n_test: int, what: str = "released records") -> str:
    """The reason why no classifier is trained, or ""."""
    if n_train < MIN_TRAIN:
        return f"needs at least {MIN_TRAIN} {what}, there are {n_train}"
    if n_test < MIN_TEST:
        return f"needs at least {MIN_TEST} real test records, there are {n_test}"
    return ""


def train_and_test(
    embeddings: np.ndarray,
    labels: np.ndarray,
    test: TestSide,
    settings: EvaluationSettings,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Verdicts:
    """Logistic regression on embeddings (n, d) and label codes (n,), judged on `test`."""
    model = Logistic(embeddings, labels)
    correct = model.fit().predict(test.embeddings) == test.labels
    rng = np.random.default_rng([settings.seed, 21])
    refits = []
    for done, weights in enumerate(record_weights(len(labels), settings.refits, rng)):
        cancel.check()
        progress("train classifiers", done, settings.refits)
        refits.append(model.fit(weights).predict(test.embeddings) == test.labels)
    unseen = int((~np.isin(test.labels, model.classes)).sum())
    return Verdicts(correct, np.array(refits), EMBEDDING_CLASSIFIER, len(labels), unseen)


def accuracy(verdicts: Verdicts, test: TestSide, settings: EvaluationSettings) -> Metric:
    """Share of real test records whose label is predicted right."""
    if verdicts.missing:
        return Metric.not_computed(verdicts.missing, verdicts.n_train)
    value = float(verdicts.correct.mean())
    weights, correct = _draws(verdicts, test, settings)
    low, high = interval(value, (weights * correct).sum(axis=1) / weights.sum(axis=1), 0.0, 1.0)
    detail = {
        "n_train": verdicts.n_train,
        "unseen_labels": verdicts.unseen,
        "interval": _interval_words(verdicts),
    }
    return Metric(value, low, high, len(test), detail=detail)


def majority_accuracy(test: TestSide) -> Metric:
    """What naming the test records' most frequent label every time would reach."""
    if len(test) < MIN_TEST:
        return Metric.not_computed(why_no_training(MIN_TRAIN, len(test)), len(test))
    return Metric(float(np.bincount(test.labels).max() / len(test)), n=len(test))


def demographic_gap(verdicts: Verdicts, test: TestSide, settings: EvaluationSettings) -> Metric:
    """|accuracy in one group − accuracy in the other|, for the two largest or the named groups."""
    chosen = _groups(test, settings)
    if isinstance(chosen, str):
        return Metric.not_computed(chosen, len(test))
    if verdicts.missing:
        return Metric.not_computed(verdicts.missing, verdicts.n_train)
    members = [test.group_codes == code for code in chosen]
    names = [test.group_values[code] for code in chosen]
    by_group = [float(verdicts.correct[m].mean()) for m in members]
    weights, correct = _draws(verdicts, test, settings)
    totals = [weights[:, m].sum(axis=1) for m in members]
    # A draw of authors may leave a group empty: it then says nothing about the gap.
    usable = (totals[0] > 0) & (totals[1] > 0)
    shares = [
        (weights[:, m] * correct[:, m]).sum(axis=1)[usable] / t[usable]
        for m, t in zip(members, totals, strict=True)
    ]
    value = abs(by_group[0] - by_group[1])
    low, high = interval(value, np.abs(shares[0] - shares[1]), 0.0, 1.0) if usable.any() else (None, None)
    sizes = [int(m.sum()) for m in members]
    detail: dict[str, Any] = {
        "attribute": settings.group_attribute,
        "groups": names,
        "accuracy": by_group,
        "sizes": sizes,
        "smallest_group_allowed": MIN_GROUP,
        "interval": _interval_words(verdicts),
    }
    return Metric(value, low, high, sum(sizes), detail=detail)


def _groups(test: TestSide, settings: EvaluationSettings) -> tuple[int, int] | str:
    """Codes of the two groups, or why there are none."""
    if settings.group_attribute is None:
        return "no attribute was named whose groups to compare"
    if test.group_codes is None:
        return f"the schema has no attribute {settings.group_attribute!r}"
    counts = np.bincount(test.group_codes, minlength=len(test.group_values))
    if settings.groups is not None:
        unknown = [g for g in settings.groups if g not in test.group_values]
        if unknown:
            return f"{settings.group_attribute!r} has no value {unknown[0]!r}"
        chosen = [test.group_values.index(g) for g in settings.groups]
    else:
        # People who did not say are no group.
        candidates = [c for c in np.argsort(-counts, kind="stable") if test.group_values[c] != NOT_STATED]
        chosen = [int(c) for c in candidates[:2]]
    if len(chosen) < 2:
        return f"{settings.group_attribute!r} has fewer than two groups"
    small = min(chosen, key=lambda c: counts[c])
    if counts[small] < MIN_GROUP:
        return (
            f"needs at least {MIN_GROUP} test records a group, there are {counts[small]} "
            f"with {settings.group_attribute} = {test.group_values[small]}"
        )
    return chosen[0], chosen[1]


def _draws(verdicts: Verdicts, test: TestSide, settings: EvaluationSettings) -> tuple[np.ndarray, np.ndarray]:
    """Test weights and verdicts under resampling, both (draws, n_test)."""
    rng = np.random.default_rng([settings.seed, 22])
    refits = verdicts.refits if len(verdicts.refits) else verdicts.correct[None]
    each = -(-settings.bootstrap // len(refits))
    weights = unit_weights(test.units, each * len(refits), rng)
    return weights, np.repeat(refits, each, axis=0)


def _interval_words(verdicts: Verdicts) -> str:
    what = (
        f"{len(verdicts.refits)} classifiers trained on resampled releases × resampled test records"
        if len(verdicts.refits)
        else "resampled test records only, the classifier is trained once"
    )
    return f"{what} (whole authors where there are any); {CENTRED}"
