"""Start: what this is, what is in use on this machine, and the five steps."""

from __future__ import annotations

import streamlit as st

from ctxpriv.model_choice import ModelChoice
from pages.parts import models, shell
from pages.parts.steps import walk
from pages.parts.text import plain

LEAD = (
    "One private text corpus, several people who want it. ctxpriv finds out which facts each record holds, "
    "decides with you which of them are private **towards one audience**, and makes a release for that "
    "audience: synthetic text with a formal differential-privacy guarantee. It then shows, beside the "
    "methods that treat every audience alike, what the release kept and what it gives away. Everything runs "
    "on this machine."
)


def draw() -> None:
    key = shell.open_key()
    shell.sidebar(key)
    corpus = shell.corpus(key) if key else None
    state = shell.workspace().state(key) if key else None
    st.caption(plain(models.in_use(state.models if state else ModelChoice())))
    finished = len(shell.finished_runs(key)) if key else 0
    steps = walk(corpus, state, finished)
    following = next((s for s in steps if not s.done), steps[-1])
    for number, step in enumerate(steps, 1):
        _row(number, step, step is following)
    with st.expander("Models"), shell.guard():
        models.settings(key, state)


def _row(number: int, step, is_next: bool) -> None:
    with st.container(border=True, key=f"step_{step.name.lower()}"):
        name, says, go = st.columns([2, 6, 2], vertical_alignment="center")
        name.markdown(f"**{number}  {step.name}**")
        says.markdown(plain(step.says))
        with go:
            if is_next:
                if st.button("Next step", key=f"go_{step.name.lower()}", type="primary", width="stretch"):
                    st.switch_page(step.page)
            else:
                st.page_link(step.page, label="Done, look again" if step.done else "Look ahead")


with shell.page("start", "Who is asking?", LEAD):
    draw()
