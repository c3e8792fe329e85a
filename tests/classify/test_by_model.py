from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.classify.by_model import ModelClassifier
from ctxpriv.context import Audience, CorpusContext, Flow, ReleaseContext, partition_from
from ctxpriv.errors import BadInput
from ctxpriv.models.base import Answer
from ctxpriv.schema import Attribute, Coarsening, Schema

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


def with_buckets(*names):
    schema = SCHEMA
    for name in names:
        buckets = dict.fromkeys(schema[name].values, "a secret bucket")
        schema = schema.with_coarsening(Coarsening(name, buckets, ("a secret bucket",)))
    return schema


@pytest.mark.parametrize("one_by_one", [False, True])
def test_coarsened_is_offered_where_there_are_buckets_and_their_names_are_not_shown(scripted, one_by_one):
    def reply(prompt):
        forms = {"age": prompt.schema} if one_by_one else prompt.schema["properties"]
        answers = {
            n: {"reason": "r", "decision": f["properties"]["decision"]["enum"][1]} for n, f in forms.items()
        }
        return answers["age"] if one_by_one else answers

    model = scripted(reply)
    judgements = ModelClassifier(model, one_by_one=one_by_one).classify(with_buckets("age"), CONTEXT)
    assert [j.side for j in judgements] == ["coarsened", "public", "public", "public"]
    assert not any("secret" in p.user + p.system or "nobody may see" in p.user for p in model.prompts)
    partition_from("ads", judgements).check(with_buckets("age"))
    general = [p for p in model.prompts if "general form" in p.user]
    assert len(general) == 3  # once a sample: of all attributes, or of the one with buckets
    assert one_by_one or "About age. (has a general form)\n" in general[0].user + "\n"


def test_coarsened_without_buckets_is_private_and_says_what_is_missing(scripted):
    model = scripted(lambda p: judged(age="public when coarsened"))
    [age] = ModelClassifier(model).classify(SCHEMA.only(["age"]), CONTEXT)
    assert age.side == "private" and age.samples == 3 and "no buckets" in age.reason


def test_the_flow_is_what_was_told_and_what_the_model_says_it_used(scripted):
    said = {
        "information_type": "exact age",
        "transmission_principle": "",
        "reason": "r",
        "decision": "private",
    }
    [age] = ModelClassifier(scripted(lambda p: {"age": said})).classify(SCHEMA.only(["age"]), CONTEXT)
    assert age.flow == Flow(
        "forum writers",
        "the forum",
        "an advertising company",
        "exact age",
        "terms of use",
        "targeted advertising",
    )
    [age] = ModelClassifier(
        scripted(lambda p: {"age": {**said, "transmission_principle": "with consent"}})
    ).classify(SCHEMA.only(["age"]), ReleaseContext(Audience("ads", "", ""), CorpusContext()))
    assert age.flow == Flow(recipient="ads", information="exact age", principle="with consent")


def test_many_flows_are_asked_in_one_batch_and_as_if_alone(scripted):
    other = ReleaseContext(Audience("lab", "researchers", "research"), CorpusContext())

    def reply(prompt):
        if "researchers" in prompt.user:
            return judged(**dict.fromkeys(prompt.schema["properties"], "public"))
        return all_private_but_topic(prompt)

    model = scripted(reply)
    flows = [(SCHEMA, CONTEXT), (SCHEMA.only(["age"]), other)]
    first, second = ModelClassifier(model).classify_flows(flows, samples=2)
    assert model.calls == 1 and len(model.prompts) == 4
    assert first == ModelClassifier(model).classify(SCHEMA, CONTEXT, samples=2)
    assert [(j.attribute, j.side) for j in second] == [("age", "public")]


def test_one_by_one_asks_for_each_attribute(scripted):
    def reply(prompt):
        private = '"topic"' not in prompt.user
        return {"reason": "r", "decision": "private" if private else "public"}

    model = scripted(reply)
    judgements = ModelClassifier(model, one_by_one=True).classify(SCHEMA, CONTEXT, samples=2)
    assert len(model.prompts) == 8
    assert [j.attribute for j in judgements if not j.private] == ["topic"]
    partition_from("ads", judgements).check(SCHEMA)


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


def test_zero_samples_are_refused(scripted):
    with pytest.raises(BadInput, match="at least one sample"):
        ModelClassifier(scripted(all_private_but_topic)).classify(SCHEMA, CONTEXT, samples=0)


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
    partition_from("ads", judgements).check(SCHEMA)
    assert all(j.private for j in judgements if j.samples == 0)
