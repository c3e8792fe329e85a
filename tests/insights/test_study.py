"""Insights plans: read, written, and refused with their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.errors import BadInput
from ctxpriv.insights.study import InsightStudy
from ctxpriv.kinds.kind import study_from_dict, study_from_yaml
from ctxpriv.privatize.spin.atoms import Atom
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
    ],
)
def test_what_cannot_be_meant_is_an_error_with_its_place(change, told) -> None:
    with pytest.raises(BadInput) as error:
        study = study_from_dict(plan(**change))
        study.atoms.build(None, None)
    assert told in str(error.value)


def test_settings_that_do_not_fit_each_other_are_told_before_anything_is_read() -> None:
    atoms = study_from_dict(plan(atoms={"list": ["late fee", "rude staff"]})).atoms.build(None, None)
    for measure, told in (
        ({"size": 3}, "asks for 3 atoms of 2"),
        ({"size": 1, "bound": 2}, "a record's mass is at most 1"),
        ({"size": 1, "floor": 1.0}, "similarity"),
    ):
        with pytest.raises(BadInput, match=told):
            study_from_dict(plan(measure=measure)).measurement(atoms, 100)


def test_the_shipped_plan_is_one() -> None:
    study = study_from_yaml(PLANS / "insights.yaml")
    assert isinstance(study, InsightStudy)
    assert study.name == "What people complain about"
