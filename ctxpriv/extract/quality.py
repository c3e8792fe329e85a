"""How much an extracted table says about the texts (paper App. A.4, Table 2).

PRIVATE SIDE: computed on extracted values without noise, so curator-only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from ctxpriv.errors import BadInput
from ctxpriv.extract.levels import is_unstated
from ctxpriv.schema import Schema


@dataclass(frozen=True)
class FieldQuality:
    """One attribute over n texts.

    `signal`: share of texts with another value than `Not stated`. `balanced_entropy`:
    entropy of the values divided by log2 of the number of distinct values that occur, 0
    when there is only one. `dominance`: share of the most common value.
    """

    attribute: str
    n: int
    distinct: int
    signal: float
    balanced_entropy: float
    dominance: float


def schema_quality(values: pd.DataFrame, schema: Schema) -> tuple[FieldQuality, ...]:
    """One entry per attribute, in schema order; the paper's figures are their means.

    `values` holds at least one row and the schema's columns, at any level. Raises BadInput
    on an empty table: there is nothing to say about it.
    """
    if not len(values):
        raise BadInput("there are no extracted values to judge.", where="schema quality")
    return tuple(_field(name, values[name].astype(str)) for name in schema.names)


def _field(name: str, column: pd.Series) -> FieldQuality:
    share = column.value_counts(normalize=True)
    entropy = -sum(p * math.log2(p) for p in share)
    return FieldQuality(
        name,
        len(column),
        len(share),
        1.0 - float(column.map(is_unstated).mean()),
        entropy / math.log2(len(share)) if len(share) > 1 else 0.0,
        float(share.iloc[0]),
    )
