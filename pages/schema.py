"""Schema: which facts a record holds, their values, and the buckets that are released."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.edits import ValueEdit, described, labelled, with_values, without_attribute
from ctxpriv.project import ProjectState
from ctxpriv.schema import COARSEN_ABOVE
from pages.parts import buckets, extraction, schema_proposal, shell
from pages.parts.steps import too_wide
from pages.parts.text import count, plain

LEAD = (
    "Which facts a record holds, which values they take, and the few buckets in which a release tells them. "
    "Attributes with more than ten values are put into at most five buckets."
)
NO_LABEL = "(none)"
PROVENANCE = {
    "declared": "declared beforehand",
    "observed": "read off the records",
    "prompted": "proposed by a model",
    "dp": "found with differential privacy",
}


def draw() -> None:
    key, corpus, state = shell.corpus_or_hint()
    tabs = st.tabs(
        ["Attributes", "Values and buckets", "Propose a schema", "Extract values"],
        key="schema_tab",
        on_change="rerun",
    )
    parts = (attributes, values, schema_proposal.draw, extraction.draw)
    for tab, part in zip(tabs, parts, strict=True):
        if tab.open:
            with tab, shell.guard():
                part(key, corpus, state)


# ---- names, descriptions, label


def attributes(key: str, corpus: Corpus, state: ProjectState) -> None:
    schema = corpus.schema
    if wide := too_wide(corpus):
        st.warning(
            f"{count(len(wide), 'attribute has', 'attributes have')} more than {COARSEN_ABOVE} values and no "
            f"buckets yet: {plain(', '.join(wide))}. Give them buckets under Values and buckets."
        )
    for name, n in corpus.outside.items():
        st.warning(
            f"{count(n, 'value')} of {plain(name)} were outside its list and are kept as Other or Not stated."
        )
    frame = pd.DataFrame(
        {
            "name": schema.names,
            "description": [a.description for a in schema.attributes],
            "values": [str(len(a.values)) for a in schema.attributes],
            "buckets": [
                str(len(schema.coarse_values(n))) if n in schema.coarsenings else "" for n in schema.names
            ],
            "origin": [PROVENANCE[a.provenance] for a in schema.attributes],
            "examples": [", ".join(a.values[:6]) for a in schema.attributes],
        }
    )
    edited = st.data_editor(
        frame,
        key=f"attributes_{shell.version()}",
        hide_index=True,
        num_rows="fixed",
        height="content",
        disabled=["values", "buckets", "origin", "examples"],
        column_config={
            "name": st.column_config.TextColumn("Name", required=True, max_chars=60),
            "description": st.column_config.TextColumn("Description", width="medium", max_chars=400),
            "values": st.column_config.TextColumn("Values", width="small"),
            "buckets": st.column_config.TextColumn("Buckets", width="small"),
            "origin": st.column_config.TextColumn("Values come from"),
            "examples": st.column_config.TextColumn("For example", width="medium"),
        },
    )
    if st.button("Save names and descriptions", key="save_attributes", type="primary"):
        changes = {
            old: (str(row["name"] or ""), str(row["description"] or ""))
            for old, (_, row) in zip(schema.names, edited.iterrows(), strict=True)
        }
        shell.save_corpus(key, described(corpus, changes), "Names and descriptions edited")
    left, right = st.columns(2, gap="large")
    with left:
        choices = [NO_LABEL, *schema.names]
        label = st.selectbox(
            "Utility label",
            choices,
            choices.index(corpus.label or NO_LABEL),
            key=f"label_{shell.version()}",
            help="The attribute that a user of the release wants to predict from the text.",
        )
        wanted = None if label == NO_LABEL else label
        if wanted != corpus.label and st.button("Use this label", key="save_label"):
            shell.save_corpus(key, labelled(corpus, wanted), "Utility label changed")
    with right:
        going = st.selectbox(
            "Remove an attribute",
            schema.names,
            index=None,
            key=f"remove_name_{shell.version()}",
            placeholder="Choose one",
        )
        if going and st.button("Remove it", key="remove_attribute"):
            shell.save_corpus(key, without_attribute(corpus, going), f"Attribute {going} removed")


# ---- values and buckets of one attribute


def values(key: str, corpus: Corpus, state: ProjectState) -> None:
    schema, wide = corpus.schema, too_wide(corpus)
    name = st.selectbox(
        "Attribute", schema.names, key="values_attribute", index=schema.names.index(wide[0]) if wide else 0
    )
    value_table(key, corpus, name)
    buckets.draw(key, corpus, state, name)


def value_table(key: str, corpus: Corpus, name: str) -> None:
    attribute, coarsening = corpus.schema[name], corpus.schema.coarsenings.get(name)
    counts = corpus.table[name].value_counts()
    frame = pd.DataFrame(
        {
            "old": attribute.values,
            "value": attribute.values,
            "bucket": [coarsening.mapping[v] if coarsening else "" for v in attribute.values],
            "records": [int(counts.get(v, 0)) for v in attribute.values],
            "remove": False,
        }
    )
    edited = st.data_editor(
        frame,
        key=f"values_{name}_{shell.version()}",
        hide_index=True,
        num_rows="fixed",
        height=320,
        disabled=["records"],
        column_order=["value", "bucket", "records", "remove"],
        column_config={
            "value": st.column_config.TextColumn("Value", required=True, max_chars=80),
            "bucket": st.column_config.TextColumn(
                "Bucket", max_chars=60, help="At most five different ones; empty means no buckets."
            ),
            "records": st.column_config.NumberColumn("Records", width="small"),
            "remove": st.column_config.CheckboxColumn("Remove", width="small"),
        },
    )
    more = st.text_input("Add values, separated by semicolons", key=f"add_values_{name}_{shell.version()}")
    shell.curator_only("Record counts")
    if st.button("Save values and buckets", key="save_values", type="primary"):
        rows = [
            ValueEdit(str(r.old), "" if r.remove else str(r.value or ""), str(r.bucket or ""))
            for r in edited.itertuples()
        ]
        rows += [ValueEdit("", part.strip()) for part in more.split(";") if part.strip()]
        shell.save_corpus(key, with_values(corpus, name, rows), f"Values of {name} edited")


with shell.page("schema", "Schema", LEAD):
    draw()
