"""What the charts of rewritten records say, read from the figures themselves."""

from __future__ import annotations

import pytest

from ctxpriv import figures
from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.context import Partition
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, OPEN, Attack
from ctxpriv.evaluate.report import METRICS, Metric, Report

ROWS = {
    "age": {"accuracy": 0.3, "low": 0.2, "high": 0.4, "majority": 0.25, "unprotected": 0.6, "n": 40},
    "town": {"accuracy": 0.5, "low": 0.4, "high": 0.6, "majority": 0.45, "unprotected": None, "n": 30},
    "job": {"accuracy": None, "majority": None, "unprotected": None, "n": 0},
}


def attack(name: str = CLASSIFIER, leak: float | None = 0.4, guesses: int = 1) -> Attack:
    none = Metric.not_computed("nothing was answered")
    figure = none if leak is None else Metric(leak, leak - 0.1, leak + 0.1, 40)
    who = {"kind": "local", "name": "made up", "digest": "", "place": "this machine"}
    return Attack(
        name, who, figure, Metric(0.35), Metric(0.05), Metric(0.7), none, guesses, 40, per_attribute=ROWS
    )


def run(method: str, *attacks: Attack, kept: float | None = 0.9, epsilon: float | None = None) -> RunResult:
    metrics = {name: Metric(0.5, 0.4, 0.6, 40) for name in METRICS}
    detail = {"attack": CLASSIFIER, "unprotected": 0.7, "majority": 0.35}
    metrics["leak"] = Metric(0.4, 0.3, 0.5, 40, detail=detail if epsilon is None else {})
    figure = Metric.not_computed("nothing told") if kept is None else Metric(kept, n=40)
    rewriting = {"public_kept": figure} if epsilon is None else {}
    report = Report(method, "vendor", epsilon, metrics, attacks=attacks, rewriting=rewriting)
    return RunResult("vendor", {}, report, method)


def comparison(*runs: RunResult) -> Comparison:
    return Comparison({}, {"vendor": Partition("vendor", ("topic",), ("age", "town", "job"))}, runs)


BOTH = comparison(
    run("SDG-CI", epsilon=1.0), run("ANON-CI", attack(), attack(OPEN, guesses=3)), run("RUPTA", attack())
)


def data_of(chart) -> list[dict]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def test_attacks_are_offered_in_the_order_of_the_page():
    assert figures.attack_names(BOTH, "vendor") == [CLASSIFIER, OPEN]
    assert figures.attack_names(comparison(run("SDG-CI", epsilon=1.0)), "vendor") == []


def test_a_lane_per_attribute_and_method_with_what_to_read_it_against():
    rows = {
        (r["attribute"], r["method"]): r
        for r in data_of(figures.attack_marks(BOTH, "vendor", CLASSIFIER))
        if "lane" in r and "told" in r
    }
    attributes = ("age", "town", "mean of all")
    assert set(rows) == {(a, m) for a in attributes for m in ("ANON-CI", "RUPTA")}
    assert rows["age", "RUPTA"]["told"] == "rewrites 0.30, unprotected 0.60, majority 0.25, n = 40"
    assert rows["town", "RUPTA"]["told"] == "rewrites 0.50, majority 0.45, n = 30"
    mean = rows["mean of all", "ANON-CI"]
    assert (mean["leak"], mean["majority"], mean["unprotected"]) == (0.4, 0.35, 0.7)


def test_the_axis_is_fixed_and_the_baseline_is_named():
    spec = str(figures.attack_marks(BOTH, "vendor", CLASSIFIER).to_dict())
    assert "'domain': [0, 1]" in spec and "always the most common value" in spec
    spec = str(figures.attack_marks(BOTH, "vendor", OPEN).to_dict())
    assert "always the 3 most common values" in spec


def test_what_protection_cost_goes_from_the_originals_to_the_rewrites():
    rows = [r for r in data_of(figures.protection_bought(BOTH, "vendor", CLASSIFIER)) if "end" in r]
    ends = {(r["method"], r["end"]): (r["leak"], r["kept"]) for r in rows}
    assert ends["ANON-CI", "originals"] == (0.7, 1.0)
    assert ends["ANON-CI", "rewrites"] == (0.4, 0.9)
    gaps = comparison(run("RUPTA", attack(), kept=None), run("ANON-CI", attack(leak=None)))
    assert not [r for r in data_of(figures.protection_bought(gaps, "vendor", CLASSIFIER)) if "end" in r]


def test_privacy_of_rewrites_says_whose_it_is_and_where_originals_stand():
    chart = figures.dumbbells(BOTH, "vendor", None)
    marks = {r["told"]: r["shown"] for r in data_of(chart) if r.get("axis") == "Priv" and "word" in r}
    assert marks == {
        "the same adversary on the original texts": pytest.approx(0.3),
        "always the most common value": pytest.approx(0.65),
    }
    sentence = "classifier trained on the donated texts"
    assert sentence in str(chart.to_dict())
    assert any(sentence in a.text for a in figures.radar(BOTH, "vendor", None).layout.annotations)
    assert sentence not in str(figures.dumbbells(BOTH, "vendor", 1.0).to_dict())


def test_over_epsilon_rewritten_records_are_lines_across_but_never_their_privacy():
    spec = figures.tradeoff(BOTH, "vendor").to_dict()
    sets = spec["datasets"]
    across = [
        {row["axis"] for row in sets[layer["data"]["name"]]}
        for panel in spec["hconcat"]
        for layer in panel["layer"]
        if layer["mark"].get("strokeDash")
    ]
    assert across == [{"MAUVE"}, {"Acc"}]
    assert "ANON-CI" not in str(figures.privacy_utility(BOTH, "vendor").to_dict())


@pytest.mark.parametrize("dark", [True, False])
def test_every_chart_draws_offline_whatever_is_missing(dark):
    none = comparison(run("RUPTA", attack(leak=None), kept=None))
    for data in (BOTH, none, comparison()):
        for chart in (
            figures.attack_marks(data, "vendor", CLASSIFIER, dark=dark),
            figures.protection_bought(data, "vendor", CLASSIFIER, dark=dark),
            figures.tradeoff(data, "vendor", dark=dark),
            figures.radar_still(data, "vendor", None, dark=dark),
        ):
            svg = figures.to_svg(chart)
            assert svg.startswith("<svg")
            assert "NaN" not in svg
