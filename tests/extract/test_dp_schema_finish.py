from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.extract.dp_schema_finish import clusters, finish
from ctxpriv.extract.menu import catalogue
from ctxpriv.models.base import Answer

SETTINGS = {
    "description": "letters of tenants",
    "workload": "find urgent ones",
    "max_attributes": 20,
    "provenance": "dp",
    "guided": False,
}


class FamiliesDouble:
    """Test double of an embedder: strings that share their first word are one point."""

    def embed(self, texts, *, progress=None, cancel=None):
        firsts = sorted({t.split()[0] for t in texts})
        return np.eye(len(firsts) + 1, dtype=np.float32)[[firsts.index(t.split()[0]) for t in texts]]


def reply(prompt):
    if "decision" in prompt.schema["properties"]:
        dropped = '"vague"' in prompt.user
        return {"description": "What it is.", "decision": "drop" if dropped else "keep"}
    return {"values": ["low", "high", "n/a"]}


def test_from_released_strings_to_attributes(scripted):
    released = {"price_home": 40, "price": 52, "vague": 30, "mood": 20, "price_level": 40}
    done = finish(released, scripted(reply), FamiliesDouble(), **SETTINGS)
    assert [a.name for a in done.attributes] == ["price", "mood"]
    assert done.merged == {"price": ("price_home", "price_level")}
    price = done.attributes[0]
    assert price.values == ("low", "high", "Not Applicable", "Not stated")
    assert (price.provenance, price.description) == ("dp", "What it is.")
    assert "about 52 private texts" in price.rationale
    assert any("'vague' was dropped" in p for p in done.problems)


def test_the_representative_has_the_highest_noisy_count():
    assert clusters({"b_x": 5, "b_y": 5, "a": 9, "b_z": 7}, FamiliesDouble()) == {
        "a": (),
        "b_z": ("b_x", "b_y"),
    }
    assert clusters({"a": 9}, FamiliesDouble()) == {"a": ()}


def test_nothing_released_gives_nothing_and_says_so(scripted):
    model = scripted(reply)
    done = finish({}, model, FamiliesDouble(), **SETTINGS)
    assert (done.attributes, done.problems) == ((), ("No name reached the threshold.",))
    assert model.prompts == []


def test_more_names_than_wanted_are_cut_by_count(scripted):
    done = finish(
        {f"n{i} x": i for i in range(5)},
        scripted(reply),
        FamiliesDouble(),
        **{**SETTINGS, "max_attributes": 2},
    )
    assert [a.name for a in done.attributes] == ["n4_x", "n3_x"]
    assert "5 names survived; the 2" in done.problems[0]


@pytest.mark.parametrize(
    ("filtered", "values", "names", "problem"),
    [
        (Answer(failure="timed out"), {"values": ["a", "b"]}, ["age", "mood"], "kept without a description"),
        (
            {"description": "d", "decision": "drop"},
            {"values": ["a", "b"]},
            ["age", "mood"],
            "would drop every name",
        ),
        (Answer(parsed=[1]), Answer(failure="not JSON"), [], "Asking for the values of 'age' failed"),
        ({"decision": "keep"}, {"values": ["a", "A."]}, [], "fewer than two different values"),
        ({"decision": "keep"}, Answer(parsed=None, failure="schema violated", text="x"), [], "failed"),
    ],
)
def test_broken_answers(scripted, filtered, values, names, problem):
    model = scripted(lambda p: filtered if "decision" in p.schema["properties"] else values)
    done = finish({"age": 9, "mood": 8}, model, FamiliesDouble(), **SETTINGS)
    assert [a.name for a in done.attributes] == names
    assert any(problem in p for p in done.problems)


def test_guided_takes_values_from_the_list_and_asks_nothing(scripted):
    model = scripted(reply)
    done = finish({"age": 9, "tone": 8}, model, FamiliesDouble(), **{**SETTINGS, "guided": True})
    assert [a.name for a in done.attributes] == ["age", "tone"]
    assert done.attributes[0].values[:2] == tuple(catalogue()["age"]["values"][:2])
    assert "about 9" in done.attributes[0].rationale and "about 9" not in str(catalogue()["age"])
    assert model.prompts == []
