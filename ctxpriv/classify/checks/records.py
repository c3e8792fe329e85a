"""The private records as integers, made once and used by every check. PRIVATE SIDE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxpriv.classify.checks.finding import CheckSettings
from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.schema import Schema

Codes = NDArray[np.int64]

LARGEST_KEY = 2**62
DENSE = 8


@dataclass(frozen=True)
class Column:
    """One attribute of every record: codes (n,) in range(size), the most common value first."""

    codes: Codes = field(repr=False)
    size: int


@dataclass(frozen=True)
class Records:
    """The private split, its rows ordered so that fold i is rows bounds[i]:bounds[i + 1].

    `label` is the utility label; `exact` holds values, `coarse` buckets (the same object where there
    are none). `author` is a number per record, or None where authors are unknown; `authors_apart`
    says whether folds keep the records of one author together, which needs at least two authors a
    fold.
    """

    schema: Schema
    label: str | None
    exact: Mapping[str, Column]
    coarse: Mapping[str, Column]
    author: Codes | None
    bounds: tuple[int, ...]
    authors_apart: bool

    def __len__(self) -> int:
        return self.bounds[-1]

    @property
    def units(self) -> Codes:
        """What the folds were dealt by: authors, or records."""
        return self.author if self.authors_apart else np.arange(len(self))

    @property
    def alike(self) -> float:
        """How many records the unit of a record has, on average over records: 1 without authors."""
        sizes = np.bincount(self.units)
        return float((sizes**2).sum() / max(sizes.sum(), 1))

    def buckets(self, partition: Partition) -> dict[str, Column]:
        """The buckets of the public attributes that have some: the maps are public, so who knows
        the value knows them as well."""
        return {a: self.coarse[a] for a in partition.public if a in self.schema.coarsenings}

    def disclosed(self, partition: Partition) -> dict[str, Column]:
        """What the audience gets of each attribute, in schema order: its values, or its buckets."""
        out = {}
        for name in self.schema.names:
            if name in partition.public:
                out[name] = self.exact[name]
            elif name in partition.coarsened:
                out[name] = self.coarse[name]
        return out


def records_of(corpus: Corpus, settings: CheckSettings = CheckSettings()) -> Records:
    """The private split of `corpus`, ready for the checks."""
    rows = np.flatnonzero(corpus.splits == "private")
    author = None
    if corpus.authors is not None:
        author = pd.factorize(np.asarray(corpus.authors, object)[rows])[0].astype(np.int64)
    apart = author is not None and len(author) > 0 and int(author.max()) + 1 >= 2 * settings.folds
    fold = _folds(author if apart else np.arange(len(rows)), settings)
    order = np.argsort(fold, kind="stable")
    bounds = np.searchsorted(fold[order], np.arange(settings.folds + 1))
    rows = rows[order]
    exact, coarse = {}, {}
    for name in corpus.schema.names:
        codes, values = pd.factorize(corpus.table[name].to_numpy(object)[rows])
        exact[name] = coarse[name] = column(codes)
        if name in corpus.schema.coarsenings:
            mapping = corpus.schema.coarsenings[name].mapping
            buckets, _ = pd.factorize(np.array([mapping[v] for v in values], object))
            coarse[name] = column(buckets[codes] if len(codes) else codes)
    return Records(
        corpus.schema,
        corpus.label,
        exact,
        coarse,
        author[order] if author is not None else None,
        tuple(int(b) for b in bounds),
        bool(apart),
    )


def column(codes: NDArray[np.integer]) -> Column:
    """Codes 0..m-1, renumbered so that the most common comes first."""
    counts = np.bincount(codes) if len(codes) else np.zeros(0, np.int64)
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return Column(rank[codes] if len(codes) else np.zeros(0, np.int64), len(counts))


def together(columns: Iterable[Column], n: int) -> Column:
    """One number per record for the values of all `columns` at once: equal exactly where all are
    equal. Exact: keys are renumbered before they could overflow, never hashed to fewer bits."""
    key, size = np.zeros(n, np.int64), 1
    for each in columns:
        if size * max(each.size, 1) > LARGEST_KEY:
            key, size = _renumbered(key, size)
        key, size = key * each.size + each.codes, size * max(each.size, 1)
    return Column(*_renumbered(key, size))


def _renumbered(key: Codes, size: int) -> tuple[Codes, int]:
    """Keys in range(size) to 0..m-1, with m."""
    if size <= DENSE * len(key):  # a table of all keys is quicker than hashing while it is small
        present = np.bincount(key, minlength=size) > 0
        number = np.cumsum(present) - 1
        return number[key], int(present.sum())
    codes, values = pd.factorize(key)
    return codes.astype(np.int64), len(values)


def _folds(units: Codes, settings: CheckSettings) -> NDArray[np.int64]:
    """A fold per record; units are dealt at random, equally many to each fold."""
    number = int(units.max()) + 1 if len(units) else 0
    dealt = np.random.default_rng(settings.seed).permutation(number) % settings.folds
    return dealt[units] if len(units) else np.zeros(0, np.int64)
