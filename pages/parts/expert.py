"""Audiences page: decisions of an expert from a file, compared with ours (paper App. H)."""

from __future__ import annotations

import streamlit as st

from ctxpriv.charts.sides import WORDS
from ctxpriv.classify.expert import (
    ExpertAgreement,
    ExpertReview,
    apply_expert,
    compare_expert,
    load_expert,
    template_csv,
)
from ctxpriv.corpus import Corpus
from ctxpriv.project import ProjectState
from pages.parts import shell
from pages.parts.text import count, plain, table


def loaded(state: ProjectState) -> ExpertReview | None:
    """The file that was loaded last; it is part of the project, so that it survives a restart."""
    kept = state.settings.get("expert")
    return ExpertReview.from_dict(kept) if kept else None


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    st.markdown(
        "A privacy or legal reviewer can decide in a table of their own. It is a CSV file with the columns "
        "attribute, audience, side (public, coarsened or private) and note."
    )
    decided = [a.name for a in state.audiences if a.name in state.partitions]
    st.download_button(
        "Table to fill in",
        lambda: template_csv(corpus.schema, decided),
        f"{corpus.name}_review.csv",
        "text/csv",
        key="expert_template",
        on_click="ignore",
    )
    upload = st.file_uploader("The expert's file", ["csv"], key=f"expert_file_{shell.version()}")
    if upload is not None:
        found = load_expert(upload.getvalue(), upload.name, corpus.schema, [a.name for a in state.audiences])
        changed = state.with_settings(expert=found.to_dict())
        shell.save_state(key, changed, f"Decisions of an expert loaded from {upload.name}")
    review = loaded(state)
    if review is None:
        return
    unjudged = f"; {count(review.unjudged, 'line')} without a decision" if review.unjudged else ""
    st.markdown(f"**{plain(review.name)}**: {count(len(review.opinions), 'decision')}{unjudged}")
    for agreement in compare_expert(review, state.partitions):
        _audience(key, corpus, state, review, agreement)
    if st.button("Forget this file", key="forget_expert"):
        shell.save_state(key, state.with_settings(expert=None), f"Decisions from {review.name} forgotten")


def _audience(
    key: str, corpus: Corpus, state: ProjectState, review: ExpertReview, agreement: ExpertAgreement
) -> None:
    st.markdown(plain(agreement.sentence()))
    if not agreement.disagreements:
        return
    rows = [(d.attribute, WORDS[d.ours], WORDS[d.expert], d.note) for d in agreement.disagreements]
    st.markdown(table(("attribute", "here", "expert", "the expert's note"), rows))
    name = agreement.audience
    place = [a.name for a in state.audiences].index(name)
    if st.button(f"Take the expert's decisions for {plain(name)}", key=f"take_expert_{place}"):
        with shell.guard():
            applied = apply_expert(state.partitions[name], review, corpus.schema)
            shell.save_state(key, state.with_partition(applied), f"The expert's decisions taken for {name}")
