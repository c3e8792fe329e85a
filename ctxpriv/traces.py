"""Values that stand in a text as they are, whatever a model says about it.

PRIVATE SIDE: sees private texts and true values, keeps none beyond a small cache of the last texts' words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Protocol

from ctxpriv.extract.bands import parse_number
from ctxpriv.extract.word_count import is_counted
from ctxpriv.gazetteer import place_of, places_in
from ctxpriv.gazetteer_index import fold, index
from ctxpriv.match_rules.numbers import numbers_in
from ctxpriv.match_rules.words import singular
from ctxpriv.matching import kind_of
from ctxpriv.schema import SAYS_NOTHING, Attribute, Schema

_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
LEAST_AMOUNT = 1_000
"""Amounts of money below it are compared as words only: "30" alone is no income."""


class Sides(Protocol):
    """What one audience gets: a `Partition`, or a `Brief` made from one."""

    @property
    def public(self) -> tuple[str, ...]: ...

    @property
    def coarsened(self) -> tuple[str, ...]: ...

    @property
    def private(self) -> tuple[str, ...]: ...


def traces(text: str, truths: Mapping[str, str], schema: Schema) -> dict[str, tuple[str, ...]]:
    """The spans of `text` where a true value stands, by attribute; attributes without one are left out.

    Whole words, compared without case, accents, punctuation and plural. Numbers as numbers ("thirty-three"
    is 33, "84k" is "84 thousand"); of "City, Country" the city in any spelling that the gazetteer knows;
    values of one or two letters only exactly, and single digits only in figures.
    """
    found = {}
    for name, value in truths.items():
        if value in SAYS_NOTHING:
            continue
        spans = _spans(text, value, _kind(schema[name]))
        if spans:
            found[name] = tuple(dict.fromkeys(text[start:end] for start, end in spans))
    return found


def survivors(text: str, truths: Mapping[str, str], schema: Schema) -> tuple[str, ...]:
    """The attributes whose true value stands in `text` (see `traces`)."""
    return tuple(traces(text, truths, schema))


def must_not_stand(truths: Mapping[str, str], schema: Schema, sides: Sides) -> dict[str, str]:
    """The true values that a text under these sides may not state as they are: of private attributes,
    and of those that are public when coarsened.

    A value that the record also has in public (born where one lives) may stand, and so may one that its
    own bucket states. The length of a text is not stated by it.
    """
    public = {truths[n].casefold() for n in sides.public if n in truths}

    def hidden(name: str, value: str) -> bool:
        if value in SAYS_NOTHING or is_counted(schema[name]) or value.casefold() in public:
            return False
        if name in sides.coarsened:
            return not traces(schema.coarsenings[name].mapping[value], {name: value}, schema)
        return name in sides.private

    return {name: value for name, value in truths.items() if hidden(name, value)}


def added(
    original: str, rewrite: str, schema: Schema, names: Iterable[str] | None = None
) -> tuple[tuple[str, str], ...]:
    """(attribute, value) for every value of a domain that `rewrite` states and `original` does not.

    Counts the words of the domains of `names` (default: all), "food_and_drink" also as "food and drink".
    """
    out = []
    for name in schema.names if names is None else names:
        attribute = schema[name]
        kind = _kind(attribute)
        for value in attribute.values:
            if value in SAYS_NOTHING:
                continue
            if _spans(rewrite, value, kind) and not _spans(original, value, kind):
                out.append((name, value))
    return tuple(out)


@lru_cache(maxsize=1_000)
def _kind(attribute: Attribute) -> str:
    return kind_of(attribute)


def _spans(text: str, value: str, kind: str) -> list[tuple[int, int]]:
    """Where `value` stands in `text`."""
    if len(value) <= 2 and not value.isdigit():
        return [(s, e) for word, s, e in _words(text)[0] if text[s:e] == value]
    number = _number(value, kind)
    if number is not None and kind != "money":
        return [(s, e) for n, s, e in _numbers(text) if n == number]
    spans = [span for way in _ways(value, kind) for span in _phrase(text, way)]
    if number is not None and number >= LEAST_AMOUNT:
        spans += [(s, e) for n, s, e in _numbers(text) if n == number]
    if kind == "place":
        spans += _same_city(text, value)
    return [a for a in sorted(set(spans)) if not any(_inside(a, b) for b in spans)]


def _inside(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a != b and b[0] <= a[0] and a[1] <= b[1]


@lru_cache(maxsize=20_000)
def _number(value: str, kind: str) -> float | None:
    if kind == "money":
        return parse_number(value)
    return float(value) if kind in ("age", "whole number") and value.isdecimal() else None


@lru_cache(maxsize=20_000)
def _ways(value: str, kind: str) -> tuple[tuple[str, ...], ...]:
    """The word sequences that state the value: itself; of "City, Country" also the city, where its name
    is not also a common word (then only the gazetteer tells "Nice" from "nice")."""
    ways = [_compared(value)]
    city = value.split(",")[0]
    if kind == "place" and "," in value and len(fold(city)) > 2 and fold(city) not in index().words:
        ways.append(_compared(city))
    elif kind == "place" and fold(value) in index().words:
        ways = []
    return tuple(way for way in ways if way)


def _compared(value: str) -> tuple[str, ...]:
    return tuple(word for word, _, _ in _words(value)[0])


def _phrase(text: str, way: tuple[str, ...]) -> list[tuple[int, int]]:
    tokens, places = _words(text)
    n = len(way)
    return [
        (tokens[i][1], tokens[i + n - 1][2])
        for i in places.get(way[0], ())
        if tuple(word for word, _, _ in tokens[i : i + n]) == way
    ]


def _same_city(text: str, value: str) -> list[tuple[int, int]]:
    place = place_of(value)
    if place is None:
        return []
    wanted = (place.name, place.country, place.region)
    return [(s, e) for found, s, e in _cities(text) if found == wanted]


@lru_cache(maxsize=1_000)
def _words(text: str) -> tuple[list[tuple[str, int, int]], dict[str, list[int]]]:
    """(compared word, start, end) of each word, and at which places each word stands."""
    tokens = []
    for match in _WORD.finditer(text):
        word = fold(match[0])
        if word == "s" and match.start() and text[match.start() - 1] in "'’":
            continue  # the possessive of "master's"
        if word:
            tokens.append((singular(word), match.start(), match.end()))
    places: dict[str, list[int]] = {}
    for i, (word, _, _) in enumerate(tokens):
        places.setdefault(word, []).append(i)
    return tokens, places


@lru_cache(maxsize=200)
def _numbers(text: str) -> list[tuple[float, int, int]]:
    return numbers_in(text)


@lru_cache(maxsize=200)
def _cities(text: str) -> list[tuple[tuple[str, str, str], int, int]]:
    return [((m.place.name, m.place.country, m.place.region), m.start, m.end) for m in places_in(text)]
