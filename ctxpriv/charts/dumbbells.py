"""One line a metric, the methods as points on it: lengths where a radar has areas."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from ctxpriv.charts.rows import latest_runs, leak_sentences, missing_sentences, reference_marks, shown_rows
from ctxpriv.charts.theme import Theme, colour, dressed, heading, method_scales, theme
from ctxpriv.comparison import Comparison
from ctxpriv.evaluate.report import AXES

LABELS = [axis.label for axis in AXES]
ROW = 54  # pixels a metric


def dumbbells(
    comparison: Comparison,
    audience: str,
    epsilon: float | None,
    *,
    methods: Sequence[str] | None = None,
    dark: bool = False,
    width: int = 560,
) -> alt.LayerChart:
    """The seven metrics on 0..1, higher is better: points on one line, 95 % intervals as thin
    rules below it, what they are to be read against as grey ticks, names beside the points.
    `epsilon` None draws the methods that rewrite records and have none."""
    t = theme(dark)
    runs = latest_runs(comparison, audience, epsilon, methods)
    rows, marks = shown_rows(runs), reference_marks(runs)
    found = rows.dropna(subset=["shown"])
    names = list(dict.fromkeys(rows["method"]))
    x = alt.X(
        "shown:Q",
        scale=alt.Scale(domain=[0, 1]),
        title="higher is better",
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f"),
    )
    y = alt.Y(
        "axis:N",
        sort=LABELS,
        scale=alt.Scale(domain=LABELS),
        title=None,
        axis=alt.Axis(grid=False, ticks=False, domain=False, labelFontSize=13, labelPadding=8),
    )
    hue, form = method_scales(names, dark)
    span = found.groupby("axis", sort=False)["shown"].agg(["min", "max"]).reset_index()
    layers = [
        alt.Chart(span)
        .mark_rule(strokeWidth=3, color=t.grid, strokeCap="round")
        .encode(x=alt.X("min:Q", title="higher is better"), x2="max:Q", y=y),
        *_references(marks, x, y, t),
        *_intervals(found, names, y, dark),
        alt.Chart(found)
        .mark_point(filled=True, size=110, opacity=1)
        .encode(
            x=x,
            y=y,
            color=hue,
            shape=form,
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("axis:N", title="metric"),
                alt.Tooltip("told:N", title="value"),
            ],
        ),
        *_names(found, x, y, dark, {"MAUVE", "Acc", *marks["axis"]}),
        *_gaps(rows, y, t),
    ]
    notes = [*leak_sentences(runs), *missing_sentences(rows)]
    subtitle = notes or ["points: figures; thin rules: 95 % intervals; grey ticks: real text"]
    title = alt.TitleParams(heading(audience, epsilon), subtitle=subtitle)
    chart = alt.layer(*layers).properties(width=width, height=ROW * len(LABELS), title=title)
    return dressed(chart, dark)


def _intervals(found: pd.DataFrame, names: list[str], y: alt.Y, dark: bool) -> list[alt.Chart]:
    """Thin rules, one level a method, so that overlapping intervals stay apart."""
    out = []
    for level, method in enumerate(names):
        own = found[(found["method"] == method) & found["low"].notna()]
        if len(own):
            # A rule spans the row's middle: yOffset is in pixels, downwards.
            out.append(
                alt.Chart(own)
                .mark_rule(strokeWidth=1.6, color=colour(method, dark), opacity=0.85, yOffset=10 + 4 * level)
                .encode(x=alt.X("low:Q", title="higher is better"), x2="high:Q", y=y)
            )
    return out


def _references(marks: pd.DataFrame, x: alt.X, y: alt.Y, t: Theme) -> list[alt.Chart]:
    if not len(marks):
        return []
    tick = (
        alt.Chart(marks)
        .mark_tick(color=t.muted, thickness=2, size=20)
        .encode(
            x=x, y=y, tooltip=[alt.Tooltip("told:N", title="real text"), alt.Tooltip("shown:Q", format=".3f")]
        )
    )
    out = [tick]
    # The lower mark of a row has its word on the left, the higher one on the right, so that the two
    # stay apart; but words turn inwards near the ends, so that they stay inside the chart.
    lower = marks["shown"] == marks.groupby("axis")["shown"].transform("min")
    paired = marks.groupby("axis")["shown"].transform("size") > 1
    leftwards = (marks["shown"] > 0.8) | (lower & paired & (marks["shown"] > 0.2))
    for align, dx, own in (("left", 5, marks[~leftwards]), ("right", -5, marks[leftwards])):
        if len(own):
            out.append(
                alt.Chart(own)
                .mark_text(align=align, dx=dx, dy=-14, fontSize=10, color=t.muted)
                .encode(x=x, y=y, text="word:N")
            )
    return out


def _names(found: pd.DataFrame, x: alt.X, y: alt.Y, dark: bool, taken: set[str]) -> list[alt.Chart]:
    """Method names above the points of the row where they are farthest apart; rows in `taken` carry the
    words of their grey ticks in that place."""
    best, best_gap = None, 0.1
    for axis, group in found.groupby("axis", sort=False):
        gaps = np.diff(np.sort(group["shown"]))
        complete = len(group) == found["method"].nunique()
        if complete and axis not in taken and (not len(gaps) or gaps.min() > best_gap):
            best, best_gap = axis, gaps.min() if len(gaps) else 1.0
    if best is None:
        return []
    return [
        alt.Chart(row.to_frame().T.astype({"shown": float}))
        .mark_text(dy=-15, fontSize=12, color=colour(row["method"], dark))
        .encode(x=x, y=y, text="method:N")
        for _, row in found[found["axis"] == best].iterrows()
    ]


def _gaps(rows: pd.DataFrame, y: alt.Y, t: Theme) -> list[alt.Chart]:
    """Metrics that no method has: words in the empty line."""
    everywhere = rows.groupby("axis", sort=False)["shown"].apply(lambda s: s.isna().all())
    empty = pd.DataFrame({"axis": list(everywhere.index[everywhere.to_numpy(bool)]), "told": "not computed"})
    if not len(empty):
        return []
    return [
        alt.Chart(empty)
        .mark_text(align="left", color=t.muted, fontStyle="italic", fontSize=12)
        .encode(x=alt.value(6), y=y, text="told:N")
    ]
