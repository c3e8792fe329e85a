"""What rewriting kept, changed, added and left standing: figures beside the attacks (CURATOR-ONLY).

PRIVATE SIDE: rewrites are held against their originals and true values. [ours] except the survivors
check (issue: an exact-substring check, whatever a model said) and withheld records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ctxpriv.context import Partition
from ctxpriv.evaluate.attacks.adversary import Adversary, Originals
from ctxpriv.evaluate.attacks.score import Judge, weights_of
from ctxpriv.evaluate.intervals import CENTRED, interval
from ctxpriv.evaluate.metric import Metric
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.extract.word_count import is_counted
from ctxpriv.privatize.release import Release
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.traces import added, must_not_stand, survivors
from ctxpriv.word_diff import readability, share_changed

ROWS_KEPT = 1000  # survivors listed one by one in a report


@dataclass(frozen=True)
class Kept:
    """Per disclosed attribute (n,): 1 where the rewrite still tells the value that the original told, 0
    where it does not, NaN where the original did not tell it (or nothing is stated)."""

    by_attribute: Mapping[str, np.ndarray] = field(repr=False)
    n: int = 0
    reader: str = ""

    @property
    def useful(self) -> np.ndarray:
        """bool (n,): something was told, and nothing of it was lost."""
        if not self.by_attribute:
            return np.zeros(self.n, bool)
        told = np.array(list(self.by_attribute.values()))
        return (~np.isnan(told)).any(axis=0) & ~(told == 0).any(axis=0)


def what_was_kept(
    reader: Adversary,
    release: Release,
    originals: Originals,
    partition: Partition,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Kept:
    """Read by `reader`, who chooses among the coarse values, from original and rewrite alike."""
    schema = originals.brief.schema
    # The length of a text is a property of whatever text there is: nothing that can be lost.
    names = [n for n in schema.names if n in partition.disclosed and not is_counted(schema[n])]
    before_texts = [originals.texts[row] for row in release.origin]
    before = originals.ask(reader, before_texts, names, progress=progress, cancel=cancel)
    after = originals.ask(reader, release.texts, names, progress=progress, cancel=cancel)
    judge, found = Judge(reader.terms, schema, None), {}
    for name in names:
        truths = originals.truths(name, release.origin)
        told = judge.hits(name, before[name], truths) == 1
        still = np.nan_to_num(judge.hits(name, after[name], truths))
        found[name] = np.where(told, still, np.nan)
    return Kept(found, len(release.texts), reader.terms.who["name"])


def rewriting_figures(
    release: Release,
    originals: Originals,
    partition: Partition,
    kept: Kept | str,
    settings: EvaluationSettings,
) -> dict[str, Metric]:
    """Every key of `report.REWRITING`. `kept` may be the reason why nobody could read what was kept."""
    before = [originals.texts[row] for row in release.origin]
    weights = weights_of([originals.units[row] for row in release.origin], settings)
    pairs = list(zip(before, release.texts, strict=True))
    return {
        **_kept_figures(kept, partition, originals.brief.label, weights),
        "added_facts": _added(release, pairs, originals, weights),
        "share_changed": _average([share_changed(a, b) for a, b in pairs], weights, 1.0),
        "readability": _average([readability(a, b).score for a, b in pairs], weights, 1.0),
        **_outcome(release),
        "survivors": _survivors(release, originals, partition, weights),
    }


def _kept_figures(
    kept: Kept | str, partition: Partition, label: str | None, weights: np.ndarray
) -> dict[str, Metric]:
    if isinstance(kept, str):
        return {k: Metric.not_computed(kept) for k in ("public_kept", "label_kept")}
    public = {n: row for n, row in kept.by_attribute.items() if n != label}
    if label is None:
        why = "the corpus has no utility label"
    elif label in partition.private:
        why = "the utility label is private for this audience"
    else:
        why = ""
    return {
        "public_kept": _pooled(public, weights, kept.reader, "nothing public is told by the originals"),
        "label_kept": Metric.not_computed(why)
        if why or label is None
        else _pooled({label: kept.by_attribute[label]}, weights, kept.reader, "no original tells its label"),
    }


def _pooled(rows: Mapping[str, np.ndarray], weights: np.ndarray, reader: str, why_none: str) -> Metric:
    """Share of all values that were told and still are; interval over records (whole authors)."""
    stacked = np.array(list(rows.values())) if rows else np.zeros((0, weights.shape[1]))
    told = (~np.isnan(stacked)).sum(axis=0)
    still = np.nansum(stacked, axis=0)
    if not told.sum():
        return Metric.not_computed(why_none)
    value, of = float(still.sum() / told.sum()), weights @ told
    low, high = interval(value, (weights @ still)[of > 0] / of[of > 0], 0.0, 1.0)
    by = {
        name: {"kept": float(np.nanmean(row)) if (~np.isnan(row)).any() else None,
               "n": int((~np.isnan(row)).sum())}
        for name, row in rows.items()
    }  # fmt: skip
    detail = {"reader": reader, "values": int(told.sum()), "by_attribute": by, "interval": _RESAMPLED}
    return Metric(value, low, high, int((told > 0).sum()), detail=detail)


_RESAMPLED = f"resampled records, whole authors where there are any; {CENTRED}"


def _average(numbers: Sequence[float], weights: np.ndarray, most: float, **detail: Any) -> Metric:
    if not numbers:
        return Metric.not_computed("no record was released")
    row = np.array(numbers, float)
    low, high = interval(float(row.mean()), weights @ row / weights.sum(axis=1), 0.0, most)
    return Metric(float(row.mean()), low, high, len(row), detail={**detail, "interval": _RESAMPLED})


def _added(
    release: Release, pairs: Sequence[tuple[str, str]], originals: Originals, weights: np.ndarray
) -> Metric:
    schema = originals.brief.schema
    found = [added(before, after, schema) for before, after in pairs]
    by: dict[str, int] = {}
    for facts in found:
        for attribute, _ in facts:
            by[attribute] = by.get(attribute, 0) + 1
    records = sum(bool(facts) for facts in found)
    return _average([len(f) for f in found], weights, np.inf, records=records, by_attribute=by)


def _survivors(release: Release, originals: Originals, partition: Partition, weights: np.ndarray) -> Metric:
    """Which private values stand in a released text as they are. Rows and attribute names, no text."""
    schema = originals.brief.schema
    truths = {name: originals.truths(name, release.origin) for name in schema.names}
    found = []
    for i, text in enumerate(release.texts):
        record = {name: column[i] for name, column in truths.items() if column[i]}
        found.append(survivors(text, must_not_stand(record, schema, partition), schema))
    rows = [[i, name] for i, names in enumerate(found) for name in names]
    hit = [float(bool(names)) for names in found]
    return _average(hit, weights, 1.0, records=int(sum(hit)), rows=rows[:ROWS_KEPT], values=len(rows))


def _outcome(release: Release) -> dict[str, Metric]:
    """Shares of what the run itself counted."""
    outcome, released = release.outcome, len(release.texts)
    records = int(outcome.get("records", 0))
    withheld = {str(why): int(n) for why, n in outcome.get("withheld", {}).items()}
    none = Metric.not_computed("the run kept no count")
    return {
        "safe": Metric(int(outcome["safe"]) / released, n=released, detail={"safe": int(outcome["safe"])})
        if released and "safe" in outcome
        else none,
        "withheld": Metric(sum(withheld.values()) / records, n=records, detail={"why": withheld})
        if records
        else none,
    }
