from __future__ import annotations

import re

import pytest

from ctxpriv.extract.features import attributes_from, normalise_name
from ctxpriv.extract.menu import catalogue, listed_strings, menu_prompt, most_chosen
from ctxpriv.models.base import Answer


def test_every_entry_of_the_catalogue_is_a_usable_feature():
    attributes, problems = attributes_from(list(catalogue().values()), 100)
    assert [a.name for a in attributes] == list(catalogue())
    assert problems == []
    assert all(3 <= len(a.values) <= 16 and a.description.endswith(".") for a in attributes)
    assert all(normalise_name(name) == name for name in catalogue())


def test_the_order_is_shuffled_by_the_seed_alone():
    first, same, other = (menu_prompt("schema_menu", "x", 5, seed) for seed in (1, 1, 2))
    assert first == same
    assert first.user != other.user and first.schema == other.schema
    assert all(re.search(rf"\b{name}\b", first.user) for name in catalogue())


@pytest.mark.parametrize(
    ("answer", "strings"),
    [
        (Answer(parsed={"names": ["age", 3, "tone"]}), ["age", "tone"]),
        (Answer(parsed=["age"]), ["age"]),
        (Answer(text='["age"]', failure="schema violated"), ["age"]),
        (Answer(text='["age"', failure="not JSON"), None),
        (Answer(parsed={"names": "age"}), None),
        (Answer(parsed={}), None),
        (Answer(parsed={"names": []}), []),
        (Answer(failure="timed out"), None),
    ],
)
def test_strings_are_read_from_whatever_came(answer, strings):
    assert listed_strings(answer) == strings


def test_an_answer_votes_once_for_a_name_and_only_for_names_on_the_list():
    answers = [
        Answer(parsed={"names": names})
        for names in (["age", "age", "age"], ["tone", "nothing_known"], ["tone"], ["topic"])
    ]
    assert most_chosen(answers, 2) == ["tone", "topic"]  # topic and age tie: the catalogue's order
    assert most_chosen([Answer(failure="cut off")], 2) == []
