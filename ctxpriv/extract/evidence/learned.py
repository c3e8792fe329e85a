"""What the donated texts teach about one attribute: logistic regression on embeddings and TF–IDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack

from ctxpriv.extract.evidence.choice import log_prior

C = 10.0
"""Of the regression: rows of the design have length about √2, so that the usual 1 shrinks too much."""


@dataclass(frozen=True)
class Space:
    """Texts as vectors: embedding beside TF–IDF of words and pairs of words, turned into the span of
    the donated texts. A regression with a quadratic penalty learns the same there, in n dimensions
    instead of tens of thousands."""

    vectorizer: Any = field(repr=False)
    back: csr_matrix = field(repr=False)  # donated design (n, wide)
    turn: np.ndarray = field(repr=False)  # (n, rank)
    donated: np.ndarray = field(repr=False)  # (n, rank): the donated texts themselves

    @staticmethod
    def fit(means: np.ndarray, texts: Sequence[str]) -> Space:
        """`means` (n, dimension) of the n texts, n ≥ 1."""
        vectorizer = _words(texts)
        wide = _wide(vectorizer, means, texts)
        values, vectors = np.linalg.eigh((wide @ wide.T).toarray())
        kept = values > 1e-9 * max(values[-1], 1e-9)
        roots = np.sqrt(values[kept])
        return Space(vectorizer, wide, vectors[:, kept] / roots, vectors[:, kept] * roots)

    def of(self, means: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """(m, rank), for any m ≥ 0."""
        if not len(texts):
            return np.zeros((0, self.turn.shape[1]))
        return (_wide(self.vectorizer, means, texts) @ self.back.T) @ self.turn


def _words(texts: Sequence[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    made = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b")
    try:
        return made.fit(texts)
    except ValueError:  # not a single word in all donated texts
        return made.fit(["a"])


def _wide(vectorizer: Any, means: np.ndarray, texts: Sequence[str]) -> csr_matrix:
    return hstack([csr_matrix(means), vectorizer.transform(texts)]).tocsr()


@dataclass(frozen=True)
class Lifts:
    """A regression of one attribute; `of` tells how much likelier a text makes each value."""

    size: int
    present: np.ndarray  # codes there were to learn from
    prior: np.ndarray  # (size,) log
    model: Any  # None where there was only one value

    @staticmethod
    def fit(x: np.ndarray, codes: np.ndarray, size: int, seed: int) -> Lifts:
        """x (n, d), codes (n,) in range(size)."""
        from sklearn.linear_model import LogisticRegression

        present = np.unique(codes)
        model = None
        if len(present) > 1:
            model = LogisticRegression(C=C, max_iter=500, random_state=seed).fit(x, codes)
        return Lifts(size, present, log_prior(codes, size), model)

    def of(self, x: np.ndarray) -> np.ndarray:
        """Log odds (m, size) over the prior; 0 for values that were not there to learn from."""
        out = np.zeros((x.shape[0], self.size))
        if self.model is not None and x.shape[0]:
            out[:, self.present] = self.model.predict_log_proba(x) - self.prior[self.present]
        return out
