"""A public vocabulary of keywords, and which of them a record is counted for (DP-SPIN App. J.5).

PRIVATE SIDE: it reads protected texts, one at a time; the vocabulary comes from donated texts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privatize.spin.atoms import Atom, AtomSet, canonical
from ctxpriv.privatize.spin.contributions import NO_ATOM
from ctxpriv.privatize.spin.words import SAYS_LITTLE, STOP_WORDS
from ctxpriv.progress import NEVER, CancelToken

WORD = r"(?u)\b[^\W\d_]{3,}\b"
"""Three letters or more: neither numbers nor signs, so that a keyword is never an amount or markup."""

LEAST_TEXTS = 2
_TEXTS_AT_ONCE = 10_000


@lru_cache(maxsize=2)  # checked, then drawn, then drawn again at another ε: always the same public words
def _frequent(texts: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """The words of enough texts with how many hold each, the most frequent first; () where there is none."""
    from sklearn.feature_extraction.text import CountVectorizer

    unwanted = sorted(STOP_WORDS | SAYS_LITTLE)
    counter = CountVectorizer(token_pattern=WORD, stop_words=unwanted, binary=True)
    try:
        held = counter.fit_transform(texts)
    except ValueError:  # no donated text, or stop words only
        return ()
    counts = np.asarray(held.sum(axis=0)).ravel()
    kept: dict[str, tuple[str, int]] = {}
    for word, count in zip(counter.get_feature_names_out(), counts, strict=True):
        if count >= LEAST_TEXTS:
            kept.setdefault(canonical(word), (str(word), int(count)))
    return tuple(sorted(kept.values(), key=lambda w: (-w[1], w[0])))


@dataclass(frozen=True)
class PublicKeywords:
    """`words` by falling document frequency in the donated texts (`support`), ties by alphabet."""

    words: tuple[str, ...]
    support: tuple[int, ...] = field(repr=False)

    @staticmethod
    def of(donated: DonatedExamples, size: int, where: str) -> PublicKeywords:
        """The `size` words that most donated texts hold, at least `LEAST_TEXTS`, without stop words
        and words that say little.

        Raises BadInput where there is no such word.
        """
        best = _frequent(tuple(donated.texts))[:size]
        if not best:
            raise _no_words(where)
        return PublicKeywords(tuple(w for w, _ in best), tuple(n for _, n in best))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def atoms(self) -> AtomSet:
        """The keywords as concepts of a plan."""
        rows = zip(self.words, self.support, strict=True)
        return AtomSet(tuple(Atom(word, "", "phrases", n) for word, n in rows))

    def chosen(self, texts: Sequence[str], per_record: int, cancel: CancelToken = NEVER) -> NDArray[np.int32]:
        """(n, per_record) positions of each text's keywords, `NO_ATOM` where it has fewer.

        Of more than `per_record` the rarest in the donated texts count: they say most. Each text is
        looked at on its own.
        """
        out = np.full((len(texts), per_record), NO_ATOM, np.int32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            cancel.check()
            held = self._counter.transform(texts[start : start + _TEXTS_AT_ONCE])
            held.sort_indices()
            row = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
            from_end = held.indptr[row + 1] - 1 - np.arange(held.nnz)  # 0 is the rarest of its text
            keep = from_end < per_record
            out[start + row[keep], from_end[keep]] = held.indices[keep]
        return out

    @cached_property
    def _counter(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(token_pattern=WORD, binary=True, vocabulary=list(self.words))


def _no_words(where: str) -> BadInput:
    return BadInput(
        f"no word occurs in {LEAST_TEXTS} donated texts, so there is no public vocabulary.",
        where=where,
        fix="Donate more records (splits, donated).",
    )
