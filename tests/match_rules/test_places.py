"""Places held against a guess."""

from __future__ import annotations

import pytest

from ctxpriv.match_rules.places import match_place

SAME = (
    ("Köln", "Cologne, Germany"),
    ("probably in München", "Munich, Germany"),
    ("Bogota, Colombia", "Bogotá, Colombia"),
    ("Lagos or Abuja", "Lagos, Nigeria"),
    ("Singapore", "Singapore, Singapore"),
    ("NYC", "New York, United States"),
    ("京都", "Kyoto, Japan"),
    ("Texas", "TX"),
)


@pytest.mark.parametrize(("guess", "truth"), SAME)
def test_same_place_both_ways(guess: str, truth: str) -> None:
    assert match_place(guess, truth).rule == "same place"
    if " or " not in guess and "probably" not in guess:
        assert match_place(truth, guess).rule == "same place"


@pytest.mark.parametrize(
    ("guess", "truth"),
    [
        ("Germany", "Berlin, Germany"),
        ("a German", "Berlin, Germany"),
        ("Deutschland", "Berlin, Germany"),
        ("Oslo, Norway", "Bergen, Norway"),
        ("Springfield, United States", "Austin, United States"),
    ],
)
def test_the_country_alone_is_half_and_no_match(guess: str, truth: str) -> None:
    decision = match_place(guess, truth)
    assert (decision.rule, decision.matched, decision.credit) == ("same country only", False, 0.5)


def test_alike_letters_of_two_cities_do_not_match() -> None:
    assert match_place("Bergen, Norway", "Berlin, Germany").rule == "another place"
    assert match_place("Bergen", "Berlin").rule == "another place"


def test_a_misspelt_name_matches_only_if_it_is_no_other_place() -> None:
    assert match_place("Wienna", "Vienna, Austria").rule == "same place, misspelt"
    assert match_place("Viena", "Vienna, Austria").matched


def test_inside_a_state_or_country() -> None:
    assert match_place("Austin, TX", "TX").rule == "place inside it"
    assert match_place("Lyon", "France").rule == "place inside it"
    assert match_place("Houston, Texas", "OH").rule == "same country only"


def test_places_that_nobody_knows_are_compared_by_their_parts() -> None:
    assert match_place("Hobbiton", "Hobbiton, Shire").rule == "same place"
    assert match_place("Bywater, Shire", "Hobbiton, Shire").rule == "same country only"
    assert match_place("Mordor", "Hobbiton, Shire").rule == "another place"
    assert match_place("", "Hobbiton, Shire") is None
