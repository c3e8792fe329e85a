from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import ModelFailed
from ctxpriv.extract.dp_strings import document_frequencies, kind_of_fact, strings_per_record
from ctxpriv.models.base import Answer

SETTINGS = {"description": "letters", "at_most": 5, "guided": False}

names = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(st.lists(names, max_size=12), names, st.integers(1, 6))
@settings(deadline=None, max_examples=50)
def test_one_record_moves_at_most_so_many_counts_by_one_each(others, own, at_most):
    without = document_frequencies(others, at_most)
    with_it = document_frequencies([*others, own], at_most)
    moved = {name: with_it[name] - without.get(name, 0) for name in with_it}
    assert set(moved.values()) <= {0, 1}
    assert sum(moved.values()) == min(len(set(own)), at_most)
    assert without.keys() <= with_it.keys()


def test_a_record_with_fifty_strings_contributes_five():
    counts = document_frequencies([[f"s{i}" for i in range(50)], ["s0", "s0"]], 5)
    assert counts == {"s0": 2, "s1": 1, "s2": 1, "s3": 1, "s4": 1}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("The Home Prices", "home_price"),
        ("1. Tone", "tone"),
        ("relationship status", "relationship_status"),
        ("Loss", "loss"),
        ("hobbies", "hobby"),
        ("kind of text", "kind_text"),
        ("the person is thirty four years old", ""),
        (" - ", ""),
    ],
)
def test_strings_are_brought_to_one_short_form(raw, name):
    assert kind_of_fact(raw) == name


@given(st.text(max_size=40))
@settings(deadline=None, max_examples=50)
def test_no_string_breaks_the_reading(raw):
    name = kind_of_fact(raw)
    assert name == name.strip() and len(name) <= 61


def test_broken_answers_are_failures_and_disobedient_ones_are_clipped(scripted):
    replies = {
        "one": {"kinds": ["Age", "age", "The Ages", "tone", "a", "b1", "c1", "d1", "e1", "f1"]},
        "two": Answer(failure="cut off"),
        "three": Answer(text="nonsense", failure="schema violated"),
        "four": {"kinds": "age"},
        "five": {"kinds": []},
    }
    model = scripted(lambda p: next(r for text, r in replies.items() if f'"""\n{text}\n"""' in p.user))
    got = strings_per_record(tuple(replies), model, **SETTINGS)
    assert got.strings == (("age", "tone", "b1", "c1", "d1"), (), (), (), ())
    assert got.failures == 3
    assert "letters" in model.prompts[0].user


def test_a_model_that_answers_nothing_is_an_error(scripted):
    with pytest.raises(ModelFailed, match="any of 2 texts") as failed:
        strings_per_record(
            ("secret one", "secret two"), scripted(lambda p: Answer(failure="empty")), **SETTINGS
        )
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize("guided", [False, True])
def test_what_is_asked_of_a_text_does_not_depend_on_the_others(scripted, guided):
    texts = ("alpha " * 30, "beta " * 30, "gamma " * 30)
    asked = []
    for some in (texts, texts[1:], texts[::-1]):
        model = scripted(lambda p: {"kinds": ["age"]})
        strings_per_record(some, model, **{**SETTINGS, "guided": guided})
        asked.append(next(p for p in model.prompts if "beta" in p.user))
    assert asked[0] == asked[1] == asked[2]


def test_guided_keeps_names_of_the_list_only(scripted):
    model = scripted(lambda p: {"names": ["kind_of_text", "invented", "age", "age"]})
    got = strings_per_record(("x",), model, **{**SETTINGS, "guided": True})
    assert got.strings == (("kind_of_text", "age"),)


def test_a_long_text_is_cut_to_the_context(scripted):
    model = scripted(lambda p: {"kinds": ["age"]})
    model.context_tokens = 900
    strings_per_record(("word " * 5000,), model, **SETTINGS)
    assert model.count_tokens(model.prompts[0].user) + model.prompts[0].max_tokens <= 900
