"""Between specific values and buckets: two views of one schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from ctxpriv.schema import NOT_STATED, Schema

OTHER_VALUES = "Other values"
"""The bucket of what fits in no named bucket."""


def is_unstated(value: str) -> bool:
    """`Not stated`, in whatever case."""
    return value.strip().casefold() == NOT_STATED.casefold()


def representatives(schema: Schema, values: pd.DataFrame) -> dict[str, Mapping[str, str]]:
    """Per coarsened attribute, the value that stands for each bucket.

    It is the most frequent of `values` in the bucket; ties, and buckets that do not occur,
    go to the value declared first. Buckets without a declared value are left out.
    """
    chosen: dict[str, Mapping[str, str]] = {}
    for name, coarsening in schema.coarsenings.items():
        count = Counter(values[name].astype(str)) if name in values else Counter()
        stand_in: dict[str, str] = {}
        # `sorted` is stable: among equally frequent values the one declared first comes first.
        for value in sorted(schema[name].values, key=lambda v: -count[v]):
            stand_in.setdefault(coarsening.mapping[value], value)
        chosen[name] = stand_in
    return chosen
