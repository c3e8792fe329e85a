from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.features import MAX_VALUES, attributes_from, normalise_name
from ctxpriv.extract.propose import propose_schema
from ctxpriv.models.base import Answer
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Schema

GOOD = {
    "features": [
        {
            "name": "1. Customer's Mood",
            "values": ["calm", "angry"],
            "description": "How they feel.",
            "rationale": "Needed.",
        },
        {
            "name": "product",
            "values": ["card", "loan", "others", "unknown"],
            "description": "What it is about.",
        },
    ]
}


def test_a_well_formed_answer_becomes_a_prompted_schema(scripted):
    model = scripted(lambda prompt: GOOD)
    proposal = propose_schema(model, "complaints to a bank", "find causes", k=2)
    assert proposal.problems == ()
    assert proposal.schema.names == ("customer_s_mood", "product")
    assert proposal.schema["product"].values == ("card", "loan", OTHER, NOT_STATED)
    assert {a.provenance for a in proposal.schema.attributes} == {"prompted"}
    assert "complaints to a bank" in model.prompts[0].user and "find causes" in model.prompts[0].user


def test_donated_examples_are_shown_and_nothing_else(scripted):
    schema = Schema((Attribute("a", ("x",)),))
    donated = DonatedExamples(("costs $5 {today}",), pd.DataFrame({"a": ["x"]}), schema)
    model = scripted(lambda prompt: GOOD)
    propose_schema(model, "d", "w", k=2, examples=donated)
    assert "costs $5 {today}" in model.prompts[0].user


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


def test_stepwise_asks_for_the_values_of_each_name(scripted):
    def reply(prompt):
        if "values" in prompt.schema["properties"]:
            return {"values": ["low", "high"]} if '"tone"' in prompt.user else Answer(failure="cut off")
        return {"features": [{"name": n, "description": "d", "rationale": "r"} for n in ("tone", "length")]}

    proposal = propose_schema(scripted(reply), "d", "w", k=2, stepwise=True)
    assert proposal.schema.names == ("tone",)
    assert "Asking for the values of 'length' failed: cut off." in proposal.problems


def test_an_answer_that_breaks_its_schema_is_still_read(scripted):
    broken = Answer(text='```json\n[{"name": "x", "values": ["a", "b"]}]\n```', failure="schema violated")
    assert propose_schema(scripted(lambda p: broken), "d", "w", k=1).schema.names == ("x",)


def test_a_useless_model_and_empty_descriptions_are_errors(scripted):
    with pytest.raises(ModelFailed, match="timed out"):
        propose_schema(scripted(lambda p: Answer(failure="timed out")), "d", "w")
    with pytest.raises(BadInput, match="workload"):
        propose_schema(scripted(lambda p: GOOD), "d", "  ")


def test_names_are_plain():
    assert normalise_name("Feature 3: Call-Purpose (main)") == "call_purpose_main"
