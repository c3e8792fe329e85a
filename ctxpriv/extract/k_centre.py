"""k-centre greedy: a few points that leave no other point far away (paper App. A.2).

Gonzalez's farthest-first traversal. The largest distance of a point to its nearest centre is at
most twice the least that any k points can have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def k_centres(vectors: ArrayLike, k: int) -> list[int]:
    """Rows of `vectors`, shape (n, d), chosen as centres: min(k, n) distinct ones, in order.

    The first is nearest to the mean, each further one farthest (Euclidean) from those chosen;
    ties go to the earlier row, so that the choice is reproducible.
    """
    points = np.asarray(vectors, np.float64)
    if not len(points) or k < 1:
        return []
    chosen = [int(np.argmin(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    nearest = _distances(points, chosen[0])
    while len(chosen) < min(k, len(points)):
        # Points equal to a centre are at distance 0 like the centre itself: never choose one twice.
        nearest[chosen] = -1.0
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, _distances(points, chosen[-1]))
    return chosen


def _distances(points: NDArray[np.float64], row: int) -> NDArray[np.float64]:
    return np.linalg.norm(points - points[row], axis=1)
