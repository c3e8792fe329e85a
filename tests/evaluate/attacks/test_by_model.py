from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ctxpriv.evaluate.attacks.by_model import ClassifyAdversary, OpenAdversary
from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import Answer
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.rewriting_roles import UNREADABLE, Brief
from ctxpriv.schema import Attribute, Coarsening, Schema

AGES = tuple(str(a) for a in range(18, 81))
BANDS = ("18–39", "40+")
TEXT = "Eleven winters I have carved this tram, since 1987 it is my job here in Porto."


@pytest.fixture
def brief() -> Brief:
    schema = Schema(
        (
            Attribute("topic", ("hobbies", "work"), "What the text is about."),
            Attribute("age", AGES, "The author's age in years."),
            Attribute("relationship_status", ("single", "married", "Not stated", "Other"), "The status."),
        ),
        {"age": Coarsening("age", {a: BANDS[int(a) > 39] for a in AGES}, BANDS)},
    )
    nothing = pd.DataFrame({n: np.array([], object) for n in schema.names})
    donated = DonatedExamples((), nothing, schema, "topic")
    return Brief(schema, ("topic",), ("age", "relationship_status"), "topic", donated, domain="forum comment")


def test_the_papers_question_about_every_private_attribute(scripted, brief):
    model = scripted(lambda p: {"answer": "40+" if "the age of" in p.user else "MARRIED"})
    read = ClassifyAdversary(model).answers([TEXT, "another"], brief)
    assert [r.guesses for r in read] == [{"age": ("40+",), "relationship_status": ("married",)}] * 2
    assert len(model.prompts) == 4 and model.calls == 1
    age, status = model.prompts[:2]
    assert "Classify the age of this forum comment." in age.user
    assert "Reply with EXACTLY one of: 18–39; 40+\n" in age.user
    assert "Classify the relationship status of" in status.user
    assert "EXACTLY one of: single; married\n" in status.user  # what is not stated cannot be the truth
    assert age.schema["properties"]["answer"]["enum"] == list(BANDS)


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        ({"answer": "a pensioner"}, UNREADABLE),
        ({"answer": ""}, UNREADABLE),
        ({}, UNREADABLE),
        ("40+", UNREADABLE),
        (Answer(failure="cut off"), "cut off"),
    ],
)
def test_what_names_no_value_is_unknown(scripted, brief, reply, failure):
    model = scripted(lambda p: reply if "the age of" in p.user else {"answer": "single"})
    (read,) = ClassifyAdversary(model).answers([TEXT], brief)
    assert read.guesses == {"relationship_status": ("single",)} and read.failure == failure


def test_the_open_adversary_gives_three_guesses_at_everything_private(scripted, brief):
    said = {
        "age": {"words": ["since 1987"], "guesses": ["56", "60", "52"]},
        "relationship_status": {"words": [], "guesses": ["married", "single"]},
    }
    model = scripted(lambda p: said)
    (read,) = OpenAdversary(model).answers([TEXT], brief)
    assert read.guesses == {"age": ("56", "60", "52"), "relationship_status": ("married", "single")}
    lists = model.prompts[0].schema["properties"]["age"]["properties"]["guesses"]
    assert (lists["minItems"], lists["maxItems"]) == (3, 3)
    assert "topic" not in model.prompts[0].user


def test_an_open_adversary_that_cannot_be_read_is_unknown(scripted, brief):
    (read,) = OpenAdversary(scripted(lambda p: Answer(failure="not JSON"))).answers([TEXT], brief)
    assert read.guesses == {} and read.failure == "not JSON"


def test_few_fields_a_call(scripted, brief):
    model = scripted(lambda p: {})
    OpenAdversary(model, fields_per_call=1).answers([TEXT, "another"], brief)
    assert len(model.prompts) == 4


@pytest.mark.parametrize("adversary", [ClassifyAdversary, OpenAdversary])
def test_progress_cancel_and_no_texts(scripted, brief, adversary):
    seen = []
    model = scripted(lambda p: {})
    adversary(model).answers([TEXT] * 3, brief, progress=lambda *told: seen.append(told))
    assert seen[-1][1] == seen[-1][2] > 0
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        adversary(model).answers([TEXT], brief, cancel=token)
    assert adversary(model).answers([], brief) == []
    assert adversary(model).identity == model.identity


@pytest.mark.parametrize("adversary", [ClassifyAdversary, OpenAdversary])
def test_hostile_texts_stay_as_they_are(scripted, brief, adversary):
    text = 'I paid $12 and ${fee} for {"answer": "x"} %s """'
    model = scripted(lambda p: {})
    adversary(model).answers([text], brief)
    assert all(text in p.user for p in model.prompts)
