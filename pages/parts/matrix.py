"""The attributes × audiences matrix: the whole at a glance; a click on a cell opens it for review."""

from __future__ import annotations

import json
from functools import partial

import streamlit as st

from ctxpriv import figures
from ctxpriv.charts.matrix import PICK
from ctxpriv.corpus import Corpus
from ctxpriv.project import ProjectState
from pages.parts import charts, shell


def matrix(key: str, corpus: Corpus, state: ProjectState) -> None:
    """Attributes that most audiences may not see come first, so that the picture is a staircase.

    One picture of any size, not a button a cell: 50 attributes × 10 audiences would be 500.
    """

    def drawn(dark: bool, touch: bool = False):
        return figures.matrix(corpus.schema.names, state.partitions, state.judgements, touch=touch, dark=dark)

    private = ", ".join(f"{name}: {len(p.private)} private" for name, p in state.partitions.items())
    shown = state.to_dict()
    picked = charts.pickable(
        json.dumps(["matrix", corpus.schema.names, shown["partitions"], shown["judgements"]]),
        partial(drawn, touch=True),
        f"matrix_{shell.version()}",
        f"Attributes by audiences. {private}.",
        PICK,
    )
    if picked and picked[0] != shell.kept(f"{key}/pick", None):
        # The chart keeps its selection: only a new click moves the review below.
        shell.keep(f"{key}/pick", picked[0])
        shell.keep(f"{key}/review", picked[0]["audience"])
        shell.keep(f"{key}/picked", picked[0]["attribute"])
        shell.keep(f"{key}/picks", shell.kept(f"{key}/picks", 0) + 1)
    row = st.container(horizontal=True, vertical_alignment="center")
    row.caption("Click a cell to review it below.")
    row.download_button(
        "SVG", lambda: figures.to_svg(drawn(False)), "matrix.svg", key="matrix_svg", on_click="ignore"
    )
    row.download_button(
        "PNG",
        lambda: figures.to_png(drawn(False), background="#ffffff"),
        "matrix.png",
        key="matrix_png",
        on_click="ignore",
    )
