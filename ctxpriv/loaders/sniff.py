"""What a file holds, and a first guess at the role of each column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ctxpriv.errors import BadInput
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.observed import as_values, is_numeric, too_many
from ctxpriv.loaders.tables import file_kind, read_table

TEXT_NAMES = (
    "text",
    "body",
    "comment",
    "review",
    "narrative",
    "abstract",
    "response",
    "content",
    "message",
    "transcript",
)
AUTHOR_NAMES = ("author", "author_id", "user", "user_id", "username", "reviewer", "reviewer_id", "speaker")
ID_NAMES = ("id", "record_id", "doc_id", "uid", "review_id", "complaint id", "complaint_id", "doi")
SPLIT_NAMES = ("split", "subset", "fold")
LABEL_NAMES = ("label", "topic", "category", "product", "rating", "stars", "class", "target")


@dataclass(frozen=True)
class ColumnFacts:
    """One column: `kind` is "text", "number", "category" or "nested"; `top` its commonest values."""

    name: str
    kind: str
    distinct: int
    missing: int
    mean_words: float
    top: tuple[tuple[str, int], ...]
    note: str = ""  # why it is not proposed as an attribute, where it could have been


@dataclass(frozen=True)
class FileFacts:
    """A file before it is loaded. Curator-only: `top` shows real values."""

    path: str
    kind: str
    n_rows: int
    columns: tuple[ColumnFacts, ...]
    guess: ColumnMapping | None  # None when no column looks like text


def sniff(path: str | Path) -> FileFacts:
    """Reads the file and guesses the mapping. Raises BadInput as `read_table` does."""
    table = read_table(path)
    columns = tuple(_column_facts(table[name]) for name in table.columns)
    guess = _guess(table, columns)
    return FileFacts(Path(path).name, file_kind(path), len(table), columns, guess)


def proposed_attributes(table: pd.DataFrame, mapping: ColumnMapping) -> list[str]:
    """The columns without another role that can be attributes as they are."""
    taken = {mapping.text, mapping.author, mapping.id, mapping.split}
    facts = [_column_facts(table[name]) for name in table.columns if name not in taken]
    return [f.name for f in facts if not f.note]


def _column_facts(column: pd.Series) -> ColumnFacts:
    name, n = str(column.name), len(column)
    try:
        cells = as_values(column, name)
    except BadInput:
        return ColumnFacts(name, "nested", 0, 0, 0.0, (), "holds lists or objects")
    stated = pd.Series([c for c in cells if c is not None], dtype=object)
    counts = stated.value_counts()
    words = float(stated.head(1000).map(lambda c: len(c.split())).mean()) if len(stated) else 0.0
    if len(stated) and is_numeric(counts.index):
        kind = "number"
    else:
        kind = "text" if words > 8 and len(counts) > too_many(n) else "category"
    return ColumnFacts(
        name,
        kind,
        len(counts),
        n - len(stated),
        round(words, 1),
        tuple((str(v)[:60], int(k)) for v, k in counts.head(8).items()),
        _note(kind, len(counts), n),
    )


def _note(kind: str, distinct: int, n: int) -> str:
    if distinct == 0:
        return "is empty"
    if kind == "text":
        return "looks like text"
    if distinct > too_many(n):
        return (
            f"{distinct} different values in {n} records: leave it out, or group its values first"
            if kind != "number" or distinct == n
            else ""
        )
    return "has the same value in every record" if distinct == 1 else ""


def _guess(table: pd.DataFrame, columns: Sequence[ColumnFacts]) -> ColumnMapping | None:
    by_words = [c for c in columns if c.kind == "text"]
    named = [c for c in by_words if any(w in c.name.casefold() for w in TEXT_NAMES)]
    usable = (
        named or by_words or [c for c in columns if c.name.casefold() in TEXT_NAMES and c.kind != "nested"]
    )
    if not usable:
        return None
    text = max(usable, key=lambda c: c.mean_words).name
    free = [c for c in columns if c.name != text and c.kind != "nested"]
    author = _named(free, AUTHOR_NAMES)
    ids = [c for c in free if c.distinct == len(table) and c.name != author]
    identifier = _named(ids, ID_NAMES) or next(
        (c.name for c in ids if re.search(r"(^|[_ ])id$", c.name, re.I)), None
    )
    split = _named([c for c in free if c.distinct <= 3], SPLIT_NAMES)
    mapping = ColumnMapping(text, None, None, author, identifier, split)
    attributes = proposed_attributes(table, mapping)
    label = _named([c for c in free if c.name in attributes], LABEL_NAMES)
    return ColumnMapping(text, tuple(attributes), label, author, identifier, split)


def _named(columns: Sequence[ColumnFacts], names: Sequence[str]) -> str | None:
    present = {c.name.casefold(): c.name for c in columns}
    return next((present[n] for n in names if n in present), None)
