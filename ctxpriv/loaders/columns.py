"""Small steps that the named formats share: needed columns, dropped rows, rare values, bands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus, Splits
from ctxpriv.errors import BadInput
from ctxpriv.loaders.load import corpus_from_table
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.tables import read_table
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Schema


class FormatOptions(TypedDict, total=False):
    """What every format's `load` takes beside the path. A `schema` replaces the format's own: its
    attributes are then the ones loaded."""

    name: str | None
    splits: Splits
    schema: Schema | None
    context: CorpusContext


def as_corpus(
    table: pd.DataFrame,
    path: str | Path,
    mapping: ColumnMapping,
    schema: Schema,
    context: CorpusContext,
    options: FormatOptions,
) -> Corpus:
    """The prepared table as a corpus; `schema` and `context` are the format's own."""
    chosen = {"context": context, **options}
    chosen["name"] = options.get("name") or Path(path).stem
    if options.get("schema") is not None:
        label = mapping.label if mapping.label in options["schema"].names else None
        mapping = replace(mapping, attributes=None, label=label)
    else:
        chosen["schema"] = schema
    return corpus_from_table(table, mapping, where=Path(path).name, **chosen)


def read_format(path: str | Path, needed: Sequence[str], format_name: str) -> pd.DataFrame:
    """The file's table. Raises BadInput naming the first column of the format that is missing."""
    table = read_table(path)
    if missing := [c for c in needed if c not in table.columns]:
        raise BadInput(
            f"has no column {missing[0]!r}, so it is not {format_name}.",
            where=Path(path).name,
            fix="Choose another format, or load it as a table with your own column mapping.",
        )
    return table


def with_text(table: pd.DataFrame, column: str, where: str) -> pd.DataFrame:
    """Only the rows whose text is there. Raises BadInput when none is."""
    cells = table[column].to_numpy(object)
    kept = table[
        [not isinstance(c, str) or bool(c.strip()) for c in cells] & table[column].notna().to_numpy()
    ]
    if not len(kept):
        raise BadInput(f"has no text in column {column!r}.", where=where, fix="Export it with its texts.")
    return kept.reset_index(drop=True)


def keep_frequent(cells: Sequence[str | None], n: int = 50) -> list[str | None]:
    """All but the n most frequent values become `Other`."""
    counts = pd.Series([c for c in cells if c is not None], dtype=object).value_counts()
    kept = set(counts.index[:n])
    return [c if c is None or c in kept else OTHER for c in cells]


def in_bands(cells: Sequence[object], bands: Mapping[str, Callable[[float], bool]]) -> list[str]:
    """The first band whose test a number passes; `Not stated` for what is not a number or fits none."""
    numbers = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce")
    return [next((name for name, test in bands.items() if x == x and test(x)), NOT_STATED) for x in numbers]


def yes_no(cells: Sequence[object]) -> list[str]:
    """ "yes", "no" or `Not stated` from booleans and the usual words."""
    words = {"true": "yes", "yes": "yes", "1": "yes", "false": "no", "no": "no", "0": "no"}
    return [words.get(str(c).strip().casefold(), NOT_STATED) for c in cells]


def declared(name: str, values: Sequence[str], description: str) -> Attribute:
    """An attribute whose values do not come from the records; `Not stated` is added."""
    values = tuple(values) if NOT_STATED in values else (*values, NOT_STATED)
    return Attribute(name, values, description)
