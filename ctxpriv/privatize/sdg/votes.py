"""Votes of private records for candidate texts: the only step of evolution that sees D.

PRIVATE SIDE: takes private embeddings and labels as plain arrays, gives out a noisy
histogram (paper Alg. 2, lines 10 and 11).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.privacy.budget import Budget, Charge
from ctxpriv.privacy.noise import Noise, gaussian_sigma

VOTE_SENSITIVITY = 1.0
"""ℓ2 and ℓ1 alike: adding or dropping a record moves one count by one (DESIGN 4.4)."""

_BLOCK_ENTRIES = 2**24  # entries of one block of the record-by-candidate product: 64 MB


@dataclass(frozen=True)
class Electorate:
    """The private records as voters: grid vectors (n, d) and label codes (n,)."""

    vectors: NDArray[np.float32] = field(repr=False)
    labels: NDArray[np.int64] = field(repr=False)

    @staticmethod
    def of(embeddings: NDArray[np.floating], labels: NDArray[np.integer]) -> Electorate:
        if len(embeddings) != len(labels):
            raise BadInput(f"{len(embeddings)} embeddings but {len(labels)} labels.", where="votes")
        return Electorate(on_grid(embeddings), np.asarray(labels, np.int64))


def on_grid(embeddings: NDArray[np.floating]) -> NDArray[np.float32]:
    """Unit vectors scaled and rounded to whole numbers, each row on its own.

    Why: in floating point the product of a row may depend, in its last bits, on how many
    other rows stand beside it, so one record more could flip ties of others and break the
    sensitivity. With coordinates rounded to whole numbers and norms of at most 4095 every
    partial sum of a dot product is a whole number below 2^24 (Cauchy-Schwarz), which
    float32 holds exactly in any order of summation.

    Raises BadInput for values that are not finite. A zero row stays zero.
    """
    values = np.ascontiguousarray(embeddings, np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise BadInput(
            "the embedder gave something other than finite vectors.",
            where="votes",
            fix="Choose another embedder.",
        )
    norms = np.sqrt((values * values).sum(axis=1, keepdims=True))
    scale = math.floor(4095 - math.sqrt(values.shape[1]) / 2)  # rounding adds at most sqrt(d)/2 to a norm
    unit = np.divide(values, norms, out=np.zeros_like(values), where=norms > 0)
    return np.rint(unit * scale).astype(np.float32)


def count_votes(
    electorate: Electorate, candidates: NDArray[np.float32], labels: NDArray[np.integer]
) -> NDArray[np.int64]:
    """EXACT counts, shape (m,): never show or store them without noise.

    Every record votes for the nearest candidate of its own label: on unit vectors the
    least ℓ2 distance is the largest dot product. Ties go to the lowest index; a record
    whose label no candidate has abstains. `candidates` come from `on_grid`.
    """
    labels = np.asarray(labels, np.int64)
    counts = np.zeros(len(candidates), np.int64)
    for label in np.unique(labels):
        choices = np.flatnonzero(labels == label)
        voters = electorate.vectors[electorate.labels == label]
        columns = np.ascontiguousarray(candidates[choices].T)
        step = max(1, _BLOCK_ENTRIES // len(choices))
        for start in range(0, len(voters), step):
            nearest = np.argmax(voters[start : start + step] @ columns, axis=1)
            counts[choices] += np.bincount(nearest, minlength=len(choices))
    return counts


def noisy_votes(
    electorate: Electorate,
    candidates: NDArray[np.floating],
    labels: NDArray[np.integer] | Sequence[int],
    rho: Fraction | None,
    *,
    what: str,
    noise: Noise,
    budget: Budget | None,
) -> NDArray[np.int64]:
    """The released histogram, shape (m,): counts plus discrete Gaussian noise costing `rho`.

    `rho` is charged to `budget` before the noise is drawn. `rho=None` (research at ε = ∞)
    gives the exact counts and charges nothing.
    """
    counts = count_votes(electorate, on_grid(candidates), np.asarray(labels, np.int64))
    if rho is None:
        return counts
    if budget is None:
        raise BadInput("noisy votes need a budget to be charged to.", where=what)
    charge = vote_charge(rho, what)
    budget.spend(charge)
    return noise.gaussian(counts, charge.scale, VOTE_SENSITIVITY)


def vote_charge(rho: Fraction, what: str) -> Charge:
    """What one histogram costs: σ is the least whose OpenDP price is at most `rho`."""
    return Charge(what, "discrete Gaussian", rho, VOTE_SENSITIVITY, gaussian_sigma(rho, VOTE_SENSITIVITY))
