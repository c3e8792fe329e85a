"""Experiments on insight methods as pictures (curator-only: they compare with the exact sketch).

Rows are mappings, one a point. Every row has `method` (a config's title); rates and shares are drawn on 0..1
whatever the data, so that two pictures can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ctxpriv.charts.theme import SHAPES, Theme, dressed, theme
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.registry import INSIGHTS, VARIANT_COLOURS, colour_of

Rows = Sequence[Mapping[str, Any]]

DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3])
NEAREST = 0.075  # of the height: names nearer than this would run into each other
READABLE = 150  # mean of red, green and blue, on dark pages
NUDGE = 5  # pixels between methods at one place
MEASURES = {
    "overlap": "Overlap@L",
    "mass_retained": "MassRetained",
    "admitted": "admitted",
    "mentioned": "mentioned in the summary",
}


def ablation_lines(
    rows: Rows,
    factor: str,
    *,
    title: str = "",
    told: str = "",
    dark: bool = False,
    width: int = 250,
    height: int = 200,
) -> alt.HConcatChart:
    """Mean of repeated releases with its interval against one factor, one line a method.

    Rows: `method`, `value` (of the factor, which is named by `factor`), `measure` ("overlap",
    "mass_retained"), `mean`, `low`, `high` (None where there is no interval), `repeats`. A panel a measure.
    `told` says what is drawn where it is not that.
    """
    t = theme(dark)
    frame = pd.DataFrame(rows, columns=["method", "value", "measure", "mean", "low", "high", "repeats"])
    frame = frame.astype(dict.fromkeys(("mean", "low", "high"), "float64")).sort_values(
        "value", kind="stable"
    )
    panels = [
        _lines(own, factor, "mean", t, dark, width, height).properties(title=MEASURES.get(measure, measure))
        for measure, own in _groups(frame, "measure")
    ]
    repeats = sorted(set(frame["repeats"].dropna()))
    drawn = " or ".join(f"{r:g}" for r in repeats)
    told = told or f"mean of {drawn} releases with its 95 % interval; higher is better"
    return _beside(panels, title or f"What changes with {factor}", told, t, dark, width)


def probe_curves(rows: Rows, *, dark: bool = False, width: int = 220, height: int = 190) -> alt.HConcatChart:
    """How often a public theme with s inserted records is admitted, and mentioned: a panel an ε and measure.

    Rows: `method`, `epsilon`, `s`, `measure` ("admitted", "mentioned"), `rate`, `low`, `high`, `repeats`.
    """
    t = theme(dark)
    frame = pd.DataFrame(
        rows, columns=["method", "epsilon", "s", "measure", "rate", "low", "high", "repeats"]
    )
    frame = frame.astype(dict.fromkeys(("rate", "low", "high"), "float64")).sort_values(
        ["epsilon", "s"], kind="stable"
    )
    frame = frame.rename(columns={"s": "value", "rate": "mean"})
    rows_of_panels = [
        alt.hconcat(
            *(
                _lines(own, "s, records inserted", "mean", t, dark, width, height).properties(
                    title=f"ε = {epsilon:g}: {MEASURES.get(measure, measure)}"
                )
                for epsilon, own in _groups(part, "epsilon")
            ),
            spacing=30,
        )
        for measure, part in _groups(frame, "measure")
    ]
    panels = [alt.vconcat(*rows_of_panels)] if rows_of_panels else []
    repeats = sorted(set(frame["repeats"].dropna()))
    told = f"share of {' or '.join(f'{r:g}' for r in repeats)} releases with its 95 % interval"
    return _beside(panels, "When does a theme with few records show?", told, t, dark, width)


def loss_and_bound(
    rows: Rows, *, dark: bool = False, width: int = 250, height: int = 200
) -> alt.HConcatChart:
    """The mass that a release misses beside the bound 2Lτ on it, against ε: a panel a method.

    Rows: `method`, `epsilon`, `loss` (the mean), `largest` (of all repeats), `bound`; in protected units.
    The axis is the same in every panel, logarithmic from 1 up, and ends at a power of ten above everything.
    """
    t = theme(dark)
    frame = pd.DataFrame(rows, columns=["method", "epsilon", "loss", "largest", "bound"])
    frame = frame.astype(dict.fromkeys(("loss", "largest", "bound"), "float64")).sort_values(
        "epsilon", kind="stable"
    )
    most = float(np.nanmax(frame[["largest", "bound"]].to_numpy())) if len(frame) else 10.0
    decades = max(1, math.floor(math.log10(max(most, 1.0))) + 1)
    panels = [
        _loss_panel(own, str(method), decades, t, dark).properties(width=width, height=height)
        for method, own in _groups(frame, "method")
    ]
    told = [
        "● mean loss, rule up to the largest of all repeats",
        "╌ what it stays below with 95 % probability: 2Lτ for full sketches",
    ]
    return _beside(panels, "Observed loss and its bound", told, t, dark, width)


# ---- parts


def _loss_panel(frame: pd.DataFrame, method: str, decades: int, t: Theme, dark: bool) -> alt.LayerChart:
    scale = alt.Scale(type="symlog", domain=[0, 10**decades], nice=False)
    ticks = [0, *(10**p for p in range(decades + 1))]

    def y(field: str) -> alt.Y:
        axis = alt.Axis(values=ticks, format=",d")
        return alt.Y(f"{field}:Q", scale=scale, axis=axis, title="mass, in protected units")

    x = alt.X("epsilon:O", title="ε", axis=alt.Axis(labelAngle=0, grid=False))
    tips = [alt.Tooltip("epsilon:Q", title="ε"), alt.Tooltip("loss:Q", format=".1f", title="mean loss")]
    tips += [alt.Tooltip("largest:Q", format=".1f"), alt.Tooltip("bound:Q", format=".1f")]
    ink, base = _colour(method, dark), alt.Chart(frame)
    return alt.layer(
        base.mark_line(color=t.warning, strokeDash=[5, 3]).encode(x=x, y=y("bound")),
        base.mark_point(color=t.warning, shape="stroke", size=120, strokeWidth=2, opacity=1).encode(
            x=x, y=y("bound"), tooltip=tips
        ),
        base.mark_rule(color=ink, strokeWidth=1.4).encode(x=x, y=y("loss"), y2="largest:Q"),
        base.mark_point(filled=True, size=80, opacity=1, color=ink).encode(x=x, y=y("loss"), tooltip=tips),
    ).properties(title=method)


def _lines(
    frame: pd.DataFrame, factor: str, field: str, t: Theme, dark: bool, width: int, height: int
) -> alt.LayerChart:
    """One line a method on 0..1, its name where it ends."""
    methods = _ordered(frame["method"])
    hue = alt.Color(
        "method:N",
        scale=alt.Scale(domain=methods, range=[_colour(m, dark) for m in methods]),
        legend=None,
    )
    form = alt.Shape(
        "method:N",
        scale=alt.Scale(domain=methods, range=[SHAPES[_place(m) % len(SHAPES)] for m in methods]),
        legend=None,
    )
    dash = alt.StrokeDash(
        "method:N",
        scale=alt.Scale(domain=methods, range=[DASHES[_place(m) % len(DASHES)] for m in methods]),
        legend=None,
    )
    places = alt.Scale(type="point", padding=0.4)
    x = alt.X("value:O", title=factor, axis=alt.Axis(labelAngle=0, grid=False), scale=places)
    # Beside each other, so that intervals at one place can be told apart.
    around = NUDGE * (len(methods) - 1) / 2
    nudges = alt.Scale(type="point", domain=methods, range=[-around, around])
    beside = alt.XOffset("method:N", scale=nudges)
    tips = [alt.Tooltip("method:N"), alt.Tooltip("value:O", title=factor)]
    tips += [alt.Tooltip(f"{field}:Q", format=".3f"), alt.Tooltip("low:Q", format=".3f")]
    tips += [alt.Tooltip("high:Q", format=".3f"), alt.Tooltip("repeats:Q")]
    base = alt.Chart(frame)
    layers = [
        base.mark_line(strokeWidth=2).encode(x=x, xOffset=beside, y=_unit(field), color=hue, strokeDash=dash),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.4)
        .encode(x=x, xOffset=beside, y=_unit("low"), y2="high:Q", color=hue),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=x, xOffset=beside, y=_unit(field), color=hue, shape=form, tooltip=tips
        ),
        *_end_names(frame, field, t, width, form, hue),
    ]
    return alt.layer(*layers).properties(width=width, height=height)


def _end_names(
    frame: pd.DataFrame, field: str, t: Theme, width: int, form: alt.Shape, hue: alt.Color
) -> list[alt.Chart]:
    """Each method's mark and name right of its last point, moved apart where lines end together."""
    last = frame.groupby("method", sort=False).tail(1).sort_values(field, ascending=False)
    last = last.assign(at=_apart(last[field].to_numpy(float)), name=last["method"].map(_short))
    base, y = alt.Chart(last), _unit("at")
    words = base.mark_text(align="left", color=t.text, fontSize=11)
    marks = base.mark_point(filled=True, size=45, opacity=1)
    return [
        marks.encode(x=alt.value(width + 8), y=y, shape=form, color=hue),
        words.encode(x=alt.value(width + 17), y=y, text="name:N"),
    ]


def _apart(values: np.ndarray) -> np.ndarray:
    """Falling values moved apart to at least `NEAREST`, within 0..1."""
    out = np.nan_to_num(values).copy()
    for i in range(1, len(out)):
        out[i] = min(out[i], out[i - 1] - NEAREST)
    if len(out) and out[-1] < 0:  # pushed through the floor: up again, from below
        out[-1] = 0.0
        for i in range(len(out) - 2, -1, -1):
            out[i] = max(out[i], out[i + 1] + NEAREST)
    return out


def _unit(field: str) -> alt.Y:
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f")
    return alt.Y(f"{field}:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=axis)


def _beside(
    panels: list[Any], title: str, told: str | list[str], t: Theme, dark: bool, width: int
) -> alt.HConcatChart:
    if not panels:
        empty = alt.Chart(pd.DataFrame({"told": ["nothing was measured yet"]}))
        panels, told = [empty.mark_text(color=t.muted, fontStyle="italic").encode(text="told:N")], ""
        panels = [panels[0].properties(width=width, height=60)]
    head = alt.TitleParams(title, subtitle=told, offset=14)
    return dressed(alt.hconcat(*panels, spacing=30).properties(title=head), dark)


def _groups(frame: pd.DataFrame, by: str) -> Any:
    return frame.groupby(by, sort=False)


def _ordered(methods: Any) -> list[str]:
    given = list(dict.fromkeys(str(m) for m in methods))
    return sorted(given, key=lambda m: (_place(m), m))


def _place(method: str) -> int:
    """A method's fixed place among all, which gives it shape and dash."""
    known = [*VARIANT_COLOURS, *(n for n in INSIGHTS if n not in {v.split(", ")[0] for v in VARIANT_COLOURS})]
    return known.index(method) if method in known else len(known)


def _colour(method: str, dark: bool) -> str:
    """The method's fixed colour; on dark pages mixed with white until thin lines can be read."""
    base = colour_of(method)
    parts = [int(base[i : i + 2], 16) for i in (1, 3, 5)]
    lift = theme(dark).lift
    while dark and sum(_lifted(parts, lift)) < 3 * READABLE:
        lift += 0.1
    return "#" + "".join(f"{p:02X}" for p in _lifted(parts, lift))


def _lifted(parts: list[int], lift: float) -> list[int]:
    return [round(p + (255 - p) * lift) for p in parts]


def _short(method: str) -> str:
    """ "Laplace" of "DP-SPIN, Laplace": a panel names what varies. Other methods keep their names, for a
    column alone would not be told from one."""
    name, _, variant = method.partition(", ")
    return variant if variant and name == Spin.name else name
