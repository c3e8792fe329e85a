"""Bootstrap weights and intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

CENTRED = "centred 95 % percentiles"
"""What `interval` computes, in words for a report."""


def record_weights(n: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """How often each of n records is drawn, n out of n with replacement; float (draws, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=draws).astype(float)


def unit_weights(units: Sequence[str], draws: int, rng: np.random.Generator) -> np.ndarray:
    """As `record_weights`, but whole units (authors) are drawn, since records of one author are alike.

    Returns float (draws, len(units)). Every draw holds at least one record.
    """
    _, index = np.unique(np.asarray(units, str), return_inverse=True)
    return record_weights(int(index.max()) + 1, draws, rng)[:, index]


def interval(value: float, draws: np.ndarray, low: float = 0.0, high: float = np.inf) -> tuple[float, float]:
    """95 % interval around `value` from resampled figures, within [low, high].

    The percentiles are shifted by value − median(draws). Plain percentiles of a distance lie
    above it: even two equal samples differ once resampled. `value` is always inside.
    """
    draws = np.asarray(draws, float)
    q_low, q_mid, q_high = np.percentile(draws, [2.5, 50, 97.5])
    return (
        float(np.clip(value + q_low - q_mid, low, value)),
        float(np.clip(value + q_high - q_mid, value, high)),
    )
