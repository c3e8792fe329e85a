"""What a text says for every value of every attribute, as numbers for the choice model.

PRIVATE SIDE where the texts are private; keeps nothing but vectors of sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ctxpriv.extract.evidence.bearing import Bearing
from ctxpriv.extract.evidence.find import find_spans
from ctxpriv.extract.evidence.sentences import SentenceVectors, cut_sentences
from ctxpriv.extract.evidence.span import AGE, MONEY
from ctxpriv.gazetteer import fold
from ctxpriv.models.base import Embedder
from ctxpriv.schema import SAYS_NOTHING, Schema

TYPED = ("stated", "hinted", "named", "close")
"""Typed clues that say it, typed clues that point to it, its name in the text, a sentence close to it."""


@dataclass(frozen=True)
class Read:
    """Texts read once: `sentences[i]` of text i, `vectors[i]` (sentences, dimension) of them."""

    texts: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]
    vectors: tuple[np.ndarray, ...]

    @cached_property
    def means(self) -> np.ndarray:
        """Unit vectors (n, dimension): the mean direction of the sentences; 0 for an empty text."""
        if not self.vectors:
            return np.zeros((0, 1))
        sums = np.stack([v.sum(axis=0) for v in self.vectors])
        return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)


class Evidence:
    """The typed features of one schema. `names`: the attributes it is asked for."""

    def __init__(self, schema: Schema, names: Sequence[str], embedder: Embedder) -> None:
        self.schema, self.names = schema, tuple(names)
        self.bearing = Bearing(schema)
        self.vectors = SentenceVectors(embedder)
        self._questions = {n: self._question_vectors(n) for n in self.names}
        self._parts = {n: self._value_parts(n) for n in self.names}

    def read(self, texts: Sequence[str]) -> Read:
        """Embeds what has not been embedded before."""
        sentences = tuple(tuple(t[a:b] for a, b in cut_sentences(t)) for t in texts)
        return Read(tuple(texts), sentences, tuple(self.vectors.of(sentences)))

    def features(self, read: Read, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Per attribute of `names` (n, coarse values, len(TYPED))."""
        typed = self._typed(read.texts, names)
        named = self._named(read.texts, names)
        return {
            n: np.concatenate([typed[n], named[n][:, :, None], self._closeness(n, read)[:, :, None]], axis=2)
            for n in names
        }

    def _typed(self, texts: Sequence[str], names: Sequence[str]) -> dict[str, np.ndarray]:
        out = {n: np.zeros((len(texts), len(self.schema.coarse_values(n)), 2)) for n in names}
        for i, text in enumerate(texts):
            for clue in (c for span in find_spans(text) for c in span.clues):
                for name in self.bearing.attributes(clue):
                    if name not in out:
                        continue
                    w, x = self.bearing.weights(clue, name), out[name][i]
                    if clue.hint:
                        x[:, 1] += w
                    else:
                        x[:, 0] = np.maximum(x[:, 0], w)
        for x in out.values():
            x[:, :, 1] = np.log1p(x[:, :, 1])  # the fifth hint adds less than the first
        return out

    def _named(self, texts: Sequence[str], names: Sequence[str]) -> dict[str, np.ndarray]:
        out = {n: np.zeros((len(texts), len(self.schema.coarse_values(n)))) for n in names}
        for i, text in enumerate(texts):
            folded = f" {fold(text)} "
            for name in names:
                for part, bucket in self._parts[name]:
                    if part in folded:
                        out[name][i, bucket] = 1.0
        return out

    def _value_parts(self, name: str) -> list[tuple[str, int]]:
        """Words of values, as they would stand in a folded text, with their buckets."""
        codes = self.bearing.buckets(name)
        return [
            (f" {fold(part)} ", int(code))
            for value, code in zip(self.schema[name].values, codes, strict=True)
            if value not in SAYS_NOTHING
            for part in value.replace("_", " ").split(",")
            if len(fold(part)) > 3
        ]

    def _question_vectors(self, name: str) -> np.ndarray | None:
        """Vectors (values, dimension) of every value beside its description; None for numbers, whose
        nearness an embedding does not show."""
        if self.bearing.facets[name] in (AGE, MONEY) and self.bearing.countable(name):
            return None
        attribute = self.schema[name]
        about = attribute.description or name.replace("_", " ")
        return self.vectors.embedder.embed([f"{about} {v.replace('_', ' ')}" for v in attribute.values])

    def _closeness(self, name: str, read: Read) -> np.ndarray:
        """(n, coarse values): the best cosine of a sentence with a value of the bucket, in standard
        deviations over the buckets of the same text."""
        codes, size, questions = (
            self.bearing.buckets(name),
            len(self.schema.coarse_values(name)),
            self._questions[name],
        )
        out = np.zeros((len(read.texts), size))
        if questions is None:
            return out
        for i, vectors in enumerate(read.vectors):
            if len(vectors):
                best = (vectors @ questions.T).max(axis=0)
                by_bucket = np.full(size, best.min())
                np.maximum.at(by_bucket, codes, best)
                out[i] = (by_bucket - by_bucket.mean()) / (by_bucket.std() + 1e-9)
        return out
