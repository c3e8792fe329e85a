from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.extract.features import MAX_VALUES, attributes_from, normalise_name, normalise_values
from ctxpriv.schema import NOT_APPLICABLE, NOT_STATED, OTHER, Schema


@pytest.mark.parametrize(
    ("feature", "problem"),
    [
        ("just text", "Feature 1 is not an object"),
        ({"values": ["a", "b"]}, "Feature 1 has no name"),
        ({"name": "x"}, "'x' has no list of values"),
        ({"name": "x", "values": []}, "'x' has fewer than two"),
        ({"name": "x", "values": ["yes", "Yes", ""]}, "'x': 1 values were repeated"),
        ({"name": "x", "values": ["a", "", {}, "b"]}, "'x': 2 values were empty"),
        ({"name": "x", "values": [str(i) for i in range(90)]}, "'x': 90 values were cut to 48"),
    ],
)
def test_each_problem_is_named(feature, problem):
    attributes, problems = attributes_from({"features": [feature]}, 1)
    assert any(problem in p for p in problems)
    for attribute in attributes:
        assert 3 <= len(attribute.values) <= MAX_VALUES


def test_repeated_and_surplus_features_are_dropped():
    features = [{"name": n, "values": ["a", "b"]} for n in ("x", "X ", "y", "z")]
    attributes, problems = attributes_from(features, 2)
    assert [a.name for a in attributes] == ["x", "y"]
    assert any("repeats the name 'x'" in p for p in problems) and any(
        "more than the 2" in p for p in problems
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["features", "name", "values", "description"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
@settings(deadline=None, max_examples=50)
def test_no_answer_breaks_the_reading(answer):
    attributes, _ = attributes_from(answer, 3)
    if attributes:
        Schema(tuple(attributes))  # distinct names, distinct values


@given(
    st.lists(st.sampled_from(["a", "b", "c", "d", "e", "n/a", "other", "unknown", "", "A "]), max_size=14),
    st.integers(4, 8),
)
@settings(deadline=None, max_examples=50)
def test_values_are_distinct_and_within_the_limit(values, max_values):
    kept, _ = normalise_values(values, max_values)
    assert len(set(kept)) == len(kept) <= max_values
    assert kept[-1] == NOT_STATED
    given_ = {v.strip().casefold() for v in values}
    assert ("n/a" in given_) == (NOT_APPLICABLE in kept)
    lost = (given_ & set("abcde")) - {v.casefold() for v in kept}
    assert not lost or OTHER in kept


def test_not_applicable_stays_a_value_of_its_own():
    feature = {"name": "pet", "values": ["cat", "Does not apply", "dog", "unknown", "others"]}
    ((attribute,), problems) = attributes_from([feature], 1)
    assert attribute.values == ("cat", "dog", NOT_APPLICABLE, OTHER, NOT_STATED)
    assert problems == []
    ((only,), _) = attributes_from([{"name": "has_pet", "values": ["yes", "N/A"]}], 1)
    assert only.values == ("yes", NOT_APPLICABLE, NOT_STATED)


def test_names_are_plain():
    assert normalise_name("Feature 3: Call-Purpose (main)") == "call_purpose_main"
