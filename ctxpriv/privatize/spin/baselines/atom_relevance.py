"""Which atoms the labels of another release stand for: a public rule, so that all are scored alike.

RELEASE SIDE: labels and atoms are public, the weights are released numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.spin.atoms import AtomSet, canonical
from ctxpriv.privatize.spin.words import bases, words_of

LEAST_SIMILARITY = 0.05


def by_label(labels: Sequence[str], atoms: AtomSet, otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
    """(labels, m): each label shared among the atoms that it stands for; rows sum to 1, or are 0.

    A label stands for the atoms whose own label starts with it, or else for those that contain it, in
    proportion to their auxiliary support; where there is none, its row of `otherwise` counts.
    """
    names = [f" {canonical(a)} " for a in atoms.labels]
    support = np.array([1.0 if a.support is None else float(a.support) for a in atoms.atoms])
    rows = []
    for label, other in zip(labels, otherwise, strict=True):
        word = f" {canonical(label)} "
        starts = np.array([name.startswith(word) for name in names])
        inside = starts if starts.any() else np.array([word in name for name in names])
        rows.append(np.where(inside, support, 0.0) if inside.any() else other)
    return _shares(np.array(rows))


def by_examples(
    codes: NDArray[np.integer], size: int, texts: Sequence[str], atoms: AtomSet
) -> NDArray[np.float64]:
    """(size, m): each of `size` categories shared among the atoms that its public `texts` are like
    (`by_words`); `codes` gives each text's category, below 0 for none."""
    given = np.flatnonzero(np.asarray(codes) >= 0)
    out = np.zeros((size, len(atoms)))
    np.add.at(out, np.asarray(codes)[given], by_words([texts[i] for i in given], atoms))
    return _shares(out)


def by_words(labels: Sequence[str], atoms: AtomSet) -> NDArray[np.float64]:
    """(labels, m): each label shared among atoms by TF–IDF cosine to their meanings (label and
    description), in the word forms that records are assigned by; similarities below
    `LEAST_SIMILARITY` count as none. Rows sum to 1, or are 0."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    meanings = [words_of(a.meaning) for a in atoms.atoms]
    told = [words_of(label) for label in labels]
    if not told:
        return np.zeros((0, len(atoms)))
    base = bases({word for words in (*meanings, *told) for word in words})
    vectors = TfidfVectorizer(analyzer=lambda words: [base[w] for w in words], sublinear_tf=True)
    try:
        of_atoms = vectors.fit_transform(meanings)
    except ValueError:  # not a single word in all meanings
        return np.zeros((len(labels), len(atoms)))
    alike = (vectors.transform(told) @ of_atoms.T).toarray()
    return _shares(np.where(alike < LEAST_SIMILARITY, 0.0, alike))


def stood_for(weights: NDArray, shares: NDArray[np.float64], size: int) -> tuple[int, ...]:
    """The `size` atoms that the released `weights` of the labels give most to, best first.

    Negative weights count as 0; an atom that gets nothing is not stood for. Ties: the earlier atom.
    """
    mass = np.maximum(np.asarray(weights, float), 0) @ shares
    best = np.argsort(-mass, kind="stable")[:size]
    return tuple(int(a) for a in best if mass[a] > 0)


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights, dtype=float), where=total > 0)
