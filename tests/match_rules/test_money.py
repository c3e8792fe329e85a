"""Amounts of money in several ways of writing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.match_rules.money import amount_of, currency_of, match_money
from ctxpriv.schema import Coarsening

BUCKETS = Coarsening(
    "income",
    {
        "4.5 million naira": "under 20k",
        "13 thousand euros": "under 20k",
        "27 thousand pounds": "20–49k",
        "47k USD": "20–49k",
        "96k USD": "more",
    },
    ("under 20k", "20–49k", "more"),
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("4.5 million naira", "NGN"),
        ("₦4.5m", "NGN"),
        ("84 thousand Egyptian pounds", "EGP"),
        ("27 thousand pounds", "GBP"),
        ("250 thousand swiss francs", "CHF"),
        ("55 thousand New Zealand dollars", "NZD"),
        ("550 thousand Swedish Krona", "SEK"),
        ("$40", "USD"),
        ("R$45,000", "BRL"),
        ("2.2 lakh", "INR"),
        ("40 apples", None),
        ("all of it", None),
    ],
)
def test_currencies(text: str, code: str | None) -> None:
    assert currency_of(text) == code


@pytest.mark.parametrize(
    ("guess", "truth"),
    [
        ("NGN 4,500,000", "4.5 million naira"),
        ("84k EGP", "84 thousand Egyptian pounds"),
        ("7,000 EGP a month", "84 thousand Egyptian pounds"),
        ("8500 EGP", "8,500 EGP a month with tips"),
        ("€23.000", "23 thousand euros"),
        ("50k-60k USD", "54k USD"),
        ("220000 INR", "2.2 lakh rupees"),
        ("29k", "27 thousand pounds"),
    ],
)
def test_the_same_amount(guess: str, truth: str) -> None:
    assert match_money(guess, truth, None).rule == "amount within a tenth"


def test_a_tenth_is_the_limit_where_there_are_no_buckets() -> None:
    assert match_money("21 thousand pounds", "27 thousand pounds", None).rule == "another amount"
    assert match_money("under 100k", "27 thousand pounds", None).rule == "another amount"


def test_the_same_bucket_in_any_currency() -> None:
    assert match_money("45,000 USD", "27 thousand pounds", BUCKETS).rule == "amount in the same bucket"
    assert match_money("90,000 USD", "27 thousand pounds", BUCKETS).rule == "another amount"


def test_no_amount() -> None:
    assert match_money("quite a lot", "27 thousand pounds", BUCKETS) is None
    assert amount_of("nothing") is None


@settings(deadline=None, max_examples=50)
@given(
    st.integers(1, 10**7),
    st.integers(1, 10**7),
    st.sampled_from(["EUR", "NGN", "USD"]),
    st.sampled_from(["EUR", "NGN", "USD"]),
)
def test_amounts_match_both_ways(a: int, b: int, one: str, other: str) -> None:
    left, right = f"{a} {one}", f"{other} {b:,}"
    assert match_money(left, right, None) == match_money(right, left, None)
    assert match_money(left, left, None).matched
