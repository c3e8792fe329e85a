"""How good a schema is for a collection of texts (paper App. A.4, Table 2).

PRIVATE SIDE: one extractor reads a sample of texts under the schema, and the figures describe
what it found, without noise. On private texts they are curator-only; a schema that is chosen by
them depends on the private records, which no guarantee covers. On donated texts it does not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.extract.agreement import FieldAgreement, agreement, in_buckets, of_rows, sample_rows
from ctxpriv.extract.coverage import MOST_TEXTS, Coverage, judge_coverage
from ctxpriv.extract.levels import is_unstated
from ctxpriv.extract.word_count import is_counted
from ctxpriv.models.base import LanguageModel
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Extraction, Extractor, reasons_told
from ctxpriv.schema import Schema


@dataclass(frozen=True)
class FieldQuality:
    """One attribute over n texts.

    `signal`: share of texts with another value than `Not stated`. `balanced_entropy`:
    entropy of the values divided by log2 of the number of distinct values that occur, 0
    when there is only one. `dominance`: share of the most common value. `counted`: the
    attribute is `word_count`, which no reader can get wrong.
    """

    attribute: str
    n: int
    distinct: int
    signal: float
    balanced_entropy: float
    dominance: float
    counted: bool = False


@dataclass(frozen=True)
class SchemaQuality:
    """A row of the paper's Table 2, and what it was made of.

    `signal`, `balanced_entropy`, `dominance`: means over the fields that were read (not the
    counted one). `n`: texts that could be read; `failures`: how many others failed, by reason.
    `coverage`: None where no judge was asked, or where it gave no usable score, and then
    `coverage_missing` says why. `agreement`: of the two readings, empty without a second one.
    `outside`: answers per attribute that were outside its list. `seconds`: of the first reading;
    `cached` of its `calls` model calls were answered from the cache.
    """

    fields: tuple[FieldQuality, ...]
    n: int
    extractor: Mapping[str, str]
    second: Mapping[str, str] = field(default_factory=dict)
    agreement: tuple[FieldAgreement, ...] = ()
    coverage: Coverage | None = None
    coverage_missing: str = ""
    outside: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    retries: int = 0
    calls: int = 0
    cached: int = 0
    seconds: float = 0.0

    @property
    def signal(self) -> float | None:
        return self._mean("signal")

    @property
    def balanced_entropy(self) -> float | None:
        return self._mean("balanced_entropy")

    @property
    def dominance(self) -> float | None:
        return self._mean("dominance")

    @property
    def kappa(self) -> float | None:
        """Mean over the attributes for which it is defined."""
        known = [a.kappa for a in self.agreement if a.kappa is not None]
        return float(np.mean(known)) if known else None

    def agreement_of(self, attribute: str) -> FieldAgreement | None:
        return next((a for a in self.agreement if a.attribute == attribute), None)

    def _mean(self, figure: str) -> float | None:
        """None where nothing but `word_count` is in the schema."""
        figures = [getattr(f, figure) for f in self.fields if not f.counted]
        return float(np.mean(figures)) if figures else None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; see `from_dict`."""
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> SchemaQuality:
        return SchemaQuality(
            **{
                **data,
                "fields": tuple(FieldQuality(**f) for f in data["fields"]),
                "agreement": tuple(FieldAgreement.from_dict(a) for a in data["agreement"]),
                "coverage": Coverage.from_dict(data["coverage"]) if data["coverage"] else None,
            }
        )


def judge_schema(
    texts: Sequence[str],
    schema: Schema,
    extractor: Extractor,
    *,
    second: Extractor | None = None,
    judge: LanguageModel | None = None,
    sample: int = 200,
    coverage_sample: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> SchemaQuality:
    """Read at most `sample` of `texts` under `schema` and measure what came out.

    Equal texts, `sample` and `seed` give the same sample, so that schemas can be compared.
    `second` reads the same sample again; `judge` rates at most `coverage_sample` (at most 100) of
    the readings. Raises BadInput without texts or attributes, ModelFailed when no text could be
    read, and Cancelled.
    """
    if not len(texts) or not schema.names:
        raise BadInput("needs at least one text and one attribute.", where="schema quality")
    chosen = [texts[i] for i in sample_rows(len(texts), sample, seed)]
    first = extractor.extract(chosen, schema, progress=progress, cancel=cancel)
    found = quality_of(first, schema, extractor.identity.to_dict())
    if second is not None:
        again = second.extract(chosen, schema, progress=_renamed(progress, "second reading"), cancel=cancel)
        agreed = agreement(first, again, schema, buckets_only=in_buckets(extractor) or in_buckets(second))
        found = replace(found, second=second.identity.to_dict(), agreement=agreed)
    if judge is not None:
        rows = read_rows(first)[: min(coverage_sample, MOST_TEXTS)]
        some, values = [chosen[i] for i in rows], of_rows(first, rows).values
        try:
            covered = judge_coverage(some, values, schema, judge, seed=seed, progress=progress, cancel=cancel)
            found = replace(found, coverage=covered)
        except ModelFailed as why:  # the other figures stand without it
            found = replace(found, coverage_missing=str(why))
    return found


def quality_of(extraction: Extraction, schema: Schema, extractor: Mapping[str, str]) -> SchemaQuality:
    """The figures of one reading, of the records that did not fail; no agreement, no coverage.

    `extractor` is the identity of the reader. Raises ModelFailed when every record failed.
    """
    failures = dict(Counter(f.why for f in extraction.failures).most_common())
    rows = read_rows(extraction)
    if not rows:
        told = reasons_told(failures)
        raise ModelFailed(f"{extractor['name']} could read none of {len(extraction.values)} texts: {told}.")
    return SchemaQuality(
        schema_quality(extraction.values.iloc[rows], schema),
        len(rows),
        extractor,
        outside=extraction.outside,
        failures=failures,
        retries=extraction.retries,
        calls=extraction.calls,
        cached=extraction.cached,
        seconds=extraction.seconds,
    )


def schema_quality(values: pd.DataFrame, schema: Schema) -> tuple[FieldQuality, ...]:
    """One entry per attribute, in schema order; the paper's figures are their means.

    `values` holds at least one row and the schema's columns, at any level. Raises BadInput
    on an empty table: there is nothing to say about it.
    """
    if not len(values):
        raise BadInput("there are no extracted values to judge.", where="schema quality")
    return tuple(_field(a.name, values[a.name].astype(str), is_counted(a)) for a in schema.attributes)


def read_rows(extraction: Extraction) -> list[int]:
    """The rows that did not fail."""
    failed = {f.row for f in extraction.failures}
    return [i for i in range(len(extraction.values)) if i not in failed]


def _field(name: str, column: pd.Series, counted: bool) -> FieldQuality:
    share = column.value_counts(normalize=True)
    entropy = -sum(p * math.log2(p) for p in share)
    return FieldQuality(
        name,
        len(column),
        len(share),
        1.0 - float(column.map(is_unstated).mean()),
        entropy / math.log2(len(share)) if len(share) > 1 else 0.0,
        float(share.iloc[0]),
        counted,
    )


def _renamed(progress: Progress, prefix: str) -> Progress:
    return lambda stage, done, total: progress(f"{prefix}, {stage}", done, total)
