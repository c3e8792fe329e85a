"""Logistic regression that survives what small releases bring: one class, absent classes."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

EMBEDDING_C = 10.0
"""Unit vectors have small coordinates: scikit-learn's C = 1 would flatten everything."""
TABLE_C = 1.0


class Logistic:
    """A multinomial logistic regression on fixed (X, y), refitted under different weights.

    x: (n, d) float; y: (n,) integer codes. Refits start from the last solution, which makes
    a bootstrap several times faster and, the objective being convex, no different.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, c: float = EMBEDDING_C) -> None:
        self._x, self._y = np.asarray(x, float), np.asarray(y)
        self.classes = np.unique(self._y)
        self._model = (
            LogisticRegression(C=c, max_iter=1000, warm_start=True) if len(self.classes) > 1 else None
        )

    def fit(self, weights: np.ndarray | None = None) -> Logistic:
        """Weights (n,) count how often each record was drawn; all 1 where omitted."""
        if self._model is not None:
            self._model.fit(self._x, self._y, weights)
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Codes (m,). With a single class in training, that class."""
        if self._model is None:
            return np.full(len(x), self.classes[0])
        return self._model.predict(np.asarray(x, float))


def one_hot(codes: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Codes (n, k) to indicators (n, Σ sizes); k = 0 gives one constant
    column, on which a regression predicts the majority."""
    blocks = [np.eye(size)[codes[:, i]] for i, size in enumerate(sizes)]
    return np.hstack(blocks) if blocks else np.zeros((len(codes), 1))
