"""Insights: what is in this corpus? Public atoms, a private plan, verified words."""

from __future__ import annotations

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.insights.study import InsightStudy
from ctxpriv.project import ProjectState
from pages.parts import (
    insight_atoms,
    insight_before,
    insight_compare,
    insight_releases,
    insight_setup,
    insight_tabs,
    insight_trials,
    job_panel,
    shell,
)

LEAD = (
    "What is in this corpus? Records are measured against public themes, the noisy total is released, and "
    "words are put to that alone: no text of any record gets near whoever writes the summary."
)


def draw() -> None:
    key, corpus, state = shell.corpus_or_hint()
    shell.forget_widgets_of_another(key, "insights", ("insight_", "atoms_", "trial", "compare_first"))
    busy = job_panel.running(key)
    tabs = st.tabs(insight_tabs.TABS, key=insight_tabs.KEY, on_change="rerun")
    for tab, name in zip(tabs, insight_tabs.TABS, strict=True):
        if tab.open:
            with tab, shell.guard():
                part(name, key, corpus, state, busy=busy)


def part(name: str, key: str, corpus: Corpus, state: ProjectState, *, busy: bool) -> None:
    if name == insight_tabs.ATOMS:
        insight_atoms.draw(key, corpus, state)
    elif name == insight_tabs.RELEASE:
        release(key, corpus, state, busy=busy)
    elif name == insight_tabs.RESULTS:
        insight_releases.draw(key)
    elif name == insight_tabs.COMPARE:
        insight_compare.draw(key)
    else:
        insight_trials.draw(key, insight_setup.last(key, corpus, state))


def release(key: str, corpus: Corpus, state: ProjectState, *, busy: bool) -> None:
    atoms = insight_atoms.stored(state)
    if atoms is None:
        st.info("There is nothing to measure yet: build the atoms first, under Atoms.")
        insight_tabs.lead_to(insight_tabs.ATOMS)
        return
    study: InsightStudy | None = insight_setup.study(key, corpus, state, atoms)
    if study is not None:
        with shell.guard():
            insight_before.draw(key, state, study, busy=busy)
    job_panel.earlier(key, "insights")


with shell.page("insights", "Insights", LEAD):
    draw()
