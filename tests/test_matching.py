"""A guess against the truth: which rule decides, for every kind of attribute."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.matching import RULES, Matcher, kind_of
from ctxpriv.models.base import ModelIdentity
from ctxpriv.schema import NOT_APPLICABLE, NOT_STATED, OTHER, Attribute, Coarsening, Schema

JOBS = ("nurse", "software engineer", "truck driver", "retired bus driver", "retired accountant")
SCHEMA = Schema(
    (
        Attribute("age", tuple(map(str, range(18, 81))), "The author's age in years."),
        Attribute("sex", ("female", "male")),
        Attribute("city_country", ("Berlin, Germany", "Lagos, Nigeria", "Munich, Germany", NOT_STATED)),
        Attribute("income", ("4.5 million naira", "27 thousand pounds", "96k USD")),
        Attribute("income_level", ("low", "middle", "high", "very high")),
        Attribute("occupation", (*JOBS, OTHER)),
        Attribute("rating", ("1", "2", "3", "4", "5"), "Stars given, 1 to 5."),
        Attribute("topic", ("food_and_drink", "technology")),
    ),
    {
        "age": Coarsening(
            "age",
            {str(a): "18–34" if a < 35 else "35–54" if a < 55 else "55+" for a in range(18, 81)},
            ("18–34", "35–54", "55+"),
        ),
        "city_country": Coarsening(
            "city_country",
            {
                "Berlin, Germany": "Europe",
                "Munich, Germany": "Europe",
                "Lagos, Nigeria": "Africa",
                NOT_STATED: NOT_STATED,
            },
            ("Europe", "Africa", NOT_STATED),
        ),
        "occupation": Coarsening("occupation", dict.fromkeys((*JOBS, OTHER), "all"), ("all",)),
    },
)
KINDS = {
    "age": "age",
    "sex": "named values",
    "city_country": "place",
    "income": "money",
    "income_level": "named values",
    "occupation": "free text",
    "rating": "whole number",
    "topic": "named values",
}


class EmbedderDouble:
    """Test double of an embedder: the cosine of two texts is what `cosine` says of the pair's second."""

    identity = ModelIdentity("local", "embedder double")
    dimension = 2

    def __init__(self, cosine: dict[str, float]) -> None:
        self.cosine, self.asked = cosine, []

    def embed(self, texts, *, progress=None, cancel=None):
        self.asked += list(texts)
        angles = [np.arccos(self.cosine.get(text, 1.0)) for text in texts]
        return np.array([[np.cos(a), np.sin(a)] for a in angles], np.float32)


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(SCHEMA)


def test_kinds_come_from_names_and_values() -> None:
    assert {a.name: kind_of(a, SCHEMA.coarsenings.get(a.name)) for a in SCHEMA.attributes} == KINDS
    assert kind_of(Attribute("x", (NOT_STATED,))) == "named values"


@pytest.mark.parametrize(
    ("attribute", "guess", "truth", "rule"),
    [
        ("age", "mid-thirties", "33", "age within 5 years"),
        ("age", "30–35", "33", "age within 5 years"),
        ("age", "18-34", "33", "same bucket"),
        ("age", "18 – 34", "36", "another bucket"),
        ("age", "55", "58", "age within 5 years"),  # not the bucket "55+"
        ("age", "young", "33", "different words"),
        ("sex", "Frau", "female", "same value, other words"),
        ("city_country", "Lagos", "Lagos, Nigeria", "same place"),
        ("city_country", "München", "Munich, Germany", "same place"),
        ("city_country", "Berlin, Deutschland", "Munich, Germany", "same country only"),
        ("city_country", "europe", "Munich, Germany", "same bucket"),
        ("city_country", "Africa", "Munich, Germany", "another bucket"),
        ("income", "NGN 4,500,000", "4.5 million naira", "amount within a tenth"),
        ("income_level", "very high", "high", "another value"),
        ("occupation", "Nurses", "nurse", "same words"),
        ("occupation", "bus driver", "retired bus driver", "same value, other words"),
        ("occupation", "teacher", "nurse", "different words"),
        ("rating", "four", "4", "same number"),
        ("rating", "5", "4", "another number"),
        ("topic", "Food and drink", "food_and_drink", "same words"),
        ("topic", "cooking", "food_and_drink", "another value"),
    ],
)
def test_the_rule_that_decides(matcher: Matcher, attribute: str, guess: str, truth: str, rule: str) -> None:
    assert matcher.match(attribute, guess, truth).rule == rule


@pytest.mark.parametrize("nothing", [NOT_STATED, OTHER, NOT_APPLICABLE])
def test_what_is_not_stated_cannot_be_told(matcher: Matcher, nothing: str) -> None:
    for attribute in SCHEMA.names:
        assert matcher.match(attribute, nothing, nothing).rule == "nothing stated"
        assert not matcher.match(attribute, "nurse", nothing).matched


def test_no_guess(matcher: Matcher) -> None:
    for guess in ("", "  ", "unknown", "Not stated", "cannot be determined", "?"):
        assert matcher.match("occupation", guess, "nurse").rule == "no guess"


def test_every_value_matches_itself_fully(matcher: Matcher) -> None:
    pairs = [(a.name, v, v) for a in SCHEMA.attributes for v in a.values if v not in (NOT_STATED, OTHER)]
    assert all(d.matched and d.credit == 1 for d in matcher.match_many(pairs))


def test_no_value_of_few_matches_another(matcher: Matcher) -> None:
    for name in ("sex", "income_level", "rating", "topic", "city_country"):
        values = [v for v in SCHEMA[name].values if v != NOT_STATED]
        for guess in values:
            assert [v for v in values if matcher.match(name, guess, v).matched] == [guess]


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(SCHEMA.names), st.text(max_size=30), st.text(max_size=30))
def test_any_two_texts_are_decided_by_a_named_rule(attribute: str, guess: str, truth: str) -> None:
    decision = _MATCHER.match(attribute, guess, truth)
    assert RULES[decision.rule].decided() == decision


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(SCHEMA.names), st.text(min_size=1, max_size=30).filter(lambda t: t.strip()))
def test_any_stated_text_matches_itself(attribute: str, text: str) -> None:
    if text in (NOT_STATED, OTHER, NOT_APPLICABLE):
        return
    decision = _MATCHER.match(attribute, text, text)
    assert decision.matched and decision.credit == 1


_MATCHER = Matcher(SCHEMA)


def test_the_embedder_sees_only_what_words_leave_open_and_is_asked_once() -> None:
    embedder = EmbedderDouble({"coder": 0.8, "plumber": 0.2})
    matcher = Matcher(SCHEMA, embedder)
    pairs = [
        ("occupation", "coder", "software engineer"),
        ("occupation", "plumber", "software engineer"),
        ("occupation", "nurses", "nurse"),
        ("sex", "a lady", "female"),
    ]
    rules = [d.rule for d in matcher.match_many(pairs)]
    assert rules == ["alike in meaning", "different words", "same words", "value named in the guess"]
    assert sorted(embedder.asked) == ["coder", "plumber", "software engineer"]
    matcher.match_many(pairs)
    assert len(embedder.asked) == 3


def test_another_value_must_be_closer_than_other_words() -> None:
    matcher = Matcher(SCHEMA, EmbedderDouble({"truck driver": 0.8, "trucker": 0.8, "lorry man": 0.6}))
    assert matcher.match("occupation", "truck driver", "nurse").rule == "different words"
    assert matcher.match("occupation", "trucker", "nurse").rule == "alike in meaning"
    assert matcher.match("occupation", "lorry man", "nurse").rule == "different words"


def test_a_judge_decides_what_is_doubtful_and_nothing_else() -> None:
    asked = []

    def judge(pairs):
        asked.extend((g, t) for _, g, t in pairs)
        return [{"trucker": True, "carer": False}.get(g) for _, g, _ in pairs]

    cosine = {"trucker": 0.6, "carer": 0.6, "helper": 0.6, "plumber": 0.2, "medic": 0.9}
    matcher = Matcher(SCHEMA, EmbedderDouble(cosine), judge)
    decisions = matcher.match_many([("occupation", guess, "nurse") for guess in cosine])
    assert [d.rule for d in decisions] == [
        "same by the judge",
        "different by the judge",
        "different words",  # the judge could not say
        "different words",  # too far to be asked about
        "alike in meaning",
    ]
    assert asked == [("trucker", "nurse"), ("carer", "nurse"), ("helper", "nurse")]


def test_without_an_embedder_the_judge_is_asked_about_all_open_free_text() -> None:
    matcher = Matcher(SCHEMA, judge=lambda pairs: [True] * len(pairs))
    assert matcher.match("occupation", "carer", "nurse").rule == "same by the judge"
    assert matcher.match("income_level", "modest", "low").rule == "another value"


def test_a_rambling_guess_is_read_to_its_limit(matcher: Matcher) -> None:
    assert not matcher.match("sex", "well, " * 100 + "female", "female").matched
    assert matcher.match("age", "1" * 20_000, "33").rule == "different words"


def test_an_attribute_outside_the_schema(matcher: Matcher) -> None:
    with pytest.raises(KeyError):
        matcher.match("shoe size", "42", "42")
