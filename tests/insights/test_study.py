"""Insights plans: read, written, and refused with their place."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.errors import BadInput
from ctxpriv.insights.study import InsightStudy
from ctxpriv.kinds.kind import study_from_dict, study_from_yaml
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.mechanisms import Spin

PLANS = Path(__file__).resolve().parents[2] / "data_samples" / "plans"


def plan(**changes):
    return {
        "kind": "insights",
        "corpus": {"sample": "complaints"},
        "atoms": {"taxonomy": ["product"]},
        "methods": ["DP-SPIN", {"method": "DP-SPIN", "mechanism": "gaussian"}, "Non-private top-L"],
        "epsilon": [1, 2],
        **changes,
    }


def test_one_config_per_method_and_epsilon_and_references_once() -> None:
    study = study_from_dict(plan())
    assert study.methods[:4] == (Spin(1.0), Spin(2.0), Spin(1.0, "gaussian"), Spin(2.0, "gaussian"))
    assert [m.name for m in study.methods[4:]] == ["Non-private top-L"]
    assert [a.name for a in study.audiences] == [ALL_AUDIENCES]


def test_what_was_written_is_read_as_the_same_study() -> None:
    asked = plan(
        only={"state": ["VA"]},
        atoms={"list": ["late fee", {"label": "rude staff", "description": "x", "source": "uploaded"}]},
        measure={"k": 2, "size": 2, "unit": "user", "bound": 2, "delta": 1e-5},
        audiences=[
            {"name": "A", "withhold": ["late fee"], "approved_by": {"name": "R", "date": "2026-11-30"}}
        ],
        words={"mode": "audit", "attempts": 2},
        experiments=["mechanisms", {"experiment": "k", "values": [1, 2]}],
        judge=True,
        seed=3,
    )
    study = study_from_dict(asked)
    again = study_from_dict(json.loads(json.dumps(study.to_dict())))
    assert again == study
    assert study.atoms.given == (Atom("late fee"), Atom("rude staff", "x", "uploaded"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"atoms": {}}, "names no source of labels"),
        ({"atoms": {"list": [{"label": "x", "source": "protected split"}]}}, "no public source"),
        ({"atoms": {"list": ["late fee", "Late  fee".replace("  ", "-")]}}, "share the label"),
        ({"methods": ["DP-SPIM"]}, "Did you mean 'DP-SPIN'"),
        ({"methods": [{"method": "Non-private top-L", "epsilon": 1}]}, "has no ε"),
        ({"methods": [{"method": "DP-SPIN", "mechanism": "laplacian"}]}, "there is no mechanism"),
        ({"epsilon": "inf"}, "epsilon is infinite"),
        ({"measure": {"kk": 3}}, "unknown key 'kk'"),
        ({"words": {"mode": "poetry"}}, "Choose one of audit, display"),
        ({"experiments": ["figure"]}, "there is no experiment"),
        ({"audiences": [{"name": "A"}, {"name": "A"}]}, "share the name"),
        ({"methods": [], "epsilon": 1}, "names no method"),
        ({"kind": "insight"}, "Did you mean 'insights'"),
        ({"measure": {"delta": "tiny"}}, "measure.delta: is not a number"),
        ({"measure": {"delta": {"a": 1}}}, "measure.delta: is not a number"),
        ({"measure": {"k": {1: 2}}}, "not one plain value"),
        ({"atoms": {"list": [{"label": 5}]}}, "not text"),
        ({"atoms": {"list": [{"label": "x", "description": 5}]}}, "not text"),
        ({"atoms": {"list": [{"label": "x", "source": ["typed"]}]}}, "not text"),
        ({"atoms": {"list": [{"label": "x", "support": "many"}]}}, "whole number"),
    ],
)
def test_what_cannot_be_meant_is_an_error_with_its_place(change, told) -> None:
    with pytest.raises(BadInput) as error:
        study = study_from_dict(plan(**change))
        study.atoms.build(None, None)
    assert told in str(error.value)


WHOLE = plan(
    corpus={"path": "x.csv", "columns": {"text": "text", "author": "who"}, "splits": {"private": 0.6}},
    only={"state": ["VA"]},
    atoms={"taxonomy": ["product"], "phrases": True, "least_support": 3, "describe": "x", "m": 9,
           "list": ["late fee", {"label": "rude staff", "description": "x", "source": "typed"}]},
    measure={"k": 2, "size": 2, "floor": 0.1, "assign": "tfidf", "weights": "equal", "unit": "user",
             "bound": 2, "relation": "replacement", "denominator": 9, "delta": 1e-5},
    methods=["DP-SPIN", {"method": "DP-SPIN", "mechanism": "admission", "selection_share": 0.4},
             {"method": "DP category histogram", "column": "product"},
             {"method": "DP keyword histogram", "keywords": 9, "per_record": 2},
             {"method": "URANIA-style", "clusters": 3, "least_size": 2.5},
             {"method": "Sampled records", "records": 3}],
    audiences=[{"name": "A", "withhold": ["late fee"], "approved_by": {"name": "R", "date": "2026-11-30"}}],
    words={"mode": "audit", "attempts": 2},
    experiments=["mechanisms", {"experiment": "k", "values": [1, 2], "repeats": 2}],
    judge=False, models={"generator": "local"}, seed=3,
)  # fmt: skip


def _places(data, path=()):
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from _places(value, (*path, key))


@given(
    st.sampled_from(list(_places(WHOLE))),
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.text(max_size=3) | st.sampled_from(
        [10**400, "inf", "\ud800", b"x", (1,), [], [[]], [None], {}, [{}], {None: 1}, {"a": 1}, [1, "a"],
         date(2026, 1, 1), {"method": ["DP-SPIN"]}, {"experiment": ["k"]}, {"workspace": "../.."}]
    ),
)  # fmt: skip
@settings(max_examples=400, deadline=None)
def test_whatever_a_key_holds_is_used_or_refused_with_a_message(place, value) -> None:
    changed = deepcopy(WHOLE)
    inside = changed
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = deepcopy(value)
    try:
        study = study_from_dict(changed)
        study.measurement(AtomSet((Atom("late fee"), Atom("rude staff"))), 100)
    except BadInput:
        return
    assert json.dumps(study.to_dict())


def test_settings_that_do_not_fit_each_other_are_told_before_anything_is_read() -> None:
    atoms = study_from_dict(plan(atoms={"list": ["late fee", "rude staff"]})).atoms.build(None, None)
    for measure, told in (
        ({"size": 3}, "asks for 3 atoms of 2"),
        ({"size": 1, "bound": 2}, "a record's mass is at most 1"),
        ({"size": 1, "floor": 1.0}, "similarity"),
    ):
        with pytest.raises(BadInput, match=told):
            study_from_dict(plan(measure=measure)).measurement(atoms, 100)


@pytest.mark.parametrize(
    ("file", "name", "unit"),
    [
        ("insights.yaml", "What people complain about", "record"),
        ("insights_users.yaml", "What reviewers write about", "user"),
    ],
)
def test_the_shipped_plans_are_studies(file: str, name: str, unit: str) -> None:
    study = study_from_yaml(PLANS / file)
    assert isinstance(study, InsightStudy)
    assert (study.name, study.unit) == (name, unit)
    assert all(audience.approval for audience in study.audiences)
