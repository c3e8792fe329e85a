from __future__ import annotations

import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.spin.experiments.methods import run_methods
from ctxpriv.privatize.spin.insight import Outcome, Protected
from ctxpriv.privatize.spin.mechanisms import Spin


class FixedAtomsDouble:
    """Stands for the same atoms whatever is protected; remembers its seeds."""

    title, epsilon = "fixed", 1.0

    def __init__(self, atoms) -> None:
        self.atoms, self.seeds = atoms, []

    def charges(self, measurement):
        return ()

    def draw(self, task):
        self.seeds.append(task.seed)
        return Outcome(None, self.atoms)


@pytest.fixture
def protected(measurement, assign_double) -> Protected:
    contributions = assign_double()(measurement.atoms, 3)
    return Protected([""] * len(contributions), pd.DataFrame(), contributions)


def test_methods_side_by_side(measurement, protected) -> None:
    double = FixedAtomsDouble((0, 11))
    result = run_methods(
        [Spin(8.0), double], protected, measurement, None, None, repeats=3, noise=OpenDPNoise(), seed=5
    )
    assert double.seeds == [5, 6, 7]
    fixed = result.some(method="fixed", measure="overlap")[0]
    assert 0 < fixed["mean"] <= 0.5 and fixed["low"] == fixed["high"] == fixed["mean"]
    spin = result.some(method="DP-SPIN, Laplace", measure="mass_retained")[0]
    assert spin["mean"] > result.some(method="fixed", measure="mass_retained")[0]["mean"]
    assert len(result.rows) == 6


def test_nothing_to_draw(measurement, protected) -> None:
    with pytest.raises(BadInput, match="draws nothing"):
        run_methods([], protected, measurement, None, None, noise=OpenDPNoise())
