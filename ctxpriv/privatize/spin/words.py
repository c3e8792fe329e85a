"""Words of public texts: which count, and which are forms of one another.

RELEASE SIDE: reads donated texts and atoms, never protected records. Rules are for English; other
languages keep every word as it is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

WORD = re.compile(r"[^\W\d_]{2,}")
"""Two letters or more, of any script; figures and signs part words."""

_SHORT_FORMS = """
don didn doesn isn wasn weren aren hasn haven hadn won wouldn couldn shouldn ain ll ve re im ive id mr mrs
ms dr st etc xx xxx xxxx xxxxx xxxxxx xxxxxxxx
"""
_LITTLE = """
say says said saying tell tells told telling ask asks asked asking got gets getting gotten know knows knew
want wants wanted think thinks thought like likes just really thing things something anything ago away lot
lots bit sort kind way ways came come comes coming went goes going gone let lets make makes made making took
takes taken taking look looks looked looking need needs needed use used uses using try tried tries trying
did does done doing gave gives given giving seem seems seemed quite actually maybe perhaps still ever even
also again yes sure right okay ok saw seen sees seeing felt feel feels feeling mean means meant left started
start starts began turned turns keep keeps kept went believe happened happen called name named mine ours
theirs today yesterday tomorrow tonight half twice once second third dozen hundred thousand million seven
eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty
forty fifty sixty seventy eighty ninety zero somebody someone anybody anyone nobody everybody everyone
people percent noticed plus main monday tuesday wednesday thursday friday saturday sunday january february
march april may june july august september october november december
"""

STOP_WORDS = ENGLISH_STOP_WORDS | frozenset(_SHORT_FORMS.split())
"""With what is left of short forms ("don't") and the masks of published complaints ("XXXX")."""

SAYS_LITTLE = frozenset(_LITTLE.split())
"""Words that open no theme: of saying, wanting and doing in general, numbers, days and months."""

_ENDINGS = (
    ("ies", "y"),
    ("ied", "y"),
    ("es", ""),
    ("s", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
)
_NOT_A_FORM = frozenset(("news", "goods", "customs", "means", "need", "speed", "thing", "does", "less"))
_SHORTEST_BASE = 3
_DOUBLES = re.compile(r"[^aeiou][aeiou][^aeiouwxy]")
_SENTENCE = re.compile(r"(?<=[.!?;])[\"'”’)]*\s+|\n+")


def sentences(text: str) -> list[str]:
    """Roughly: parted at ends of sentences, semicolons and new lines."""
    return [part for part in _SENTENCE.split(text) if part]


def words_of(text: str) -> list[str]:
    """In lower case and in order, with stop words."""
    return WORD.findall(text.lower())


_ASCII_LETTERS = bytes(
    (byte | 32 if chr(byte).isalpha() else 32) if byte < 128 else 32 for byte in range(256)
)


def fast_words(text: str) -> list[str]:
    """As `words_of`, several times as fast for ASCII text; single letters may be among them."""
    if text.isascii():
        return text.encode().translate(_ASCII_LETTERS).decode().split()
    return words_of(text)


def telling(words: Iterable[str], names: Collection[str] = ()) -> list[str]:
    """Without stop words, words that say little, `names` and words of two letters."""
    return [w for w in words if len(w) > 2 and not (w in STOP_WORDS or w in SAYS_LITTLE or w in names)]


def bases(vocabulary: Collection[str]) -> dict[str, str]:
    """Each word with the word of the vocabulary that it is a form of ("charged": "charge"), else itself."""
    known = frozenset(vocabulary)
    return {word: _base(word, known) for word in known}


def _base(word: str, known: frozenset[str]) -> str:
    if word in _NOT_A_FORM or word.endswith(("ss", "us", "is")):
        return word
    for ending, instead in _ENDINGS:
        if not word.endswith(ending):
            continue
        for base in _stems(word[: -len(ending)], ending, instead):
            if len(base) >= _SHORTEST_BASE and base in known:
                return _base(base, known)
    return word


def _stems(stem: str, ending: str, instead: str) -> list[str]:
    """ "plann" before "ed" may be "plan"; "car" before "ing" is nothing, for it would be "carr"."""
    if instead or ending not in ("ed", "ing"):
        return [stem + instead]
    if stem[-2:-1] == stem[-1:] and _DOUBLES.fullmatch(stem[-4:-1]):
        return [stem, stem[:-1]]
    return [] if _DOUBLES.fullmatch(stem) else [stem]


def forms(base: str) -> list[str]:
    """Forms that an English word may take, so that one that was never seen is known all the same."""
    if len(base) < _SHORTEST_BASE or not base.isascii():
        return []
    if base.endswith("e"):
        return [base + "s", base + "d", base[:-1] + "ing"]
    if base.endswith("y") and base[-2] not in "aeiou":
        return [base[:-1] + "ies", base[:-1] + "ied", base + "ing"]
    plain = [base + ("es" if base.endswith(("s", "x", "z", "ch", "sh")) else "s")]
    if _DOUBLES.fullmatch(base[-3:]):
        plain += [base + base[-1] + "ed", base + base[-1] + "ing"]
    if not _DOUBLES.fullmatch(base):
        plain += [base + "ed", base + "ing"]
    return plain


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Words, in lower case, that are written with a capital within sentences at least as often as
    without, or never seen small: names of people, firms and places, so far as English spelling tells."""
    capital, small, seen = Counter[str](), Counter[str](), set[str]()
    for text in texts:
        shouted = text.isupper()
        for found in WORD.finditer(text):
            word, lower = found.group(), found.group().lower()
            seen.add(lower)
            if shouted or word == lower:
                small[lower] += 1
            elif not word.isupper() and not _opens_sentence(text, found.start()):
                capital[lower] += 1
    return frozenset(w for w in seen - STOP_WORDS if capital[w] >= small[w])


def _opens_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 4) : at].rstrip(" \"'“‘(")
    return not before or before[-1] in ".!?:;\n•-–—"


def typical_of(
    everywhere: Mapping[str, int], total: int, members: Sequence[Collection[str]], n: int
) -> list[str]:
    """The n terms by which some documents differ most from all: how many of the `members` hold the term,
    times the logarithm of how much more common it is among them. Terms of one document alone come last;
    ties go to the commoner term, then by the alphabet.

    `everywhere`: how many of all `total` documents hold each term.
    """
    inside = Counter(term for document in members for term in document)
    score = {
        term: count * math.log(count / len(members) * total / everywhere[term])
        for term, count in inside.items()
    }
    telling_most = sorted(
        (term for term in score if score[term] > 0),
        key=lambda t: (everywhere[t] == 1, -score[t], -everywhere[t], t),
    )
    return telling_most[:n]
