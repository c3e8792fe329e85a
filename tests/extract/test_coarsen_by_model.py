from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import ModelFailed
from ctxpriv.extract.coarsen_by_model import bucket_names, propose_coarsening
from ctxpriv.extract.levels import OTHER_VALUES
from ctxpriv.models.base import Answer
from ctxpriv.schema import MAX_BUCKETS, NOT_STATED, Attribute, Schema

JOBS = Attribute(
    "job", tuple(f"nurse {i}" for i in range(15)) + tuple(f"cook {i}" for i in range(15)) + (NOT_STATED,)
)


def sorting(prompt):
    if "groups" in prompt.schema["properties"]:
        return {"groups": ["Care", "Food", "care", "Other"]}
    lines = [line for line in prompt.user.splitlines() if line[:1].isdigit()]
    return {line.split(".")[0]: "Care" if "nurse" in line else "Food" for line in lines}


def test_values_are_sorted_into_named_buckets(scripted):
    model = scripted(sorting)
    coarsening = propose_coarsening(model, JOBS)
    assert coarsening.buckets == ("Care", "Food", NOT_STATED) and coarsening.origin == "model"
    assert len(coarsening.members("Care")) == 15 and coarsening.members(OTHER_VALUES) == ()
    assert NOT_STATED not in model.prompts[0].user.splitlines()
    Schema((JOBS,)).with_coarsening(coarsening)


def test_what_the_model_leaves_out_goes_to_other_values(scripted):
    def reply(prompt):
        answer = sorting(prompt)
        return (
            answer
            if "groups" in answer
            else {k: v for k, v in answer.items() if v == "Care"} or Answer(failure="cut off")
        )

    coarsening = propose_coarsening(scripted(reply), JOBS)
    assert coarsening.members(OTHER_VALUES) == tuple(f"cook {i}" for i in range(15))
    assert coarsening.buckets == ("Care", OTHER_VALUES, NOT_STATED)


@pytest.mark.parametrize(
    "reply", [lambda p: Answer(failure="timed out"), lambda p: {"groups": ["Other", ""]}]
)
def test_no_bucket_is_an_error(scripted, reply):
    with pytest.raises(ModelFailed, match="named no bucket"):
        propose_coarsening(scripted(reply), JOBS)


def test_no_sorted_value_is_an_error(scripted):
    with pytest.raises(ModelFailed, match="sorted no value"):
        propose_coarsening(scripted(lambda p: {"groups": ["A", "B"]}), JOBS)


@given(
    st.lists(st.one_of(st.text(max_size=4), st.integers(0, 3)), max_size=9),
    st.lists(st.sampled_from(["a", "B", "x", "Other values", None]), min_size=31, max_size=31),
)
@settings(deadline=None, max_examples=50)
def test_all_values_covered_by_at_most_five_buckets(names, choices):
    from types import SimpleNamespace

    def complete(prompts, **_):
        if "groups" in prompts[0].schema["properties"]:
            return [Answer(parsed={"groups": ["a", "b", *names]})]
        return [Answer(parsed={str(i + 1): c for i, c in enumerate(choices)}) for _ in prompts]

    model = SimpleNamespace(identity=SimpleNamespace(name="double"), complete=complete)
    try:
        coarsening = propose_coarsening(model, JOBS)
    except ModelFailed:
        assert not {"a", "B"} & set(choices[:20])
        return
    assert set(coarsening.mapping) == set(JOBS.values)
    assert len(coarsening.buckets) <= MAX_BUCKETS
    Schema((JOBS,)).with_coarsening(coarsening)


def test_bucket_names_are_distinct_and_limited():
    assert bucket_names(["A", "a ", "", "not stated", "Others", "B", "C", {}], 2) == ("A", "B")
    assert bucket_names("nonsense", 3) == ()


def test_a_bucket_that_is_named_like_a_value_holds_it(scripted):
    """Else a record with the bucket "nurse 0" would be read as one with the value."""

    def reply(prompt):
        if "groups" in prompt.schema["properties"]:
            return {"groups": ["nurse 0", "Food"]}
        return dict.fromkeys(prompt.schema["properties"], "Food")

    coarsening = propose_coarsening(scripted(reply), JOBS)
    assert coarsening.members("nurse 0") == ("nurse 0",) and not coarsening.misleading
