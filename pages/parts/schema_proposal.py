"""Schema page: attributes proposed by a language model that reads no private record."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.edits import with_attributes
from ctxpriv.errors import BadInput
from ctxpriv.extract.propose import propose_schema
from ctxpriv.project import ProjectState
from ctxpriv.schema_proposal import SchemaProposal
from pages.parts import background, models, shell
from pages.parts.text import count, plain


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    st.markdown(
        "A language model proposes attributes from what you write here. It reads no private record; donated "
        "examples are shown to it only if you say so."
    )
    description = st.text_area(
        "What the texts are",
        state.description,
        key="description",
        placeholder="Comments by users of a discussion forum about everyday life.",
    )
    workload = st.text_area(
        "What the table is for",
        state.workload,
        key="workload",
        placeholder="Find out which topics people discuss and who is interested in them.",
    )
    left, right = st.columns(2)
    k = left.number_input("Attributes to propose", 1, 20, 8, key="k")
    n_donated = corpus.facts().n_donated
    show = right.checkbox(
        f"Show it a few of the {n_donated} donated examples", key="show_examples", disabled=n_donated == 0
    )
    st.caption(plain(models.language_model_line(state.models)))
    if st.button(
        "Propose attributes", key="propose_schema", type="primary", disabled=background.running(key, "schema")
    ):
        if (description, workload) != (state.description, state.workload):
            shell.workspace().save_state(
                key,
                replace(state, description=description, workload=workload),
                "Description and workload written",
            )
        if not description.strip() or not workload.strip():
            raise BadInput("Write what the texts are and what the table is for.")
        model, examples = models.language_model(state.models), corpus.donated() if show else None
        background.start(
            key,
            "schema",
            "Schema proposal",
            lambda progress, cancel: propose_schema(
                model,
                description,
                workload,
                int(k),
                examples,
                # The embedded stand-in is slow to satisfy one large form, and quicker with small ones.
                stepwise=True if model.identity.kind == "openvino" else None,
                progress=progress,
                cancel=cancel,
            ),
        )
    result = background.take(key, "schema")
    if result is not None:
        shell.keep(f"{key}/schema", result)
    proposal = shell.kept(f"{key}/schema", None)
    if proposal is not None:
        decide_schema(key, corpus, proposal)


def decide_schema(key: str, corpus: Corpus, proposal: SchemaProposal) -> None:
    with st.container(border=True, key="schema_proposal"):
        st.markdown("**Proposed attributes**")
        frame = pd.DataFrame(
            [
                {
                    "take": True,
                    "name": a.name,
                    "description": a.description,
                    "values": ", ".join(a.values),
                    "why": a.rationale,
                }
                for a in proposal.schema.attributes
            ]
        )
        edited = st.data_editor(
            frame,
            key=f"proposal_{shell.version()}",
            hide_index=True,
            num_rows="fixed",
            disabled=["name", "description", "values", "why"],
            column_config={
                "take": st.column_config.CheckboxColumn("Take", width="small"),
                "values": st.column_config.TextColumn("Values", width="large"),
            },
        )
        for problem in proposal.problems:
            st.caption(plain(problem))
        row = st.container(horizontal=True)
        if row.button("Add what is ticked", key="accept_schema", type="primary"):
            taken = [a for a, take in zip(proposal.schema.attributes, edited["take"], strict=True) if take]
            if not taken:
                raise BadInput("Nothing is ticked.")
            shell.keep(f"{key}/schema", None)
            shell.save_corpus(
                key,
                with_attributes(corpus, taken),
                f"{count(len(taken), 'proposed attribute')} added; extract their values next",
            )
        if row.button("Reject all", key="reject_schema"):
            shell.keep(f"{key}/schema", None)
            st.rerun()
