from __future__ import annotations

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privacy.noise import NoNoise
from ctxpriv.privatize.spin.experiments.choice import EXPERIMENTS, experiment_from, run_experiment
from ctxpriv.privatize.spin.insight import Protected
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.references import NonPrivateTopL


class MaterialDouble:
    """A study's material over twelve atoms."""

    donated, roles = SimpleNamespace(texts=()), None

    def __init__(self, measurement, assign) -> None:
        self.atoms, self.assign, self._measured = measurement.atoms, assign, measurement
        self.study = SimpleNamespace(audiences=("all",), methods=(Spin(1.0), NonPrivateTopL()))

    def measurement(self, audience):
        return self._measured

    def atoms_up_to(self, m):
        return self.atoms

    def contributions(self, measurement):
        return self.assign(measurement.atoms.top(12), measurement.k)  # none matches a probe behind them

    def protected(self, measurement):
        contributions = self.contributions(measurement)
        return Protected([""] * len(contributions), pd.DataFrame(), contributions)


@pytest.mark.parametrize("name", [n for n in EXPERIMENTS if n != "bound"])
def test_every_experiment_runs_by_name(name, measurement, assign_double) -> None:
    chosen = experiment_from({"experiment": name, "repeats": 1}, "here")
    material = MaterialDouble(measurement, assign_double())
    result = run_experiment(chosen, material, noise=NoNoise())
    assert result.name == name and result.rows
    if name in ("k", "size", "n"):
        assert result.factor == name and result.lines(name)
    if name == "n":
        assert {r["n"] for r in result.rows} == {24, 48, 120, 240}
    if name == "m":  # twelve atoms, whatever was asked for
        assert result.factor == "" and result.notes


def test_the_probes_mentions_are_the_templates(measurement, assign_double) -> None:
    chosen = {"experiment": "probe", "supports": (200,), "epsilons": (4.0,), "repeats": 3}
    result = run_experiment(chosen, MaterialDouble(measurement, assign_double()))
    assert {r["mean"] for r in result.some(measure="mentioned")} == {1.0}


def test_the_methods_of_a_study_at_other_budgets(measurement, assign_double) -> None:
    material = MaterialDouble(measurement, assign_double())
    material.study.methods = (Spin(1.0), Spin(2.0), Spin(1.0, "gaussian"), NonPrivateTopL())
    chosen = experiment_from({"experiment": "methods", "epsilons": [0.5, 4], "repeats": 1}, "here")
    result = run_experiment(chosen, material, noise=NoNoise())
    drawn = [(r["method"], r["epsilon"]) for r in result.some(measure="overlap")]
    assert drawn == [(f"DP-SPIN, {m}", e) for m in ("Laplace", "Gaussian") for e in (0.5, 4)]


def test_bound_needs_users(measurement, assign_double) -> None:
    with pytest.raises(BadInput, match="protects records"):
        run_experiment({"experiment": "bound"}, MaterialDouble(measurement, assign_double()))


def test_settings_are_read_and_read_again() -> None:
    given = {"experiment": "m", "values": [5, 10], "epsilons": 2, "mechanisms": ["laplace"], "repeats": 3}
    once = experiment_from(given, "here")
    assert once["values"] == (5, 10) and once["epsilons"] == (2,)
    assert experiment_from(json.loads(json.dumps(once)), "here") == once
    assert experiment_from("probe", "here") == {"experiment": "probe"}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("prob", "no experiment 'prob'"),
        ({"values": [1]}, "'experiment' is missing"),
        ({"experiment": "m", "supports": [1]}, "unknown key 'supports'"),
        ({"experiment": "m", "values": [0]}, "at least 1"),
        ({"experiment": "m", "values": [[5]]}, "at least 1"),
        ({"experiment": "probe", "supports": []}, "names no value"),
        ({"experiment": "probe", "supports": [-1]}, "at least 0"),
        ({"experiment": "m", "mechanisms": ["laplase"]}, "no mechanism"),
        ({"experiment": "m", "epsilons": [0]}, "above 0"),
        ({"experiment": "m", "values": []}, "names no value"),
        (["probe"], "set of"),
    ],
)
def test_bad_choices_are_told_with_their_place(bad, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        experiment_from(bad, "experiments[0]")
