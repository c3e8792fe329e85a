"""Privacy against utility over every ε run so far."""

from __future__ import annotations

import math

import altair as alt
import numpy as np
import pandas as pd

from ctxpriv.charts.rows import latest_runs, shown_rows
from ctxpriv.charts.theme import dressed, epsilon_text, method_scales, ordered, theme
from ctxpriv.comparison import SYNTHETIC, Comparison

PANELS = ("MAUVE", "Acc", "Priv")


def tradeoff(
    comparison: Comparison, audience: str, *, dark: bool = False, width: int = 230, height: int = 220
) -> alt.HConcatChart:
    """MAUVE, accuracy and privacy over ε, one line a method with 95 % intervals.

    ε is on a log axis; ε = ∞ stands at the right edge with its own tick, not joined to the
    finite ones. Methods that rewrite records have no place on the axis: dashed lines across show their
    MAUVE and accuracy, but not their privacy, which is another figure (see `RunResult.family`).
    """
    t = theme(dark)
    rows = shown_rows([r for r in comparison.of(audience) if r.epsilon is not None])
    across = shown_rows(latest_runs(comparison, audience, None))
    # Repeats of one setting: the last run stands.
    rows = rows.drop_duplicates(["method", "epsilon", "axis"], keep="last")
    ticks = _ticks(rows["epsilon"])
    rows = rows.assign(place=rows["epsilon"].map(ticks).astype(float), finite=np.isfinite(rows["epsilon"]))
    methods = ordered(rows["method"])
    # All in one legend, since Vega-Lite lets a scale be shared by the panels.
    hue, form = method_scales([*methods, *dict.fromkeys(across["method"])], dark)
    spread = max(ticks.values(), default=1.0) - min(ticks.values(), default=0.0) or 1.0
    nudge = {m: (i - (len(methods) - 1) / 2) * 0.012 * spread for i, m in enumerate(methods)}
    rows = rows.assign(place=rows["place"] + rows["method"].map(nudge).astype(float))
    # By nearness: a formatted place would carry a typographic minus and match no key.
    labels = "".join(
        f"abs(datum.value - {place}) < 1e-6 ? '{epsilon_text(e)}' : " for e, place in ticks.items()
    )
    margin = 0.12 * spread
    domain = [min(ticks.values(), default=0.0) - margin, max(ticks.values(), default=1.0) + margin]
    x = alt.X(
        "place:Q",
        title="ε",
        scale=alt.Scale(domain=domain, nice=False, zero=False),
        axis=alt.Axis(values=list(ticks.values()), grid=False, labelOverlap=True, labelExpr=f"{labels}''"),
    )
    panels = []
    for axis in PANELS:
        own = rows[(rows["axis"] == axis) & rows["shown"].notna()]
        y = alt.Y(
            "shown:Q",
            scale=alt.Scale(domain=[0, 1]),
            title=None,
            axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f"),
        )
        base = alt.Chart(own)
        layers = [
            base.transform_filter("datum.finite").mark_line(strokeWidth=2).encode(x=x, y=y, color=hue),
            base.transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=1.2)
            .encode(x=x, y=alt.Y("low:Q", title=None), y2="high:Q", color=hue),
            base.mark_point(filled=True, size=75, opacity=1).encode(
                x=x,
                y=y,
                color=hue,
                shape=form,
                tooltip=[
                    alt.Tooltip("method:N"),
                    alt.Tooltip("epsilon_text:N", title="ε"),
                    alt.Tooltip("told:N", title=axis),
                ],
            ),
        ]
        level = across[(across["axis"] == axis) & across["shown"].notna() & (axis != "Priv")]
        if len(level):
            layers += _levels(level, y, hue)
        if not len(own) and not len(level):
            empty = pd.DataFrame({"told": ["not computed"]})
            layers = [alt.Chart(empty).mark_text(color=t.muted, fontStyle="italic").encode(text="told:N")]
        panels.append(alt.layer(*layers).properties(width=width, height=height, title=axis))
    chart = alt.hconcat(*panels, title=alt.TitleParams(f"{audience}: figures over ε, higher is better"))
    return dressed(chart, dark)


def _levels(level: pd.DataFrame, y: alt.Y, hue: alt.Color) -> list[alt.Chart]:
    """What has no ε: a dashed line across."""
    tips = [alt.Tooltip("method:N"), alt.Tooltip("told:N", title="value, no ε")]
    return [
        alt.Chart(level).mark_rule(strokeDash=[5, 4], strokeWidth=1.6).encode(y=y, color=hue, tooltip=tips)
    ]


def privacy_utility(
    comparison: Comparison,
    audience: str,
    *,
    utility: str = "Acc",
    dark: bool = False,
    width: int = 420,
    height: int = 320,
) -> alt.LayerChart:
    """Every synthetic release as a point: Priv to the right, `utility` (an axis label) upwards, ε beside
    it where there is room, and on hover. For rewritten records see `attacks.protection_bought`."""
    runs = [run for run in comparison.of(audience) if run.family == SYNTHETIC]
    rows = shown_rows(sorted(runs, key=lambda run: run.epsilon or 0.0))
    wide = rows.pivot_table(
        index=["method", "epsilon_text"], columns="axis", values="shown", aggfunc="last", sort=False
    ).reset_index()
    for axis in ("Priv", utility):
        if axis not in wide:
            wide[axis] = np.nan
    points = wide.dropna(subset=["Priv", utility])
    points = pd.DataFrame(
        {
            "method": points["method"],
            "told": "ε = " + points["epsilon_text"],
            "priv": points["Priv"],
            "utility": points[utility],
        }
    )
    points["rank"] = np.arange(len(points))  # in the order of ε, which the line follows
    methods = ordered(points["method"])
    hue, form = method_scales(methods, dark)
    # At least the upper fifth of the scale: a closer look would make noise look like differences.
    least = max(0.0, min(0.8, float(points["priv"].min()) - 0.05)) if len(points) else 0.0
    x = alt.X(
        "priv:Q",
        title="Priv (1 − leak)",
        scale=alt.Scale(domain=[least, 1.02], nice=False),
        axis=alt.Axis(format=".2~f", tickCount=6),
    )
    y = alt.Y("utility:Q", title=utility, scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(points)
    marks = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=x,
        y=y,
        color=hue,
        shape=form,
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("told:N", title="ε"),
            alt.Tooltip("priv:Q", format=".3f"),
            alt.Tooltip("utility:Q", format=".3f", title=utility),
        ],
    )
    words = (
        alt.Chart(_clear_of_each_other(points))
        .mark_text(align="right", dx=-9, fontSize=11)
        .encode(x=x, y=y, text="told:N", color=hue)
    )
    title = alt.TitleParams(f"{audience}: privacy and utility of every run")
    paths = base.mark_line(strokeWidth=1).encode(x=x, y=y, color=hue, order="rank:Q")
    return dressed(alt.layer(paths, marks, words).properties(width=width, height=height, title=title), dark)


def _clear_of_each_other(points: pd.DataFrame) -> pd.DataFrame:
    """The points whose words, which stand to their left, run into no other point and no earlier words."""
    priv, utility = points["priv"].to_numpy(float), points["utility"].to_numpy(float)
    room = 0.2 * (1.02 - min(0.8, priv.min(initial=1.0)))  # what the words need, on the axis of Priv
    kept: list[int] = []
    for i in range(len(points)):
        level = np.abs(utility - utility[i]) < 0.04
        under = level & (priv <= priv[i]) & (priv > priv[i] - room)
        under[i] = False
        words = [k for k in kept if level[k] and abs(priv[k] - priv[i]) < room]
        if not under.any() and not words:
            kept.append(i)
    return points.iloc[kept]


def _ticks(epsilons: pd.Series) -> dict[float, float]:
    """ε -> place on the axis: log10 of it, and ∞ a little beyond the largest."""
    unique = sorted(set(epsilons))
    finite = {e: math.log10(e) for e in unique if math.isfinite(e)}
    if len(finite) < len(unique):
        places = list(finite.values()) or [0.0]
        finite[math.inf] = max(places) + max(0.35 * (max(places) - min(places)), 0.4)
    return finite
