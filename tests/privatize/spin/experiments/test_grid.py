from __future__ import annotations

import json

import numpy as np
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privacy.noise import NoNoise, OpenDPNoise
from ctxpriv.privatize.spin.experiments.grid import FIGURE_3, MEASURES, Grid, part_of, run_grid
from ctxpriv.privatize.spin.experiments.results import ALL_ADMITTED, ExperimentResult
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.progress import Cancelled, CancelToken


def test_figure_3_is_the_papers() -> None:
    assert len(FIGURE_3.configs) * len(FIGURE_3.m) * FIGURE_3.repeats == 3 * 5 * 3 * 20


def test_every_setting_has_every_measure_once(measurement, assign_double) -> None:
    assign = assign_double()
    grid = Grid(epsilons=(0.5, 4.0), m=(6, 12), k=(1, 3), repeats=2)
    result = run_grid(grid, measurement, assign, noise=OpenDPNoise())
    keys = [(r["mechanism"], r["epsilon"], r["m"], r["k"], r["measure"]) for r in result.rows]
    assert len(set(keys)) == len(keys) == 3 * 2 * 2 * 2 * len(MEASURES)
    assert sorted(assign.asked) == [(6, 1), (6, 3), (12, 1), (12, 3)]  # once each
    assert result.factor == "m" and not result.notes
    assert ExperimentResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_without_noise_everything_is_recovered(measurement, assign_double) -> None:
    result = run_grid(Grid(repeats=2), measurement, assign_double(), noise=NoNoise())
    assert {r["mean"] for r in result.some(measure="overlap")} == {1.0}
    assert {r["mean"] for r in result.some(measure="loss")} == {0.0}
    assert {r["mean"] for r in result.some(measure="value_linf")} == {0.0}
    assert "infinity" in result.settings["noise"]


def test_more_budget_less_loss_and_within_the_bound(measurement, assign_double) -> None:
    result = run_grid(Grid(epsilons=(0.05, 8.0)), measurement, assign_double(), noise=OpenDPNoise())
    for mechanism in ("laplace", "gaussian", "admission"):
        tight, wide = (
            result.some(mechanism=mechanism, epsilon=e, measure="loss")[0]["mean"] for e in (0.05, 8.0)
        )
        assert wide < tight
    assert all(r["loss"] <= r["bound"] for r in result.losses())


def test_part_of_n_units_is_the_denominator_and_nested(measurement, assign_double) -> None:
    whole = assign_double()(measurement.atoms, 3)
    few, more = part_of(whole, 20, "record", 0), part_of(whole, 50, "record", 0)
    rows = {tuple(r) for r in np.c_[more.atoms, more.mass].tolist()}
    assert len(few) == 20 and {tuple(r) for r in np.c_[few.atoms, few.mass].tolist()} <= rows
    result = run_grid(Grid(n=(20, 240, 500), repeats=1), measurement, assign_double(), noise=OpenDPNoise())
    assert {r["n"] for r in result.rows} == {20, 240}
    assert result.notes == ("n = 500 asks for more than the 240 records.",)


def test_users_are_taken_whole_and_b_is_a_factor(measurement, assign_double) -> None:
    users = Measurement(measurement.atoms, 40, 1e-3, size=4, unit="user")
    assign = assign_double(users=True)
    whole = assign(users.atoms, 3)
    part = part_of(whole, 10, "user", 1)
    assert len(np.unique(part.users)) == 10
    assert len(part) == np.isin(whole.users, np.unique(part.users)).sum()
    result = run_grid(Grid(bound=(1, 2, 5), repeats=1), users, assign, noise=OpenDPNoise())
    assert {r["bound"] for r in result.rows} == {1, 2, 5} and {r["n"] for r in result.rows} == {40}


def test_what_there_is_not_enough_of_is_left_out_and_told(measurement, assign_double) -> None:
    grid = Grid(m=(12, 50), size=(4, 20), repeats=1)
    result = run_grid(grid, measurement, assign_double(), noise=OpenDPNoise())
    assert {(r["m"], r["size"]) for r in result.rows} == {(12, 4)}
    assert "m = 50" in result.notes[0] and "L = 20" in result.notes[1]
    with pytest.raises(BadInput, match="no setting"):
        run_grid(Grid(n=(999,)), measurement, assign_double(), noise=OpenDPNoise())


def test_a_plan_of_all_atoms_is_told(measurement, assign_double) -> None:
    result = run_grid(Grid(size=(12,), repeats=1), measurement, assign_double(), noise=OpenDPNoise())
    assert result.notes == (ALL_ADMITTED,)
    assert {r["mean"] for r in result.some(measure="overlap")} == {1.0}


def test_b_needs_users(measurement, assign_double) -> None:
    with pytest.raises(BadInput, match="at most 1"):
        run_grid(Grid(bound=(1, 2)), measurement, assign_double(), noise=OpenDPNoise())


@pytest.mark.parametrize("bad", [{"repeats": 0}, {"mechanisms": ()}, {"epsilons": (0.0,)}])
def test_a_grid_that_draws_nothing_is_refused(bad) -> None:
    with pytest.raises(BadInput):
        Grid(**bad)


def test_progress_reaches_its_total_and_a_cancel_stops(measurement, assign_double) -> None:
    seen = []
    grid = Grid(repeats=1)
    run_grid(grid, measurement, assign_double(), noise=NoNoise(), progress=lambda *a: seen.append(a))
    assert seen[-1] == ("draws", 15, 15) and all(done <= total for _, done, total in seen)
    stop = CancelToken()
    with pytest.raises(Cancelled):
        run_grid(
            grid, measurement, assign_double(), noise=NoNoise(),
            progress=lambda stage, done, total: stop.cancel() if stage == "draws" else None, cancel=stop,
        )  # fmt: skip
