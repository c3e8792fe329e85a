from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ctxpriv.extract.k_centre import k_centres

coordinate = st.floats(-1, 1, width=32)
points = st.integers(1, 9).flatmap(lambda n: arrays(np.float32, (n, 2), elements=coordinate))


def radius(vectors, centres):
    """The largest distance from a point to its nearest centre; `centres` are rows of `vectors`."""
    points = np.asarray(vectors, np.float64)
    return max(min(np.linalg.norm(p - points[c]) for c in centres) for p in points)


@given(points)
@settings(deadline=None, max_examples=50)
def test_more_centres_never_leave_a_point_farther_away(vectors):
    radii = [radius(vectors, k_centres(vectors, k)) for k in range(1, len(vectors) + 1)]
    assert all(a >= b for a, b in zip(radii, radii[1:], strict=False))
    assert radii[-1] == 0


@given(points, st.integers(1, 4))
@settings(deadline=None, max_examples=50)
def test_at_most_twice_the_best_radius(vectors, k):
    k = min(k, len(vectors))
    best = min(radius(vectors, rows) for rows in combinations(range(len(vectors)), k))
    assert radius(vectors, k_centres(vectors, k)) <= 2 * best + 1e-6


@given(points, st.integers(1, 20))
@settings(deadline=None, max_examples=50)
def test_centres_are_distinct_and_a_prefix_of_more_centres(vectors, k):
    chosen = k_centres(vectors, k)
    assert len(set(chosen)) == len(chosen) == min(k, len(vectors))
    assert k_centres(vectors, k + 1)[: len(chosen)] == chosen


def test_by_hand():
    line = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    assert k_centres(line, 2) == [2, 4]  # the mean is 4.8; then the farthest from 2.0
    assert radius(line, [2, 4]) == pytest.approx(2.0)
    assert k_centres(np.zeros((3, 2)), 3) == [0, 1, 2]
    assert k_centres(np.zeros((0, 2)), 3) == []
