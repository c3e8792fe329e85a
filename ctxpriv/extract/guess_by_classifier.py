"""The local guesser: classifiers on embeddings, TF–IDF and typed evidence, learnt from donated texts.

It plays privacy evaluator, utility evaluator and adversary without a language model (DESIGN section 9).
PRIVATE SIDE: reads texts of private records; keeps guesses of them in memory only.

It guesses *buckets* where an attribute is coarsened: some hundred texts cannot teach hundreds of cities.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ctxpriv.errors import BadInput
from ctxpriv.extract.evidence.influence import telling_spans
from ctxpriv.extract.evidence.reader import RAISED, EvidenceReader, fitted
from ctxpriv.models.base import Embedder, ModelIdentity
from ctxpriv.rewriting_roles import Asking, Brief, Guessed
from ctxpriv.schema import SAYS_NOTHING

KEPT = 4096
"""Texts whose guesses are remembered."""


@dataclass(frozen=True)
class ClassifierGuesser:
    """Plays the guesser; `prepared` gives one that has learnt. `raised`: see `RAISED`."""

    embedder: Embedder = field(repr=False)
    raised: float = RAISED
    reader: EvidenceReader | None = field(default=None, repr=False)
    _kept: OrderedDict[tuple, Guessed] = field(default_factory=OrderedDict, repr=False, compare=False)

    @property
    def identity(self) -> ModelIdentity:
        name = f"classifier (embeddings by {self.embedder.identity.name}, TF–IDF, typed evidence)"
        return ModelIdentity("local", name, self.reader.digest if self.reader else "")

    def prepared(self, brief: Brief, seed: int) -> ClassifierGuesser:
        """Learnt from `brief.donated`. Raises BadInput where nothing was donated."""
        return ClassifierGuesser(self.embedder, self.raised, fitted(brief.donated, self.embedder, seed))

    def classes(self, attribute: str) -> tuple[str, ...]:
        """What it chooses among: the buckets of a coarsened attribute, else its values."""
        return self._ready().classes(attribute)

    def probabilities(self, texts: Sequence[str], attribute: str) -> np.ndarray:
        """Shape (len(texts), classes), rows sum to 1; an empty text gets about the prior."""
        reader = self._ready()
        return np.exp(reader.log_probabilities(reader.evidence.read(texts), [attribute])[attribute])

    def guess(
        self, texts: Sequence[str], attributes: Mapping[str, int], *, seed: int
    ) -> Asking[list[Guessed]]:
        """Never asks a model. Up to k values per attribute, and never more than half of those there
        are (rounded down, but one): naming most of the values would be no guess."""
        return self._guess(texts, attributes)
        yield  # an asking that never asks

    def _guess(self, texts: Sequence[str], attributes: Mapping[str, int]) -> list[Guessed]:
        reader, asked = self._ready(), tuple(sorted(attributes.items()))
        new = [t for t in dict.fromkeys(texts) if (t, asked) not in self._kept]
        here = {t: self._kept[t, asked] for t in dict.fromkeys(texts) if (t, asked) in self._kept}
        if new:
            here |= dict(zip(new, self._work_out(reader, new, attributes), strict=True))
            for text in new:
                self._kept[text, asked] = here[text]
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return [here[t] for t in texts]

    def _work_out(
        self, reader: EvidenceReader, texts: Sequence[str], attributes: Mapping[str, int]
    ) -> list[Guessed]:
        read = reader.evidence.read(texts)
        logs = reader.log_probabilities(read, list(attributes))
        picks = [
            {n: self._pick(reader, n, logs[n][i], k) for n, k in attributes.items()}
            for i in range(len(texts))
        ]
        first = [{n: pick[0] for n, pick in row.items() if pick} for row in picks]
        spans = telling_spans(reader, read, first)
        return [
            Guessed(
                {n: tuple(reader.classes(n)[k] for k in pick) for n, pick in row.items()},
                spans[i],
                {n: float(np.exp(logs[n][i].max())) for n in attributes},
            )
            for i, row in enumerate(picks)
        ]

    def _pick(self, reader: EvidenceReader, name: str, log: np.ndarray, k: int) -> list[int]:
        told = [v not in SAYS_NOTHING for v in reader.classes(name)]
        most = max(1, (sum(told) - 1) // 2)
        odds = reader.lift(name, log)
        order = [int(j) for j in np.argsort(-log, kind="stable") if told[j] and odds[j] >= self.raised]
        return order[: min(k, most)]

    def _ready(self) -> EvidenceReader:
        if self.reader is None:
            raise BadInput(
                "has not learnt anything yet.",
                where="classifier guesser",
                fix="Call `prepared` with a brief.",
            )
        return self.reader
