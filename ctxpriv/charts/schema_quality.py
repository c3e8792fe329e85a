"""The figures of a schema per attribute (paper App. A.4): a bar a figure, weak ones marked.

Curator-only where the texts behind them are private.
"""

from __future__ import annotations

import altair as alt
import pandas as pd

from ctxpriv.charts.theme import dressed, theme
from ctxpriv.extract.quality import SchemaQuality
from ctxpriv.extract.weakest import DOMINATED, LITTLE_SIGNAL, disagrees

BAR = 20  # pixels a bar
MARK = " !"  # so that weak figures are not told by colour alone


def schema_fields(quality: SchemaQuality, *, dark: bool = False, width: int = 130) -> alt.HConcatChart:
    """One row an attribute, in schema order; κ only where a second reading was made."""
    frame = field_rows(quality)
    panels = [
        _panel(frame[frame["figure"] == figure], figure, i == 0, dark, width)
        for i, figure in enumerate(dict.fromkeys(frame["figure"]))
    ]
    return dressed(alt.hconcat(*panels, spacing=18), dark)


def field_rows(quality: SchemaQuality) -> pd.DataFrame:
    """Columns attribute, figure, value (NaN where there is none), told, weak: what the chart draws."""
    rows = []
    for f in quality.fields:
        agreed = quality.agreement_of(f.attribute)
        kappa = agreed.kappa if agreed else None
        figures = [
            ("signal ↑", f.signal, not f.counted and f.signal < LITTLE_SIGNAL),
            ("balanced entropy ↑", f.balanced_entropy, False),
            ("dominance ↓", f.dominance, not f.counted and f.dominance >= DOMINATED),
        ]
        if quality.agreement:
            figures.append(("κ of two readings ↑", kappa, disagrees(kappa)))
        rows += [(f.attribute, name, value, _told(value, weak), weak) for name, value, weak in figures]
    return pd.DataFrame(rows, columns=["attribute", "figure", "value", "told", "weak"]).astype(
        {"value": float}
    )


def _told(value: float | None, weak: bool) -> str:
    return "–" if value is None else f"{value:.2f}{MARK if weak else ''}"


def _panel(frame: pd.DataFrame, title: str, names: bool, dark: bool, width: int) -> alt.LayerChart:
    t = theme(dark)
    # Room for the words right of the longest bar; κ below 0 is drawn as an empty bar with its number.
    frame = frame.assign(length=frame["value"].clip(lower=0).fillna(0))
    x = alt.X("length:Q", axis=None, scale=alt.Scale(domain=[0, 1.35]))
    y = alt.Y(
        "attribute:N",
        sort=list(frame["attribute"]),
        title=None,
        scale=alt.Scale(paddingInner=0.25),
        axis=alt.Axis(ticks=False, domain=False, labelLimit=240) if names else None,
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=x,
            y=y,
            color=alt.condition("datum.weak", alt.value(t.warning), alt.value(t.strong)),
            tooltip=["attribute", "figure", "told"],
        )
    )
    words = (
        alt.Chart(frame)
        .mark_text(align="left", dx=4, color=t.muted, fontSize=11)
        .encode(x=x, y=y, text="told:N")
    )
    return alt.layer(bars, words).properties(width=width, height=BAR * max(len(frame), 1), title=title)
