"""Distances between histograms. Arrays of shape (..., cells); the last axis holds one histogram."""

from __future__ import annotations

import numpy as np

SMOOTHING = 0.5  # Krichevsky–Trofimov: keeps KL finite where one side leaves a cell empty


def normalise(counts: np.ndarray, smoothing: float = 0.0) -> np.ndarray:
    """Counts (or weights) to shares, after adding `smoothing` to every cell.

    Raises ValueError when a histogram is empty and nothing is added.
    """
    counts = np.asarray(counts, float) + smoothing
    total = counts.sum(axis=-1, keepdims=True)
    if (total <= 0).any():
        raise ValueError("an empty histogram has no shares")
    return counts / total


def kl(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """KL(p ‖ q) in nats; infinite where q is 0 and p is not."""
    p, q = np.broadcast_arrays(np.asarray(p, float), np.asarray(q, float))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / q), 0.0)
    # Rounding can leave −1e-17 for equal histograms.
    return np.maximum(terms.sum(axis=-1), 0.0)


def tv(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Total variation distance, half the ℓ1 distance, in [0, 1]."""
    return np.clip(0.5 * np.abs(np.asarray(p, float) - np.asarray(q, float)).sum(axis=-1), 0.0, 1.0)


def jsd(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Jensen–Shannon divergence to base 2, so in [0, 1] (Lin 1991)."""
    middle = (np.asarray(p, float) + np.asarray(q, float)) / 2
    return np.clip((kl(p, middle) + kl(q, middle)) / (2 * np.log(2)), 0.0, 1.0)
