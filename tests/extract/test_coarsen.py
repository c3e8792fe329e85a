from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.extract.coarsen import (
    OTHER_VALUES,
    PRIVATE,
    by_hand,
    frequent_values,
    numeric_bands,
    quantile_coarsening,
)
from ctxpriv.schema import MAX_BUCKETS, NOT_STATED, Attribute, Schema

JOBS = Attribute("job", ("nurse", "baker", "cook", NOT_STATED))


def test_by_hand_keeps_order_and_covers_the_domain():
    mapping = {"nurse": "care", "baker": "food", "cook": "food", NOT_STATED: NOT_STATED}
    coarsening = by_hand(JOBS, mapping, buckets=["food", "care", NOT_STATED])
    assert coarsening.buckets == ("food", "care", NOT_STATED)
    assert Schema((JOBS,)).with_coarsening(coarsening).coarse_values("job") == coarsening.buckets


@pytest.mark.parametrize(
    ("mapping", "named"),
    [
        ({"nurse": "care", "baker": "food", "cook": "food"}, "Not stated"),
        ({"nurse": "care", "baker": " ", "cook": "food", NOT_STATED: "x"}, "baker"),
        ({"nurse": "a", "baker": "a", "cook": "a", NOT_STATED: "a", "pilot": "b"}, "pilot"),
        ({"nurse": "cook", "baker": "food", "cook": "food", NOT_STATED: "food"}, "'cook' is also a value"),
    ],
)
def test_by_hand_names_what_is_missing_or_foreign(mapping, named):
    with pytest.raises(BadInput, match=named):
        by_hand(JOBS, mapping)


def test_by_hand_refuses_more_than_five_buckets():
    attribute = Attribute("letter", tuple("abcdef"))
    with pytest.raises(BadInput, match="6 buckets"):
        by_hand(attribute, {v: v for v in attribute.values})


values = st.lists(
    st.one_of(
        st.integers(0, 99).map(str), st.sampled_from(["nurse", "x y", NOT_STATED, "not stated", "Other"])
    ),
    min_size=1,
    max_size=60,
)


@given(values, st.integers(2, MAX_BUCKETS), st.booleans())
@settings(deadline=None, max_examples=50)
def test_coarsenings_cover_every_value_with_few_buckets(given_values, k, by_number):
    domain = sorted(set(given_values))
    try:
        make = numeric_bands if by_number else frequent_values
        coarsening = make(given_values, k, attribute="a", domain=domain)
    except BadInput:
        stated = [v for v in given_values if v.casefold() != "not stated"]
        assert by_number and sum(v.isdigit() for v in stated) * 2 < len(stated) or not stated
        return
    assert set(coarsening.mapping) == set(domain)
    assert set(coarsening.mapping.values()) == set(coarsening.buckets)
    # Two reserved buckets beside one band are the least that numbers, rest and silence need.
    assert len(coarsening.buckets) <= max(k, 3)
    Schema((Attribute("a", tuple(domain)),)).with_coarsening(coarsening)
    if NOT_STATED in domain and len(domain) > k:
        others = [
            v for v in coarsening.members(coarsening.mapping[NOT_STATED]) if v.casefold() != "not stated"
        ]
        assert others == []


def test_numeric_bands_follow_the_occurrences_not_the_domain():
    ages = ["20"] * 8 + ["40"] * 8 + ["60"] * 8 + [NOT_STATED, "old"]
    coarsening = numeric_bands(ages, 5, attribute="age", domain=[*map(str, range(18, 80)), "old", NOT_STATED])
    assert coarsening.buckets == ("under 40", "40–59", "60+", OTHER_VALUES, NOT_STATED)
    assert coarsening.mapping["18"] == "under 40" and coarsening.mapping["old"] == OTHER_VALUES


def test_numeric_bands_refuse_text():
    with pytest.raises(BadInput, match="1 of 3"):
        numeric_bands(["a", "b", "3"], attribute="mixed")


def test_frequent_values_keep_the_most_frequent():
    coarsening = frequent_values(list("aaabbbccdef"), 4, attribute="letter")
    assert coarsening.buckets == ("a", "b", "c", OTHER_VALUES)
    assert coarsening.members(OTHER_VALUES) == ("d", "e", "f")


def test_the_origin_says_when_private_values_were_read():
    attribute = Attribute("age", tuple(map(str, range(18, 60))))
    private = quantile_coarsening(attribute, attribute.values, source=PRIVATE)
    assert private.reads_private_values
    assert not quantile_coarsening(attribute, attribute.values).reads_private_values
