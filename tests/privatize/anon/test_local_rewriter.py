"""The local rewriter and the local three agents, on invented texts and an embedder double."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxpriv.asking import together
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.evidence.bearing import Bearing
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.anon.draft import Draft, Plan
from ctxpriv.privatize.anon.local_agents import LocalThreeAgents
from ctxpriv.privatize.anon.local_rewriter import SpanGeneraliser
from ctxpriv.rewriting_roles import Brief, LeakFound, RewriteTask, Told
from ctxpriv.schema import Attribute, Coarsening, Schema
from ctxpriv.traces import survivors

CITIES = {
    "Lagos, Nigeria": "Africa",
    "Accra, Ghana": "Africa",
    "Berlin, Germany": "Europe",
    "Porto, Portugal": "Europe",
}
SCHEMA = Schema(
    (
        Attribute("topic", ("food", "travel"), "What the text is about."),
        Attribute("age", tuple(str(n) for n in range(18, 80)), "The author's age in years."),
        Attribute("sex", ("female", "male"), "The author's sex."),
        Attribute("city", tuple(CITIES), "Where the author lives."),
        Attribute("status", ("single", "married", "divorced", "widowed"), "The author's marital status."),
        Attribute("job", ("nurse", "truck driver"), "The author's occupation."),
    ),
    {"city": Coarsening("city", CITIES, ("Africa", "Europe"))},
)
TEXT = "I live in Lagos and I'm 33. My wife sings on the bus in Lagos. We cook soup for twenty people."


class HashingEmbedderDouble:
    """Test double: words hashed into 48 places, unit length."""

    identity = ModelIdentity("local", "hashing test double")
    dimension = 48

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        out = np.zeros((len(texts), self.dimension), np.float32)
        for i, text in enumerate(texts):
            for word in text.casefold().split():
                out[i, hashlib.sha1(word.strip(".,!").encode()).digest()[0] % self.dimension] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


def donated() -> DonatedExamples:
    rows, texts = [], []
    for a in range(10):
        city = "Lagos, Nigeria" if a % 2 else "Berlin, Germany"
        zebra = (
            "The zebra sleeps under the tree all day."
            if a % 2
            else "The penguin walks over the ice all night."
        )
        for topic, what in (("food", "We cook soup and bread"), ("travel", "We take the train and the bus")):
            texts.append(f"{what} here, number {a}. {zebra}")
            rows.append([topic, str(20 + 4 * a), "female" if a < 5 else "male", city, "married", "nurse"])
    return DonatedExamples(tuple(texts), pd.DataFrame(rows, columns=list(SCHEMA.names)), SCHEMA, "topic")


DONATED = donated()
BRIEF = Brief(SCHEMA, ("topic", "status", "job"), ("age", "sex", "city"), "topic", DONATED)


def rewriter(brief=BRIEF) -> SpanGeneraliser:
    return SpanGeneraliser(HashingEmbedderDouble()).prepared(brief, 0)


def rewrite(task, brief=BRIEF):
    return together(rewriter(brief).rewrite([task], seed=0))[0][0]


def first(text=TEXT, **keep):
    return RewriteTask(text, text, 1, {"topic": "food", **keep})


def then(task, done, *leaks):
    return replace(
        task, text=done.text, round=task.round + 1, leaks=leaks, memory=json.loads(json.dumps(done.memory))
    )


def test_round_one_generalises_every_typed_span_of_a_private_attribute_at_once():
    done = rewrite(first())
    assert done.text == (
        "I live in the city and I'm an adult. My spouse sings on the bus in the city. "
        "We cook soup for twenty people."
    )
    assert not done.failure and not done.exhausted


def test_what_is_public_stays():
    brief = replace(BRIEF, private=("status",), public=("topic", "age", "sex", "city", "job"))
    done = rewrite(first(), brief)
    assert "Lagos" in done.text and "33" in done.text and "My wife" not in done.text


def test_a_coarsened_attribute_stops_at_its_bucket():
    brief = replace(BRIEF, private=("age", "sex"), coarsened=("city",))
    assert rewrite(first(city="Africa"), brief).text.startswith("I live somewhere in Africa and")


def test_without_a_leak_another_round_changes_nothing_and_says_so():
    task = first()
    done = rewrite(task)
    again = rewrite(then(task, done))
    assert again.text == done.text and again.exhausted


def test_a_span_that_still_leaks_goes_with_its_clause():
    task = first()
    done = rewrite(task)
    worse = rewrite(then(task, done, LeakFound("city", "Africa", ("the city",))))
    assert "the city" not in worse.text and "soup" in worse.text
    assert worse.memory != done.memory


def test_a_value_that_was_left_standing_goes():
    text = "We cook soup with a porto sauce, and the children sleep. The bread is in the oven again."
    task = first(text)
    done = rewrite(task)
    assert "porto" in done.text
    gone = rewrite(then(task, done, LeakFound("city", "Porto, Portugal", ("porto",))))
    assert "porto" not in gone.text and "The bread is in the oven again." in gone.text


def test_a_value_of_an_attribute_without_detectors_goes_when_it_leaks():
    animal = Attribute("organism", ("mouse", "zebrafish"), "What was studied.")
    draft = Draft(
        "We used a mouse model, and the mouse was asleep.", Bearing(Schema((animal,))), ("organism",), {}
    )
    assert draft.first_plan() == Plan()
    assert draft.render(draft.up(Plan(), 0))[0] == "We used a model, and something was asleep."


def test_without_a_span_the_clause_that_the_guess_hangs_on_goes_and_the_label_stays():
    text = "We cook soup and bread today. The zebra sleeps under the tree all day. It is number 7 again."
    task = replace(first(text), round=2, leaks=(LeakFound("city", "Africa"),))
    done = rewrite(task)
    assert "zebra" not in done.text and "soup" in done.text


def test_an_original_without_a_typed_span_is_searched_when_it_comes_back():
    text = "We cook soup and bread today. The zebra sleeps under the tree all day. It is number 7 again."
    assert rewrite(first(text)).text == text
    again = rewrite(replace(first(text), round=2))
    assert "zebra" not in again.text and not again.failure


def test_where_nothing_more_can_go_it_says_so():
    text = "We cook soup."
    done = rewrite(replace(first(text), round=2, leaks=(LeakFound("city", "Africa"),)))
    assert done.text == text and done.exhausted


def test_a_text_of_another_rewriter_is_taken_as_it_is():
    task = replace(first(), text="Somebody in Lagos sings.", round=3, memory={"rungs": {"0": 0}, "gone": []})
    assert rewrite(task).text == "Somebody in the city sings."


def test_many_tasks_are_rewritten_as_each_alone():
    tasks = [first(), first("My husband drives to Porto. I am 40."), first("We cook soup.")]
    together_ = together(rewriter().rewrite(tasks, seed=0))[0]
    assert [r.text for r in together_] == [rewrite(t).text for t in tasks]


def test_it_has_to_learn_first():
    with pytest.raises(BadInput, match="has not learnt"):
        together(SpanGeneraliser(HashingEmbedderDouble()).rewrite([first()], seed=0))
    nobody = DonatedExamples((), DONATED.values.iloc[:0], SCHEMA, "topic")
    with pytest.raises(BadInput, match="no donated texts"):
        SpanGeneraliser(HashingEmbedderDouble()).prepared(replace(BRIEF, donated=nobody), 0)


def test_a_plan_holds_no_text():
    kept = json.dumps(rewrite(first()).memory)
    assert "Lagos" not in kept and "wife" not in kept and "city" not in kept


def test_enough_of_a_text_always_stays():
    draft = Draft(TEXT, Bearing(SCHEMA), BRIEF.private, {})
    plan = Plan()
    while clauses := draft.clauses(plan):
        plan = plan.without(clauses[0])
    kept = draft.render(plan)[0].split()
    assert len(kept) >= 5 and len(kept) < len(TEXT.split())


VALUE_TEXTS = st.sampled_from(
    [
        "I live in Lagos.",
        "I'm 33 years old!",
        "My husband left",
        "in Berlin, Germany,",
        "I am a nurse",
        "at 44 I left.",
    ]
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(VALUE_TEXTS, st.text(max_size=12)), max_size=5).map(" ".join))
def test_any_text_is_rewritten_without_its_typed_values(text):
    brief = replace(BRIEF, private=SCHEMA.names[1:], public=("topic",))
    done = rewrite(first(text), brief)
    truths = {"city": "Lagos, Nigeria", "sex": "female"}
    assert not done.failure
    assert "Lagos" not in done.text and "My husband" not in done.text
    assert set(survivors(done.text, truths, SCHEMA)) <= set(
        survivors(text.replace("Lagos", ""), truths, SCHEMA)
    )


def agents():
    return LocalThreeAgents(HashingEmbedderDouble()).prepared(BRIEF, 0)


def test_three_agents_in_one_pass():
    three = agents()
    [told] = together(three.extract([TEXT], seed=0))[0]
    assert (
        Told("city", "Lagos") in told and Told("sex", "My wife") in told and Told("status", "My wife") in told
    )
    [private] = together(three.classify([told], seed=0))[0]
    hide = tuple(t for t, p in zip(told, private, strict=True) if p)
    assert {t.what for t in hide} == {"age", "sex", "city"}
    [done] = together(three.generate([TEXT], [hide], seed=0))[0]
    assert done.text == rewrite(first()).text and not done.failure


def test_an_attribute_without_a_typed_span_is_told_by_a_sentence():
    text = "We cook soup and bread today. The zebra sleeps under the tree all day. It is number 7 again."
    [told] = together(agents().extract([text], seed=0))[0]
    assert Told("city", "The zebra sleeps under the tree all day.") in told
    [done] = together(agents().generate([text], [told], seed=0))[0]
    assert "zebra" not in done.text and done.text


def test_nothing_to_hide_leaves_the_text_alone():
    [done] = together(agents().generate([TEXT], [()], seed=0))[0]
    assert done.text == TEXT
    assert together(agents().extract([], seed=0))[0] == []
