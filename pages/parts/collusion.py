"""Audiences page: what audiences know when they put together what they got."""

from __future__ import annotations

from functools import partial

import streamlit as st

from ctxpriv.classify.checks.collusion import collude
from ctxpriv.corpus import Corpus
from ctxpriv.privacy.accounting import rho_from
from ctxpriv.project import ProjectState
from pages.parts import checks, shell


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    """For any set of audiences, by default all: the union of what they get, and the composed budget."""
    st.subheader("If audiences share what they got", anchor=False)
    shell.curator_only("Computed from private records without noise")
    names = [a.name for a in state.audiences if a.name in state.partitions]
    chosen = st.multiselect(
        "Audiences that share",
        names,
        names,
        key=f"collude_{shell.version()}",
        placeholder="Choose two or more",
        wrap=True,
    )
    if len(chosen) < 2:
        st.caption("Choose two or more audiences.")
        return
    ledger, n = shell.workspace().ledger, int((corpus.splits == "private").sum())
    at, lines = checks.epsilon(state), ledger.lines()
    finding = checks.known(
        key,
        "collusion",
        corpus,
        [
            {c: state.partitions[c].sides_key() for c in chosen},
            len(lines),
            sum(e.released for e in lines),
            at,
        ],
        f"What {len(chosen)} audiences know together",
        partial(
            collude,
            corpus,
            state.partitions,
            ledger,
            chosen,
            next_rho=float(rho_from(at, 1 / n)) if n > 1 else 0.0,
        ),
    )
    if finding is not None:
        checks.show(finding, "collusion")
