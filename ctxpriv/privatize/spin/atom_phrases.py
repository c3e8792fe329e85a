"""Atoms from phrases of donated texts: two-word themes (DP-SPIN App. E.3, F.3).

RELEASE SIDE: the texts are public. The paper says that candidates are canonicalised, filtered and
merged and must be held by 25 auxiliary documents; the rules below are ours.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.words import WORD, bases, names_in, sentences, telling, typical_of, words_of

PAPER_SUPPORT = 25
SUPPORT_IS_FOR = 2_500  # texts: [ours] the paper's 25 stand for one text in a hundred
LEAST_LIFT = 1.5
MOST_TEXTS = 5_000
"""Texts that are read; of a longer list every second, third, ... alone, and their support."""

WORDS_BESIDE = 8
"""Words of the description that occur beside a theme."""

_Pair = tuple[str, str]
_BETWEEN = re.compile(r"\s+|-")


def support_needed(n_texts: int) -> int:
    """The texts that must hold a theme: one in a hundred, at least 2 and at most the paper's 25."""
    return min(PAPER_SUPPORT, max(2, round(PAPER_SUPPORT * n_texts / SUPPORT_IS_FOR)))


def from_phrases(texts: Sequence[str], m: int, least_support: int | None = None) -> AtomSet:
    """At most m themes of two words that the donated texts hold.

    A theme is two words that stand side by side in some text, neither a stop word, a name, a number nor
    a word that says little. Forms and orders are merged ("late fees", "late fee"). Its support is the
    number of texts that hold both words in one sentence, and must be at least `least_support` (None:
    `support_needed`) and 1.5 times what chance would give. Most support comes first, then the
    commoner words; the label is the commonest wording.
    Raises BadInput where there are no texts, m is below 1, or no text holds a theme often enough.
    """
    if not texts:
        raise BadInput(
            "there is no donated text to find phrases in.",
            where="atoms",
            fix="Load the corpus with a donated split, or type the labels.",
        )
    if m < 1:
        raise BadInput("asks for no atom.", where="atoms, m", fix="Ask for one at least.")
    texts = texts[:: -(-len(texts) // MOST_TEXTS)]
    least = max(1, support_needed(len(texts)) if least_support is None else least_support)
    read = _Read.of(texts)
    supported = {pair: held for pair in read.wordings if len(held := read.held(pair)) >= least}
    if not supported:
        raise BadInput(
            f"no phrase of two words is held by {least} donated texts.",
            where="atoms",
            fix="Ask for less support, donate more texts, or type the labels.",
        )
    best = sorted(supported, key=lambda p: (-len(supported[p]), -read.common(p), p))[:m]
    return AtomSet(tuple(read.atom(pair, supported[pair]) for pair in best))


@dataclass
class _Read:
    """What the donated texts hold: `holding` maps words, `together` pairs to the texts that hold them."""

    documents: list[frozenset[str]]
    holding: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    together: dict[_Pair, set[int]] = field(default_factory=lambda: defaultdict(set))
    wordings: dict[_Pair, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    @staticmethod
    def of(texts: Sequence[str]) -> _Read:
        names = names_in(texts)
        base = bases({word for text in texts for word in telling(words_of(text), names)})
        read = _Read([frozenset(base[w] for w in telling(words_of(text), names)) for text in texts])
        for i, document in enumerate(read.documents):
            for word in document:
                read.holding[word].add(i)
        for text in texts:
            for first, second in set(_neighbours(text, base)):
                if base[first] != base[second]:
                    read.wordings[_key(base[first], base[second])][f"{first} {second}"] += 1
        for i, text in enumerate(texts):
            for sentence in sentences(text):
                words = sorted({base[w] for w in telling(words_of(sentence), names)})
                for pair in combinations(words, 2):
                    if pair in read.wordings:
                        read.together[pair].add(i)
        return read

    def held(self, pair: _Pair) -> set[int]:
        """The texts with both words in one sentence; none where chance alone would do that."""
        both = self.together[pair]
        by_chance = len(self.holding[pair[0]]) * len(self.holding[pair[1]]) / len(self.documents)
        return both if len(both) >= LEAST_LIFT * by_chance else set()

    def common(self, pair: _Pair) -> int:
        return sum(len(self.holding[word]) for word in pair)

    def atom(self, pair: _Pair, held: set[int]) -> Atom:
        wording = self.wordings[pair]
        label = min(wording, key=lambda text: (-wording[text], text))
        members = [self.documents[i] - set(pair) for i in sorted(held)]
        shared = {word for word, n in Counter(chain.from_iterable(members)).items() if n > 1}
        members = [words & shared for words in members] if shared else members
        everywhere = {word: len(self.holding[word]) for words in members for word in words}
        beside = typical_of(everywhere, len(self.documents), members, WORDS_BESIDE)
        return Atom(label, f"Often with: {', '.join(beside)}." if beside else "", "phrases", len(held))


def _key(first: str, second: str) -> _Pair:
    return (first, second) if first < second else (second, first)


def _neighbours(text: str, known: dict[str, str]) -> list[_Pair]:
    """Known words with nothing but space or a hyphen between them."""
    lower = text.lower()
    return [
        (first.group(), second.group())
        for first, second in pairwise(WORD.finditer(lower))
        if first.group() in known
        and second.group() in known
        and _BETWEEN.fullmatch(lower, first.end(), second.start())
    ]
