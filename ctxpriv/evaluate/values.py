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
from ctxpriv.extract.levels import schema_at_coarse_level
from ctxpriv.extract.word_count import NAME as WORD_COUNT
from ctxpriv.extract.word_count import count_words
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
    schema: Schema = field(repr=False)
    lengths: LengthTable | None = field(repr=False)
    name: str = (
        f"sentence embeddings + logistic regression, trained on the private split, "
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
        learnt = private.schema.only([n for n in private.schema.names if n != WORD_COUNT])
        fold = _folds(private.authors or private.ids, seed)
        shares = {n: np.zeros((len(private), len(learnt.coarse_values(n)))) for n in learnt.names}
        extractors = []
        for held_out in range(FOLDS):
            progress("fit extractors", held_out, FOLDS)
            seen, unseen = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            extractors.append(
                ClassifierExtractor.train(
                    [private.texts[i] for i in seen],
                    private.table.iloc[seen],
                    learnt,
                    embedder,
                    seed=seed,
                    vectors=vectors[seen],
                    cancel=cancel,
                )
            )
            for name, read in _read_vectors(extractors[-1], vectors[unseen]).items():
                shares[name][unseen] = read
        progress("fit extractors", FOLDS, FOLDS)
        lengths = LengthTable.of(private)
        return CrossFitted(
            _with_lengths(shares, lengths, private.texts, private.schema),
            tuple(extractors),
            private.schema,
            lengths,
        )

    def read(
        self,
        texts: Sequence[str],
        embeddings: np.ndarray,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> ExtractedValues:
        cancel.check()
        answers = [_read_vectors(e, embeddings) for e in self.extractors]
        shares = {name: np.mean([a[name] for a in answers], axis=0) for name in answers[0]}
        return _with_lengths(shares, self.lengths, texts, self.schema)


@dataclass(frozen=True)
class ByRole:
    """The extractor that the run was given, on both sides alike; word_count is counted."""

    real: ExtractedValues
    extractor: Extractor = field(repr=False)
    schema: Schema = field(repr=False)
    lengths: LengthTable | None = field(repr=False)
    name: str = ""

    @staticmethod
    def fit(
        private: Corpus, extractor: Extractor, *, progress: Progress = silent, cancel: CancelToken = NEVER
    ) -> ByRole:
        lengths = LengthTable.of(private)
        real = _ask(extractor, private.texts, private.schema, lengths, progress, cancel)
        return ByRole(real, extractor, private.schema, lengths, extractor.identity.name)

    def read(
        self,
        texts: Sequence[str],
        embeddings: np.ndarray,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> ExtractedValues:
        return _ask(self.extractor, texts, self.schema, self.lengths, progress, cancel)


@dataclass(frozen=True)
class LengthTable:
    """Word counts of real records, ascending, with their word_count codes."""

    counts: np.ndarray
    codes: np.ndarray

    @staticmethod
    def of(corpus: Corpus) -> LengthTable | None:
        """None when the schema has no `word_count`."""
        if WORD_COUNT not in corpus.schema.names:
            return None
        counts = np.array([count_words(t) for t in corpus.texts])
        order = np.argsort(counts, kind="stable")
        codes = corpus.schema.only([WORD_COUNT]).codes(corpus.table)[:, 0]
        return LengthTable(counts[order], codes[order])

    def look_up(self, texts: Sequence[str]) -> np.ndarray:
        """The bin of the real record nearest in length: the schema keeps no edges, only names."""
        asked = np.array([count_words(t) for t in texts], int)
        right = np.clip(np.searchsorted(self.counts, asked), 0, len(self.counts) - 1)
        left = np.clip(right - 1, 0, len(self.counts) - 1)
        nearer_left = np.abs(self.counts[left] - asked) <= np.abs(self.counts[right] - asked)
        return self.codes[np.where(nearer_left, left, right)]


def _read_vectors(extractor: ClassifierExtractor, vectors: np.ndarray) -> dict[str, np.ndarray]:
    """One-hot coarse values per attribute."""
    coarse = schema_at_coarse_level(extractor.schema)
    codes = coarse.codes(extractor.extract_vectors(vectors, coarse).values)
    return {n: np.eye(len(coarse[n].values))[codes[:, i]] for i, n in enumerate(coarse.names)}


def _with_lengths(
    shares: dict[str, np.ndarray],
    lengths: LengthTable | None,
    texts: Sequence[str],
    schema: Schema,
    failures: int = 0,
) -> ExtractedValues:
    if lengths is not None:
        shares = {**shares, WORD_COUNT: np.eye(len(schema.coarse_values(WORD_COUNT)))[lengths.look_up(texts)]}
    return ExtractedValues({n: shares[n] for n in schema.names}, failures)


def _ask(
    extractor: Extractor,
    texts: Sequence[str],
    schema: Schema,
    lengths: LengthTable | None,
    progress: Progress,
    cancel: CancelToken,
) -> ExtractedValues:
    answer = extractor.extract(list(texts), schema, progress=progress, cancel=cancel)
    failed = {f.row for f in answer.failures}
    usable = [i for i in range(len(texts)) if i not in failed]
    codes = schema.codes(answer.values)[usable]
    shares = {n: np.eye(len(schema.coarse_values(n)))[codes[:, i]] for i, n in enumerate(schema.names)}
    return _with_lengths(shares, lengths, [texts[i] for i in usable], schema, len(failed))


def _folds(units: Sequence[str], seed: int) -> np.ndarray:
    """A fold per record; records of one unit (author) share it."""
    names, index = np.unique(np.asarray(units, str), return_inverse=True)
    order = np.random.default_rng([seed, 41]).permutation(len(names))
    return (order % FOLDS)[index]
