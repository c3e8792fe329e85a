from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.extract.by_model import LONG_DOMAIN, NONE_OF_THESE, ModelExtractor
from ctxpriv.extract.word_count import word_count_attribute, word_count_bins
from ctxpriv.models.base import Answer
from ctxpriv.schema import NOT_APPLICABLE, NOT_STATED, OTHER, Attribute, Coarsening, Schema

SEX = Attribute("sex", ("female", "male", NOT_STATED))
JOB = Attribute("job", ("nurse", "baker", OTHER))
CITIES = Attribute("city", tuple(f"city {i}" for i in range(120)) + (NOT_STATED,))


def test_every_text_is_asked_on_its_own_with_enumerations(scripted):
    model = scripted(lambda p: {"sex": "female" if "anna" in p.user else "male", "job": "nurse"})
    got = ModelExtractor(model).extract(["anna works", "otto bakes"], Schema((SEX, JOB)))
    assert got.values.to_dict("list") == {"sex": ["female", "male"], "job": ["nurse", "nurse"]}
    assert got.failures == () and got.outside == {}
    assert len(model.prompts) == 2
    assert model.prompts[0].schema["properties"]["job"]["enum"] == list(JOB.values)
    assert "otto bakes" not in model.prompts[0].user
    assert model.prompts[0].seed != model.prompts[1].seed


def test_failures_name_the_row_and_never_the_text(scripted):
    model = scripted(
        lambda p: Answer(failure="cut off", attempts=3) if "secret" in p.user else {"sex": "male"}
    )
    got = ModelExtractor(model).extract(["a", "secret"], Schema((SEX,)))
    assert [(f.row, f.why) for f in got.failures] == [(1, "cut off")]
    assert got.values["sex"].tolist() == ["male", NOT_STATED]
    assert got.retries == 2


def test_foreign_values_are_mapped_by_rule_and_counted(scripted):
    said = {"sex": "FEMALE.", "job": "astronaut"}
    model = scripted(lambda p: Answer(text=json.dumps(said), failure="schema violated", attempts=3))
    got = ModelExtractor(model).extract(["a"], Schema((SEX, JOB)))
    assert got.values.iloc[0].to_dict() == {"sex": "female", "job": OTHER}
    assert got.outside == {"job": 1} and got.failures == ()


def test_what_does_not_apply_is_not_merely_unstated(scripted):
    """A conditional feature (paper App. A.1) has a value of its own for it."""
    breed = Attribute("breed", ("poodle", NOT_APPLICABLE, NOT_STATED))
    said = {"a": "N/A", "b": "Not applicable", "c": "unknown"}
    model = scripted(lambda p: {"breed": next(v for k, v in said.items() if f"\n{k}\n" in p.user)})
    got = ModelExtractor(model).extract(["a", "b", "c"], Schema((breed,)))
    assert got.values["breed"].tolist() == [NOT_APPLICABLE, NOT_APPLICABLE, NOT_STATED]
    assert got.outside == {}


def test_a_foreign_value_without_a_place_is_a_failure(scripted):
    topic = Attribute("topic", ("food", "travel"))
    model = scripted(lambda p: Answer(text='{"topic": "war"}', failure="schema violated"))
    got = ModelExtractor(model).extract(["a"], Schema((topic,)))
    assert got.failures[0].row == 0 and got.outside == {"topic": 1}
    assert got.values["topic"].tolist() == ["food"]


def test_a_field_left_out_is_a_failure(scripted):
    got = ModelExtractor(scripted(lambda p: {"sex": "male"})).extract(["a"], Schema((SEX, JOB)))
    assert got.failures[0].why == "no answer for job"
    assert got.values["job"].tolist() == [OTHER]


def test_fields_per_call_splits_the_form(scripted):
    model = scripted(lambda p: {n: s["enum"][0] for n, s in p.schema["properties"].items()})
    got = ModelExtractor(model, fields_per_call=1).extract(["a", "b"], Schema((SEX, JOB)))
    assert len(model.prompts) == 4 and got.failures == ()
    assert got.values["job"].tolist() == ["nurse", "nurse"]


def test_a_long_domain_goes_through_its_buckets(scripted):
    mapping = {v: "low" if v in CITIES.values[:30] else "high" for v in CITIES.values[:-1]}
    coarsening = Coarsening("city", {**mapping, NOT_STATED: NOT_STATED}, ("low", "high", NOT_STATED))
    asked = []

    def reply(prompt):
        options = prompt.schema["properties"]["city"]["enum"]
        asked.append(len(options))
        if "nowhere" in prompt.user:
            return {"city": NOT_STATED}
        return {"city": "low" if "low" in options else "city 7"}

    schema = Schema((CITIES,)).with_coarsening(coarsening)
    got = ModelExtractor(scripted(reply)).extract(["seven", "nowhere"], schema)
    assert got.values["city"].tolist() == ["city 7", NOT_STATED]
    # Three buckets for both texts, then the 30 members for one; `Not stated` is decided at once.
    assert asked == [3, 3, 30] and got.failures == ()


def test_a_long_domain_without_buckets_is_asked_in_groups(scripted):
    def reply(prompt):
        options = prompt.schema["properties"]["city"]["enum"]
        assert len(options) <= LONG_DOMAIN
        return {"city": "city 60" if "sixty" in prompt.user and "city 60" in options else NONE_OF_THESE}

    model = scripted(reply)
    got = ModelExtractor(model).extract(["sixty", "none"], Schema((CITIES,)))
    assert got.values["city"].tolist() == ["city 60", NOT_STATED]
    assert got.failures == ()
    assert len(model.prompts) == 2 + 3  # the second group holds city 60; 121 values make 3 groups


answers = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=5),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(
        st.sampled_from(["sex", "job", "age"]), st.one_of(st.none(), st.text(max_size=6)), max_size=3
    ),
)


@given(st.lists(answers, min_size=1, max_size=6))
@settings(deadline=None, max_examples=50)
def test_values_stay_inside_the_domains_whatever_comes(replies):
    from types import SimpleNamespace

    model = SimpleNamespace(
        identity=None,
        complete=lambda prompts, **_: [Answer(text=json.dumps(r), parsed=r) for r in replies],
    )
    got = ModelExtractor(model).extract(["t"] * len(replies), Schema((SEX, JOB)))
    assert len(got.values) == len(replies)
    for attribute in (SEX, JOB):
        assert set(got.values[attribute.name]) <= set(attribute.values)


def test_no_texts_make_no_call(scripted):
    model = scripted(lambda p: 1 / 0)
    assert len(ModelExtractor(model).extract([], Schema((SEX,))).values) == 0
    assert model.prompts == []


def test_words_are_counted_and_not_asked(scripted):
    counted = word_count_attribute(word_count_bins([]))
    model = scripted(lambda p: {"sex": "male"})
    got = ModelExtractor(model).extract(["a b c", "a " * 60], Schema((SEX, counted)))
    assert got.values["word_count"].tolist() == ["under 25 words", "50–99 words"]
    assert "word_count" not in model.prompts[0].user and got.failures == ()


def test_a_shuffled_reading_shows_the_same_form_in_other_orders(scripted):
    model = scripted(lambda p: {n: s["enum"][0] for n, s in p.schema["properties"].items()})
    letters = Attribute("letter", tuple("abcdefghij"))
    texts = [f"text {i}" for i in range(8)]
    got = ModelExtractor(model, shuffled=True).extract(texts, Schema((SEX, letters)))
    orders = [tuple(p.schema["properties"]["letter"]["enum"]) for p in model.prompts]
    assert all(sorted(o) == list("abcdefghij") for o in orders) and len(set(orders)) > 4
    assert {tuple(p.schema["properties"]) for p in model.prompts} == {("sex", "letter"), ("letter", "sex")}
    # A reader that always takes the first value contradicts itself, and is found out.
    assert got.values["letter"].nunique() > 2
    again = ModelExtractor(model, shuffled=True).extract(texts, Schema((SEX, letters)))
    assert again.values.equals(got.values)


def test_calls_and_answers_from_the_cache_are_counted(scripted):
    said = json.dumps({"sex": "male"})
    model = scripted(lambda p: Answer(said, {"sex": "male"}, cached="old" in p.user))
    got = ModelExtractor(model).extract(["old", "new"], Schema((SEX,)))
    assert (got.calls, got.cached) == (2, 1)
