"""The picture of each check before approval (curator-only: they count private records).

All take the rows of a `Finding` of that check. Shares are on 0..1 whatever the data, so that two
pictures can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ctxpriv.charts.sides import SIGNS, WORDS, in_two_lines, outlines, side_cells
from ctxpriv.charts.theme import Theme, dressed, theme
from ctxpriv.classify.checks.finding import Finding, percent

Rows = Sequence[Mapping[str, Any]]

ROW = 34  # pixels an attribute
BAR = 22
CELL = 26
MOST = 15  # attributes or bars in one picture
UNION = "together"


def check_chart(finding: Finding, *, dark: bool = False) -> alt.TopLevelMixin | None:
    """The picture of any finding; None where it has nothing to draw."""
    if not finding.rows:
        return None
    draw = {
        "inference": guessed_right,
        "uniqueness": standing_out,
        "collusion": shared_knowledge,
        "authors": texts_per_author,
    }[finding.check]
    return draw(finding.rows, dark=dark)


def guessed_right(rows: Rows, *, dark: bool = False, width: int = 420) -> alt.LayerChart:
    """Per private attribute: records guessed right by always guessing the most common value (open
    circle) and from what is disclosed (filled, a diamond where it warns), with 95 % interval."""
    t = theme(dark)
    frame = pd.DataFrame([_guess_row(r) for r in rows[:MOST]])
    order = list(frame["attribute"])
    y = alt.Y("attribute:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=_names_axis())
    title = "records guessed right"
    x = _share("accuracy", title)
    tip = [alt.Tooltip("attribute:N"), alt.Tooltip("told:N", title="guessed right")]
    base = alt.Chart(frame)
    layers = [
        base.mark_rule(strokeWidth=3, color=t.grid, strokeCap="round").encode(
            x=_share("majority", title), x2="accuracy:Q", y=y
        ),
        base.mark_rule(strokeWidth=1.6, color=t.muted, yOffset=9).encode(
            x=_share("low", title), x2="high:Q", y=y
        ),
        base.mark_point(shape="circle", size=70, filled=False, strokeWidth=2, color=t.muted).encode(
            x=_share("majority", title), y=y, tooltip=tip
        ),
    ]
    for warns, form, ink in ((False, "circle", t.strong), (True, "diamond", t.warning)):
        own = frame[frame["warning"] == warns]
        if len(own):
            mark = alt.Chart(own).mark_point(filled=True, shape=form, size=120, opacity=1, color=ink)
            layers.append(mark.encode(x=x, y=y, tooltip=tip))
    layers += _beside(frame, "accuracy", "accuracy_told", "rightwards", title, y, t.text)
    layers += _beside(frame, "majority", "majority_told", "leftwards", title, y, t.muted)
    subtitle = [
        "○ always guessing the most common value   ● from what is disclosed   ◆ the same, with a warning",
        "thin rule: 95 % interval" + _left_out(len(rows)),
    ]
    head = alt.TitleParams("What the disclosed attributes tell about the private ones", subtitle=subtitle)
    return dressed(alt.layer(*layers).properties(width=width, height=ROW * len(frame), title=head), dark)


def standing_out(rows: Rows, *, dark: bool = False, width: int = 420) -> alt.VConcatChart:
    """Records by the size of their group; below, the share in small groups now (line) and with one
    attribute private (●) or public when coarsened (◐)."""
    t = theme(dark)
    groups = pd.DataFrame([r for r in rows if r["kind"] == "group"])
    moves = [r for r in rows if r["kind"] == "move"]
    return dressed(alt.vconcat(_groups(groups, t, width), _falls(moves, t, width), spacing=28), dark)


def shared_knowledge(rows: Rows, *, dark: bool = False) -> alt.LayerChart:
    """Attributes × audiences and what they have together; a thick outline where an audience
    learns something from the others."""
    t = theme(dark)
    audiences = list(rows[0]["sides"])
    columns, attributes = [*audiences, UNION], [r["attribute"] for r in rows]
    cells = pd.DataFrame([_cell(r, c) for r in rows for c in columns])
    column = 104 if len(columns) <= 7 else 78
    x = alt.X("audience:N", sort=columns, scale=alt.Scale(domain=columns, paddingInner=0.08), axis=None)
    y = alt.Y(
        "attribute:N",
        sort=attributes,
        scale=alt.Scale(domain=attributes, paddingInner=0.14),
        title=None,
        axis=_names_axis(),
    )
    heads = pd.DataFrame({"audience": columns, "head": [in_two_lines(c, column // 7) for c in columns]})
    tip = [alt.Tooltip("attribute:N"), alt.Tooltip("audience:N"), alt.Tooltip("told:N", title="gets")]
    layers = [*side_cells(cells, x, y, t, "sign", tip), *outlines(cells[cells["gains"]], x, y, t)]
    layers.append(
        alt.Chart(heads)
        .mark_text(
            color=t.text,
            fontWeight="bold",
            lineBreak="\n",
            baseline="line-bottom",
            lineHeight=14,
            fontSize=12,
        )
        .encode(x=x, y=alt.value(-22), text="head:N")
    )
    subtitle = "● private · ◐ only its bucket · ○ public · thick outline: learnt from the others"
    head = alt.TitleParams("What these audiences know together", subtitle=subtitle, offset=36)
    size = {"width": column * len(columns), "height": CELL * len(attributes)}
    return dressed(alt.layer(*layers).properties(title=head, **size), dark)


def texts_per_author(
    rows: Rows, *, dark: bool = False, width: int = 420, height: int = 160
) -> alt.LayerChart:
    """Authors by their number of texts, the heaviest marked."""
    t = theme(dark)
    texts = np.array([r["texts"] for r in rows])
    authors = np.array([r["authors"] for r in rows])
    heaviest = int(texts.max())
    step = max(1, -(-heaviest // 30))
    edges = list(range(1, heaviest + step + 1, step))
    number, _ = np.histogram(texts, bins=edges, weights=authors)
    frame = pd.DataFrame(
        {"from": np.array(edges[:-1]) - 0.5, "to": np.array(edges[1:]) - 0.5, "authors": number}
    )
    frame["told"] = [_span(a, b - 1) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    x = alt.X(
        "from:Q",
        bin="binned",
        title="texts of one author",
        scale=alt.Scale(domain=[0.5, float(edges[-1]) - 0.5], nice=False, zero=False),
        axis=alt.Axis(grid=False, format="d", tickMinStep=1),
    )
    bars = (
        alt.Chart(frame)
        .mark_bar(color=t.strong)
        .encode(
            x=x,
            x2="to:Q",
            y=alt.Y("authors:Q", title="authors", axis=alt.Axis(tickMinStep=1)),
            tooltip=["told", "authors"],
        )
    )
    last = frame.iloc[[-1]].assign(middle=(frame["from"].iloc[-1] + frame["to"].iloc[-1]) / 2)
    last = last.assign(word=f"▼ heaviest: {_span(heaviest, heaviest)}")
    word = (
        alt.Chart(last)
        .mark_text(align="right" if heaviest > 4 else "center", dx=5 if heaviest > 4 else 0, dy=-9)
        .encode(x="middle:Q", y="authors:Q", text="word:N", color=alt.value(t.warning))
    )
    title = "Texts per author"
    return dressed(alt.layer(bars, word).properties(width=width, height=height, title=title), dark)


# ---- parts


def _guess_row(row: Mapping[str, Any]) -> dict[str, Any]:
    right, majority = row["accuracy"], row["majority"]
    above = right >= majority
    return {
        **{k: row[k] for k in ("attribute", "accuracy", "majority", "low", "high", "warning")},
        "accuracy_told": percent(right),
        "majority_told": percent(majority),
        "told": f"{percent(right)}, always the most common value {percent(majority)}",
        "rightwards": above,
        "leftwards": not above,
    }


def _beside(
    frame: pd.DataFrame, field: str, words: str, on_right: str, title: str, y: alt.Y, ink: str
) -> list[alt.Chart]:
    """Figures beside their points, away from the other point of the row."""
    out = []
    for right in (True, False):
        own = frame[frame[on_right] == right]
        if len(own):
            mark = alt.Chart(own).mark_text(
                align="left" if right else "right", dx=10 if right else -10, fontSize=11, color=ink
            )
            out.append(mark.encode(x=_share(field, title), y=y, text=f"{words}:N"))
    return out


def _groups(frame: pd.DataFrame, t: Theme, width: int) -> alt.LayerChart:
    frame = frame.assign(told=[f"{percent(r.share)} ({r.records:,})" for r in frame.itertuples()])
    order = list(frame["size"])
    y = alt.Y("size:N", sort=order, title=None, axis=_names_axis(), scale=alt.Scale(paddingInner=0.25))
    x = _share("share", "share of the records")
    base = alt.Chart(frame)
    bars = base.mark_bar(color=t.strong, cornerRadiusEnd=2).encode(x=x, y=y, tooltip=["size", "told"])
    words = base.mark_text(align="left", dx=4, color=t.muted, fontSize=11).encode(x=x, y=y, text="told:N")
    title = alt.TitleParams("Records alike in everything disclosed", subtitle="by how many are alike")
    return alt.layer(bars, words).properties(width=width, height=BAR * len(frame), title=title)


def _falls(moves: Rows, t: Theme, width: int) -> alt.LayerChart:
    frame = pd.DataFrame(moves)
    order = list(frame.groupby("attribute", sort=False)["small"].min().sort_values(kind="stable").index)
    shown = order[:MOST]
    frame = frame[frame["attribute"].isin(shown)]
    frame = frame.assign(told=[percent(r.small) for r in frame.itertuples()])
    now = float(frame["now"].iloc[0])
    y = alt.Y("attribute:N", sort=shown, scale=alt.Scale(domain=shown), title=None, axis=_names_axis())
    x = _share("small", "records in small groups")
    line = alt.Chart(pd.DataFrame({"small": [now], "told": [f"now {percent(now)}"]}))
    layers = [
        line.mark_rule(color=t.warning, strokeWidth=2).encode(x=x),
        line.mark_text(color=t.warning, align="right" if now > 0.5 else "left", fontSize=12).encode(
            x=x, y=alt.value(-7), text="told:N"
        ),
    ]
    # Two levels in a row, so that near points stay apart; figures in a column beside.
    looks: dict[str, dict[str, Any]] = {
        "private": {"filled": True, "shape": "circle", "yOffset": -8},
        "coarsened": {"filled": False, "shape": "diamond", "strokeWidth": 2, "yOffset": 8},
    }
    for side, own in frame.groupby("side", sort=False):
        look, chart = looks[side], alt.Chart(own)
        tip = [alt.Tooltip("attribute:N"), alt.Tooltip("told:N", title=WORDS[side])]
        layers += [
            chart.mark_rule(strokeWidth=2, color=t.grid, yOffset=look["yOffset"]).encode(
                x=x, x2="now:Q", y=y
            ),
            chart.mark_point(size=80, opacity=1, color=t.strong, **look).encode(x=x, y=y, tooltip=tip),
            chart.mark_text(align="left", fontSize=11, color=t.muted, yOffset=look["yOffset"]).encode(
                x=alt.value(width + 12), y=y, text="told:N"
            ),
        ]
    subtitle = "● private or ◇ public when coarsened, nothing else changed" + _left_out(len(order))
    title = alt.TitleParams("If one attribute changed sides", subtitle=subtitle, offset=14)
    return alt.layer(*layers).properties(width=width, height=(ROW + 8) * len(shown), title=title)


def _cell(row: Mapping[str, Any], column: str) -> dict[str, Any]:
    side = row["union"] if column == UNION else row["sides"][column]
    gains = column != UNION and side != row["union"]
    told = f"{WORDS[side]}; together {WORDS[row['union']]}" if gains else WORDS[side]
    return {
        "attribute": row["attribute"],
        "audience": column,
        "side": side,
        "gains": gains,
        "sign": SIGNS[side],
        "told": told,
    }


def _span(low: int, high: int) -> str:
    return f"{low} text{'s' if low > 1 else ''}" if low >= high else f"{low}–{high} texts"


def _left_out(n: int) -> str:
    return f" · {n - MOST} more are not drawn" if n > MOST else ""


def _share(field: str, title: str) -> alt.X:
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".0%")
    return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, 1]), axis=axis, title=title)


def _names_axis() -> alt.Axis:
    return alt.Axis(grid=False, ticks=False, domain=False, labelFontSize=12, labelPadding=8)
