"""Audiences: who asks and what for, and what is private towards each of them."""

from __future__ import annotations

import streamlit as st

from pages.parts import audience_define, classify_panel, collusion, expert, review, shell
from pages.parts.matrix import matrix

LEAD = (
    "The same fact can be fit for one reader and not for another. For each audience, every attribute is "
    "public (released as it is), public when coarsened (only its bucket), or private (protected). Nothing "
    "runs before a person has approved it."
)


def draw() -> None:
    key, corpus, state = shell.corpus_or_hint()
    classify_panel.collect(key, corpus.schema, state)
    if not state.audiences:
        st.info("There is no audience yet. Take ready-made ones or describe your own below.")
        audience_define.define(key, corpus, state)
        return
    classify_panel.draw(key, corpus, state)
    if state.partitions:
        matrix(key, corpus, state)
    review.draw(key, corpus, state)
    if len(state.partitions) > 1:
        with shell.guard():
            collusion.draw(key, corpus, state)
    if state.partitions:
        with st.expander("An expert's decisions", key="expert_box"), shell.guard():
            expert.draw(key, corpus, state)
    with st.expander("Add, change or remove audiences", key="define_box"):
        audience_define.define(key, corpus, state)


with shell.page("audiences", "Audiences", LEAD):
    draw()
