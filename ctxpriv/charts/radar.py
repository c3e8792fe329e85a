"""The radar chart of the paper's Figure 2: interactive (Plotly) and still (Altair, for SVG and PNG)."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ctxpriv.charts.rows import (
    MAX_SERIES,
    farthest_apart,
    latest_runs,
    leak_sentences,
    missing_sentences,
    shown_rows,
)
from ctxpriv.charts.theme import FONT, colour, dressed, heading, theme, with_alpha
from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.evaluate.report import AXES

LABELS = tuple(axis.label for axis in AXES)
SYMBOLS = {
    "circle": "circle",
    "square": "square",
    "triangle-up": "triangle-up",
    "diamond": "diamond",
    "cross": "cross",
    "triangle-down": "triangle-down",
}
PLOTLY_CONFIG = {
    "displaylogo": False,
    # On by default in plotly.js 4: a button that uploads the chart to a third party.
    "showSendToCloud": False,
    "toImageButtonOptions": {"format": "svg", "filename": "radar"},
    "modeBarButtonsToRemove": ["zoom", "pan", "select", "lasso"],
}
"""Pass as `config` wherever a Plotly figure is drawn: the mode bar then saves the chart as SVG in
the browser, offline, and has no button that sends it anywhere."""


def radar(
    comparison: Comparison,
    audience: str,
    epsilon: float | None,
    *,
    methods: Sequence[str] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Seven axes clockwise from the top, all higher-is-better on 0..1, one closed line a method.

    `epsilon` None draws the methods that rewrite records and have none.
    A metric that was not computed leaves a gap (and the line its fill), never a 0. At most
    four methods, the first in registry order or of `methods`; raw values, intervals and n on hover.
    """
    from ctxpriv.charts.theme import shape

    t = theme(dark)
    runs = latest_runs(comparison, audience, epsilon, methods)
    rows = shown_rows(runs[:MAX_SERIES])
    figure = go.Figure()
    label_at = farthest_apart(rows)
    sides = {m: side for m, (_, side) in label_at.items()}
    for run in runs[:MAX_SERIES]:
        own = rows[rows["method"] == run.method].set_index("axis").loc[list(LABELS)]
        values = [None if np.isnan(v) else float(v) for v in own["shown"]]
        hue = colour(run.method, dark)
        texts = [run.method if label_at.get(run.method, ("",))[0] == axis else "" for axis in LABELS]
        told = list(own["told"])
        figure.add_trace(
            go.Scatterpolar(
                r=[*values, values[0]],
                theta=[*LABELS, LABELS[0]],
                name=run.method,
                mode="lines+markers+text",
                text=[*texts, ""],
                textposition=f"middle {sides.get(run.method, 'right')}",
                textfont={"color": hue, "size": 13},
                connectgaps=False,
                # A line with gaps encloses no area: filling would close it across the missing axes.
                fill="none" if None in values else "toself",
                fillcolor=with_alpha(hue, 0.10),
                line={"color": hue, "width": 2.2},
                marker={"size": 7, "symbol": SYMBOLS[shape(run.method)]},
                customdata=[*told, told[0]],
                hovertemplate="<b>%{theta}</b> %{r:.3f}<br>%{customdata}<extra>" + run.method + "</extra>",
            )
        )
    notes = _notes(rows, runs)
    figure.update_layout(
        polar=_polar(t),
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": t.text, "family": FONT, "size": 13},
        height=500 + 18 * len(notes),
        title={"text": heading(audience, epsilon), "x": 0, "xanchor": "left", "font": {"size": 15}},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": t.muted, "activecolor": t.text},
        legend={"orientation": "h", "y": -0.08, "yanchor": "top", "x": 0.5, "xanchor": "center"},
        margin={"l": 60, "r": 60, "t": 70, "b": 75 + 18 * len(notes)},
        showlegend=True,
    )
    for i, note in enumerate(notes):
        figure.add_annotation(
            text=note,
            x=0,
            y=0,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="top",
            yshift=-66 - 18 * i,
            showarrow=False,
            font={"size": 12, "color": t.muted},
        )
    return figure


def radar_still(
    comparison: Comparison,
    audience: str,
    epsilon: float | None,
    *,
    methods: Sequence[str] | None = None,
    dark: bool = False,
    radius: int = 190,
) -> alt.LayerChart:
    """The same picture without a browser: `export.to_svg` and `to_png` draw it offline."""
    t = theme(dark)
    runs = latest_runs(comparison, audience, epsilon, methods)
    rows = shown_rows(runs[:MAX_SERIES])
    placed = rows.assign(step=rows["axis"].map(LABELS.index).astype(float))
    angle = 2 * np.pi * placed["step"] / len(LABELS)
    placed = placed.assign(x=placed["shown"] * np.sin(angle), y=placed["shown"] * np.cos(angle))
    closing = placed[placed["step"] == 0].assign(step=float(len(LABELS)))
    around = pd.concat([placed, closing], ignore_index=True)
    x = alt.X("x:Q", scale=alt.Scale(domain=[-1.32, 1.32]), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[-1.22, 1.22]), axis=None)
    layers = [*_web(x, y, t)]
    label_at = farthest_apart(rows)
    for method in dict.fromkeys(rows["method"]):
        hue, own = colour(method, dark), around[around["method"] == method]
        if own["shown"].notna().all():
            layers.append(
                alt.Chart(own)
                .mark_line(filled=True, fill=hue, fillOpacity=0.10, strokeWidth=0)
                .encode(x=x, y=y, order="step:Q")
            )
        layers.append(
            alt.Chart(own)
            .mark_line(color=hue, strokeWidth=2.2, invalid="break-paths-show-domains")
            .encode(x=x, y=y, order="step:Q")
        )
    points = placed.dropna(subset=["shown"])
    layers.append(_still_points(points, x, y, dark))
    for method, (axis, side) in label_at.items():
        own = points[(points["method"] == method) & (points["axis"] == axis)]
        away = {"align": "left", "dx": 9} if side == "right" else {"align": "right", "dx": -9}
        layers.append(
            alt.Chart(own)
            .mark_text(fontSize=13, color=colour(method, dark), **away)
            .encode(x=x, y=y, text="method:N")
        )
    title = alt.TitleParams(heading(audience, epsilon), subtitle=_notes(rows, runs))
    chart = alt.layer(*layers).properties(
        width=round(2.64 * radius), height=round(2.44 * radius), title=title
    )
    return dressed(chart, dark)


def _still_points(points: pd.DataFrame, x: alt.X, y: alt.Y, dark: bool) -> alt.Chart:
    from ctxpriv.charts.theme import method_scales

    hue, form = method_scales(list(dict.fromkeys(points["method"])), dark)
    return (
        alt.Chart(points)
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=x,
            y=y,
            color=hue,
            shape=form,
            tooltip=[alt.Tooltip("method:N"), alt.Tooltip("axis:N"), alt.Tooltip("told:N", title="value")],
        )
    )


def _web(x: alt.X, y: alt.Y, t) -> list[alt.Chart]:
    """Rings at 0.25 steps, spokes and axis names."""
    angles = 2 * np.pi * np.arange(len(LABELS) + 1) / len(LABELS)
    rings = pd.DataFrame(
        [
            {"ring": ring, "step": i, "x": ring * np.sin(a), "y": ring * np.cos(a)}
            for ring in (0.25, 0.5, 0.75, 1.0)
            for i, a in enumerate(angles)
        ]
    )
    spokes = pd.DataFrame(
        [
            {"ring": axis, "step": end, "x": end * np.sin(a), "y": end * np.cos(a)}
            for axis, a in zip(LABELS, angles, strict=False)
            for end in (0, 1)
        ]
    )
    names = pd.DataFrame({"axis": LABELS, "x": 1.13 * np.sin(angles[:-1]), "y": 1.1 * np.cos(angles[:-1])})
    ticks = pd.DataFrame({"tick": ["0.25", "0.5", "0.75", "1"], "x": 0.0, "y": [0.25, 0.5, 0.75, 1.0]})
    thin = {"color": t.grid, "strokeWidth": 1}
    return [
        alt.Chart(rings).mark_line(**thin).encode(x=x, y=y, detail="ring:N", order="step:Q"),
        alt.Chart(spokes).mark_line(**thin).encode(x=x, y=y, detail="ring:N", order="step:Q"),
        alt.Chart(ticks)
        .mark_text(color=t.muted, fontSize=10, align="left", dx=3, dy=-5)
        .encode(x=x, y=y, text="tick:N"),
        alt.Chart(names).mark_text(color=t.text, fontSize=13).encode(x=x, y=y, text="axis:N"),
    ]


def _polar(t) -> dict:
    return {
        "bgcolor": "rgba(0,0,0,0)",
        "gridshape": "linear",
        "radialaxis": {
            "range": [0, 1],
            "tickvals": [0.25, 0.5, 0.75, 1],
            "gridcolor": t.grid,
            "linecolor": t.grid,
            "tickfont": {"size": 10, "color": t.muted},
            "angle": 90,
            "tickangle": 90,
            "side": "counterclockwise",
        },
        "angularaxis": {
            "direction": "clockwise",
            "rotation": 90,
            "gridcolor": t.grid,
            "linecolor": t.grid,
            "categoryorder": "array",
            "categoryarray": list(LABELS),
            "tickfont": {"size": 13},
        },
    }


def _notes(rows: pd.DataFrame, runs: Sequence[RunResult]) -> list[str]:
    notes = [*leak_sentences(runs), *missing_sentences(rows)]
    if len(runs) > MAX_SERIES:
        notes.append(f"{MAX_SERIES} of {len(runs)} methods are drawn; the table has all.")
    if not runs:
        notes.append("No such run has finished.")
    return notes
