"""A text cut into sentences, with their vectors kept, so that what changes little costs little."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np

from ctxpriv.models.base import Embedder

KEPT = 20_000
"""Sentence vectors kept in memory: 30 MB of 384 numbers each."""


def cut_sentences(text: str) -> list[tuple[int, int]]:
    """Offsets of the sentences, with their closing signs, without the white space around them.

    Every character that is not white space is in exactly one sentence.
    """
    out: list[tuple[int, int]] = []
    start = 0
    for m in re.finditer(r"[.!?…]+[\"'”’)\]*]*(?=\s|$)|\n+", text):
        _add(out, text, start, m.end())
        start = m.end()
    _add(out, text, start, len(text))
    return out


def _add(out: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if piece.strip():
        left = len(piece) - len(piece.lstrip())
        out.append((start + left, start + len(piece.rstrip())))


class SentenceVectors:
    """Unit vectors of sentences, each embedded once (the last `KEPT` are remembered)."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._kept: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, texts: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Per text an array (sentences, dimension); what is new is embedded in one batch."""
        with self._lock:
            new = [s for s in dict.fromkeys(s for text in texts for s in text) if s not in self._kept]
            if new:
                for sentence, vector in zip(new, self.embedder.embed(new), strict=True):
                    self._kept[sentence] = vector
            out = [self._stack(text) for text in texts]
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return out

    def _stack(self, sentences: Iterable[str]) -> np.ndarray:
        vectors = [self._kept[s] for s in sentences]
        return np.stack(vectors) if vectors else np.zeros((0, self.embedder.dimension), np.float32)
