"""Which donated examples stand nearest to a synthetic row. RELEASE SIDE."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.schema import Schema


def require_donated(donated: DonatedExamples) -> None:
    """Raises BadInput when there is nothing to learn the style of the texts from."""
    if not len(donated):
        raise BadInput(
            "there are no donated texts, so nothing shows the generator what the texts look like.",
            where="donated split",
            fix="Give the split `donated` some records (a share of 0.2 is the default).",
        )


def coarse_codes(rows: pd.DataFrame, schema: Schema) -> NDArray[np.int64]:
    """Coarse codes of specific values, shape (len(rows), columns of `rows`); -1 where unknown."""
    columns = []
    for name in rows.columns:
        position = {value: i for i, value in enumerate(schema.coarse_values(name))}
        bucket = schema.coarsenings[name].mapping if name in schema.coarsenings else {}
        columns.append([position.get(bucket.get(value, value), -1) for value in rows[name].astype(object)])
    return np.array(columns, np.int64).reshape(len(rows.columns), len(rows)).T


def ranked_donors(rows: pd.DataFrame, donated: DonatedExamples, *, seed: int) -> NDArray[np.int64]:
    """Positions of the donated texts from nearest to farthest, one line per row.

    Hamming distance on the coarse codes of the columns that `rows` has (paper App. D, after
    MAPLE); a differing utility label counts more than everything else. Ties are broken at
    random from `seed`, or the first donor would appear in every text.
    """
    require_donated(donated)
    names = [n for n in rows.columns if n in donated.schema.names]
    wanted = coarse_codes(rows[names], donated.schema)
    have = coarse_codes(donated.values[names], donated.schema)
    distance = np.zeros((len(rows), len(donated)))
    for column, name in enumerate(names):
        weight = len(names) + 1 if name == donated.label else 1
        distance += weight * (wanted[:, column, None] != have[None, :, column])
    distance += np.random.default_rng(seed).random(distance.shape)  # below 1: only breaks ties
    return np.argsort(distance, axis=1)
