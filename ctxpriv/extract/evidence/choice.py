"""A conditional logit: which of several values, from a few features of every value.

The score of value k of an attribute is log prior(k) + w · features(k), the same few weights w for all
values (McFadden's choice model), so that some dozens of texts are enough to learn them, where a weight
for every word and value would not be. w ≥ 0: evidence for a value never counts against it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp


def log_prior(
    codes: np.ndarray, size: int, weights: np.ndarray | None = None, extra: float = 0.5
) -> np.ndarray:
    """Shape (size,): shares of the values among `codes` (n,), each counted `weights` (n,) times, with
    `extra` records on top of every value."""
    count = np.bincount(codes, weights, size) + extra
    return np.log(count / count.sum())


def scores(prior: np.ndarray, features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """prior (k,), features (n, k, f), weights (f,) → log probabilities (n, k)."""
    return log_softmax(prior + features @ weights, axis=1)


def fit(
    tasks: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], toward: np.ndarray, strength: float
) -> np.ndarray:
    """Weights (f,) ≥ 0 that are likeliest for all `tasks` together, pulled toward `toward`.

    A task is (prior (k,), features (n, k, f), codes (n,)). `strength` is that of the quadratic pull, in
    nats per squared unit of weight.
    """

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        value = strength * float(((w - toward) ** 2).sum())
        slope = 2 * strength * (w - toward)
        for prior, x, y in tasks:
            s = prior + x @ w
            value += float((logsumexp(s, axis=1) - s[np.arange(len(y)), y]).sum())
            p = np.exp(log_softmax(s, axis=1))
            p[np.arange(len(y)), y] -= 1
            slope += np.einsum("nk,nkf->f", p, x)
        return value, slope

    start = np.maximum(toward, 0.01)
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start)).x
