"""How alike two summaries are as texts (DP-SPIN App. B.5, B.6). CURATOR-ONLY: the other text is put
together from what has no noise.

By templates these mainly say how many atoms two plans share; Overlap@L stays the measure of a plan.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from ctxpriv.models.base import Embedder
from ctxpriv.progress import NEVER, CancelToken

LONGEST_PHRASE = 4
_WORDS = re.compile(r"\w+")
_PIECES = re.compile(r"[^\w\s'’-]+|\n")


def words(text: str) -> list[str]:
    """Runs of letters, digits and underscores, whatever the case."""
    return _WORDS.findall(text.casefold())


def keyphrases(text: str) -> set[tuple[str, ...]]:
    """Runs of 2 to `LONGEST_PHRASE` words between stop words and punctuation, as RAKE takes them [ours:
    the paper names no extractor]."""
    found: set[tuple[str, ...]] = set()
    for piece in _PIECES.split(text):
        run: list[str] = []
        for word in [*words(piece), ""]:
            if word and word not in ENGLISH_STOP_WORDS:
                run.append(word)
                continue
            if 2 <= len(run) <= LONGEST_PHRASE:
                found.add(tuple(run))
            run = []
    return found


def jaccard(one: set[Hashable], other: set[Hashable]) -> float:
    """|A ∩ B| / |A ∪ B|; 1 where both are empty (App. B.5)."""
    both = one | other
    return len(one & other) / len(both) if both else 1.0


def token_jaccard(text: str, reference: str) -> float:
    """On `words`."""
    return jaccard(set(words(text)), set(words(reference)))


def bigram_jaccard(text: str, reference: str) -> float:
    """On pairs of neighbouring words."""
    one, other = words(text), words(reference)
    return jaccard(set(zip(one, one[1:], strict=False)), set(zip(other, other[1:], strict=False)))


def keyphrase_jaccard(text: str, reference: str) -> float:
    """On `keyphrases`."""
    return jaccard(set(keyphrases(text)), set(keyphrases(reference)))


def tfidf_cosine(text: str, reference: str) -> float:
    """With inverse document frequencies of the two texts alone; 1 where both have no words, 0 where one
    has none."""
    if not words(text) or not words(reference):
        return float(not words(text) and not words(reference))
    rows = TfidfVectorizer(analyzer=words).fit_transform([text, reference])
    return min(1.0, float((rows[0] @ rows[1].T).toarray()[0, 0]))


def embedding_cosine(text: str, reference: str, embedder: Embedder, *, cancel: CancelToken = NEVER) -> float:
    """A secondary measure (App. B.6), from -1 to 1."""
    one, other = embedder.embed([text, reference], cancel=cancel)
    return float(np.clip(np.dot(one, other), -1.0, 1.0))
