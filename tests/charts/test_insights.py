"""What the pictures of plans and of experiments on them say, read from the figures themselves."""

from __future__ import annotations

import numpy as np
import pytest

from ctxpriv import figures
from ctxpriv.charts import insight_experiments, insights
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.compare_plans import compare
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of

HOSTILE = "![x](http://example.invalid/x.png) **bold**"
LABELS = ("Mortgage", HOSTILE, "Student loan", "Cards", "Other")
ATOMS = AtomSet(tuple(Atom(label) for label in LABELS))
MASSES = (40.0, 20.0, 1.0, 0.5, -3.0)


def plan(masses=MASSES, *, size=3, full=True, n=100, scale=1.0, law="Laplace") -> SemanticPlan:
    best = sorted(range(len(masses)), key=lambda i: -masses[i])[:size]
    return plan_of(
        ATOMS, {i: masses[i] for i in best}, sketch=masses if full else None, unit="record", bound=1,
        denominator=n, law=law, noise_scale=scale, mechanism="made up", size=size,
    )  # fmt: skip


def data_of(chart) -> list[dict]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def bars_of(chart) -> dict[str, dict]:
    return {r["label"]: r for r in data_of(chart) if "above" in r}


def test_rows_stand_by_rank_with_support_bin_and_interval():
    chart = figures.plan_bars(plan())
    bars = bars_of(chart)
    assert list(bars) == ["Mortgage", HOSTILE, "Student loan"]
    assert bars["Mortgage"]["told"] == "40.0 %  very high"
    assert bars["Mortgage"]["interval"] == "37.7 % to 42.3 %"  # 2.303 of 100 records around
    assert [r["above"] for r in bars.values()] == [True, True, False]
    assert "hollow: may be noise alone" in str(chart.to_dict())
    svg = figures.to_svg(chart)
    assert "40.0 %" in svg and "![x]" in svg


def test_the_threshold_is_told_and_missing_where_it_was_not_released():
    assert "admitted above 0.5 %" in figures.to_svg(figures.plan_bars(plan()))
    admitted = figures.plan_bars(plan(full=False, law="Gaussian"))
    assert "admitted above" not in figures.to_svg(admitted)
    assert "no threshold" in str(admitted.to_dict())
    assert "admitted above" not in figures.to_svg(figures.plan_bars(plan(size=5)))  # nothing is left out


def domain_of(chart) -> list[float]:
    layer = chart.to_dict()["layer"][0]
    return layer["encoding"]["x"]["scale"]["domain"]


def test_the_axis_ends_at_few_fixed_places_and_begins_with_the_least_interval():
    assert domain_of(figures.plan_bars(plan(size=2))) == [0.0, 0.5]
    assert domain_of(figures.plan_bars(plan((41.0, 22.0, 1.0, 0.5, 0.0), size=2))) == [0.0, 0.5]
    least = domain_of(figures.plan_bars(plan()))[0]
    assert least == pytest.approx((1.0 - plan().half_width) / 100)
    assert domain_of(figures.plan_bars(plan(size=2), top=1.0)) == [0.0, 1.0]
    assert domain_of(figures.plan_bars(plan((900.0, 1.0, 0.0, 0.0, 0.0), size=2)))[1] >= 9.0


def test_the_rows_of_a_sentence_stand_out():
    shown = {label: r["shown"] for label, r in bars_of(figures.plan_bars(plan(), highlighted=(1,))).items()}
    assert shown == {"Mortgage": False, HOSTILE: True, "Student loan": False}
    assert all(r["shown"] for r in bars_of(figures.plan_bars(plan())).values())


def test_a_plan_without_noise_says_so():
    assert "never part of a release" in str(figures.plan_bars(plan(law="none", scale=0.0)).to_dict())


def test_what_differs_comes_first_and_the_rest_is_muted():
    rows = compare(plan(), plan((41.0, 35.0, 1.0, 30.0, -3.0)))
    chart = figures.compared_plans(rows, names=("May", "June"))
    ends = [r for r in data_of(chart) if "end" in r]
    order = list(dict.fromkeys(r["label"] for r in ends))
    assert order == ["Cards", HOSTILE, "Mortgage", "Student loan", "Other"]
    changes = {r["label"]: r["change"] for r in ends}
    assert changes["Cards"] == "+29.5 points" and changes["Mortgage"] == "cannot tell"
    assert {r["end"] for r in ends} == {"May", "June"}
    assert {r["label"] for r in ends if r["differs"]} == {"Cards", HOSTILE}
    svg = figures.to_svg(chart)
    assert "cannot tell" in svg and "+29.5 points" in svg


def test_atoms_that_were_not_released_in_both_are_counted_and_long_comparisons_cut():
    rows = compare(plan(full=False), plan())
    assert "2 not released in both" in str(figures.compared_plans(rows).to_dict())
    none = compare(plan(full=False, size=1), plan(MASSES[::-1], full=False, size=1))
    assert "no atom was released in both" in figures.to_svg(figures.compared_plans(none))
    many = [d for _ in range(9) for d in rows]
    assert f"{27 - insights.MOST} more are not drawn" in str(figures.compared_plans(many).to_dict())


METHODS = ("DP-SPIN, Laplace", "DP-SPIN, Gaussian", "DP-SPIN, admission")


def ablation(methods=METHODS) -> list[dict]:
    return [
        {"method": m, "value": e, "measure": measure, "mean": 0.9, "low": 0.8, "high": 1.0, "repeats": 20}
        for m in methods
        for e in (4.0, 0.5, 1.0)
        for measure in ("overlap", "mass_retained")
    ]


def test_ablations_draw_a_panel_a_measure_on_0_to_1():
    chart = figures.ablation_lines(ablation(), "ε")
    spec = chart.to_dict()
    assert [p["title"] for p in spec["hconcat"]] == ["Overlap@L", "MassRetained"]
    assert "mean of 20 releases with its 95 % interval" in str(spec)
    for panel in spec["hconcat"]:
        for layer in panel["layer"]:
            assert layer["encoding"]["y"]["scale"]["domain"] == [0, 1]
    rows = [r for r in data_of(chart) if r.get("measure") == "overlap" and "at" not in r]
    assert [r["value"] for r in rows if r["method"] == METHODS[0]] == [0.5, 1.0, 4.0]
    svg = figures.to_svg(chart)
    assert all(name in svg for name in ("Laplace", "Gaussian", "admission"))


def test_lines_say_what_they_are_where_told_and_can_be_read_on_dark_pages():
    told = str(figures.ablation_lines(ablation(), "ε", told="imagined releases").to_dict())
    assert "imagined releases" in told and "mean of 20" not in told
    for method in METHODS:
        dark = insight_experiments._colour(method, True)
        assert sum(int(dark[i : i + 2], 16) for i in (1, 3, 5)) >= 3 * insight_experiments.READABLE
        assert insight_experiments._colour(method, False) == insight_experiments.colour_of(method)


def test_names_of_lines_that_end_together_stand_apart_and_inside():
    for values in ([1.0, 1.0, 1.0], [0.02, 0.01, 0.0], [0.5, 0.5, 0.1], [0.9]):
        at = insight_experiments._apart(np.array(values))
        assert all(a - b >= insight_experiments.NEAREST - 1e-9 for a, b in zip(at, at[1:], strict=False))
        assert at.min() >= 0 and at.max() <= 1


def test_probe_curves_hold_a_panel_an_epsilon_and_measure():
    rows = [
        {"method": m, "epsilon": e, "s": s, "measure": what, "rate": r, "low": r, "high": r, "repeats": 50}
        for m in METHODS
        for e in (1.0, 4.0)
        for s, r in ((0, 0.0), (20, 0.5))
        for what in ("admitted", "mentioned")
    ]
    chart = figures.probe_curves(rows)
    titles = [p["title"] for row in chart.to_dict()["hconcat"][0]["vconcat"] for p in row["hconcat"]]
    assert titles == [f"ε = {e}: {w}" for w in ("admitted", "mentioned in the summary") for e in (1, 4)]
    assert "share of 50 releases" in str(chart.to_dict())


def test_loss_is_drawn_below_its_bound_on_one_scale():
    rows = [
        {"method": m, "epsilon": e, "loss": 3.0, "largest": 9.0, "bound": 400.0 / e}
        for m in METHODS
        for e in (0.5, 1.0)
    ]
    chart = figures.loss_and_bound(rows)
    panels = chart.to_dict()["hconcat"]
    assert [p["title"] for p in panels] == list(METHODS)
    assert {tuple(p["layer"][0]["encoding"]["y"]["scale"]["domain"]) for p in panels} == {(0, 1000)}


@pytest.mark.parametrize(("bound", "end"), [(999.0, 1000), (1000.0, 10_000), (4321.0, 10_000), (0.2, 10)])
def test_the_loss_axis_ends_above_every_bound_at_a_labelled_power_of_ten(bound, end):
    rows = [{"method": METHODS[0], "epsilon": 1.0, "loss": 0.1, "largest": 0.2, "bound": bound}]
    y = figures.loss_and_bound(rows).to_dict()["hconcat"][0]["layer"][0]["encoding"]["y"]
    assert y["scale"]["domain"] == [0, end] and y["axis"]["values"][-1] == end


@pytest.mark.parametrize("dark", [True, False])
def test_all_draw_offline_whatever_is_missing(dark):
    gaps = [{**r, "low": None, "high": None} for r in ablation(("A method of later",))]
    for chart in (
        figures.plan_bars(plan(size=1), dark=dark),
        figures.compared_plans((), dark=dark),
        figures.ablation_lines([], "ε", dark=dark),
        figures.ablation_lines(gaps, "ε", dark=dark),
        figures.probe_curves([], dark=dark),
        figures.loss_and_bound([], dark=dark),
    ):
        svg = figures.to_svg(chart)
        assert svg.startswith("<svg") and "NaN" not in svg
