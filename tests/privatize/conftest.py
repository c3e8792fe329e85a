"""A noise double and small tables for tests of the tabular mechanisms."""

from __future__ import annotations

import numpy as np
import pytest


class NonPrivateNoise:
    """TESTS ONLY: no noise unless scripted, the true maximum unless scripted; remembers what was asked."""

    name = "NonPrivateNoise (tests only)"
    private = False

    def __init__(self, seed: int | None = None, picks=()) -> None:
        self._rng = None if seed is None else np.random.default_rng(seed)
        self._picks = list(picks)
        self.sigmas: list[float] = []
        self.epsilons: list[float] = []

    def gaussian(self, counts, sigma, sensitivity=1.0):
        self.sigmas.append(sigma)
        drawn = (
            0 if self._rng is None else np.rint(self._rng.normal(0, sigma, np.shape(counts))).astype(np.int64)
        )
        return np.array(counts, np.int64) + drawn

    def laplace(self, counts, scale, sensitivity=1):
        return np.array(counts, np.int64)

    def noisy_max(self, scores, epsilon, sensitivity):
        self.epsilons.append(epsilon)
        return self._picks.pop(0) % len(scores) if self._picks else int(np.argmax(scores))


@pytest.fixture
def quiet():
    """Exact answers."""
    return NonPrivateNoise()


@pytest.fixture
def scripted():
    return NonPrivateNoise


def chained(n: int, sizes, seed: int = 0):
    """Codes whose neighbouring columns depend on each other."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, sizes[0], n)]
    for size in sizes[1:]:
        columns.append(np.where(rng.random(n) < 0.6, columns[-1] % size, rng.integers(0, size, n)))
    return np.stack(columns, axis=1).astype(np.int64)


@pytest.fixture
def chain():
    return chained
