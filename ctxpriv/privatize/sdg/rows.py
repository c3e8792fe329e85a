"""Synthetic rows: codes to specific values, and which rows get a text.

PRIVATE SIDE: restores public values from the records and, where asked to, looks up which
values occur.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxpriv.schema import Schema


def chosen_rows(n: int, wanted: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`wanted` positions below n: a uniform subset in random order, after as many whole rounds
    through all rows as fit when more rows are wanted than there are."""
    whole, rest = divmod(wanted, n)
    parts = [rng.permutation(n) for _ in range(whole)]
    return np.concatenate([*parts, rng.choice(n, rest, replace=False)]).astype(np.int64)


def value_sets(
    schema: Schema, names: tuple[str, ...], observed: pd.DataFrame | None
) -> dict[str, list[list[str]]]:
    """For each attribute the specific values of each coarse code (paper assumption A4).

    Declared values of the bucket, or with `observed` (a table of private records) those
    that occur there, declared ones where none does. A bucket without any declared value
    stands for the whole domain.
    """
    out = {}
    for name in names:
        coarsening = schema.coarsenings.get(name)
        domain = schema[name].values
        seen = set(observed[name]) if observed is not None else set()
        sets = []
        for bucket in schema.coarse_values(name):
            declared = [v for v in (coarsening.members(bucket) if coarsening else (bucket,)) if v in domain]
            occurring = [v for v in declared if v in seen]
            sets.append(occurring or declared or list(domain))
        out[name] = sets
    return out


def specific(
    codes: NDArray[np.int64],
    names: tuple[str, ...],
    sets: dict[str, list[list[str]]],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Coarse codes (m, len(names)) to specific values, uniform within each code's value set."""
    out = {}
    for column, name in enumerate(names):
        widths = np.array([len(s) for s in sets[name]])
        pick = (rng.random(len(codes)) * widths[codes[:, column]]).astype(np.int64)
        out[name] = np.array([sets[name][c][k] for c, k in zip(codes[:, column], pick, strict=True)], object)
    return pd.DataFrame(out, index=range(len(codes)))
