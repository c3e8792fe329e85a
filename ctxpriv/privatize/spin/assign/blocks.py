"""Texts a block at a time, each block to contributions: what the assigners share.

PRIVATE SIDE: reads protected records, which may come from a generator and are never held all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.contributions import Contributions, from_scores
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.progress import CancelToken, Progress

STAGE = "assign records to atoms"


def in_blocks(
    texts: Iterable[str],
    size: int,
    contributions: Callable[[tuple[str, ...], Progress], Contributions],
    *,
    k: int,
    users: NDArray | None,
    progress: Progress,
    cancel: CancelToken,
) -> Contributions:
    """`contributions` of `size` texts at a time, joined, with the users' codes. It may report the texts
    of its block that are done.

    Raises BadInput where there is not one user per text, and Cancelled between blocks.
    """
    total = len(texts) if isinstance(texts, Sized) else 0
    if total:
        _one_each(users, total)
    parts = [Contributions(np.zeros((0, k), np.int32), np.zeros((0, k), np.int64))]
    done, coming = 0, iter(texts)

    def within(_stage: str, n: int, _of: int) -> None:
        progress(STAGE, done + n, total)

    while block := tuple(islice(coming, size)):
        cancel.check()
        parts.append(contributions(block, within))
        done += len(block)
        progress(STAGE, done, total)
    cancel.check()
    _one_each(users, done)
    joined = Contributions.joined(parts)
    return Contributions(joined.atoms, joined.mass, None if users is None else np.asarray(users, np.int64))


def _one_each(users: NDArray | None, records: int) -> None:
    if users is not None and len(users) != records:
        raise BadInput(
            f"there are {len(users)} users for {records} records.",
            where="assignment",
            fix="Give one user for each record.",
        )


def best_atoms(scores: NDArray, measurement: Measurement) -> Contributions:
    """From similarities of shape (n, m): each row by itself, ties to the earlier atom."""
    rows = np.arange(len(scores))
    left = np.array(scores, copy=True)
    chosen = np.zeros((len(scores), min(measurement.k, scores.shape[1])), np.int32)
    for place in range(chosen.shape[1]):
        chosen[:, place] = left.argmax(axis=1)
        left[rows, chosen[:, place]] = -np.inf
    out = from_scores(
        chosen,
        np.take_along_axis(scores, chosen, 1).astype(np.float64),
        measurement.k,
        floor=measurement.floor,
        equal=measurement.weights == "equal",
    )
    return widened(out, measurement.k)


def widened(contributions: Contributions, k: int) -> Contributions:
    """With k places a record, where there are fewer atoms than that."""
    lacking = ((0, 0), (0, k - contributions.atoms.shape[1]))
    return Contributions(
        np.pad(contributions.atoms, lacking, constant_values=-1), np.pad(contributions.mass, lacking)
    )
