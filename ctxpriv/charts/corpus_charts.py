"""Small charts of a corpus and its schema (curator-only: they count private records)."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from ctxpriv.charts.theme import dressed, theme
from ctxpriv.schema import Schema

BAR = 20  # pixels a bar


def value_counts(
    values: Sequence[str],
    order: Sequence[str] | None = None,
    *,
    title: str = "",
    top: int = 15,
    dark: bool = False,
    width: int = 320,
) -> alt.LayerChart:
    """Records per value, in `order` (the domain; values that do not occur show 0) or by count.
    At most `top` bars; the rest is one bar that says how many values it holds."""
    counts = _counts(values, order, top)
    return dressed(_bars(counts, title, dark, width), dark)


def length_histogram(
    word_counts: Sequence[int],
    *,
    title: str = "Words per record",
    dark: bool = False,
    width: int = 420,
    height: int = 160,
) -> alt.LayerChart:
    """Distribution of text lengths, with the median as a line."""
    t = theme(dark)
    counts = np.asarray(word_counts, int)
    if not len(counts):
        return dressed(
            alt.layer(
                alt.Chart(pd.DataFrame({"told": ["no records"]}))
                .mark_text(color=t.muted)
                .encode(text="told:N")
            ).properties(width=width, height=height, title=title),
            dark,
        )
    edges = np.unique(np.linspace(counts.min(), counts.max() + 1, 25).round().astype(int))
    number, edges = np.histogram(counts, bins=edges)
    frame = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "records": number})
    frame["told"] = [f"{a}–{b - 1} words" for a, b in zip(edges[:-1], edges[1:], strict=True)]
    middle = pd.DataFrame({"median": [float(np.median(counts))], "told": [f"median {np.median(counts):g}"]})
    x = alt.X(
        "from:Q",
        bin="binned",
        title="words",
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(grid=False),
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(color=t.strong)
        .encode(x=x, x2="to:Q", y=alt.Y("records:Q", title="records"), tooltip=["told", "records"])
    )
    rule = alt.Chart(middle).mark_rule(color=t.warning, strokeWidth=2).encode(x="median:Q")
    word = (
        alt.Chart(middle)
        .mark_text(color=t.warning, align="left", dx=5, fontSize=12)
        .encode(x="median:Q", y=alt.value(-6), text="told:N")
    )
    return dressed(alt.layer(bars, rule, word).properties(width=width, height=height, title=title), dark)


def before_after(
    values: Sequence[str],
    schema: Schema,
    attribute: str,
    *,
    top: int = 15,
    dark: bool = False,
    width: int = 240,
) -> alt.HConcatChart:
    """Records per value of one attribute, beside records per bucket after its coarsening."""
    domain = schema[attribute].values
    ordered = domain if len(domain) <= top else None
    before = _bars(_counts(values, ordered, top), f"{attribute}: {len(domain)} values", dark, width)
    coarse = schema.coarse_values(attribute)
    if attribute in schema.coarsenings:
        mapping = schema.coarsenings[attribute].mapping
        after_values, title = [mapping[v] for v in values], f"coarsened: {len(coarse)} buckets"
    else:
        after_values, title = list(values), "not coarsened"
    after = _bars(_counts(after_values, coarse, max(top, len(coarse))), title, dark, width)
    return dressed(alt.hconcat(before, after, spacing=30), dark)


def _counts(values: Sequence[str], order: Sequence[str] | None, top: int) -> pd.DataFrame:
    found = pd.Series(list(values), dtype=object).value_counts()
    if order is not None:
        found = found.reindex([*order, *(v for v in found.index if v not in set(order))], fill_value=0)
    kept = found.iloc[:top] if len(found) > top else found
    frame = pd.DataFrame({"value": [str(v) for v in kept.index], "records": kept.to_numpy(int)})
    if len(found) > top:
        rest = {"value": f"{len(found) - top} more values", "records": int(found.iloc[top:].sum())}
        frame = pd.concat([frame, pd.DataFrame([rest])], ignore_index=True)
    total = max(int(frame["records"].sum()), 1)
    frame["told"] = [f"{n} ({n / total:.0%})" for n in frame["records"]]
    return frame


def _bars(frame: pd.DataFrame, title: str, dark: bool, width: int) -> alt.LayerChart:
    t = theme(dark)
    largest = max(int(frame["records"].max()) if len(frame) else 1, 1)
    # Room for the words right of the longest bar.
    x = alt.X("records:Q", axis=None, scale=alt.Scale(domain=[0, largest * 1.3]))
    y = alt.Y(
        "value:N",
        sort=list(frame["value"]),
        title=None,
        scale=alt.Scale(paddingInner=0.25),
        axis=alt.Axis(ticks=False, domain=False, labelLimit=240),
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(color=t.strong, cornerRadiusEnd=2)
        .encode(x=x, y=y, tooltip=["value", "records"])
    )
    words = (
        alt.Chart(frame)
        .mark_text(align="left", dx=4, color=t.muted, fontSize=11)
        .encode(x=x, y=y, text="told:N")
    )
    return alt.layer(bars, words).properties(width=width, height=BAR * max(len(frame), 1), title=title)
