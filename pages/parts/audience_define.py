"""Audiences page: who asks and what for: ready-made audiences, one's own, the corpus's context."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv.context import Audience, CorpusContext
from ctxpriv.corpus import Corpus
from ctxpriv.edits import adopted, renamed_audience
from ctxpriv.errors import BadInput
from ctxpriv.loaders.samples import Preset, samples
from ctxpriv.project import ProjectState
from pages.parts import shell
from pages.parts.text import count, plain


def define(key: str, corpus: Corpus, state: ProjectState) -> None:
    tabs = st.tabs(["Ready-made audiences", "Your own audience", "The corpus's context"])
    with tabs[0], shell.guard():
        presets(key, corpus, state)
    with tabs[1], shell.guard():
        own(key, corpus, state)
    with tabs[2], shell.guard():
        context(key, state)


def presets(key: str, corpus: Corpus, state: ProjectState) -> None:
    """Those of the samples, first the ones that know most of this corpus's attributes."""
    taken = {a.name for a in state.audiences}
    offered = sorted(
        (
            (len(set(p.reasons) & set(corpus.schema.names)), s.title, p)
            for s in samples().values()
            for p in s.presets
            if p.audience.name not in taken
        ),
        key=lambda item: -item[0],
    )
    offered = [(known, title, p) for known, title, p in offered if known]
    if not offered:
        st.caption("No ready-made audience knows the attributes of this corpus. Describe your own.")
        return
    frame = pd.DataFrame(
        [
            {
                "take": False,
                "audience": p.audience.name,
                "known": f"{known} of {len(corpus.schema.names)}",
                "recipient": p.audience.recipient,
                "purpose": p.audience.purpose,
                "from": f"{p.origin}; {title}",
            }
            for known, title, p in offered
        ]
    )
    edited = st.data_editor(
        frame,
        key=f"presets_{shell.version()}",
        hide_index=True,
        num_rows="fixed",
        disabled=list(frame.columns[1:]),
        column_config={
            "take": st.column_config.CheckboxColumn("Take", width="small"),
            "known": st.column_config.TextColumn("knows", help="Attributes of this corpus that it knows."),
        },
    )
    if st.button("Add what is ticked", key="add_presets", type="primary"):
        chosen: list[Preset] = [p for (_, _, p), take in zip(offered, edited["take"], strict=True) if take]
        if not chosen:
            raise BadInput("Nothing is ticked.")
        for preset in chosen:
            state = adopted(state, preset, corpus.schema)
        shell.save_state(key, state, f"{count(len(chosen), 'audience')} added; review and approve each")


def own(key: str, corpus: Corpus, state: ProjectState) -> None:
    new = "A new audience"
    names = [a.name for a in state.audiences]
    which = st.selectbox("Which", [new, *names], key="own_which")
    old = None if which == new else state.audience(which)
    suffix = f"{which}_{shell.version()}"
    with st.form(f"own_{suffix}"):
        name = st.text_input("Name", old.name if old else "", max_chars=60, key=f"own_name_{suffix}")
        recipient = st.text_input(
            "Recipient",
            old.recipient if old else "",
            key=f"own_recipient_{suffix}",
            placeholder="A company that trains text classifiers",
        )
        purpose = st.text_area(
            "Purpose",
            old.purpose if old else "",
            key=f"own_purpose_{suffix}",
            placeholder="Train a model that recognises the topic of a comment",
        )
        save = st.form_submit_button(
            "Add the audience" if old is None else "Save the audience", type="primary", key="save_audience"
        )
    if save:
        audience = Audience(name.strip(), recipient.strip(), purpose.strip())
        if not audience.recipient or not audience.purpose:
            raise BadInput("An audience needs a recipient and a purpose: privacy is judged for this flow.")
        if old is None and audience.name in names:
            raise BadInput(f"There is already an audience {audience.name!r}.")
        if old is not None and audience.name != old.name:
            _require_unreleased(corpus, old.name)
            state = renamed_audience(state, old.name, audience.name)
        shell.save_state(
            key,
            state.with_audience(audience),
            f"Audience {audience.name} {'added' if old is None else 'changed'}",
        )
    if old is not None and st.button(f"Remove {plain(old.name)}", key="remove_audience"):
        shell.save_state(key, state.without_audience(old.name), f"Audience {old.name} removed")


def _require_unreleased(corpus: Corpus, name: str) -> None:
    """The ledger knows audiences by name: what a renamed one got would no longer be added up."""
    lines = shell.workspace().ledger.lines()
    if any(e.released and e.audience == name and e.records == corpus.records_digest for e in lines):
        raise BadInput(
            "something was released to it under this name, under which the ledger counts it.",
            where=f"audience {name!r}",
            fix="Keep the name, and change the recipient or purpose instead.",
        )


def context(key: str, state: ProjectState) -> None:
    st.caption("These three hold for every audience of this corpus. Changing them makes every approval void.")
    with st.form(f"context_{shell.version()}"):
        subject = st.text_input(
            "Whom the texts are about",
            state.context.subject,
            key="subject",
            placeholder="Users of the forum who wrote the comments",
        )
        sender = st.text_input(
            "Who would send them", state.context.sender, key="sender", placeholder="The operator of the forum"
        )
        principle = st.text_area(
            "Under which rule",
            state.context.transmission_principle,
            key="principle",
            placeholder="Comments are public to members; no further use was agreed to",
        )
        if st.form_submit_button("Save the context", key="save_context"):
            changed = CorpusContext(subject.strip(), sender.strip(), principle.strip())
            shell.save_state(key, state.with_context(changed), "Context of the corpus changed")
