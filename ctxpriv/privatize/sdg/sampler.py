"""Drawing private values from the estimated model (Alg. 1, lines 16 to 19).

The paper draws one attribute at a time from p̂(a_k | x̂[pa_k]) with pa_k small enough for a
table of 10^7 cells. [ours] The model here is already a junction tree over the private
attributes, conditional on the public row, whose tables the size limit bounds (80 MB = 10^7
cells): drawing clique by clique, each given its separator and the public row, is the same
chain with pa_k = everything drawn before, so it is an exact draw from p̂(private | public).
It uses the model and public rows only, and is post-processing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.sdg.conditional_model import ConditionalModel
from ctxpriv.privatize.sdg.estimator import Component
from ctxpriv.privatize.sdg.workload import Attributes

Ints = NDArray[np.int64]


def draw_private(model: ConditionalModel, rows: Ints, rng: np.random.Generator) -> dict[int, Ints]:
    """One value (bin) per private attribute for each entry of `rows` (indices of distinct public rows)."""
    out: dict[int, Ints] = {}
    for component in model.components:
        place = model.public.groups(component.rows)[0][rows]
        _draw_component(component, model.sizes, place, rng, out)
    return out


def _draw_component(
    component: Component, sizes: dict[int, int], place: Ints, rng: np.random.Generator, out: dict[int, Ints]
) -> None:
    """Root clique first, then each clique's remaining attributes given its separator."""
    assert component.model is not None
    n_rows = component.model.log_z.size
    for clique, separator, conditional in zip(
        component.tree.cliques, component.tree.separator, component.model.conditional, strict=True
    ):
        residual = clique[: len(clique) - len(separator)]
        context = _encode(separator, sizes, out, len(place)) * n_rows + place
        cell = draw_columns(conditional, context, rng)
        for a in reversed(residual):
            cell, out[a] = np.divmod(cell, sizes[a])


def draw_columns(table: NDArray[np.float64], columns: Ints, rng: np.random.Generator) -> Ints:
    """For each entry c of `columns`, a row index drawn with probabilities table[:, c].

    Draws that share a column are stratified: its m draws use one uniform in each of m equal
    slices, in random order. Each draw has the same distribution, with less sampling error
    over all of them.
    """
    used, inverse, count = np.unique(columns, return_inverse=True, return_counts=True)
    order = np.lexsort((rng.random(len(columns)), inverse))
    slot = np.empty(len(columns), np.int64)
    slot[order] = np.arange(len(columns)) - np.repeat(np.cumsum(count) - count, count)
    uniform = (slot + rng.random(len(columns))) / count[inverse]
    out = np.empty(len(columns), np.int64)
    width = max(1, 2_000_000 // len(table))  # columns at a time: bounds memory
    for start in range(0, len(used), width):
        part = used[start : start + width]
        cumulative = np.cumsum(table[:, part], axis=0)
        cumulative /= cumulative[-1]
        here = np.flatnonzero((inverse >= start) & (inverse < start + width))
        k = inverse[here] - start
        # one sorted list for all columns: column k occupies (k, k + 1]
        ladder = (cumulative + np.arange(len(part))).T.ravel()
        found = np.searchsorted(ladder, k + uniform[here], side="right") - k * len(table)
        out[here] = np.clip(found, 0, len(table) - 1)
    return out


def _encode(attributes: Attributes, sizes: dict[int, int], drawn: dict[int, Ints], n: int) -> Ints:
    code = np.zeros(n, np.int64)
    for a in attributes:
        code = code * sizes[a] + drawn[a]
    return code
