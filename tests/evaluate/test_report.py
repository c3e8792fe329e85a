from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.evaluate.attacks.attack import Attack
from ctxpriv.evaluate.report import AXES, METRICS, Metric, Report


def some_report(**changes) -> Report:
    metrics = {name: Metric(0.25, 0.2, 0.4, 50, detail={"interval": "made up"}) for name in METRICS}
    fields = {
        "method": "MAPLE",
        "audience": "vendor",
        "epsilon": 1.0,
        "metrics": metrics,
        "embedder": "e",
        "per_attribute": {"leak": {"age": {"value": 0.1}}},
        "references": {"mauve_ceiling": Metric(0.9, 0.8, 1.0)},
    }
    return Report(**{**fields, **changes})


def test_a_missing_metric_has_a_reason_and_no_number():
    with pytest.raises(ValueError, match="reason"):
        Metric(None)
    with pytest.raises(ValueError, match="reason"):
        Metric(0.0, missing="too few")
    with pytest.raises(ValueError, match="finite"):
        Metric(math.nan)
    with pytest.raises(ValueError, match="finite"):
        Metric(1.0, 0.0, math.inf)


@pytest.mark.parametrize("epsilon", [0.5, math.inf, None])
def test_round_trip_through_strict_json(epsilon):
    report = some_report(epsilon=epsilon)
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert Report.from_dict(json.loads(text)) == report


def test_a_report_has_all_seven_metrics_in_order():
    with pytest.raises(ValueError, match="exactly"):
        some_report(metrics={"mauve": Metric(1.0)})


def test_axes_are_the_papers_clockwise_from_the_top():
    assert [a.label for a in AXES] == ["MAUVE", "1/(1+KL)", "1−TV", "1−JSD", "Acc", "Fair", "Priv"]
    assert tuple(a.metric for a in AXES) == METRICS


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_axes_show_intervals_the_right_way_round(a, b, c):
    low, value, high = sorted((a, b, c))
    for axis in AXES:
        shown, shown_low, shown_high = axis.place(Metric(value, low, high))
        assert 0 <= shown_low <= shown <= shown_high <= 1


def test_axes_hand_computed():
    place = {axis.metric: axis.place(Metric(0.25, 0.2, 0.4)) for axis in AXES}
    assert place["mauve"] == (0.25, 0.2, 0.4)
    assert np.allclose(place["kl"], (0.8, 1 / 1.4, 1 / 1.2))
    assert np.allclose(place["leak"], (0.75, 0.6, 0.8))
    assert AXES[0].place(Metric.not_computed("too few")) is None


def test_attacks_and_rewriting_figures_are_read_back_and_old_reports_have_none():
    none = Metric.not_computed("nothing was answered")
    attack = Attack(
        "classifier", {"kind": "local", "name": "double"}, Metric(0.4), none, none, none, none, n=3
    )
    report = some_report(epsilon=None, attacks=(attack,), rewriting={"safe": Metric(0.9, 0.8, 1.0, 30)})
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert Report.from_dict(data) == report
    old = some_report().to_dict()
    assert not {"attacks", "rewriting"} & set(old)
    assert Report.from_dict(old).attacks == ()
