"""A table and a column mapping to a corpus.

Everything is checked before a corpus exists, so nothing is half-loaded. Rows in messages
count from 1 without the header. No message quotes a text; ids and column names may appear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import SPLITS, Corpus, Splits
from ctxpriv.errors import BadInput
from ctxpriv.extract.word_count import (
    NAME as WORD_COUNT,
)
from ctxpriv.extract.word_count import (
    word_count_attribute,
    word_count_bins,
    word_count_values,
)
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.observed import as_values, is_missing, observed_schema
from ctxpriv.loaders.sniff import proposed_attributes
from ctxpriv.loaders.tables import read_table
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Schema

SPLIT_NAMES = {
    "private": "private",
    "train": "private",
    "training": "private",
    "test": "test",
    "donated": "donated",
}
"""Words a split column may hold. "validation" is not among them on purpose: guessing that
it means donated would make those records public."""


def load_table(
    path: str | Path,
    mapping: ColumnMapping,
    *,
    name: str | None = None,
    schema: Schema | None = None,
    splits: Splits = Splits(),
    context: CorpusContext = CorpusContext(),
    add_word_count: bool = True,
) -> Corpus:
    """A CSV, JSON lines, JSON or Parquet file as a corpus; see `corpus_from_table`."""
    path = Path(path)
    return corpus_from_table(
        read_table(path),
        mapping,
        where=path.name,
        name=name or path.stem,
        schema=schema,
        splits=splits,
        context=context,
        add_word_count=add_word_count,
    )


def corpus_from_table(
    table: pd.DataFrame,
    mapping: ColumnMapping,
    *,
    where: str,
    name: str,
    schema: Schema | None = None,
    splits: Splits = Splits(),
    context: CorpusContext = CorpusContext(),
    add_word_count: bool = True,
) -> Corpus:
    """A table in memory as a corpus; `where` names its file in messages.

    Without a schema, domains are read off the records (provenance "observed", which the
    card of a release reports) and those of more than 10 values are coarsened, except the
    label's. With one, its attributes are the columns used, missing cells become
    `Not stated`, and a value outside a domain that has no `Other` or `Not stated` is an
    error. A split column is followed; else records are dealt by author where there is
    one, else one by one. `word_count` is counted and binned on the donated texts; a
    column of that name is replaced by it.

    Raises BadInput naming file, row and column: fewer than 2 records, unknown columns,
    missing or non-text texts, repeated ids, missing authors, unknown splits, foreign
    values, attributes of more than 200 or n/2 different values.
    """
    if len(table) < 2:
        raise BadInput(
            f"holds {len(table)} record.",
            where=where,
            fix="A corpus needs at least 2 records, and some dozens to say anything.",
        )
    mapping.check(list(table.columns), where)
    names = _attribute_names(table, mapping, schema, where, add_word_count)
    texts = _texts(table, mapping.text, where)
    ids = _ids(table, mapping.id, where)
    authors = _authors(table, mapping.author, where)
    split_of = _splits(table, mapping.split, splits, authors or ids, where)
    values = pd.DataFrame({n: as_values(table[n], where) for n in names}, dtype=object)
    if schema is None:
        values, schema = observed_schema(values, where, keep=(mapping.label,) if mapping.label else ())
    else:
        schema = schema.only(names)
    _check_domains(values, schema, where)
    if add_word_count:
        bins = word_count_bins([t for t, s in zip(texts, split_of, strict=True) if s == "donated"])
        values[WORD_COUNT] = word_count_values(texts, bins)
        schema = schema.with_attribute(
            _described(word_count_attribute(bins), bool((split_of == "donated").any()))
        )
    if not schema.names:
        raise BadInput("has no attributes.", where=where, fix="Choose at least one attribute column.")
    conformed, outside = schema.conform(values)
    return Corpus(name, ids, texts, conformed, schema, split_of, mapping.label, authors, context, outside)


def _described(attribute: Attribute, on_donated: bool) -> Attribute:
    cut = "at quantiles of the donated texts" if on_donated else "at fixed counts, since no text is donated"
    return replace(
        attribute,
        description=f"{attribute.description.rstrip('.')}, in bins cut {cut}, so that "
        "they do not depend on private records.",
    )


def _attribute_names(
    table: pd.DataFrame, mapping: ColumnMapping, schema: Schema | None, where: str, add_word_count: bool
) -> list[str]:
    """The attribute columns in order, the label among them, without the counted `word_count`."""
    if mapping.attributes is not None:
        names = list(mapping.attributes)
    elif schema is not None:
        names = list(schema.names)
    else:
        names = proposed_attributes(table, mapping)
    if mapping.label is not None and mapping.label not in names:
        names.append(mapping.label)
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise BadInput(f"attribute {twice[0]!r} is listed twice.", where=where, fix="List it once.")
    if add_word_count and mapping.label != WORD_COUNT:
        names = [n for n in names if n != WORD_COUNT]
    for name in names:
        if name not in table.columns:
            raise BadInput(
                f"has no column {name!r}, which the schema names.",
                where=where,
                fix="Correct the schema or choose the file that belongs to it.",
            )
        if schema is not None and name not in schema.names:
            raise BadInput(
                f"the schema has no attribute {name!r}.",
                where=where,
                fix="Add it to the schema or leave the column out.",
            )
    return names


def _texts(table: pd.DataFrame, column: str, where: str) -> tuple[str, ...]:
    """Every text, which must be there and be text."""
    cells = table[column].to_numpy(object)
    wrong = [row for row, cell in enumerate(cells, 1) if not isinstance(cell, str) and not is_missing(cell)]
    if wrong:
        raise BadInput(
            f"holds {type(cells[wrong[0] - 1]).__name__} values where text is expected (rows "
            f"{_some(wrong)}).",
            where=f"{where}, column {column!r}",
            fix="Choose the column that holds the text.",
        )
    empty = [row for row, cell in enumerate(cells, 1) if is_missing(cell) or not cell.strip()]
    if empty:
        raise BadInput(
            f"the text is missing in {_rows(empty)}.",
            where=f"{where}, column {column!r}",
            fix="Remove these rows or fill them in.",
        )
    return tuple(cells)


def _ids(table: pd.DataFrame, column: str | None, where: str) -> tuple[str, ...]:
    if column is None:
        return tuple(str(i) for i in range(1, len(table) + 1))
    ids = as_values(table[column], where)
    if empty := [row for row, cell in enumerate(ids, 1) if cell is None]:
        raise BadInput(
            f"the id is missing in {_rows(empty)}.",
            where=f"{where}, column {column!r}",
            fix="Fill it in, or choose no id column: records are then numbered.",
        )
    series = pd.Series(ids, dtype=object)
    if (again := series.duplicated(keep=False)).any():
        repeated = list(dict.fromkeys(series[again]))
        rows = [int(i) + 1 for i in np.flatnonzero((series == repeated[0]).to_numpy())]
        more = f", and {len(repeated) - 1} other ids" if len(repeated) > 1 else ""
        raise BadInput(
            f"id {repeated[0]!r} is used by rows {_some(rows)}{more}.",
            where=f"{where}, column {column!r}",
            fix="Make the ids unique, or choose no id column: records are then numbered.",
        )
    return tuple(ids)


def _authors(table: pd.DataFrame, column: str | None, where: str) -> tuple[str, ...] | None:
    if column is None:
        return None
    authors = as_values(table[column], where)
    if empty := [row for row, cell in enumerate(authors, 1) if cell is None]:
        raise BadInput(
            f"the author is missing in {_rows(empty)}.",
            where=f"{where}, column {column!r}",
            fix="Fill it in, remove the rows, or choose no author column.",
        )
    return tuple(authors)


def _splits(
    table: pd.DataFrame, column: str | None, splits: Splits, units: Sequence[str], where: str
) -> np.ndarray:
    if column is None:
        out = splits.assign(units)
    else:
        words = [None if v is None else str(v).strip().casefold() for v in as_values(table[column], where)]
        if wrong := [row for row, word in enumerate(words, 1) if word not in SPLIT_NAMES]:
            raise BadInput(
                f"holds something else than {', '.join(SPLITS)} in {_rows(wrong)}.",
                where=f"{where}, column {column!r}",
                fix="Correct it, or choose no split column: records are then dealt at random.",
            )
        out = np.asarray([SPLIT_NAMES[str(w)] for w in words], object)
    if not (out == "private").any():
        raise BadInput(
            "no record is in the private split.",
            where=where,
            fix="Put more records in, or give the private split a larger share.",
        )
    return out


def _check_domains(values: pd.DataFrame, schema: Schema, where: str) -> None:
    """A message with file, row and column where `Schema.conform` would stop."""
    for attribute in schema.attributes:
        if NOT_STATED in attribute.values or OTHER in attribute.values:
            continue
        known = {v.strip().casefold() for v in attribute.values}
        cells = values[attribute.name].to_numpy(object)
        place = f"{where}, column {attribute.name!r}"
        if empty := [row for row, cell in enumerate(cells, 1) if is_missing(cell)]:
            raise BadInput(
                f"is empty in {_rows(empty)}, and its domain has no {NOT_STATED!r}.",
                where=place,
                fix=f"Fill it in, or add {NOT_STATED!r} to its values.",
            )
        if foreign := [row for row, cell in enumerate(cells, 1) if cell.casefold() not in known]:
            raise BadInput(
                f"holds a value outside the schema in {_rows(foreign)}.",
                where=place,
                fix=f"Correct it, or add the value (or {OTHER!r}, or {NOT_STATED!r}) to the schema.",
            )


def _rows(rows: Sequence[int]) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else f"{len(rows)} rows ({_some(rows)})"


def _some(rows: Sequence[int]) -> str:
    return ", ".join(map(str, rows[:5])) + (" …" if len(rows) > 5 else "")
