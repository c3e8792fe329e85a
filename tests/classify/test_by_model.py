from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.classify.by_model import ModelClassifier, majority, read_judgements
from ctxpriv.context import Audience, CorpusContext, ReleaseContext, partition_from
from ctxpriv.errors import BadInput
from ctxpriv.models.base import Answer
from ctxpriv.schema import Attribute, Schema

NAMES = ("age", "city_country", "topic", "word_count")
SCHEMA = Schema(tuple(Attribute(n, ("a value nobody may see", "x"), f"About {n}.") for n in NAMES))
CONTEXT = ReleaseContext(
    Audience("ads", "an advertising company", "targeted advertising"),
    CorpusContext("forum writers", "the forum", "terms of use"),
)


def judged(**decisions):
    return {n: {"reason": f"because {n}", "decision": d} for n, d in decisions.items()}


def all_private_but_topic(prompt):
    return judged(**{n: "public" if n == "topic" else "private" for n in prompt.schema["properties"]})


def test_the_prompt_holds_names_descriptions_and_context_but_no_value(scripted):
    model = scripted(all_private_but_topic)
    judgements = ModelClassifier(model).classify(SCHEMA, CONTEXT)
    assert [j.attribute for j in judgements] == list(NAMES)
    assert [j.private for j in judgements] == [True, True, False, True]
    assert all(j.agreement == 1 and j.samples == 3 for j in judgements)
    assert judgements[2].reason == "because topic"
    for said in (
        "About age.",
        "an advertising company",
        "targeted advertising",
        "forum writers",
        "terms of use",
    ):
        assert said in model.prompts[0].user
    assert not any("nobody may see" in p.user + p.system for p in model.prompts)


def test_samples_differ_in_order_and_seed(scripted):
    model = scripted(all_private_but_topic)
    ModelClassifier(model).classify(SCHEMA, CONTEXT, samples=5)
    orders = {tuple(p.schema["properties"]) for p in model.prompts}
    assert len(orders) > 1 and all(sorted(o) == sorted(NAMES) for o in orders)
    assert len({p.seed for p in model.prompts}) == 5


def test_one_by_one_asks_for_each_attribute(scripted):
    def reply(prompt):
        private = '"topic"' not in prompt.user
        return {"reason": "r", "decision": "private" if private else "public"}

    model = scripted(reply)
    judgements = ModelClassifier(model, one_by_one=True).classify(SCHEMA, CONTEXT, samples=2)
    assert len(model.prompts) == 8
    assert [j.attribute for j in judgements if not j.private] == ["topic"]
    partition_from("ads", judgements).check(NAMES)


def test_majority_wins_and_ties_are_private(scripted):
    answers = iter(
        [
            judged(age="public", topic="public"),
            judged(age="private", topic="public"),
            judged(age="public", topic="private"),
            judged(age="private"),
        ]
    )
    schema = SCHEMA.only(["age", "topic"])
    age, topic = ModelClassifier(scripted(lambda p: next(answers))).classify(schema, CONTEXT, samples=4)
    assert age.private and age.agreement == 0.5 and "split evenly" in age.reason and age.samples == 4
    assert not topic.private and topic.agreement == pytest.approx(2 / 3) and topic.samples == 3


def test_no_usable_answer_is_private_and_says_so(scripted):
    judgements = ModelClassifier(scripted(lambda p: Answer(failure="cut off"))).classify(SCHEMA, CONTEXT)
    assert all(j.private and j.samples == 0 and "3 × cut off" in j.reason for j in judgements)


def test_a_schema_breaking_answer_still_counts_where_it_can_be_read(scripted):
    text = json.dumps(
        [{"attribute": "Age", "decision": "PUBLIC"}, {"attribute": "topic", "decision": "maybe"}]
    )
    model = scripted(lambda p: Answer(text=text, failure="schema violated"))
    age, topic = ModelClassifier(model).classify(SCHEMA.only(["age", "topic"]), CONTEXT)
    assert not age.private and age.samples == 3
    assert topic.private and topic.samples == 0


def test_contradictions_within_one_answer_are_not_used():
    items = [{"attribute": "age", "decision": d} for d in ("public", "private")]
    assert read_judgements(items, ["age"]) == {}
    assert read_judgements({"judgements": [items[0]]}, ["age"]) == {"age": (False, "")}


def test_zero_samples_are_refused(scripted):
    with pytest.raises(BadInput, match="at least one sample"):
        ModelClassifier(scripted(all_private_but_topic)).classify(SCHEMA, CONTEXT, samples=0)


@given(st.lists(st.booleans(), min_size=1, max_size=9))
@settings(deadline=None, max_examples=50)
def test_majority_is_the_majority_with_ties_private(votes):
    judgement = majority("a", [(v, "r") for v in votes])
    count = Counter(votes)
    assert judgement.private == (count[True] >= count[False])
    assert judgement.agreement == count[judgement.private] / len(votes) >= 0.5


junk = st.recursive(
    st.none() | st.integers() | st.text(max_size=6) | st.sampled_from(["private", "public"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*NAMES, "attribute", "decision", "reason"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(junk, min_size=3, max_size=3), st.booleans())
@settings(deadline=None, max_examples=50)
def test_every_attribute_is_judged_exactly_once_whatever_comes(replies, one_by_one):
    from types import SimpleNamespace

    def complete(prompts, **_):
        return [Answer(text=json.dumps(r), parsed=r) for r in (replies * len(prompts))[: len(prompts)]]

    model = SimpleNamespace(identity=None, complete=complete)
    judgements = ModelClassifier(model, one_by_one=one_by_one).classify(SCHEMA, CONTEXT)
    assert tuple(j.attribute for j in judgements) == NAMES
    partition_from("ads", judgements).check(NAMES)
    assert all(j.private for j in judgements if j.samples == 0)
