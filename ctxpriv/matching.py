"""Holds a guess against the true value of an attribute: typed, explained, one named rule decides.

PRIVATE SIDE: sees true values of private records, keeps none (a bounded cache of embeddings of short
values lives as long as the matcher). Rules and their sentences: `ctxpriv.match_rules.rules`.

Order: what is not stated or not guessed; the same words; the name of a bucket; then the rules of the
attribute's kind (DESIGN section 6). Only free text that the words do not decide goes to the embedder, and
only what is doubtful there to a judge, where one is given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ctxpriv.gazetteer import place_of
from ctxpriv.gazetteer_index import fold
from ctxpriv.match_rules import rules, words
from ctxpriv.match_rules.money import amount_of, currency_of, match_money
from ctxpriv.match_rules.numbers import match_age, match_number
from ctxpriv.match_rules.places import match_place
from ctxpriv.match_rules.rules import RULES, Matched, by
from ctxpriv.models.base import Embedder
from ctxpriv.schema import SAYS_NOTHING, Attribute, Coarsening, Schema

__all__ = ["RULES", "Matched", "Matcher", "kind_of"]

SIMILAR = 0.75
"""Cosine of MiniLM embeddings from which free text counts as alike. Measured on 90 hand-made paraphrases of
the forum's and Reddit sample's educations and occupations that words do not decide, 54 hard negatives
("truck mechanic" for "truck driver") and all 4,998 pairs of different values: with SIMILAR_VALUE, 41 % of
the paraphrases, 11 % of the hard negatives and 0.06 % of the pairs count as alike."""
SIMILAR_VALUE = 0.85
"""The same where the guess is itself another value of the attribute."""
DOUBTFUL = 0.45
"""Below it nobody is asked: 8 % of the paraphrases are below it."""
LONGEST_GUESS = 200
"""Characters of a guess that are read: a model that rambles is not searched for a lucky word."""
CACHE = 20_000  # embedded values

Judge = Callable[[Sequence[tuple[Attribute, str, str]]], Sequence[bool | None]]
"""Says for each (attribute, guess, truth) whether they mean the same; None where it cannot say."""

KINDS = ("age", "whole number", "money", "place", "named values", "free text")
_PLACES_ARE_ABOUT = (
    "city country state town place location live lives living born birth birthplace region nationality "
    "residence home province county"
)
# A number, perhaps with a unit or as a band: "33", "18–24", "55+", "under 40 words".
_BARE_NUMBER = re.compile(r"^\D{0,12}\d[\d,.]*\s?(?:[-–+]|to)?\s?[\d,.]*\s?\w{0,6}$")


@dataclass(frozen=True)
class _Asked:
    """An attribute as the rules need it; `buckets` maps a bucket's plain name to the bucket."""

    attribute: Attribute
    kind: str
    coarsening: Coarsening | None
    values: dict[str, str]  # plain value -> value
    buckets: dict[str, str]


class Matcher:
    """Matches guesses of one schema. Without `embedder`, free text is decided by its words alone.

    `judge` decides free text whose embeddings are neither alike nor clearly different; what it cannot
    say stays decided by the embeddings.
    """

    def __init__(self, schema: Schema, embedder: Embedder | None = None, judge: Judge | None = None) -> None:
        self._embedder, self._judge = embedder, judge
        self._asked = {a.name: _asked(a, schema.coarsenings.get(a.name)) for a in schema.attributes}
        self._vectors: dict[str, np.ndarray] = {}

    def match(self, attribute: str, guess: str, truth: str) -> Matched:
        """One guess against the true value. Raises KeyError for an attribute outside the schema."""
        return self.match_many([(attribute, guess, truth)])[0]

    def match_many(self, pairs: Sequence[tuple[str, str, str]]) -> list[Matched]:
        """(attribute, guess, truth) each, in order; the embedder is asked once for all."""
        pairs = [(name, guess[:LONGEST_GUESS], truth) for name, guess, truth in pairs]
        decided: list[Matched | None] = []
        for name, guess, truth in pairs:
            decided.append(_by_rules(self._asked[name], guess, truth))
        open_ = [i for i, d in enumerate(decided) if d is None]
        for i, decision in zip(open_, self._by_meaning([pairs[i] for i in open_]), strict=True):
            decided[i] = decision
        return [d for d in decided if d is not None]

    def kind(self, attribute: str) -> str:
        """Which rules apply: one of KINDS."""
        return self._asked[attribute].kind

    def _by_meaning(self, pairs: Sequence[tuple[str, str, str]]) -> list[Matched]:
        similar = self._similarities([(guess, truth) for _, guess, truth in pairs])
        out = [
            by("alike in meaning" if self._alike(p, s) else "different words")
            for p, s in zip(pairs, similar, strict=True)
        ]
        if self._judge is None:
            return out
        doubtful = [
            i
            for i, s in enumerate(similar)
            if not out[i].matched and (self._embedder is None or s >= DOUBTFUL)
        ]
        asked = [(self._asked[n].attribute, g, t) for n, g, t in (pairs[i] for i in doubtful)]
        for i, verdict in zip(doubtful, self._judge(asked) if asked else (), strict=True):
            if verdict is not None:
                out[i] = by("same by the judge" if verdict else "different by the judge")
        return out

    def _alike(self, pair: tuple[str, str, str], similarity: float) -> bool:
        name, guess, truth = pair
        if words.other_level(guess, truth):
            return False
        is_value = words.plain(guess) in self._asked[name].values
        return similarity >= (SIMILAR_VALUE if is_value else SIMILAR)

    def _similarities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Cosines, 0 where there is no embedder."""
        if self._embedder is None or not pairs:
            return [0.0] * len(pairs)
        if len(self._vectors) > CACHE:
            self._vectors.clear()
        new = [t for t in dict.fromkeys(text for pair in pairs for text in pair) if t not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        return [float(self._vectors[a] @ self._vectors[b]) for a, b in pairs]


def _by_rules(asked: _Asked, guess: str, truth: str) -> Matched | None:
    """The decision without any model, None where meaning has to decide."""
    if truth in SAYS_NOTHING or not truth.strip():
        return by("nothing stated")
    if words.plain(guess) == words.plain(truth) and (fold(truth) or guess.strip() == truth.strip()):
        return by("same words")
    if words.says_nothing(guess):
        return by("no guess")
    return _by_bucket(asked, guess, truth) or _by_kind(asked, guess, truth)


def _by_bucket(asked: _Asked, guess: str, truth: str) -> Matched | None:
    bucket = asked.buckets.get(_label(guess))
    if bucket is None or asked.coarsening is None:
        return None
    return by("same bucket" if asked.coarsening.mapping.get(truth) == bucket else "another bucket")


def _by_kind(asked: _Asked, guess: str, truth: str) -> Matched | None:
    if asked.kind == "named values":
        return words.match_named(guess, truth, asked.attribute.values)
    by_type = {
        "age": match_age,
        "whole number": match_number,
        "money": lambda g, t: match_money(g, t, asked.coarsening),
        "place": match_place,
        "free text": words.match_words,
    }[asked.kind](guess, truth)
    if by_type is None and asked.kind != "free text":
        return words.match_words(guess, truth) or by("different words")
    return by_type


def _asked(attribute: Attribute, coarsening: Coarsening | None) -> _Asked:
    values = {words.plain(v): v for v in attribute.values}
    names = set(attribute.values)
    buckets = {} if coarsening is None else {_label(b): b for b in coarsening.buckets if b not in names}
    return _Asked(attribute, kind_of(attribute, coarsening), coarsening, values, buckets)


def _label(text: str) -> str:
    """A bucket's name but for case, dashes and spaces; "55+" must stay apart from "55"."""
    plain = re.sub(r"[‐-―−]", "-", unicodedata.normalize("NFKC", text)).casefold()
    return re.sub(r"\s*-\s*", "-", " ".join(plain.split()))


def kind_of(attribute: Attribute, coarsening: Coarsening | None = None) -> str:
    """Which rules hold for an attribute, from its name, description and values: one of KINDS."""
    stated = [v for v in attribute.values if v not in SAYS_NOTHING]
    about = set(fold(f"{attribute.name.replace('_', ' ')} {attribute.description}").split())
    if not stated:
        return "named values"
    if _share(stated, lambda v: bool(_BARE_NUMBER.match(v)) and currency_of(v) is None) >= 0.9:
        return "age" if about & {"age", "ages", "aged"} else "whole number"
    if _share(stated, lambda v: currency_of(v) is not None and amount_of(v) is not None) >= 0.6:
        return "money"
    commas = _share(stated, lambda v: "," in v)
    if (about & set(_PLACES_ARE_ABOUT.split()) or commas >= 0.6) and _share(
        stated, lambda v: place_of(v) is not None
    ) >= 0.6:
        return "place"
    return "named values" if coarsening is None and len(stated) <= rules.FEW_VALUES else "free text"


def _share(values: Sequence[str], test: Callable[[str], bool]) -> float:
    return sum(map(test, values)) / len(values)
