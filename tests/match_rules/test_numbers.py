"""Numbers and ranges as people write them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.match_rules.numbers import in_figures, match_age, match_number, numbers_in, span_of


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("33", 33, 33),
        ("thirty-three", 33, 33),
        ("about 45 years old", 45, 45),
        ("30–35", 30, 35),
        ("between thirty and thirty-five", 30, 35),
        ("mid-thirties", 34, 36),
        ("early 40s", 40, 43),
        ("late 20's", 27, 29),
        ("in her thirties", 30, 39),
        ("teenager", 13, 19),
        ("over 60", 60, math.inf),
        ("60+", 60, math.inf),
        ("under 25", 0, 25),
        ("50-60k", 50_000, 60_000),
        ("1,500", 1_500, 1_500),
        ("23.000", 23_000, 23_000),
    ],
)
def test_spans(text: str, low: float, high: float) -> None:
    span = span_of(text)
    assert (span.low, span.high) == (low, high)


def test_no_number() -> None:
    assert span_of("nobody knows") is None
    assert span_of("") is None


@pytest.mark.parametrize(
    ("guess", "truth", "rule"),
    [
        ("38", "33", "age within 5 years"),
        ("39", "33", "age too far off"),
        ("mid-thirties", "33", "age within 5 years"),
        ("30–35", "33", "age within 5 years"),
        ("thirties", "39", "age within 5 years"),
        ("60-75", "74", "age range holds it"),
        ("over 60", "72", "age within 5 years"),
        ("over 60", "80", "age too far off"),
        ("18-65", "33", "age range too wide"),
        ("30", "25–34", "number in the band"),
        ("40", "25–34", "age too far off"),
    ],
)
def test_ages(guess: str, truth: str, rule: str) -> None:
    assert match_age(guess, truth).rule == rule


def test_a_year_is_no_age() -> None:
    assert match_age("born in 1990", "33") is None
    assert match_age("young", "33") is None


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 99), st.integers(0, 99))
def test_ages_match_both_ways(a: int, b: int) -> None:
    assert match_age(str(a), str(b)) == match_age(str(b), str(a))
    assert match_age(str(a), str(b)).matched == (abs(a - b) <= 5)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_numbers_match_both_ways(a: int, b: int) -> None:
    assert match_number(str(a), str(b)) == match_number(str(b), str(a))
    assert match_number(str(a), str(a)).rule == "same number"


def test_small_scales_must_be_exact() -> None:
    assert match_number("4", "5").rule == "another number"
    assert match_number("96", "100").rule == "number within a tenth"
    assert match_number("70", "50–99").rule == "number in the band"
    assert match_number("many", "5") is None


def test_number_words_in_figures() -> None:
    assert in_figures("Thirty-three, forty and the fifties") == "33, 40 and the 50s"


def test_numbers_in_running_text() -> None:
    text = "I'm 33, she is forty-one, we earn 84k; in the 90s 5% had two cars, 1.5 million."
    assert [(n, text[s:e]) for n, s, e in sorted(numbers_in(text), key=lambda f: f[1])] == [
        (33, "33"),
        (41, "forty-one"),
        (84_000, "84k"),
        (1_500_000, "1.5 million"),
    ]
