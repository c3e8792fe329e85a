from __future__ import annotations

import pandas as pd
import pytest

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.propose import propose_schema
from ctxpriv.models.base import Answer, ModelIdentity
from ctxpriv.models.weights import SMOLLM2
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
    assert (proposal.way, proposal.reads_private) == ("prompted", False)
    assert (proposal.epsilon, proposal.delta, proposal.rho) == (0, 0, 0)
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


def test_the_question_asks_for_what_the_paper_asks_for(scripted):
    """App. A.1: general and domain features, hierarchy, listed values, none that is trivial."""
    model = scripted(lambda prompt: GOOD)
    propose_schema(model, "d", "w", k=2)
    question = model.prompts[0].user
    for asked in (
        "exactly 2 columns",
        "any kind of text",
        "this particular field",
        '"Not Applicable"',
        "2 to 50 values",
        '"Other"',
        "fit only one example",
        "why the purpose needs it",
    ):
        assert asked in question  # fmt: skip


def test_the_embedded_stand_in_chooses_from_the_list_and_others_do_when_told(scripted):
    def chooses(prompt):
        return {"names": ["tone", "age"] if "names" in prompt.schema["properties"] else []}

    stand_in = scripted(chooses)
    stand_in.identity = ModelIdentity("openvino", SMOLLM2.name)
    for model, guided in ((stand_in, None), (scripted(chooses), True)):
        proposal = propose_schema(model, "letters", "w", k=3, guided=guided)
        assert proposal.schema.names == ("tone", "age")
        assert "chose from the list" in proposal.problems[0]
        assert "2 of the 3 features asked for" in proposal.problems[-1]
        assert all("letters" in p.user for p in model.prompts)
    with pytest.raises(ModelFailed):
        propose_schema(scripted(chooses), "letters", "w", k=3)
