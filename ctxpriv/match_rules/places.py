"""Places: "City, Country" held against a guess in any spelling or language."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from ctxpriv.gazetteer import place_of, places_in
from ctxpriv.gazetteer_index import Place, fold
from ctxpriv.match_rules.rules import Matched, by

_HEDGE = re.compile(
    r"^(?:(?:probably|likely|possibly|perhaps|maybe|most likely|somewhere|lives?|living|born|currently|from|"
    r"in|near|the|city of|around|or|and)\b[\s,:]*)+",
    re.IGNORECASE,
)


def match_place(guess: str, truth: str) -> Matched | None:
    """None where a side names no known place (then their words decide)."""
    there = place_of(truth)
    if there is None:
        return _unknown(guess, truth)
    named = named_in(guess)
    first = _HEDGE.sub("", guess).split(",")[0]
    if place_of(first) is None and _misspelt(fold(first), truth):
        return by("same place, misspelt")
    if not named:
        return _unknown(guess, truth)
    decisions = [_one(place, there) for place in named]
    return max(decisions, key=lambda d: (d.matched, d.credit))


def named_in(guess: str) -> list[Place]:
    """The place that a guess is, or those that it names."""
    whole = place_of(guess) or place_of(_HEDGE.sub("", guess))
    return [whole] if whole else [mention.place for mention in places_in(guess)]


def _one(guess: Place, truth: Place) -> Matched:
    if guess.country != truth.country:
        return by("another place")
    if truth.kind == "city":
        same = guess.kind == "city" and (guess.name, guess.region) == (truth.name, truth.region)
        return by("same place" if same else "same country only")
    if truth.region and guess.region != truth.region:
        return by("same country only")
    return by("place inside it" if guess.kind == "city" or guess.region != truth.region else "same place")


ALIKE = 0.8
"""How alike (difflib ratio) the letters of an unknown name and of a city must be to be called misspelt."""


def _misspelt(guess: str, truth: str) -> bool:
    """Only for a name that is no known place, so that Bergen is never taken for Berlin."""
    place = place_of(truth)
    names = {truth, place.name} if place else {truth}
    return any(SequenceMatcher(None, guess, fold(name.split(",")[0])).ratio() >= ALIKE for name in names)


def _unknown(guess: str, truth: str) -> Matched | None:
    """For places that the gazetteer does not know: the words before and after the comma."""
    g, t = ([fold(part) for part in text.split(",") if fold(part)] for text in (guess, truth))
    if not g or not t:
        return None
    if g[0] == t[0] and (len(g) == 1 or len(t) == 1 or g[-1] == t[-1]):
        return by("same place")
    if len(t) > 1 and g[-1] == t[-1]:
        return by("same country only")
    there, here = place_of(truth.split(",")[-1]), named_in(guess)
    if len(t) > 1 and there and any(place.country == there.country for place in here):
        return by("same country only")
    return by("another place")
