"""What the charts say, read from the figures themselves; that they draw, by drawing them offline."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ctxpriv import figures
from ctxpriv.charts.rows import farthest_apart, latest_runs, shown_rows
from ctxpriv.charts.theme import colour
from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.context import Approval, Judgement, Partition
from ctxpriv.errors import BadInput
from ctxpriv.evaluate.report import METRICS, Metric, Report
from ctxpriv.privatize.registry import METHODS
from ctxpriv.schema import Attribute, Coarsening, Schema

LABELS = ["MAUVE", "1/(1+KL)", "1−TV", "1−JSD", "Acc", "Fair", "Priv"]
VALUES = {  # paper Table 8, Reddit
    "SDG-CI": (0.479, 0.791, 0.422, 0.099, 0.546, 0.038, 0.004),
    "MAPLE": (0.350, 1.178, 0.535, 0.257, 0.527, 0.003, 0.000),
    "Aug-PE": (0.027, 10.557, 0.814, 0.188, 0.522, 0.084, 0.001),
}
REFERENCES = {"mauve_ceiling": Metric(0.95, 0.9, 0.98, 100), "accuracy_real": Metric(0.7, 0.6, 0.8, 80)}


def result(method: str, epsilon: float | None, missing: tuple[str, ...] = (), values=None) -> RunResult:
    numbers = values or VALUES.get(method, VALUES["MAPLE"])
    metrics = {
        name: Metric.not_computed("needs at least 40 released records, there are 7")
        if name in missing
        else Metric(x, max(0.0, x - 0.05), x + 0.05, 89)
        for name, x in zip(METRICS, numbers, strict=True)
    }
    return RunResult("vendor", {}, Report(method, "vendor", epsilon, metrics, references=REFERENCES), "id")


def comparison(*runs: RunResult) -> Comparison:
    return Comparison({}, {"vendor": Partition("vendor", ("topic",), ("age",))}, runs)


ALL = comparison(*(result(m, e) for m in VALUES for e in (0.5, 1.0, 10.0, math.inf)))


def test_radar_has_seven_fixed_axes_clockwise_from_the_top_on_0_to_1():
    figure = figures.radar(ALL, "vendor", 1.0)
    polar = figure.layout.polar
    assert list(polar.angularaxis.categoryarray) == LABELS
    assert polar.angularaxis.direction == "clockwise"
    assert polar.angularaxis.rotation == 90
    assert tuple(polar.radialaxis.range) == (0, 1)
    for trace in figure.data:
        assert list(trace.theta) == [*LABELS, LABELS[0]]
        assert trace.r[0] == trace.r[-1]
        assert trace.fill == "toself"
        assert trace.line.color == METHODS[trace.name].colour
    assert [t.name for t in figure.data] == ["SDG-CI", "MAPLE", "Aug-PE"]


def test_radar_shows_the_papers_numbers_and_tells_the_raw_ones():
    trace = figures.radar(ALL, "vendor", 1.0).data[0]
    expected = [0.479, 1 / 1.791, 0.578, 0.901, 0.546, 0.962, 0.996]
    assert np.allclose(trace.r[:7], expected)
    assert trace.customdata[1] == "0.791 [0.741, 0.841], n = 89"


def test_radar_leaves_gaps_not_zeros():
    some = comparison(result("SDG-CI", 1.0, ("mauve", "leak")), result("MAPLE", 1.0))
    figure = figures.radar(some, "vendor", 1.0)
    first = figure.data[0]
    assert first.r[0] is None
    assert first.r[6] is None
    assert first.r[7] is None
    assert first.connectgaps is False
    assert first.fill == "none"
    notes = [a.text for a in figure.layout.annotations]
    assert "MAUVE not computed for SDG-CI: needs at least 40 released records, there are 7" in notes


def test_radar_draws_four_methods_at_most_and_says_so():
    many = comparison(*(result(m, 1.0) for m in (*VALUES, "X1", "X2", "X3")))
    figure = figures.radar(many, "vendor", 1.0)
    assert len(figure.data) == 4
    assert any("4 of 6 methods" in a.text for a in figure.layout.annotations)
    assert [t.name for t in figures.radar(many, "vendor", 1.0, methods=["X2"]).data] == ["X2"]


def test_the_last_run_of_a_method_stands_and_families_stay_apart():
    again = comparison(result("MAPLE", 1.0), result("X1", None), result("MAPLE", 1.0, values=(0.9,) * 7))
    (run,) = latest_runs(again, "vendor", 1.0)
    assert (run.method, run.report.metrics["mauve"].value) == ("MAPLE", 0.9)
    assert [r.method for r in latest_runs(again, "vendor", None)] == ["X1"]
    assert [t.name for t in figures.radar(again, "vendor", None).data] == ["X1"]
    assert [t.name for t in figures.radar(again, "vendor", 1.0).data] == ["MAPLE"]


def test_no_chart_offers_to_upload_itself():
    assert figures.PLOTLY_CONFIG["showSendToCloud"] is False
    page = figures.to_html(figures.radar(ALL, "vendor", 1.0))
    assert '"showSendToCloud": false' in page


def test_direct_labels_stand_where_points_are_apart():
    label_at = farthest_apart(shown_rows(latest_runs(ALL, "vendor", 1.0)))
    assert label_at["SDG-CI"] == ("1/(1+KL)", "right")
    assert len({axis for axis, _ in label_at.values()}) == len(label_at)
    alike = comparison(result("SDG-CI", 1.0, values=(0.5,) * 7), result("MAPLE", 1.0, values=(0.5,) * 7))
    assert farthest_apart(shown_rows(latest_runs(alike, "vendor", 1.0))) == {}


def data_of(chart) -> list[dict]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def test_dumbbells_hold_every_metric_of_every_method_and_what_to_read_them_against():
    chart = figures.dumbbells(ALL, "vendor", 1.0)
    points = {(r["method"], r["axis"]): r["shown"] for r in data_of(chart) if "method" in r and "told" in r}
    assert set(points) == {(m, a) for m in VALUES for a in LABELS}
    assert points["Aug-PE", "Priv"] == pytest.approx(0.999)
    told = {r["told"]: r["shown"] for r in data_of(chart) if "told" in r and "method" not in r}
    assert told == {"real half against real half": 0.95, "trained on real records": 0.7}
    spec = str(chart.to_dict())
    assert "'domain': [0, 1]" in spec


def test_dumbbells_say_what_nobody_has():
    none = comparison(*(result(m, 1.0, ("demographic_gap",)) for m in VALUES))
    assert {"axis": "Fair", "told": "not computed"} in data_of(figures.dumbbells(none, "vendor", 1.0))


def test_tradeoff_is_on_a_log_axis_with_infinity_at_the_right_edge():
    rows = [
        r for r in data_of(figures.tradeoff(ALL, "vendor")) if r["method"] == "MAPLE" and r["axis"] == "MAUVE"
    ]
    place = {r["epsilon_text"]: r["place"] for r in rows}
    assert place["10"] - place["1"] == pytest.approx(1)
    assert place["0.5"] == pytest.approx(math.log10(0.5))
    assert place["∞"] > place["10"]
    assert {r["epsilon_text"]: r["finite"] for r in rows}["∞"] is False
    assert "'∞'" in str(figures.tradeoff(ALL, "vendor").to_dict())


@pytest.mark.parametrize(("which", "dark"), [("all", True), ("one", False), ("gaps", False), ("none", False)])
def test_every_comparison_chart_draws_offline(which, dark):
    data = {
        "all": ALL,
        "none": comparison(),
        "one": comparison(result("MAPLE", 1.0)),
        "gaps": comparison(*(result(m, 1.0, METRICS) for m in VALUES)),
    }[which]
    for chart in (
        figures.dumbbells(data, "vendor", 1.0, dark=dark),
        figures.tradeoff(data, "vendor", dark=dark),
        figures.privacy_utility(data, "vendor", dark=dark),
        figures.radar_still(data, "vendor", 1.0, dark=dark),
    ):
        svg = figures.to_svg(chart)
        assert svg.startswith("<svg")
        assert "NaN" not in svg
    figures.radar(data, "vendor", 1.0, dark=dark)


def test_exports():
    chart = figures.radar_still(ALL, "vendor", 1.0)
    svg = figures.to_svg(chart)
    assert all(label in svg for label in LABELS)
    assert METHODS["SDG-CI"].colour.lower() in svg.lower()
    assert figures.to_png(chart, scale=1).startswith(b"\x89PNG")
    page = figures.to_html(chart)
    assert "https://cdn" not in page
    with pytest.raises(BadInput, match="radar_still"):
        figures.to_svg(figures.radar(ALL, "vendor", 1.0))


def test_colours_are_lightened_on_dark_pages_and_unknown_methods_are_grey():
    assert colour("SDG-CI", dark=False) == METHODS["SDG-CI"].colour
    assert colour("SDG-CI", dark=True) != METHODS["SDG-CI"].colour
    assert colour("from a newer version", dark=False) == "#8A8F9C"


ATTRIBUTES = ("topic", "age", "sex")
PARTITIONS = {
    "vendor": Partition("vendor", ("topic", "sex"), ("age",), Approval("R. Meyer", "2026-11-29")),
    "advertiser": Partition("advertiser", ("topic",), ("age", "sex")),
}
JUDGEMENTS = {
    "vendor": (
        Judgement("topic", "public", "It is the task.", 1.0, 3),
        Judgement("age", "private", "Not needed.", 2 / 3, 3),
        Judgement("sex", "private", "Not needed.", 1.0, 3),
    ),
    "advertiser": (Judgement("age", "private", "No usable answer.", 0.0, 0),),
}


def test_matrix_tells_sides_agreement_and_flips():
    rows = {
        (r["attribute"], r["audience"]): r
        for r in data_of(figures.matrix(ATTRIBUTES, PARTITIONS, JUDGEMENTS))
        if "side" in r
    }
    assert len(rows) == 6
    assert rows["age", "vendor"]["words"] == "● private 2/3"
    assert rows["sex", "vendor"]["words"] == "○ public 3/3 ↻"
    assert rows["sex", "vendor"]["told"].startswith("public by the reviewer; proposed private (3/3)")
    assert rows["age", "advertiser"]["words"] == "● private no answer"
    assert rows["topic", "advertiser"]["flipped"] is False
    heads = {
        r["audience"]: r for r in data_of(figures.matrix(ATTRIBUTES, PARTITIONS, JUDGEMENTS)) if "head" in r
    }
    assert heads["vendor"]["approval"] == "✓ R. Meyer\n2026-11-29"
    assert heads["advertiser"]["approval"].strip() == "not approved"
    assert heads["advertiser"]["count"] == "2 private, 1 public"


def test_matrix_shows_what_is_public_when_coarsened():
    partitions = {"vendor": Partition("vendor", ("topic",), ("sex",), coarsened=("age",))}
    rows = data_of(figures.matrix(ATTRIBUTES, partitions, JUDGEMENTS))
    cell = next(r for r in rows if r.get("attribute") == "age")
    assert cell["words"] == "◐ bucket 2/3 ↻"
    assert cell["told"].startswith("public when coarsened by the reviewer; proposed private (2/3)")
    assert next(r for r in rows if "head" in r)["count"] == "1 ●  1 ◐  1 ○"


def test_matrix_that_can_be_touched_selects_a_cell():
    spec = figures.matrix(ATTRIBUTES, PARTITIONS, touch=True).to_dict()
    (param,) = spec["params"]
    assert param["name"] == "pick" and param["select"]["fields"] == ["attribute", "audience"]
    assert "params" not in figures.matrix(ATTRIBUTES, PARTITIONS).to_dict()


def test_matrix_is_sorted_into_a_staircase():
    spec = str(figures.matrix(ATTRIBUTES, PARTITIONS).to_dict())
    assert "'domain': ['age', 'sex', 'topic']" in spec
    assert "'domain': ['topic', 'age', 'sex']" in str(
        figures.matrix(ATTRIBUTES, PARTITIONS, sort=False).to_dict()
    )


def test_matrix_of_fifty_by_ten_draws_with_signs_instead_of_words():
    names = [f"a{i}" for i in range(50)]
    many = {
        f"audience {j}": Partition(f"audience {j}", tuple(names[: 5 * j]), tuple(names[5 * j :]))
        for j in range(10)
    }
    chart = figures.matrix(names, many)
    assert {r["words"] for r in data_of(chart) if "side" in r} == {"●", "○"}
    assert figures.to_svg(chart).count("●") >= 275


def test_value_counts_keep_the_domain_and_fold_the_tail():
    rows = data_of(figures.value_counts(["a", "a", "c"], ["a", "b", "c"]))
    assert [(r["value"], r["records"]) for r in rows] == [("a", 2), ("b", 0), ("c", 1)]
    folded = data_of(figures.value_counts([str(i) for i in range(40)], top=10))
    assert folded[-1] == {"value": "30 more values", "records": 30, "told": "30 (75%)"}
    figures.to_svg(figures.value_counts([]))


def test_length_histogram_counts_every_record():
    lengths = [3, 4, 4, 90, 12]
    rows = data_of(figures.length_histogram(lengths))
    assert sum(r["records"] for r in rows if "records" in r) == 5
    assert [r["told"] for r in rows if "median" in r] == ["median 4"]
    for some in ([], [7], lengths):
        assert figures.to_svg(figures.length_histogram(some)).startswith("<svg")


def test_before_after_shows_buckets():
    schema = Schema(
        (Attribute("job", ("nurse", "cook", "baker")),),
        {"job": Coarsening("job", {"nurse": "care", "cook": "food", "baker": "food"}, ("care", "food"))},
    )
    rows = data_of(figures.before_after(["nurse", "cook", "baker"], schema, "job"))
    assert [(r["value"], r["records"]) for r in rows] == [
        ("nurse", 1),
        ("cook", 1),
        ("baker", 1),
        ("care", 1),
        ("food", 2),
    ]
    plain = figures.before_after(["nurse"], schema.without_coarsening("job"), "job")
    assert "not coarsened" in str(plain.to_dict())
