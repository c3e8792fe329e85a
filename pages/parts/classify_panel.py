"""Audiences page: a classifier proposes who may see what."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ctxpriv.classify.by_norms import NormsClassifier
from ctxpriv.context import Judgement
from ctxpriv.corpus import Corpus
from ctxpriv.edits import all_private, judged
from ctxpriv.progress import NEVER, silent
from ctxpriv.project import ProjectState
from ctxpriv.schema import Schema
from pages.parts import background, calibration, models, shell
from pages.parts.text import plain

NORMS, MODEL, HAND = "Table of norms", "Language model", "By hand, all private to begin with"
TASK = "classify"


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    waiting = [a.name for a in state.audiences if a.name not in state.partitions]
    busy = background.running(key, TASK)
    with st.expander("Classify attributes", expanded=bool(waiting)):
        left, middle, right = st.columns([4, 4, 2], vertical_alignment="bottom")
        chosen = left.multiselect(
            "Audiences",
            [a.name for a in state.audiences],
            waiting,
            key=f"classify_audiences_{shell.version()}",  # anew with every change: who waits has changed
            placeholder="Choose audiences",
            wrap=True,
        )
        way = middle.selectbox("Who proposes", [NORMS, MODEL, HAND], key="classify_way")
        samples_wanted = right.number_input("Samples", 1, 9, 3, key="classify_samples", disabled=way != MODEL)
        if way == MODEL:
            st.caption(plain(models.language_model_line(state.models)))
        st.caption(
            "The proposal rests on the names and descriptions of attributes and on the audience alone; no "
            "record is read. "
            + (
                "It replaces the present decision and makes an approval void."
                if set(chosen) & set(state.partitions)
                else ""
            )
        )
        if st.button("Classify", key="classify", type="primary", disabled=not chosen or busy):
            _run(key, corpus, state, chosen, way, int(samples_wanted))
        if way != HAND:
            with shell.guard():
                calibration.draw(key, state, by_norms=way == NORMS, samples=int(samples_wanted))


def _run(key: str, corpus: Corpus, state: ProjectState, chosen: list[str], way: str, samples_wanted: int):
    if way == HAND:
        for name in chosen:
            state = all_private(state, name, corpus.schema.names)
        shell.save_state(key, state, f"All attributes private for {', '.join(chosen)}")
    classifier = NormsClassifier() if way == NORMS else models.model_classifier(state.models)
    contexts = {name: state.release_context(name) for name in chosen}

    def work(progress, cancel):
        return {
            name: classifier.classify(
                corpus.schema, context, samples=samples_wanted, progress=progress, cancel=cancel
            )
            for name, context in contexts.items()
        }

    if way == NORMS:
        _save(key, state, work(silent, NEVER))
    background.start(key, TASK, f"Classifying for {', '.join(chosen)}", work)
    st.rerun()


def collect(key: str, schema: Schema, state: ProjectState) -> None:
    """A finished classification becomes the proposal; an audience removed meanwhile is passed over, and
    judgements of a schema that changed meanwhile are not taken."""
    found = background.take(key, TASK) or {}
    known = {a.name for a in state.audiences}
    found = {k: v for k, v in found.items() if k in known}
    if any(_foreign(judgements, schema) for judgements in found.values()):
        st.warning("The schema changed while its attributes were being classified. Classify again.")
    elif found:
        _save(key, state, found)


def _foreign(judgements: Sequence[Judgement], schema: Schema) -> bool:
    """Whether they were made of another schema."""
    without_buckets = {j.attribute for j in judgements if j.side == "coarsened"} - set(schema.coarsenings)
    return {j.attribute for j in judgements} != set(schema.names) or bool(without_buckets)


def _save(key: str, state: ProjectState, found) -> None:
    for name, judgements in found.items():
        state = judged(state, name, judgements)
    shell.save_state(key, state, f"Attributes classified for {', '.join(found)}; review and approve")
