"""The attributes × audiences matrix: who gets to see what, proposed by whom, agreed by whom."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from ctxpriv.charts.sides import SIGNS, WORDS, in_two_lines, outlines, side_cells
from ctxpriv.charts.theme import Theme, dressed, theme
from ctxpriv.context import SIDES, Judgement, Partition

ROW = 26  # pixels an attribute
PICK = "pick"
"""The name of the selection that a click on a cell makes."""

SHORT = {"coarsened": "bucket"}


def matrix_rows(
    attributes: Sequence[str],
    partitions: Mapping[str, Partition],
    judgements: Mapping[str, Sequence[Judgement]] | None = None,
) -> pd.DataFrame:
    """One row a cell: attribute, audience, side (one of `SIDES`, or "undecided"), agreement
    ("2/3", "" without judgements), flipped, told. Values of `judgements` by audience."""
    rows = []
    for audience, partition in partitions.items():
        proposed = {j.attribute: j for j in (judgements or {}).get(audience, ())}
        for attribute in attributes:
            covered = attribute in (*partition.disclosed, *partition.private)
            side = partition.side(attribute) if covered else "undecided"
            judged = proposed.get(attribute)
            flipped = judged is not None and covered and judged.side != side
            rows.append(
                (attribute, audience, side, _agreement(judged), flipped, _told(side, judged, flipped))
            )
    return pd.DataFrame(rows, columns=["attribute", "audience", "side", "agreement", "flipped", "told"])


def matrix(
    attributes: Sequence[str],
    partitions: Mapping[str, Partition],
    judgements: Mapping[str, Sequence[Judgement]] | None = None,
    *,
    sort: bool = True,
    touch: bool = False,
    dark: bool = False,
) -> alt.LayerChart:
    """A filled cell with ● is private, a pale one with ◐ public when coarsened, an empty one with ○
    public; the share of samples that agreed stands in the cell; a thick outline and ↻ mark what
    the reviewer changed; a column head says how many are private and who approved it, when.
    With `touch` a click selects a cell (the point selection `PICK` of attribute and audience).

    With `sort`, attributes that most audiences may not see come first, so that the picture
    is a staircase. Made for up to 50 attributes × 10 audiences.
    """
    t = theme(dark)
    rows = matrix_rows(attributes, partitions, judgements)
    names = list(partitions)
    if sort:
        count = {a: sum(a in p.private for p in partitions.values()) for a in attributes}
        attributes = sorted(attributes, key=lambda a: -count[a])  # stable: schema order within
    wide = len(names) <= 6
    column = 124 if wide else 92
    rows = rows.assign(words=[_words(r, wide) for r in rows.itertuples()])
    x = alt.X(
        "audience:N",
        sort=names,
        scale=alt.Scale(domain=names, paddingInner=0.06, paddingOuter=0.03),
        axis=None,
    )
    y = alt.Y(
        "attribute:N",
        sort=list(attributes),
        title=None,
        scale=alt.Scale(domain=list(attributes), paddingInner=0.12, paddingOuter=0.06),
        axis=alt.Axis(ticks=False, domain=False, labelFontSize=13, labelPadding=8),
    )
    layers = [*side_cells(rows, x, y, t, "words"), *outlines(rows[rows["flipped"]], x, y, t)]
    layers += [*_heads(partitions, x, t, wide), _surface(rows, x, y, touch)]
    legend = (
        "● private · ◐ only its bucket · ○ public · 2/3: samples that agreed · "
        "↻ and thick outline: changed by the reviewer"
    )
    chart = alt.layer(*layers).properties(
        width=column * max(len(names), 1),
        height=ROW * max(len(attributes), 1),
        title=alt.TitleParams("Who may see what", subtitle=legend, offset=12),
    )
    return dressed(chart, dark)


def _surface(rows: pd.DataFrame, x: alt.X, y: alt.Y, touch: bool) -> alt.Chart:
    """What the pointer meets: nothing to see, above every other mark of a cell."""
    tip = [alt.Tooltip("attribute:N"), alt.Tooltip("audience:N"), alt.Tooltip("told:N", title="judgement")]
    chart = alt.Chart(rows).mark_rect(opacity=0, cursor="pointer" if touch else "default")
    chart = chart.encode(x=x, y=y, tooltip=tip)
    if not touch:
        return chart
    return chart.add_params(alt.selection_point(name=PICK, fields=["attribute", "audience"], empty=False))


def _heads(partitions: Mapping[str, Partition], x: alt.X, t: Theme, wide: bool) -> list[alt.Chart]:
    """Name (two lines at most), counts and approval above each column."""
    letters = 16 if wide else 12
    rows = []
    for name, p in partitions.items():
        signs = {s: len(getattr(p, s)) for s in reversed(SIDES) if s != "coarsened" or p.coarsened}
        count = "  ".join(f"{n} {SIGNS[s]}" for s, n in signs.items())
        if wide and not p.coarsened:
            count = ", ".join(f"{n} {s}" for s, n in signs.items())
        by = (
            textwrap.shorten(f"✓ {p.approval.name}", letters + 2, placeholder="…")
            if p.approval
            else "not approved"
        )
        rows.append(
            (
                name,
                in_two_lines(name, letters),
                count,
                f"{by}\n{p.approval.date if p.approval else ''}",
                f"approved by {p.approval.name}, {p.approval.date}" if p.approval else "not approved",
            )
        )
    frame = pd.DataFrame(rows, columns=["audience", "head", "count", "approval", "told"])
    base = alt.Chart(frame)
    tip = [alt.Tooltip("audience:N"), alt.Tooltip("told:N", title="review")]
    style = {"lineBreak": "\n", "baseline": "line-bottom", "lineHeight": 14}
    return [
        base.mark_text(color=t.text, fontWeight="bold", fontSize=13, **style).encode(
            x=x, y=alt.value(-72), text="head:N", tooltip=tip
        ),
        base.mark_text(color=t.muted, fontSize=11).encode(x=x, y=alt.value(-42), text="count:N", tooltip=tip),
        base.mark_text(color=t.muted, fontSize=11, **style).encode(
            x=x, y=alt.value(-20), text="approval:N", tooltip=tip
        ),
    ]


def _agreement(judged: Judgement | None) -> str:
    if judged is None or judged.samples == 1:
        return ""
    return f"{round(judged.agreement * judged.samples)}/{judged.samples}" if judged.samples else "no answer"


def _told(side: str, judged: Judgement | None, flipped: bool) -> str:
    if judged is None:
        return f"{WORDS[side]}, not judged by a model"
    agreed = f" ({_agreement(judged)})" if _agreement(judged) else ""
    if flipped:
        told = f"{WORDS[side]} by the reviewer; proposed {WORDS[judged.side]}"
        return f"{told}{agreed}: {judged.reason}"
    return f"{WORDS[side]}{agreed}: {judged.reason}"


def _words(row, wide: bool) -> str:
    """What stands in a cell; the sign first, so that it is read without colour."""
    word = f"{SIGNS[row.side]} {SHORT.get(row.side, row.side)}" if wide else SIGNS[row.side]
    return " ".join(part for part in (word, row.agreement, "↻" if row.flipped else "") if part)
