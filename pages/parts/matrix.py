"""The attributes × audiences matrix: one button a cell, filled where the attribute is private."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ctxpriv.context import Audience, Judgement, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.project import ProjectState
from pages.parts.text import plain, shortened

ACROSS = 5  # audiences beside each other; more start a new block
STYLE = """<style>
.st-key-matrix [data-testid="stVerticalBlock"] { gap: 0.3rem; }
.st-key-matrix [data-testid="stHorizontalBlock"] { gap: 0.5rem; }
.st-key-matrix button { min-height: 2rem; padding: 0.1rem 0.5rem; }
.st-key-matrix button p { font-size: 0.88rem; }
</style>"""


def matrix(key: str, corpus: Corpus, state: ProjectState, *, on_flip: Callable[[str, str], None]) -> None:
    """Draws the matrix; `on_flip(audience, attribute)` is called for the cell that was clicked."""
    st.html(STYLE)
    with st.container(key="matrix", border=True):
        for start in range(0, len(state.audiences), ACROSS):
            _block(corpus, state, state.audiences[start : start + ACROSS], start, on_flip)
        st.caption(
            "Filled: private towards this audience. Outlined: public. Click a cell to flip it. A share such "
            "as 2/3 says how many samples agreed; a star marks what a person decided against the proposal."
        )


def _block(corpus: Corpus, state: ProjectState, audiences: tuple[Audience, ...], start: int, on_flip) -> None:
    widths = [3, *([2] * len(audiences))]
    heads = st.columns(widths, vertical_alignment="bottom")
    for head, audience in zip(heads[1:], audiences, strict=True):
        with head:
            st.markdown(
                f"**{plain(shortened(audience.name, 28))}**",
                text_alignment="center",
                help=f"{plain(audience.recipient)}: {plain(audience.purpose)}",
            )
    for i, attribute in enumerate(corpus.schema.attributes):
        cells = st.columns(widths, vertical_alignment="center")
        is_label = " (utility label)" if attribute.name == corpus.label else ""
        cells[0].markdown(f"{plain(attribute.name)}{is_label}", help=plain(attribute.description) or None)
        for j, (cell, audience) in enumerate(zip(cells[1:], audiences, strict=True)):
            partition = state.partitions.get(audience.name)
            judgement = next(
                (x for x in state.judgements.get(audience.name, ()) if x.attribute == attribute.name), None
            )
            with cell:
                _cell(f"cell_{i}_{start + j}", audience.name, attribute.name, partition, judgement, on_flip)
    feet = st.columns(widths, vertical_alignment="top")
    for foot, audience in zip(feet[1:], audiences, strict=True):
        with foot.container(horizontal=True, horizontal_alignment="center"):
            _status(state, audience.name)


def _cell(
    key: str, audience: str, attribute: str, partition: Partition | None, judgement: Judgement | None, on_flip
) -> None:
    if partition is None:
        st.button("–", key=key, disabled=True, width="stretch")
        return
    private = attribute in partition.private
    label = "Private" if private else "Public"
    if judgement is not None and judgement.private != private:
        label += " *"
    elif judgement is not None and judgement.samples and judgement.agreement < 1:
        label += f" {round(judgement.agreement * judgement.samples)}/{judgement.samples}"
    help_text = plain(judgement.reason) if judgement is not None and judgement.reason else None
    if st.button(
        plain(label), key=key, type="primary" if private else "secondary", width="stretch", help=help_text
    ):
        on_flip(audience, attribute)


def _status(state: ProjectState, name: str) -> None:
    if name in state.approved:
        st.badge("approved", color="green")
    elif name in state.partitions:
        st.badge("to be approved", color="orange")
    else:
        st.badge("not classified", color="gray")
