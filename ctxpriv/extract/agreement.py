"""Do two readings of the same records agree? Cohen's kappa per attribute.

PRIVATE SIDE: computed on values read out of private records without noise, so curator-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.errors import BadInput
from ctxpriv.extract.by_classifier import ClassifierExtractor
from ctxpriv.extract.word_count import is_counted
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Extraction, Extractor, Failure
from ctxpriv.schema import Schema

BUCKETS_ONLY = "one reader answers in buckets, so finer values mean nothing"


@dataclass(frozen=True)
class Kappa:
    """Agreement at one level. `kappa` is None where chance alone explains everything, and
    `why` then says so."""

    agreed: int
    kappa: float | None
    why: str = ""


@dataclass(frozen=True)
class FieldAgreement:
    """One attribute in `n` records that both readers could read; `failed` others were left out.

    `values` compares values, `buckets` (None without a coarsening) the buckets they fall into.
    """

    attribute: str
    n: int
    failed: int
    values: Kappa
    buckets: Kappa | None = None

    @property
    def at_level(self) -> Kappa:
        """Of buckets where there are any, because mechanisms see no more."""
        return self.buckets or self.values

    @property
    def agreed(self) -> int:
        return self.at_level.agreed

    @property
    def kappa(self) -> float | None:
        return self.at_level.kappa

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> FieldAgreement:
        buckets = Kappa(**data["buckets"]) if data["buckets"] else None
        return FieldAgreement(**{**data, "values": Kappa(**data["values"]), "buckets": buckets})


@dataclass(frozen=True)
class SecondReading:
    """A sample of records read again: `again` is what the second reader found in `rows`."""

    fields: tuple[FieldAgreement, ...]
    rows: tuple[int, ...]
    again: Extraction
    reader: Mapping[str, str]


def read_again(
    first: Extraction,
    texts: Sequence[str],
    schema: Schema,
    reader: Extractor,
    rows: Sequence[int],
    *,
    buckets_only: bool = False,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> SecondReading:
    """Compare `first`, a reading of all `texts`, with what `reader` finds in `rows` of them.

    `buckets_only`: see `agreement`; a local classifier as `reader` implies it.
    """
    again = reader.extract([texts[i] for i in rows], schema, progress=progress, cancel=cancel)
    coarse = buckets_only or in_buckets(reader)
    fields = agreement(of_rows(first, rows), again, schema, buckets_only=coarse)
    return SecondReading(fields, tuple(int(r) for r in rows), again, reader.identity.to_dict())


def in_buckets(reader: Extractor) -> bool:
    """Whether its values say no more than their buckets (see `ClassifierExtractor`)."""
    return isinstance(reader, ClassifierExtractor) and reader.coarse


def agreement(
    first: Extraction, second: Extraction, schema: Schema, *, buckets_only: bool = False
) -> tuple[FieldAgreement, ...]:
    """One entry per attribute of `schema`, without `word_count`, which is counted, not read.

    Both extractions hold the same texts in the same order; a record that failed in either is
    left out. `buckets_only` says that a reader answers in buckets (a local classifier does):
    coarsened attributes are then compared at that level alone. Raises BadInput when the
    readings differ in length.
    """
    if len(first.values) != len(second.values):
        raise BadInput(
            f"{len(first.values)} and {len(second.values)} records were read; they must be the same.",
            where="agreement",
        )
    failed = {f.row for f in (*first.failures, *second.failures)}
    rows = [i for i in range(len(first.values)) if i not in failed]
    a, b = (e.values.iloc[rows].reset_index(drop=True) for e in (first, second))
    out = []
    for attribute in schema.attributes:
        if is_counted(attribute):
            continue
        name, buckets = attribute.name, None
        if name in schema.coarsenings:
            mapping = schema.coarsenings[name].mapping
            buckets = cohen(a[name].astype(str).map(dict(mapping)), b[name].astype(str).map(dict(mapping)))
        values = cohen(a[name], b[name])
        if buckets and buckets_only:
            values = Kappa(values.agreed, None, BUCKETS_ONLY)
        out.append(FieldAgreement(name, len(rows), len(failed), values, buckets))
    return tuple(out)


def cohen(first: pd.Series, second: pd.Series) -> Kappa:
    """Cohen's kappa of two columns of equal length: agreement above chance, at most 1.

    None where it is not defined: no record, or both hold one and the same value throughout
    (chance agreement is then 1).
    """
    from sklearn.metrics import cohen_kappa_score

    a, b = first.astype(str).to_numpy(object), second.astype(str).to_numpy(object)
    if not len(a):
        return Kappa(0, None, "no record that both could read")
    agreed = int((a == b).sum())
    if len({*a, *b}) == 1:
        return Kappa(agreed, None, "both give every record the same value")
    return Kappa(agreed, float(cohen_kappa_score(a, b)))


def of_rows(extraction: Extraction, rows: Sequence[int]) -> Extraction:
    """The part of an extraction that read `rows`, renumbered from 0; counts of the whole are dropped."""
    rows = [int(r) for r in rows]
    why = {f.row: f.why for f in extraction.failures}
    failures = tuple(Failure(i, why[row]) for i, row in enumerate(rows) if row in why)
    return Extraction(extraction.values.iloc[rows].reset_index(drop=True), failures)


def sample_rows(n: int, size: int, seed: int) -> np.ndarray:
    """At most `size` of n rows, increasing, without replacement; the same for the same arguments."""
    return np.sort(np.random.default_rng(seed).permutation(n)[:size])
