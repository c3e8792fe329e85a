"""Attribute values as phrases in a text, and their exchange. RELEASE SIDE."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ctxpriv.extract.levels import OTHER_VALUES
from ctxpriv.number_words import SMALL, TENS
from ctxpriv.schema import NOT_APPLICABLE, NOT_STATED, OTHER

_TENS = ("", "", *TENS)
_SILENT = {v.casefold() for v in (NOT_STATED, OTHER, OTHER_VALUES, "unknown", "none", NOT_APPLICABLE, "n/a")}
_VOWEL_SOUND = re.compile(r"[aeiou]|8|11\b|18\b|hour|honest", re.IGNORECASE)
_NO_VOWEL_SOUND = re.compile(r"one\b|uni|use|euro", re.IGNORECASE)


@lru_cache(maxsize=65536)
def exchanges(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """(phrase, replacement) pairs that turn a text of value `old` into one of value `new`.

    "Berlin, Germany" to "Lagos, Nigeria" gives the whole, the city and the country; "56" to
    "34" also gives the spelled-out words. Nothing for values that no text states, nor for
    words so short that they would be found by chance.
    """
    if old == new or {old.casefold(), new.casefold()} & _SILENT:
        return ()
    pairs = [(old, new)]
    old_parts, new_parts = ([p.strip() for p in v.split(",")] for v in (old, new))
    if len(old_parts) > 1:
        if len(old_parts) == len(new_parts):
            pairs += list(zip(old_parts, new_parts, strict=True))
        else:
            pairs.append((old_parts[0], new_parts[0]))
    if (words := _in_words(old)) and (new_words := _in_words(new)):
        pairs.append((words, new_words))
    readable = [(o.replace("_", " "), n.replace("_", " ")) for o, n in pairs]
    return tuple((o, n) for o, n in readable if o != n and _telling(o))


def with_values(text: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """`text` with the phrases of the values `old` exchanged for those of `new`.

    All exchanges happen in one pass, so that one attribute's new value is never taken for
    another's old one. Articles ("a", "an") follow the exchanged word.
    """
    pairs: dict[str, str] = {}
    for name, value in new.items():
        for phrase, replacement in exchanges(old.get(name, value), value):
            pairs.setdefault(phrase.casefold(), replacement)
    found = [phrase for phrase in pairs if phrase in text.casefold()]
    if not found:
        return text
    longest_first = "|".join(re.escape(p) for p in sorted(found, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:(an?)(\s+))?({longest_first})(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda match: _exchanged(match, pairs), text)


def _exchanged(match: re.Match[str], pairs: Mapping[str, str]) -> str:
    article, space, phrase = match.groups()
    replacement = pairs[phrase.casefold()]
    if phrase[:1].isupper() and replacement[:1].islower():
        replacement = replacement[:1].upper() + replacement[1:]
    if not article:
        return replacement
    vowel = _VOWEL_SOUND.match(replacement) and not _NO_VOWEL_SOUND.match(replacement)
    fitting = "an" if vowel else "a"
    return (fitting.capitalize() if article[:1].isupper() else fitting) + space + replacement


def _telling(phrase: str) -> bool:
    return phrase.isdigit() and len(phrase) >= 2 or len(phrase) >= 4


def _in_words(value: str) -> str:
    if not (value.isdigit() and 13 <= int(value) <= 99):
        return ""
    number = int(value)
    if number < 20:
        return SMALL[number]
    return _TENS[number // 10] + (f"-{SMALL[number % 10]}" if number % 10 else "")
