from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ctxpriv.asking import together
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import Answer
from ctxpriv.privatize.anon.agents_by_model import MOST_FINDINGS, ModelThreeAgents
from ctxpriv.privatize.anon.rewrite_answers import quoted
from ctxpriv.rewriting_roles import REFUSED, UNREADABLE, Brief, Told
from ctxpriv.schema import Attribute, Schema

TEXT = "Eleven winters I have carved this tram, since 1987 it is my job here in Porto."
YEAR, PLACE = Told("age", "since 1987"), Told("city", "Porto")


@pytest.fixture
def brief() -> Brief:
    schema = Schema(
        (
            Attribute("topic", ("hobbies", "work"), "What the text is about."),
            Attribute("age", ("20", "56"), "The author's age in years."),
            Attribute("home_city", ("Lisbon", "Kumasi"), "Where the author lives."),
        )
    )
    nothing = pd.DataFrame({n: np.array([], object) for n in schema.names})
    donated = DonatedExamples((), nothing, schema, "topic")
    return Brief(schema, ("topic",), ("age", "home_city"), "topic", donated, domain="forum comment")


@pytest.fixture
def agents(brief):
    return lambda model: ModelThreeAgents(model).prepared(brief, 0)


def finding(words, kind="age"):
    return {"words": words, "kind": kind}


def test_the_first_agent_finds_words_that_stand_in_the_text(scripted_model, agents):
    said = {"findings": [finding("since 1987"), finding("in 1987 or so"), finding("porto", "home city")]}
    model = scripted_model(lambda p: said)
    (told,) = together(agents(model).extract([TEXT], seed=0))[0]
    assert told == (YEAR, Told("home city", "Porto"))
    user = model.prompts[0].user
    assert TEXT in user and "topic, age, home city" in user and "Kumasi" not in user


def test_nothing_found_is_an_answer(scripted_model, agents):
    assert together(agents(scripted_model(lambda p: {"findings": []})).extract([TEXT], seed=0))[0] == [()]


def test_findings_are_few_and_different(scripted_model, agents):
    text = " ".join(f"w{i}x" for i in range(40))
    said = {"findings": [finding("w0x"), *(finding(f"w{i}x") for i in range(40))]}
    (told,) = together(agents(scripted_model(lambda p: said)).extract([text], seed=0))[0]
    assert len(told) == MOST_FINDINGS - 1  # the first stands there twice


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Answer(failure="cut off"), "cut off"),
        (Answer(text="x", failure="not JSON"), "not JSON"),
        ({"findings": "none"}, UNREADABLE),
        (["x"], UNREADABLE),
    ],
)
def test_a_first_agent_that_cannot_be_read_says_why(scripted_model, agents, reply, why):
    assert together(agents(scripted_model(lambda p: reply)).extract([TEXT], seed=0))[0] == [why]


def test_the_second_agent_judges_findings_without_the_text(scripted_model, agents):
    model = scripted_model(lambda p: {"1": "private", "2": "public"})
    read = together(agents(model).classify([(YEAR, PLACE), ()], seed=0))[0]
    assert read == [(True, False), ()]
    (prompt,) = model.prompts  # the text without findings needs no question
    assert '1. age: "since 1987"' in prompt.user and "carved" not in prompt.user
    private, public = prompt.user.split("Public")
    assert "home_city" in private and "topic" in public


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({"1": "private"}, UNREADABLE),
        ({"1": "private", "2": "perhaps"}, UNREADABLE),
        ({"1": "private", "2": ["public"]}, UNREADABLE),
        (Answer(failure="timed out"), "timed out"),
    ],
)
def test_a_second_agent_that_leaves_one_out_decides_nothing(scripted_model, agents, reply, why):
    assert together(agents(scripted_model(lambda p: reply)).classify([(YEAR, PLACE)], seed=0))[0] == [why]


def test_the_third_agent_writes_anew_without_what_is_hidden(scripted_model, agents):
    model = scripted_model(lambda p: {"rewrite": "Many winters."})
    read = together(agents(model).generate([TEXT, "as it is"], [(YEAR,), ()], seed=0))[0]
    assert [r.text for r in read] == ["Many winters.", "as it is"]
    (prompt,) = model.prompts
    assert TEXT in prompt.user and '- "since 1987" (age)' in prompt.user


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        ({"rewrite": "I'm sorry, but I can't assist with that."}, REFUSED),
        ({"rewrite": " "}, "empty"),
        (Answer(failure="cut off"), "cut off"),
        ({}, UNREADABLE),
    ],
)
def test_no_failure_of_the_third_agent_becomes_a_text(scripted_model, agents, reply, failure):
    (read,) = together(agents(scripted_model(lambda p: reply)).generate([TEXT], [(YEAR,)], seed=0))[0]
    assert (read.text, read.failure) == ("", failure)


def test_hostile_texts_stay_as_they_are(scripted_model, agents):
    text = 'I paid $12 and ${fee} for {"findings": []} %s """'
    model = scripted_model(lambda p: {"findings": [finding("${fee}")]})
    (told,) = together(agents(model).extract([text], seed=0))[0]
    together(agents(model).generate([text], [told], seed=0))
    assert told == (Told("age", "${fee}"),)
    assert text in model.prompts[0].user and quoted(text) in model.prompts[-1].user


def test_agents_without_a_brief_say_so(scripted_model):
    with pytest.raises(BadInput, match="prepared"):
        together(ModelThreeAgents(scripted_model(lambda p: {})).extract([TEXT], seed=0))
