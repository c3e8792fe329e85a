"""Schema page: the proposals that are kept for a corpus, to look at, take from, or throw away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.edits import with_attributes, with_other_schema
from ctxpriv.errors import BadInput
from ctxpriv.extract.weakest import weakest
from ctxpriv.proposal_store import KeptProposal, ProposalStore
from ctxpriv.schema import Attribute
from ctxpriv.schema_proposal import SchemaProposal
from pages.parts import shell
from pages.parts.text import count, duration, epsilon_text, plain, when

TITLES = {
    "prompted": "From a description",
    "texts": "From a few private texts",
    "dp": "From all texts, with DP",
}

FACTS = {
    "asked": "attributes asked for",
    "donated_examples": "donated examples shown",
    "texts_shown": "private texts shown",
    "n_private": "private texts",
    "strings_per_record": "names a text may add, at most",
    "l0": "counts that one text changes, at most (ℓ0)",
    "epsilon": "ε",
    "delta": "δ",
    "rho": "ρ",
    "sigma": "σ, the standard deviation of the noise",
    "threshold": "τ, the least noisy count that is released",
    "delta_conversion": "part of δ that turns ρ into ε",
    "delta_threshold": "part of δ that the threshold spends",
    "relation": "what two neighbouring corpora differ in",
    "rho_replacement": "ρ when one record replaces another",
    "epsilon_replacement": "ε when one record replaces another",
    "delta_replacement": "δ when one record replaces another",
    "released_half": "texts with a name that comes out half of the time",
    "released_likely": "texts with a name that comes out 19 times of 20",
    "max_attributes": "attributes at most",
    "guided": "only chosen from the public list",
    "noise": "noise by",
    "unit": "protected unit",
    "released": "Names that came out, with noisy counts",
    "merged": "Names taken for the same",
}
"""Words for the facts of the three constructions."""


def numbered(store: ProposalStore) -> list[tuple[str, KeptProposal]]:
    """Oldest first, each with a title that tells it apart: `3. From all texts, with DP`; not escaped."""
    return [(f"{i}. {TITLES[kept.proposal.way]}", kept) for i, kept in enumerate(store.proposals(), 1)]


def draw(key: str, corpus: Corpus, store: ProposalStore) -> None:
    """Newest first; the newest is open."""
    found = numbered(store)[::-1]
    st.subheader("Proposals", anchor=False)
    if not found:
        st.caption("None yet. What is proposed stays here until you remove it, also after a restart.")
        return
    for i, (title, kept) in enumerate(found):
        proposal = kept.proposal
        epsilon = f", ε = {epsilon_text(proposal.epsilon)}" if proposal.way == "dp" else ""
        attributes = count(len(proposal.schema.names), "attribute")
        told = plain(f"{title}{epsilon}: {attributes}, {when(kept.made)}")
        with st.expander(told, expanded=i == 0, key=f"proposal_{kept.id}"), shell.guard():
            _one(key, corpus, store, kept)


def _one(key: str, corpus: Corpus, store: ProposalStore, kept: KeptProposal) -> None:
    proposal = kept.proposal
    st.markdown(plain(proposal.guarantee()))
    _charged(proposal)
    if proposal.way == "texts":
        shell.curator_only("A proposal made from private texts without a guarantee")
    st.caption(
        f"By {plain(proposal.model.get('name', 'an unknown model'))} in {plain(duration(proposal.seconds))}."
    )
    weak = _judged_weak(store, kept)
    if weak and store.judging().settings.split == "private":
        shell.curator_only("What speaks against an attribute")
    taken = _ticked(corpus, kept, weak) if proposal.schema.names else []
    for problem in proposal.problems:
        st.caption(plain(problem))
    _facts(proposal, kept.id)
    _decide(key, corpus, store, kept, taken)


def _judged_weak(store: ProposalStore, kept: KeptProposal) -> dict[str, str]:
    """What the last judging has against each attribute; empty where it was not judged."""
    judging = store.judging()
    if judging is None or kept.id not in judging.rows:
        return {}
    return {w.attribute: "; ".join(w.says) for w in weakest(judging.rows[kept.id])}


def _ticked(corpus: Corpus, kept: KeptProposal, weak: Mapping[str, str]) -> list[Attribute]:
    """The attributes that are to be taken."""
    attributes = kept.proposal.schema.attributes
    frame = pd.DataFrame(
        [
            {
                "take": True,
                "name": a.name,
                "description": a.description,
                "values": ", ".join(a.values),
                "why": a.rationale,
                "weak": weak.get(a.name, ""),
                "there": "replaces the present one" if a.name in corpus.schema.names else "",
            }
            for a in attributes
        ]
    )
    edited = st.data_editor(
        frame,
        key=f"ticks_{kept.id}_{shell.version()}",
        hide_index=True,
        num_rows="fixed",
        height="content",
        disabled=["name", "description", "values", "why", "weak", "there"],
        column_order=["take", "name", *(["weak"] if weak else []), "description", "values", "why", "there"],
        column_config={
            "take": st.column_config.CheckboxColumn("Take", width="small"),
            "name": st.column_config.TextColumn("Name"),
            "description": st.column_config.TextColumn("Description", width="medium"),
            "values": st.column_config.TextColumn("Values", width="large"),
            "why": st.column_config.TextColumn("Why", width="medium"),
            "weak": st.column_config.TextColumn("What speaks against it", width="medium"),
            "there": st.column_config.TextColumn("Of the same name"),
        },
    )
    return [a for a, take in zip(attributes, edited["take"], strict=True) if take]


def _decide(
    key: str, corpus: Corpus, store: ProposalStore, kept: KeptProposal, taken: list[Attribute]
) -> None:
    label, empty = corpus.label, not kept.proposal.schema.names
    keep_label = label is not None and st.checkbox(
        f"Keep the utility label {plain(label)} when the schema is replaced",
        True,
        key=f"label_{kept.id}",
        disabled=empty,
    )
    row = st.container(horizontal=True)
    told = count(len(taken), "proposed attribute")
    if row.button("Add what is ticked", key=f"add_{kept.id}", type="primary", disabled=empty):
        if not taken:
            raise BadInput("Nothing is ticked.")
        shell.save_corpus(key, with_attributes(corpus, taken), f"{told} added; extract their values next")
    if row.button(
        "Use these instead of the schema",
        key=f"instead_{kept.id}",
        help="Undo, at the left, brings it back.",
        disabled=empty,
    ):
        changed = with_other_schema(corpus, taken, (label,) if keep_label else ())
        shell.save_corpus(key, changed, f"Schema replaced by {told}; extract their values next")
    if row.button(
        "Remove this proposal",
        key=f"drop_{kept.id}",
        help="The schema stays as it is." + _stays_spent(kept.proposal),
    ):
        store.remove(kept.id)
        shell.notify("Proposal removed." + _stays_spent(kept.proposal))
        st.rerun()


def _stays_spent(proposal: SchemaProposal) -> str:
    return " What it cost stays in the ledger." if proposal.run_id else ""


def _charged(proposal: SchemaProposal) -> None:
    """The line of the ledger behind a proposal."""
    if not proposal.run_id:
        return
    line = shell.workspace().ledger.line(proposal.run_id)
    if line is None:
        st.warning("The ledger has no line for this pass: its cost is not counted.")
        return
    st.caption(
        plain(
            f"In the ledger since {when(line.date).split(',')[0]}: {line.mechanism}, ε = "
            f"{epsilon_text(line.epsilon)}, δ = {line.delta + line.extra_delta:.2g}, ρ = {line.rho:.3g}, "
            f"for {line.audience}."
        )
    )


def _facts(proposal: SchemaProposal, proposal_id: str) -> None:
    """What the construction tells of itself: its figures, and each list (of released names) as a table."""
    facts = {FACTS.get(k, k): v for k, v in proposal.facts.items()}
    lists = {k: v for k, v in facts.items() if isinstance(v, list | tuple | Mapping)}
    tables = {"How it was made": {k: v for k, v in facts.items() if k not in lists}, **lists}
    row = st.container(horizontal=True)
    for name, value in tables.items():
        if value:
            with row.popover(plain(name)):
                st.dataframe(_two_columns(value), hide_index=True, key=f"fact_{name}_{proposal_id}")


def _two_columns(facts: Mapping[str, Any] | Sequence[Any]) -> pd.DataFrame:
    pairs = facts.items() if isinstance(facts, Mapping) else enumerate(facts, 1)
    return pd.DataFrame({"what": str(k).replace("_", " "), "value": _short(v)} for k, v in pairs)


def _short(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)
