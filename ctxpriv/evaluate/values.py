"""Attribute values read from the texts of both sides by the same extractor.

Metrics compare extracted with extracted, never extracted with true, so that what an
extractor gets wrong on both sides does not count as a difference (paper section 5).
CURATOR-ONLY: the default extractor is trained on the private split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ctxpriv.corpus import Corpus
from ctxpriv.extract.by_classifier import ClassifierExtractor
from ctxpriv.models.base import Embedder
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Extractor
from ctxpriv.schema import Schema

FOLDS = 5


@dataclass(frozen=True)
class ExtractedValues:
    """`shares[a]`: (m, coarse values of a), one row a usable text, each summing to 1.

    `failures`: texts for which the extractor answered nothing; they have no row.
    """

    shares: dict[str, np.ndarray] = field(repr=False)
    failures: int = 0

    def codes(self, names: Sequence[str]) -> np.ndarray:
        """The likeliest coarse code per text and attribute, int (m, len(names))."""
        return np.column_stack([self.shares[n].argmax(axis=1) for n in names])


class ReadsValues(Protocol):
    """The extractor of one evaluation; `real` holds its values on the private texts."""

    real: ExtractedValues
    name: str

    def read(
        self,
        texts: Sequence[str],
        embeddings: np.ndarray,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> ExtractedValues: ...


@dataclass(frozen=True)
class CrossFitted:
    """`FOLDS` classifier extractors, each trained without one fold of the private records
    (whole authors).

    A real text is read by the one that did not see it: in-sample values would be too good,
    and the real side would differ from the released side for that reason alone. A released
    text is read by all of them and its shares are the mean of their answers, so that both
    sides are read by extractors of the same kind and training size.
    """

    real: ExtractedValues
    extractors: tuple[ClassifierExtractor, ...] = field(repr=False)
    name: str = (
        "sentence embeddings + logistic regression, trained on the private split, "
        f"{FOLDS}-fold cross-fitted; word_count counted"
    )

    @staticmethod
    def fit(
        private: Corpus,
        embedder: Embedder,
        vectors: np.ndarray,
        seed: int,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> CrossFitted:
        """`private`: records of at least two authors (or at least two records without
        authors); vectors (n, d) of its texts."""
        schema = private.schema
        fold = _folds(private.authors or private.ids, seed)
        shares = {n: np.zeros((len(private), len(schema.coarse_values(n)))) for n in schema.names}
        extractors = []
        for held_out in range(FOLDS):
            progress("fit extractors", held_out, FOLDS)
            seen, unseen = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            extractor = ClassifierExtractor.train(
                [private.texts[i] for i in seen],
                private.table.iloc[seen],
                schema,
                embedder,
                seed=seed,
                vectors=vectors[seen],
                cancel=cancel,
            )
            for name, read in _read(extractor, [private.texts[i] for i in unseen], vectors[unseen]).items():
                shares[name][unseen] = read
            extractors.append(extractor)
        progress("fit extractors", FOLDS, FOLDS)
        return CrossFitted(ExtractedValues(shares), tuple(extractors))

    def read(
        self,
        texts: Sequence[str],
        embeddings: np.ndarray,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> ExtractedValues:
        cancel.check()
        answers = [_read(e, texts, embeddings) for e in self.extractors]
        return ExtractedValues({name: np.mean([a[name] for a in answers], axis=0) for name in answers[0]})


@dataclass(frozen=True)
class ByRole:
    """The extractor that the run was given, on both sides alike."""

    real: ExtractedValues
    extractor: Extractor = field(repr=False)
    schema: Schema = field(repr=False)
    name: str = ""

    @staticmethod
    def fit(
        private: Corpus, extractor: Extractor, *, progress: Progress = silent, cancel: CancelToken = NEVER
    ) -> ByRole:
        real = _ask(extractor, private.texts, private.schema, progress, cancel)
        return ByRole(real, extractor, private.schema, extractor.identity.name)

    def read(
        self,
        texts: Sequence[str],
        embeddings: np.ndarray,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> ExtractedValues:
        return _ask(self.extractor, texts, self.schema, progress, cancel)


def _read(extractor: ClassifierExtractor, texts: Sequence[str], vectors: np.ndarray) -> dict[str, np.ndarray]:
    """One-hot coarse values per attribute."""
    coarse = extractor.schema.at_coarse_level()
    codes = coarse.codes(extractor.extract_vectors(vectors, coarse, texts).values)
    return {n: np.eye(len(coarse[n].values))[codes[:, i]] for i, n in enumerate(coarse.names)}


def _ask(
    extractor: Extractor, texts: Sequence[str], schema: Schema, progress: Progress, cancel: CancelToken
) -> ExtractedValues:
    answer = extractor.extract(list(texts), schema, progress=progress, cancel=cancel)
    failed = {f.row for f in answer.failures}
    codes = schema.codes(answer.values)[[i for i in range(len(texts)) if i not in failed]]
    shares = {n: np.eye(len(schema.coarse_values(n)))[codes[:, i]] for i, n in enumerate(schema.names)}
    return ExtractedValues(shares, len(failed))


def _folds(units: Sequence[str], seed: int) -> np.ndarray:
    """A fold per record; records of one unit (author) share it."""
    names, index = np.unique(np.asarray(units, str), return_inverse=True)
    order = np.random.default_rng([seed, 41]).permutation(len(names))
    return (order % FOLDS)[index]
