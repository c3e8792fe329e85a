"""Words held against words: the same but for spelling, another word for it, another language, most of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

from ctxpriv.gazetteer_index import fold
from ctxpriv.match_rules.rules import Matched, by

MOST = 2 / 3
"""Share of a value's telling words that a guess must have."""


@cache
def _table() -> dict:
    import yaml

    raw = yaml.safe_load(files("ctxpriv").joinpath("matching_words.yaml").read_text("utf-8"))
    same: dict[str, frozenset[int]] = {}
    for line, words in enumerate(raw["same"]):
        for word in words.split(", "):
            same[fold(word)] = same.get(fold(word), frozenset()) | {line}
    spellings = {fold(s): fold(word) for word, ways in raw["words"].items() for s in ways.split(", ")}
    longest_first = sorted(spellings, key=len, reverse=True)
    return {
        "same": same,
        "spellings": spellings,
        "spelling": re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b"),
        "beside": frozenset(raw["beside"].split()),
        "unsure": frozenset(map(fold, raw["unsure"])),
    }


def says_nothing(guess: str) -> bool:
    """An empty guess, or one that says that it does not know."""
    key = fold(guess)
    return not key or key in _table()["unsure"]


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """Folded words, plurals and possessives cut: what "same words" compares."""
    key = fold(text)
    return " ".join(singular(word) for word in key.split() if word != "s") or key


def singular(word: str) -> str:
    """An English word without its plural ending, roughly: for comparing, not for showing."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def same_meaning(a: str, b: str) -> bool:
    """Whether the table has both as words for one value, in any language."""
    same = _table()["same"]
    return bool(same.get(fold(a), frozenset()) & same.get(fold(b), frozenset()))


def match_named(guess: str, truth: str, values: Sequence[str]) -> Matched:
    """For attributes of a few named values: the one value that the guess names, or none."""
    if same_meaning(guess, truth) and not any(v != truth and same_meaning(guess, v) for v in values):
        return by("same value, other words")
    if any(plain(value) == plain(guess) for value in values):
        return by("another value")
    named = _values_in(plain(guess), values)
    return by("value named in the guess" if named == {truth} else "another value")


def _values_in(guess: str, values: Sequence[str]) -> set[str]:
    """The values whose words, or words for them, stand in the guess; a longer one hides a shorter in it."""
    ways = {way: value for value in values for way in _ways(value)}
    found = set()
    for way in sorted(ways, key=len, reverse=True):
        cut = re.sub(rf"\b{re.escape(way)}\b", " ", guess) if len(way) > 2 else guess
        if cut != guess:
            found.add(ways[way])
            guess = cut
    return found


@lru_cache(maxsize=2_000)
def _ways(value: str) -> frozenset[str]:
    same = _table()["same"]
    lines = same.get(fold(value), frozenset())
    return frozenset(plain(w) for w, of in same.items() if of & lines) | {plain(value)}


def match_words(guess: str, truth: str) -> Matched | None:
    """For free text: the same once abbreviations are written out, or most of the words; None otherwise."""
    g, t = telling(guess), telling(truth)
    if not g or not t:
        return None
    if g == t:
        return by("same value, other words")
    if t <= g:
        return by("value named in the guess") if len(g) <= 3 * len(t) + 2 else None
    return by("most of its words") if g < t and len(g) >= MOST * len(t) else None


_LEVELS = frozenset({"bachelor", "master", "doctorate", "diploma", "school"})


def other_level(guess: str, truth: str) -> bool:
    """Whether the two name different levels of education: embeddings put "master" close to "bachelor"."""
    g, t = telling(guess) & _LEVELS, telling(truth) & _LEVELS
    return bool(g and t and not g & t)


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """The words of a value that tell it: abbreviations written out, "retired" and "in" left out."""
    table = _table()
    key = table["spelling"].sub(lambda m: table["spellings"][m[0]], fold(text))
    words = plain(key).split()
    return frozenset(w for w in words if w not in table["beside"]) or frozenset(words)
