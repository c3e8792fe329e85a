from __future__ import annotations

import json
import math

import pytest

from ctxpriv.privatize.spin.experiments.results import ExperimentResult, over_repeats, rate


def test_mean_and_student_interval_by_hand() -> None:
    got = over_repeats([1.0, 2.0, 3.0, 4.0])
    around = 3.1824 * math.sqrt(5 / 3) / 2  # t(0.975, 3 degrees) × s / √n
    assert got["mean"] == 2.5 and got["largest"] == 4 and got["repeats"] == 4
    assert (got["low"], got["high"]) == pytest.approx((2.5 - around, 2.5 + around), abs=1e-4)


def test_an_interval_stays_within_what_the_measure_can_be() -> None:
    got = over_repeats([1.0, 1.0, 0.2], 0.0, 1.0)
    assert got["low"] >= 0 and got["high"] == 1


def test_one_repeat_has_no_interval() -> None:
    assert over_repeats([0.5])["low"] is None
    assert over_repeats([0.5, 0.5])["low"] == 0.5


def test_wilson_interval_by_hand() -> None:
    got = rate(5, 20)
    z, p, n = 1.959964, 0.25, 20
    mid, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert got["low"] == pytest.approx((mid - half) / (1 + z * z / n), abs=1e-5)
    assert got["high"] == pytest.approx((mid + half) / (1 + z * z / n), abs=1e-5)


@pytest.mark.parametrize("hits", [0, 7, 40])
def test_a_rate_is_inside_its_interval_which_is_never_empty(hits: int) -> None:
    got = rate(hits, 40)
    assert 0 <= got["low"] <= got["mean"] <= got["high"] <= 1 and got["low"] < got["high"]


def row(measure, mean, epsilon=1.0, m=50):
    return {
        "method": "DP-SPIN, Laplace", "epsilon": epsilon, "m": m, "measure": measure,
        "mean": mean, "low": None, "high": None, "largest": mean, "repeats": 1,
    }  # fmt: skip


RESULT = ExperimentResult(
    "mechanisms",
    "m",
    (
        row("overlap", 0.5), row("overlap", 0.7, m=100), row("loss", 3.0), row("loss_bound", 9.0),
        row("loss", 4.0, m=100), row("loss_bound", None, m=100), row("admitted", 0.3),
    ),
    1,
    0.5,
    {"noise": "x"},
    ("a note",),
)  # fmt: skip


def test_rows_as_charts_want_them() -> None:
    assert [(r["value"], r["mean"]) for r in RESULT.lines("m")] == [(50, 0.5), (100, 0.7)]
    assert [r["mean"] for r in RESULT.lines("epsilon", m=100)] == [0.7]
    assert [(r["m"], r["loss"], r["bound"]) for r in RESULT.losses()] == [(50, 3, 9), (100, 4, None)]
    assert [r["rate"] for r in RESULT.curves()] == [0.3]
    assert len(RESULT.frame()) == 7


def test_it_survives_json() -> None:
    assert ExperimentResult.from_dict(json.loads(json.dumps(RESULT.to_dict()))) == RESULT
