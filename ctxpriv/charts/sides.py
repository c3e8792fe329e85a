"""How the sides of an attribute are drawn and named: by a sign first, so never by colour alone."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import altair as alt
import pandas as pd

from ctxpriv.charts.theme import Theme, with_alpha

SIGNS = {"private": "●", "coarsened": "◐", "public": "○", "undecided": "?"}
WORDS = {
    "private": "private",
    "coarsened": "public when coarsened",
    "public": "public",
    "undecided": "undecided",
}


def side_cells(
    rows: pd.DataFrame, x: alt.X, y: alt.Y, t: Theme, words: str, tooltip: Sequence[alt.Tooltip] = ()
) -> list[alt.Chart]:
    """Boxes with words in them: filled is private, pale is coarsened, empty is public, dashed is
    undecided. `rows` has a column `side` (a key of `SIGNS`) and the one that `words` names."""
    looks = {
        "private": ({"fill": t.strong, "stroke": t.strong}, t.on_strong),
        "coarsened": ({"fill": with_alpha(t.strong, 0.25), "stroke": t.strong}, t.text),
        "public": ({"fill": "transparent", "stroke": t.muted}, t.text),
        "undecided": ({"fill": "transparent", "stroke": t.grid, "strokeDash": [3, 3]}, t.muted),
    }
    out = []
    for side, (look, ink) in looks.items():
        own = rows[rows["side"] == side]
        if len(own):
            box = alt.Chart(own).mark_rect(cornerRadius=3, strokeWidth=1, **look).encode(x=x, y=y)
            out.append(box.encode(tooltip=list(tooltip)) if tooltip else box)
            text = alt.Chart(own).mark_text(color=ink, fontSize=12)
            out.append(text.encode(x=x, y=y, text=f"{words}:N"))
    return out


def outlines(rows: pd.DataFrame, x: alt.X, y: alt.Y, t: Theme) -> list[alt.Chart]:
    """A thick outline around each cell of `rows`."""
    if not len(rows):
        return []
    outline = {"fill": "transparent", "stroke": t.warning, "strokeWidth": 3, "cornerRadius": 3}
    return [alt.Chart(rows).mark_rect(**outline).encode(x=x, y=y)]


def in_two_lines(name: str, letters: int) -> str:
    """A column's head in always two lines, the last next to the column, at most `letters` long."""
    lines = textwrap.wrap(name, letters, max_lines=2, placeholder="…") or [name[:letters]]
    return "\n".join([" "] * (2 - len(lines)) + lines)
