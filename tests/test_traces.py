"""Values that stand in a text as they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.context import Partition
from ctxpriv.schema import NOT_STATED, Attribute, Coarsening, Schema
from ctxpriv.traces import added, must_not_stand, survivors, traces

SCHEMA = Schema(
    (
        Attribute("age", tuple(map(str, range(18, 81))), "The author's age in years."),
        Attribute("city", ("Bogotá, Colombia", "Munich, Germany", "Nice, France"), "Where the author lives."),
        Attribute("income", ("84 thousand Egyptian pounds", "27 thousand pounds", "9.6k SGD")),
        Attribute("education", ("Master's in Computer Science", "Secondary school", NOT_STATED)),
        Attribute("state", ("CA", "ME"), "The state."),
        Attribute("topic", ("food_and_drink", "technology")),
        Attribute("rating", ("1", "5"), "Stars."),
    )
)


@pytest.mark.parametrize(
    ("attribute", "value", "text", "span"),
    [
        ("age", "33", "I'm 33, almost", "33"),
        ("age", "33", "at thirty-three you know", "thirty-three"),
        ("age", "33", "a 33-year-old", "33"),
        ("city", "Bogotá, Colombia", "we moved to bogota last year", "bogota"),
        ("city", "Bogotá, Colombia", "BOGOTÁ!", "BOGOTÁ"),
        ("city", "Bogotá, Colombia", "Bogota\u0301 again", "Bogota\u0301"),
        ("city", "Munich, Germany", "here in München", "München"),
        ("city", "Munich, Germany", "Munich's beer", "Munich"),
        ("income", "84 thousand Egyptian pounds", "they pay 84,000 a year", "84,000"),
        ("income", "27 thousand pounds", "27 thousand pounds is not much", "27 thousand pounds"),
        ("education", "Master's in Computer Science", "a masters in computer science",
         "masters in computer science"),
        ("education", "Secondary school", "Secondary schools were full", "Secondary schools"),
        ("state", "CA", "from CA", "CA"),
        ("topic", "food_and_drink", "all about food and drink", "food and drink"),
        ("rating", "5", "gave it 5 stars", "5"),
    ],
)  # fmt: skip
def test_a_value_that_stands_in_the_text(attribute: str, value: str, text: str, span: str) -> None:
    assert traces(text, {attribute: value}, SCHEMA) == {attribute: (span,)}
    assert survivors(text, {attribute: value}, SCHEMA) == (attribute,)


@pytest.mark.parametrize(
    ("attribute", "value", "text"),
    [
        ("age", "33", "33,000 people and 133 dogs, 33.5 and 33% of the 33s"),
        ("age", "30", "in my 30s"),
        ("city", "Nice, France", "that was nice. Nice!"),
        ("city", "Munich, Germany", "somewhere in Germany"),
        ("income", "84 thousand Egyptian pounds", "84 pounds heavier"),
        ("education", NOT_STATED, "not stated"),
        ("education", "Secondary school", "a secondary matter of school"),
        ("state", "ME", "it was me"),
        ("rating", "5", "five stars"),
        ("topic", "technology", "biotechnology"),
    ],
)
def test_what_is_not_the_value(attribute: str, value: str, text: str) -> None:
    assert survivors(text, {attribute: value}, SCHEMA) == ()


def test_several_attributes_in_their_order() -> None:
    truths = {"city": "Munich, Germany", "age": "33", "topic": "technology"}
    assert survivors("Technology in Munich", truths, SCHEMA) == ("city", "topic")


def test_added_values_are_those_of_the_rewrite_only() -> None:
    original = "I'm 33 and live in Munich."
    rewrite = "I'm 33, love food and drink, and live in Bogotá."
    assert added(original, rewrite, SCHEMA) == (("city", "Bogotá, Colombia"), ("topic", "food_and_drink"))
    assert added(original, rewrite, SCHEMA, ["topic"]) == (("topic", "food_and_drink"),)
    assert added(original, original, SCHEMA) == ()


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=50), st.sampled_from(["Munich, Germany", "Bogotá, Colombia"]), st.text(max_size=50))
def test_a_value_between_any_texts_is_found(before: str, value: str, after: str) -> None:
    assert survivors(f"{before} ; {value} ; {after}", {"city": value}, SCHEMA) == ("city",)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=80), st.text(max_size=80))
def test_spans_are_substrings(text: str, other: str) -> None:
    truths = {a.name: a.values[0] for a in SCHEMA.attributes}
    assert all(span and span in text for spans in traces(text, truths, SCHEMA).values() for span in spans)
    assert added(text, text, SCHEMA) == ()
    assert set(added(other, text, SCHEMA)).isdisjoint(added(text, other, SCHEMA))


def test_a_coarsened_value_may_not_stand_although_its_digits_are_in_the_bucket():
    """The loop and the published survivors hold a record to this one rule."""
    schema = Schema(
        (Attribute("children", ("2", "5", "30")), Attribute("topic", ("food", "travel"))),
        {"children": Coarsening("children", {"2": "0-25", "5": "0-25", "30": "30"}, ("0-25", "30"))},
    )
    sides = Partition("a", ("topic",), (), coarsened=("children",))
    assert must_not_stand({"children": "2", "topic": "food"}, schema, sides) == {"children": "2"}
    assert must_not_stand({"children": "30", "topic": "food"}, schema, sides) == {}, "its bucket states it"
