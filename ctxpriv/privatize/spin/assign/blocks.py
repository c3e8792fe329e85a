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
    contributions: Callable[[tuple[str, ...]], Contributions],
    *,
    k: int,
    users: NDArray | None,
    progress: Progress,
    cancel: CancelToken,
) -> Contributions:
    """`contributions` of `size` texts at a time, joined, with the users' codes.

    Raises BadInput where there is not one user per text, and Cancelled between blocks.
    """
    total = len(texts) if isinstance(texts, Sized) else 0
    parts = [Contributions(np.zeros((0, k), np.int32), np.zeros((0, k), np.int64))]
    done, coming = 0, iter(texts)
    while block := tuple(islice(coming, size)):
        cancel.check()
        parts.append(contributions(block))
        done += len(block)
        progress(STAGE, done, total)
    cancel.check()
    joined = Contributions.joined(parts)
    if users is None:
        return joined
    if len(users) != done:
        raise BadInput(f"{len(users)} users for {done} records.", where="assignment")
    return Contributions(joined.atoms, joined.mass, np.asarray(users, np.int64))


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
