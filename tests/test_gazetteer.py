"""Places by name: whole strings in many spellings, and mentions in running text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.gazetteer import country_currency, country_name, place_of, places_in
from ctxpriv.gazetteer_index import fold, index


@pytest.mark.parametrize(
    ("text", "name", "country"),
    [
        ("Köln", "Köln", "DE"),
        ("Cologne, Germany", "Köln", "DE"),
        ("MÜNCHEN", "Munich", "DE"),
        ("Cleveland, Ohio", "Cleveland", "US"),
        ("Paris, Texas", "Paris", "US"),
        ("Paris", "Paris", "FR"),
        ("Lagos Nigeria", "Lagos", "NG"),
        ("Łódź, Poland", "Łódź", "PL"),
        ("Bombay", "Mumbai", "IN"),
        ("Москва", "Moscow", "RU"),
        ("北京", "Beijing", "CN"),
        ("NYC", "New York City", "US"),
        ("Glasgow, Scotland", "Glasgow", "GB"),
        ("Clapham, London", "London", "GB"),
        ("Singapore", "Singapore", "SG"),
        ("Atlanta, Georgia", "Atlanta", "US"),
        ("Tbilisi, Georgia", "Tbilisi", "GE"),
    ],
)
def test_cities_in_any_spelling(text: str, name: str, country: str) -> None:
    place = place_of(text)
    assert (place.name, place.country, place.kind) == (name, country, "city")


@pytest.mark.parametrize(
    ("text", "country", "kind"),
    [
        ("Deutschland", "DE", "country"),
        ("Allemagne", "DE", "country"),
        ("USA", "US", "country"),
        ("Mexico", "MX", "country"),
        ("Nigerian", "NG", "adjective"),
        ("TX", "US", "region"),
        ("Bavaria", "DE", "region"),
    ],
)
def test_wider_places(text: str, country: str, kind: str) -> None:
    place = place_of(text)
    assert (place.country, place.kind) == (country, kind)


def test_what_is_no_place() -> None:
    assert place_of("") is None
    assert place_of("a quiet village that nobody knows") is None


def mentions(text: str) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], m.place.country) for m in places_in(text)]


def test_mentions_are_found_with_their_country() -> None:
    text = (
        "We drove from Lagos to Paris, Texas, and the Germans in New York City laughed at Berlin's streets."
    )
    assert mentions(text) == [
        ("Lagos", "NG"),
        ("Paris, Texas", "US"),
        ("New York City", "US"),
        ("Berlin", "DE"),
    ]


def test_common_words_are_places_only_where_a_place_is_meant() -> None:
    assert mentions("Nice! Of course I was Reading on my Mobile in March, most of us Split the bill.") == []
    assert mentions("She lives in Reading.") == [("Reading", "GB")]
    assert mentions("Two weeks in Nice, France.") == [("Nice, France", "FR")]
    assert mentions("a us citizen, the US army") == [("US", "US")]


def test_small_letters_name_no_place() -> None:
    assert mentions("berlin and lagos") == []


def test_every_listed_word_is_a_name() -> None:
    """A word that names no place would be listed for nothing."""
    known = index()
    spellings = known.cities.keys() | known.countries.keys() | known.regions.keys()
    assert known.words <= spellings | known.adjectives.keys()


def test_country_facts() -> None:
    assert country_name("DE") == "Germany"
    assert country_name("??") == "??"
    assert country_currency("NG") == "NGN"
    assert country_currency("??") is None


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    place_of(text)
    found = places_in(text)
    assert all(0 <= m.start < m.end <= len(text) for m in found)
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=40))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
