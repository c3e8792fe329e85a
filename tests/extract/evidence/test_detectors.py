"""The typed detectors, one by one and together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.extract.evidence.cues import cues, find_cues, tables
from ctxpriv.extract.evidence.find import find_spans
from ctxpriv.extract.evidence.jobs import find_jobs
from ctxpriv.extract.evidence.money import find_money
from ctxpriv.extract.evidence.names import find_names
from ctxpriv.extract.evidence.numbers import find_ages, number
from ctxpriv.extract.evidence.places import continent_of, find_local_words, find_places
from ctxpriv.extract.evidence.span import FACETS, Clue, Span, without_overlaps


def said(text, spans):
    return [text[s.start : s.end] for s in spans]


def test_every_cue_tells_a_known_facet_by_a_concept_that_a_schema_can_have():
    for cue in cues():
        for clue in cue.clues:
            assert clue.facet in FACETS
            assert clue.facet == "age" or clue.what in tables()["concepts"][clue.facet]


def test_no_cue_becomes_a_phrase_that_tells_as_much():
    for cue in cues():
        for phrase in cue.less[-1:]:
            stated = {(c.facet, c.what) for c in cue.clues if not c.hint}
            again = {(c.facet, c.what) for s in find_cues(phrase) for c in s.clues}
            assert not stated & again, phrase


def test_family_words_tell_status_and_sex():
    [span] = find_cues("I asked my wife.")
    assert {(c.facet, c.what) for c in span.clues} == {("relationship", "married"), ("sex", "male")}
    assert find_cues("I asked his wife.") == []


def test_a_typographic_apostrophe_is_an_apostrophe():
    assert find_cues("We’re getting married") and find_cues("We're getting married")


@pytest.mark.parametrize(("word", "value"), [("33", 33), ("thirty-three", 33), ("sixty", 60), ("Nine", 9)])
def test_numbers_in_words_and_digits(word, value):
    assert number(word) == value


def test_what_is_no_number():
    with pytest.raises(ValueError, match="not a number"):
        number("many")


@pytest.mark.parametrize(
    ("text", "low", "high", "hint"),
    [
        ("I'm 33 and tired.", 33, 33, False),
        ("I am thirty-three.", 33, 33, False),
        ("It was in my early forties.", 40, 43, False),
        ("I was born in 1990.", 34, 36, False),
        ("We met in 1987 there.", 43, 100, True),
        ("In 1987, we met.", 43, 100, True),
        ("I was eleven in Bonn in 1969, with a kite.", 66, 68, False),
        ("I drove for twenty years.", 36, 100, True),
    ],
)
def test_ages(text, low, high, hint):
    clues = [c for s in find_ages(text) for c in s.clues]
    assert Clue("age", "", low, high, hint) in clues


@pytest.mark.parametrize(
    "text", ["I'm 33 minutes late.", "It costs 1990 pesos.", "Room 12, floor 3", "I am here"]
)
def test_what_is_no_age(text):
    assert find_ages(text) == []


def test_money_tells_a_country_and_pay():
    [span] = find_money("I earn 4.4 million yen a year before tax.")
    assert "4.4 million yen" in "I earn 4.4 million yen a year before tax."[span.start : span.end]
    assert Clue("place", "|JP", hint=True) in span.clues
    [pay] = [c for c in span.clues if c.facet == "money"]
    assert 25_000 < pay.low == pay.high < 35_000


def test_a_price_is_no_pay():
    [span] = find_money("The atlas was six dollars.")
    assert {c.facet for c in span.clues} == {"place"}
    assert find_money("a real problem, and I won") == []


def test_jobs_claimed_hinted_and_named():
    text = "I'm a nurse. My patients like the taxi driver."
    kinds = {(text[s.start : s.end], s.kind) for s in find_jobs(text)}
    assert kinds == {("nurse", "job"), ("My patients", "job"), ("taxi driver", "job named")}
    assert find_jobs("It is what it is") == []


def test_places_where_somebody_lives_comes_from_or_names():
    live = find_places("I live in Lagos now.")[0].clues
    born = find_places("I was born in Lagos.")[0].clues
    named = find_places("The train to Lagos was late.")[0].clues
    assert [(c.facet, c.hint) for c in live] == [("place", False), ("origin", True)]
    assert [(c.facet, c.hint) for c in born] == [("place", True), ("origin", False)]
    assert all(c.hint and c.what == "lagos|NG" for c in named)


def test_local_words_with_a_capital_must_have_it():
    text = "We eat jollof at Eid"
    assert said(text, find_local_words(text)) == ["jollof", "Eid"]
    assert find_local_words("we eid") == []


def test_names_after_a_preposition_are_places_and_days_are_not():
    text = "I live in Tondo and work near Thika Road on Monday."
    assert said(text, find_names(text)) == ["Tondo", "Thika Road"]


def test_continents():
    assert continent_of("NG") == "AF" and continent_of("??") == ""


def test_of_overlapping_spans_the_longest_stays_with_the_clues_of_those_inside():
    a, b = Clue("sex", "male", hint=True), Clue("age", "", 20, 30)
    spans = [Span(2, 4, "x", (a,)), Span(0, 6, "y", (b,), ("less",)), Span(5, 9, "z"), Span(10, 12, "z")]
    kept = without_overlaps(spans)
    assert [(s.start, s.end) for s in kept] == [(0, 6), (10, 12)]
    assert kept[0].clues == (b, a) and kept[0].less == ("less",)


PIECES = ["My wife", "in Lagos", "I'm 33", ".", ",", " ", "1987", "£5", "nurse", "\n", "abeg", "é", "👩"]


@settings(deadline=None, max_examples=50)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_offsets_are_valid_in_any_text(text):
    for span in find_spans(text):
        assert 0 <= span.start < span.end <= len(text)
        assert text[span.start : span.end].strip() == text[span.start : span.end]
