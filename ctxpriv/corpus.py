"""The private corpus: texts, attribute values, splits (DESIGN section 2).

PRIVATE SIDE. Nothing that generates, decodes, verifies or exports may import this
module; `tests/test_boundary.py` walks the imports.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.schema import Schema
from ctxpriv.strict import a_number, whole_number

SPLITS = ("private", "test", "donated")


@dataclass(frozen=True)
class Splits:
    """How records are divided; by author where there is one, from a stated seed."""

    private: float = 0.6
    test: float = 0.2
    donated: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        shares = (self.private, self.test, self.donated)
        whole_number(self.seed, "splits, seed")
        for name in SPLITS:
            a_number(getattr(self, name), f"splits, {name}")
        if any(s < 0 for s in shares) or abs(sum(shares) - 1) > 1e-9 or self.private == 0:
            raise BadInput(
                f"shares {shares} must be at least 0 and sum to 1, with some private records.", where="splits"
            )

    def assign(self, units: Sequence[str]) -> np.ndarray:
        """A split name per record; records of one unit (author or record id) stay together.

        Units are shuffled by the seed and dealt greedily to the split that lacks most
        records, so that shares hold in records even when authors differ in size. Where that
        leaves a split empty that has a share (one author wrote nearly everything), they are
        dealt to the split that lacks most of its share instead.
        """
        names, index = np.unique(np.asarray(units, str), return_inverse=True)
        sizes = np.bincount(index)
        order = np.random.default_rng(self.seed).permutation(len(names))
        # Larger units first, so that one heavy author cannot overfill a small split at the end.
        order = order[np.argsort(-sizes[order], kind="stable")]
        target = np.array([self.private, self.test, self.donated]) * len(units)
        split_of = _dealt(order, sizes, target, np.ones(3))
        wanted = set(np.flatnonzero(target))
        if len(wanted & set(split_of)) < min(len(wanted), len(names)):
            scale = np.where(target > 0, target, np.inf)
            split_of = _dealt(order, sizes, target, scale)
        return np.asarray(SPLITS, object)[split_of[index]]


def _dealt(order: np.ndarray, sizes: np.ndarray, target: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The split of each unit, dealt in `order` to the split that lacks most records / `scale`."""
    filled, split_of = np.zeros(3), np.zeros(len(sizes), int)
    for unit in order:
        choice = int(np.argmax((target - filled) / scale))
        split_of[unit] = choice
        filled[choice] += sizes[unit]
    return split_of


@dataclass(frozen=True)
class CorpusFacts:
    """What plans may know without reading private records.

    `n_private` enters δ = 1/n and is treated as public, which the card states.
    """

    name: str
    digest: str
    n_private: int
    n_test: int
    n_donated: int
    schema: Schema
    label: str | None
    mean_words: float  # of the donated texts, else 100
    has_authors: bool


@dataclass(frozen=True)
class Corpus:
    """n records: a text and its attribute values each.

    `table` has one row a record and exactly the schema's columns, values inside their
    domains (see `Schema.conform`). `splits` holds one of `SPLITS` per record.
    """

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...] = field(repr=False)
    table: pd.DataFrame = field(repr=False)
    schema: Schema = field(repr=False)
    splits: np.ndarray = field(repr=False)
    label: str | None = None
    authors: tuple[str, ...] | None = field(default=None, repr=False)
    context: CorpusContext = CorpusContext()
    outside: Mapping[str, int] = field(default_factory=dict)  # values that `conform` had to map

    def __post_init__(self) -> None:
        n = len(self.texts)
        if not (len(self.ids) == len(self.table) == len(self.splits) == n):
            raise BadInput("ids, texts, table and splits differ in length.", where=f"corpus {self.name!r}")
        if tuple(self.table.columns) != self.schema.names:
            raise BadInput("the table's columns are not the schema's.", where=f"corpus {self.name!r}")
        if "text" in self.schema.names:
            raise BadInput(
                "an attribute is called 'text', as the released texts are.",
                where=f"corpus {self.name!r}",
                fix="Rename the attribute.",
            )
        if self.label is not None and self.label not in self.schema.names:
            raise BadInput(
                f"the utility label {self.label!r} is not an attribute.",
                where=f"corpus {self.name!r}",
                fix="Choose one of the attributes as the utility label.",
            )

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over ids, texts, splits, authors, values, schema, label: names a corpus in the ledger.

        Not over the name, the context and the count of mapped values, which change no record.
        """
        h = hashlib.sha256()

        def add(items: Iterable[object]) -> None:
            # Lengths before contents: no content can then pass for a boundary.
            data = [str(item).encode("utf-8", "surrogatepass") for item in items]
            h.update(b"%d;" % len(data))
            for item in data:
                h.update(b"%d:" % len(item) + item)

        for part in (self.ids, self.texts, self.splits, self.authors or ()):
            add(part)
        for name in self.schema.names:
            add((name, *self.table[name].tolist()))  # a column of text is slow to go through by itself
        add((json.dumps(self.schema.to_dict(), ensure_ascii=False), self.label or ""))
        return h.hexdigest()

    @cached_property
    def records_digest(self) -> str:
        """SHA-256 over the texts alone: the same for a corpus under any schema, label or splits."""
        h = hashlib.sha256()
        for text in self.texts:
            data = text.encode("utf-8", "surrogatepass")
            h.update(b"%d:" % len(data) + data)
        return h.hexdigest()

    def part(self, split: str) -> Corpus:
        """The records of one split."""
        return self.subset(np.flatnonzero(self.splits == split))

    def subset(self, rows: np.ndarray) -> Corpus:
        pick = [int(i) for i in rows]
        return replace(
            self,
            ids=tuple(self.ids[i] for i in pick),
            texts=tuple(self.texts[i] for i in pick),
            table=self.table.iloc[pick].reset_index(drop=True),
            splits=self.splits[pick],
            authors=tuple(self.authors[i] for i in pick) if self.authors is not None else None,
        )

    def donated(self) -> DonatedExamples:
        part = self.part("donated")
        return DonatedExamples(part.texts, part.table, self.schema, self.label)

    def codes(self) -> np.ndarray:
        """Coarse codes, int64 of shape (n, |A|), columns in schema order."""
        return self.schema.codes(self.table)

    def with_schema(self, schema: Schema, table: pd.DataFrame | None = None) -> Corpus:
        """Under another schema; `table` replaces the values where given. Values are conformed."""
        conformed, outside = schema.conform(self.table if table is None else table)
        label = self.label if self.label in schema.names else None
        return replace(self, schema=schema, table=conformed, outside=outside, label=label)

    def facts(self) -> CorpusFacts:
        count = {s: int((self.splits == s).sum()) for s in SPLITS}
        donated = [len(t.split()) for t, s in zip(self.texts, self.splits, strict=True) if s == "donated"]
        return CorpusFacts(
            self.name,
            self.digest,
            count["private"],
            count["test"],
            count["donated"],
            self.schema,
            self.label,
            float(np.mean(donated)) if donated else 100.0,
            self.authors is not None,
        )
