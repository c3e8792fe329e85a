"""A schema read off the records, for files that bring none.

Its provenance is "observed": which values occur then depends on private records without
DP, and the card of a release says so (DESIGN 4.8).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ctxpriv.errors import BadInput
from ctxpriv.extract.bands import parse_number, quantile_bands
from ctxpriv.extract.coarsen import PRIVATE, frequent_values, numeric_bands
from ctxpriv.schema import COARSEN_ABOVE, NOT_STATED, Attribute, Coarsening, Schema

MAX_VALUES = 200
"""More different values than this are not an attribute any more; neither is n/2."""


def as_values(column: pd.Series, where: str) -> list[str | None]:
    """Cells as attribute values: text without outer spaces, None where missing.

    3, 3.0 and "3" are one value. Raises BadInput naming the row for a list or an object.
    """
    out: list[str | None] = []
    for row, cell in enumerate(column.to_numpy(object), 1):
        if isinstance(cell, str):
            out.append(cell.strip() or None)
        elif isinstance(cell, list | dict | tuple | np.ndarray | bytes):
            raise BadInput(
                f"holds a {type(cell).__name__}, not one value.",
                where=f"{where}, row {row}, column {column.name!r}",
                fix="Choose another column, or reduce it to one value a record.",
            )
        elif is_missing(cell):
            out.append(None)
        elif isinstance(cell, float | np.floating) and float(cell).is_integer():
            out.append(str(int(cell)))
        else:
            out.append(str(cell))
    return out


def is_missing(cell: object) -> bool:
    """None, NaN, NA or NaT: what pandas puts where a cell is empty."""
    return (
        cell is None
        or cell is pd.NA
        or cell is pd.NaT
        or (isinstance(cell, float | np.floating) and cell != cell)
    )


def observed_schema(
    values: pd.DataFrame, where: str, *, keep: Sequence[str] = (), unlimited: Sequence[str] = ()
) -> tuple[pd.DataFrame, Schema]:
    """The schema of a table of `as_values` cells, and the table with foreign spellings joined.

    Values in numeric order where all are numbers, else alphabetical, `Not stated` last.
    Values that differ in case only are one, spelt as first seen. Attributes of more than
    10 values are coarsened by `suggest_coarsening`, those in `keep` (the utility label)
    excepted. A number column of more than 200 or n/2 values becomes 5 bands; another such
    column raises BadInput, unless it is in `unlimited` (the caller coarsens it by a rule).
    """
    attributes, coarsenings, table = [], {}, {}
    for name in values.columns:
        column = _one_spelling(values[name])
        distinct = set(column) - {NOT_STATED}
        if len(distinct) > too_many(len(column)) and name not in unlimited:
            column = _numbers_in_bands(column, distinct, f"{where}, column {name!r}")
        attribute = Attribute(name, _ordered(set(column)), provenance="observed")
        attributes.append(attribute)
        table[name] = column
        if len(attribute.values) > COARSEN_ABOVE and name not in keep:
            coarsenings[name] = suggest_coarsening(attribute, column)
    return pd.DataFrame(table, index=values.index, columns=values.columns), Schema(
        tuple(attributes), coarsenings
    )


def too_many(n: int) -> int:
    """From how many different values on a column of n records cannot be an attribute as it is."""
    return min(MAX_VALUES, max(n // 2, COARSEN_ABOVE))


def suggest_coarsening(attribute: Attribute, values: Iterable[str], *, source: str = PRIVATE) -> Coarsening:
    """At most 5 buckets: bands of equal frequency for numbers, else the most frequent values.

    `values` are occurrences; `source` says whose they are, and the coarsening's origin
    records it (extract/coarsen.py).
    """
    values = list(values)
    make = numeric_bands if is_numeric(attribute.values) else frequent_values
    return make(values, attribute=attribute.name, domain=attribute.values, source=source)


def is_numeric(values: Iterable[str]) -> bool:
    """True when every stated value is a plain number."""
    stated = [v for v in values if v != NOT_STATED]
    return bool(stated) and all(_number(v) is not None for v in stated)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _ordered(values: set[str]) -> tuple[str, ...]:
    stated = values - {NOT_STATED}
    if is_numeric(stated):
        order = sorted(stated, key=lambda v: (float(v), v))
    elif all(parse_number(v) is not None for v in stated) and any(
        "–" in v or v.endswith("+") for v in stated
    ):
        order = sorted(stated, key=lambda v: (not v.startswith("under"), parse_number(v)))
    else:
        order = sorted(stated, key=lambda v: (v.casefold(), v))
    return (*order, NOT_STATED) if NOT_STATED in values else tuple(order)


def _one_spelling(column: pd.Series) -> list[str]:
    first: dict[str, str] = {NOT_STATED.casefold(): NOT_STATED}
    return [
        NOT_STATED if is_missing(v) else first.setdefault(v.casefold(), v) for v in column.to_numpy(object)
    ]


def _numbers_in_bands(column: list[str], distinct: set[str], where: str) -> list[str]:
    if not is_numeric(distinct):
        raise BadInput(
            f"has {len(distinct)} different values in {len(column)} records: too many for an attribute.",
            where=where,
            fix="Leave the column out, or group its values first.",
        )
    bands = quantile_bands([float(v) for v in column if v != NOT_STATED])
    return [v if v == NOT_STATED else bands.label(float(v)) for v in column]
