"""Texts as points of a public space, and k-means by noisy sums (DP-SPIN App. J.2, J.3).

PRIVATE SIDE: it places protected texts. The space and the first centres come from donated texts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin.baselines.bounded_sum import bounded_sum, with_room, with_rounding
from ctxpriv.privatize.spin.measurement import ONE
from ctxpriv.privatize.spin.sensitivity import Calibrated
from ctxpriv.progress import NEVER, CancelToken

RADIUS = 1.0
"""r: points lie in the unit ball. At r ≤ 1 a count of 1 outweighs any angle between two points, so that
replacing one moves (sum, count) by at most √2·√(r² + 1), opposite points in one cluster included."""

_TEXTS_AT_ONCE = 10_000
_POINTS_AT_ONCE = 50_000


@dataclass(frozen=True)
class PublicSpace:
    """TF–IDF and SVD fitted on donated texts alone; every text is placed on its own."""

    pipeline: Any = field(repr=False)
    dimension: int

    @staticmethod
    def of(donated: DonatedExamples, components: int, where: str) -> PublicSpace:
        """At most `components` dimensions. Raises BadInput where there are too few donated texts."""
        space = _fitted(tuple(donated.texts), components)
        if space is None:
            raise BadInput(
                "there are too few donated texts for a public space.", where=where,
                fix="Donate more records (splits, donated).",
            )  # fmt: skip
        return space

    def points(self, texts: Sequence[str], cancel: CancelToken = NEVER) -> NDArray[np.int64]:
        """(n, dimension) on the grid of `ONE`, every norm at most `RADIUS`: coordinates are cut towards
        zero. A text without a known word is the origin."""
        parts = [np.zeros((0, self.dimension), np.int64)]
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            cancel.check()
            placed = self.pipeline.transform(texts[start : start + _TEXTS_AT_ONCE])
            parts.append(np.trunc(placed * ((1 - 1e-9) * RADIUS * ONE)).astype(np.int64))
        return np.concatenate(parts)


@lru_cache(maxsize=2)  # checked, then drawn, then drawn again at another ε: always the same public fit
def _fitted(texts: tuple[str, ...], components: int) -> PublicSpace | None:
    """None where the texts are too few."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    words = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    try:
        dimension = min(components, *(s - 1 for s in words.fit_transform(texts).shape))
    except ValueError:  # no donated text, or stop words only
        return None
    if dimension < 1:
        return None
    svd = TruncatedSVD(dimension, random_state=0)
    return PublicSpace(make_pipeline(words, svd, Normalizer()).fit(texts), dimension)


def first_centres(donated: NDArray[np.int64], k: int, seed: int) -> NDArray[np.float64]:
    """(k', dimension): k-means of the donated points, k' = k or as many as there are points."""
    from sklearn.cluster import KMeans

    count = min(k, len(np.unique(donated, axis=0)))
    return KMeans(count, n_init=4, random_state=seed).fit(donated / ONE).cluster_centers_


def nearest(points: NDArray[np.int64], centres: NDArray[np.float64]) -> NDArray[np.intp]:
    """The nearest centre of every point, centres taken to the grid; ties: the earlier one.

    Whole numbers below 2^53 are exact in floating point in whatever order they are summed: which cluster a
    record is in never hangs on the records beside it, as the last digit of a product of matrices does.
    """
    whole = np.rint(centres * ONE)
    return np.argmin((whole**2).sum(axis=1) - 2 * points.astype(float) @ whole.T, axis=1)


def sensitivity(bound: int, clusters: int, dimension: int) -> float:
    """Δ2 of all sums and counts under add/drop of a unit of at most `bound` records' weight, in 1/`ONE`."""
    return with_rounding(_most(bound), clusters * (dimension + 1))


def noisy_step(
    points: NDArray[np.int64],
    centres: NDArray[np.float64],
    users: NDArray | None,
    bound: int,
    stage: Calibrated,
    noise: Noise,
) -> NDArray[np.float64]:
    """New centres from one noisy vector of all k sums and counts, empty clusters included.

    A centre whose noisy count is below the noise itself stays where it was: decided on released numbers.
    """
    k, d = centres.shape
    where = nearest(points, centres)
    exact = _sums(points, where, k, _most(bound), users)
    noisy = noise.gaussian(exact, stage.scale, sensitivity(bound, k, d)).reshape(k, d + 1) / ONE
    counts = noisy[:, d]
    moved = noisy[:, :d] / np.maximum(counts, stage.in_units)[:, None]
    moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True) / RADIUS, 1)
    return np.where((counts >= stage.in_units)[:, None], moved, centres)


def _sums(
    points: NDArray[np.int64], where: NDArray, k: int, most: float, users: NDArray | None
) -> NDArray[np.int64]:
    if users is not None:  # a user's records may lie anywhere
        return bounded_sum(_cells(points, where, k), most, users)
    out = np.zeros(k * (points.shape[1] + 1), np.int64)
    for start in range(0, len(points), _POINTS_AT_ONCE):
        block = slice(start, start + _POINTS_AT_ONCE)
        out += bounded_sum(_cells(points[block], where[block], k), most, None)
    return out


def _most(bound: int) -> float:
    return with_room(bound * math.sqrt(RADIUS**2 + 1) * ONE)


def _cells(points: NDArray[np.int64], where: NDArray, k: int) -> csr_matrix:
    """(n, k·(d + 1)): each point and a count of one in the cells of its cluster."""
    n, d = points.shape
    values = np.hstack([points, np.full((n, 1), ONE, np.int64)])
    columns = where[:, None] * (d + 1) + np.arange(d + 1)
    return csr_matrix((values.ravel(), columns.ravel(), np.arange(n + 1) * (d + 1)), shape=(n, k * (d + 1)))
