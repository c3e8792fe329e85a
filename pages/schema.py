"""Schema: which facts a record holds, their values, and the buckets that are released."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.corpus import Corpus
from ctxpriv.edits import (
    ValueEdit,
    described,
    filled,
    labelled,
    with_attributes,
    with_values,
    without_attribute,
)
from ctxpriv.errors import BadInput
from ctxpriv.extract.coarsen import frequent_values, quantile_coarsening
from ctxpriv.extract.coarsen_by_model import propose_coarsening
from ctxpriv.extract.propose import Proposal, propose_schema
from ctxpriv.project import ProjectState
from ctxpriv.schema import COARSEN_ABOVE, MAX_BUCKETS, Coarsening
from pages.parts import background, charts, models, shell
from pages.parts.steps import too_wide
from pages.parts.text import count, plain

LEAD = (
    "Which facts a record holds, which values they take, and the few buckets in which a release tells them. "
    "Attributes with more than ten values are put into at most five buckets."
)
NO_LABEL = "(none)"
QUANTILES, FREQUENT, MODEL, BY_HAND = (
    "Quantile bands of numbers",
    "Most frequent values",
    "Language model",
    "By hand, in the table above",
)
PROVENANCE = {
    "declared": "declared beforehand",
    "observed": "read off the records",
    "prompted": "proposed by a model",
}


def draw() -> None:
    key, corpus, state = shell.corpus_or_hint()
    tabs = st.tabs(
        ["Attributes", "Values and buckets", "Propose a schema", "Extract values"],
        key="schema_tab",
        on_change="rerun",
    )
    parts = (attributes, values, propose, extract)
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
            key="label",
            help="The attribute that a user of the release wants to predict from the text.",
        )
        wanted = None if label == NO_LABEL else label
        if wanted != corpus.label and st.button("Use this label", key="save_label"):
            shell.save_corpus(key, labelled(corpus, wanted), "Utility label changed")
    with right:
        going = st.selectbox(
            "Remove an attribute", schema.names, index=None, key="remove_name", placeholder="Choose one"
        )
        if going and st.button("Remove it", key="remove_attribute"):
            shell.save_corpus(key, without_attribute(corpus, going), f"Attribute {going} removed")


# ---- values and buckets of one attribute


def values(key: str, corpus: Corpus, state: ProjectState) -> None:
    schema, wide = corpus.schema, too_wide(corpus)
    name = st.selectbox(
        "Attribute", schema.names, key="values_attribute", index=schema.names.index(wide[0]) if wide else 0
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        value_table(key, corpus, name)
    with right:
        before_after(corpus, name, schema.coarsenings.get(name))
    coarsen(key, corpus, name)


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


def before_after(corpus: Corpus, name: str, coarsening: Coarsening | None) -> None:
    values = corpus.table[name].tolist()
    if coarsening is None:
        charts.altair(
            figures.value_counts(values, dark=charts.dark()), f"chart_{name}", f"Records per value of {name}."
        )
        return
    distribution(corpus, name, coarsening, f"chart_{name}")
    st.caption(f"Buckets: {plain(coarsening.origin)}.")


def distribution(corpus: Corpus, name: str, coarsening: Coarsening, key: str) -> None:
    """Records per value and per bucket, side by side."""
    schema = corpus.schema.with_coarsening(coarsening)
    charts.altair(
        figures.before_after(corpus.table[name].tolist(), schema, name, width=170, dark=charts.dark()),
        key,
        f"Records per value of {name}, and per bucket.",
    )


def coarsen(key: str, corpus: Corpus, name: str) -> None:
    """Propose buckets one way or another; nothing changes before the proposal is accepted."""
    attribute, waiting = corpus.schema[name], f"coarsen_{name}"
    st.subheader("Buckets", anchor=False)
    way = st.segmented_control(
        "Way",
        [QUANTILES, FREQUENT, MODEL, BY_HAND],
        default=QUANTILES,
        key="coarsen_way",
        label_visibility="collapsed",
        required=True,
    )
    proposal = background.take(key, waiting)
    if proposal is not None:
        shell.keep(f"{key}/{waiting}", proposal)
    buttons = st.container(horizontal=True)
    if way == BY_HAND:
        buttons.caption(
            f"Write a bucket beside each value in the table, at most {MAX_BUCKETS} different ones, and save."
        )
    elif buttons.button("Propose buckets", key="propose_buckets", disabled=background.running(key, waiting)):
        if way == MODEL:
            model = models.language_model(key)
            background.start(
                key,
                waiting,
                f"Buckets for {name}",
                lambda progress, cancel: propose_coarsening(
                    model, attribute, progress=progress, cancel=cancel
                ),
            )
            st.rerun()
        shell.keep(f"{key}/{waiting}", _computed(corpus, name, way))
    if name in corpus.schema.coarsenings and buttons.button("Remove buckets", key="no_buckets"):
        changed = corpus.with_schema(corpus.schema.without_coarsening(name))
        shell.save_corpus(key, changed, f"Buckets of {name} removed")
    _decide_buckets(key, corpus, name, waiting)


def _computed(corpus: Corpus, name: str, way: str) -> Coarsening:
    """Buckets from the donated records, which are public, so that nothing private shapes them."""
    attribute = corpus.schema[name]
    donated = corpus.part("donated").table[name]
    source = "donated values" if len(donated) else "declared values"
    seen = list(donated) if len(donated) else list(attribute.values)
    if way == QUANTILES:
        return quantile_coarsening(attribute, seen, source=source)
    return frequent_values(seen, attribute=name, domain=attribute.values, source=source)


def _decide_buckets(key: str, corpus: Corpus, name: str, waiting: str) -> None:
    proposal = shell.kept(f"{key}/{waiting}", None)
    if proposal is None:
        return
    if set(proposal.mapping) != set(corpus.schema[name].values):
        shell.keep(f"{key}/{waiting}", None)
        return
    with st.container(border=True, key="bucket_proposal"):
        st.markdown(f"**Proposed buckets** ({plain(proposal.origin)})")
        frame = pd.DataFrame(
            [{"bucket": b, "values": ", ".join(proposal.members(b))} for b in proposal.buckets]
        )
        st.dataframe(
            frame, hide_index=True, column_config={"values": st.column_config.TextColumn(width="large")}
        )
        distribution(corpus, name, proposal, "proposed_chart")
        row = st.container(horizontal=True)
        if row.button("Accept", key="accept_buckets", type="primary"):
            shell.keep(f"{key}/{waiting}", None)
            changed = corpus.with_schema(corpus.schema.with_coarsening(proposal))
            shell.save_corpus(key, changed, f"Buckets for {name} accepted")
        if row.button("Reject", key="reject_buckets"):
            shell.keep(f"{key}/{waiting}", None)
            st.rerun()


# ---- a schema from a model


def propose(key: str, corpus: Corpus, state: ProjectState) -> None:
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
    st.caption(plain(models.language_model_in_use(key)))
    if st.button(
        "Propose attributes", key="propose_schema", type="primary", disabled=background.running(key, "schema")
    ):
        if (description, workload) != (state.description, state.workload):
            from dataclasses import replace

            shell.workspace().save_state(
                key,
                replace(state, description=description, workload=workload),
                "Description and workload written",
            )
        if not description.strip() or not workload.strip():
            raise BadInput("Write what the texts are and what the table is for.")
        model, examples = models.language_model(key), corpus.donated() if show else None
        background.start(
            key,
            "schema",
            "Schema proposal",
            lambda progress, cancel: propose_schema(
                model, description, workload, int(k), examples, progress=progress, cancel=cancel
            ),
        )
    result = background.take(key, "schema")
    if result is not None:
        shell.keep(f"{key}/schema", result)
    proposal = shell.kept(f"{key}/schema", None)
    if proposal is not None:
        decide_schema(key, corpus, proposal)


def decide_schema(key: str, corpus: Corpus, proposal: Proposal) -> None:
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


# ---- values from the texts


def extract(key: str, corpus: Corpus, state: ProjectState) -> None:
    st.markdown(
        "Every record is read on its own and its values are filled in. Records go to the extractor on this "
        "machine only. Nothing changes before you accept the result."
    )
    names = list(corpus.schema.names)
    empty = [n for n in names if corpus.table[n].nunique() <= 1]
    chosen = st.multiselect("Attributes to extract", names, default=empty, key="extract_names")
    by_model = "Language model"
    player = st.segmented_control(
        "Extractor", [by_model, "Local classifier"], default=by_model, key="extract_player", required=True
    )
    if player == by_model:
        st.caption(plain(models.language_model_in_use(key)))
    else:
        st.caption(
            "Learns from the donated records, whose values must be known, and needs no language model."
        )
    if st.button(
        "Extract values",
        key="extract",
        type="primary",
        disabled=not chosen or background.running(key, "extract"),
    ):
        work = models.extraction(key, corpus, chosen, by_model=player == by_model)
        background.start(key, "extract", f"Extracting {count(len(chosen), 'attribute')}", work)
    result = background.take(key, "extract")
    if result is not None:
        shell.keep(f"{key}/extract", (result, shell.workspace().digest(key)))
    waiting = shell.kept(f"{key}/extract", None)
    if waiting is not None:
        decide_extraction(key, corpus, *waiting)


def decide_extraction(key: str, corpus: Corpus, result, digest: str) -> None:
    if digest != corpus.digest:
        st.info("The corpus has changed since these values were extracted; extract again.")
        shell.keep(f"{key}/extract", None)
        return
    with st.container(border=True, key="extraction"):
        st.markdown(
            f"**Extracted** {count(len(result.values.columns), 'attribute')} of "
            f"{count(len(result.values), 'record')} in {result.seconds:.1f} s; "
            f"{count(len(result.failures), 'record')} failed, {count(result.retries, 'retry', 'retries')}."
        )
        if result.failures:
            kinds = pd.Series([f.why for f in result.failures]).value_counts()
            st.caption(
                "Failed records count as unknown: " + plain(", ".join(f"{k} ({v})" for k, v in kinds.items()))
            )
        for name, n in result.outside.items():
            st.caption(
                f"{count(n, 'answer')} for {plain(name)} were outside its list and were mapped by rule."
            )
        shell.curator_only("Values of private records")
        name = st.selectbox("See the values of", list(result.values.columns), key="extracted_name")
        left, right = st.columns(2, gap="large")
        for column, title, values in (
            (left, "before", corpus.table[name]),
            (right, "after", result.values[name]),
        ):
            with column:
                charts.altair(
                    figures.value_counts(values.tolist(), title=title, dark=charts.dark()),
                    f"extract_{title}",
                    f"Records per value of {name} {title} the extraction.",
                )
        row = st.container(horizontal=True)
        if row.button("Accept these values", key="accept_values", type="primary"):
            shell.keep(f"{key}/extract", None)
            shell.save_corpus(key, filled(corpus, result.values), "Extracted values accepted")
        if row.button("Reject", key="reject_values"):
            shell.keep(f"{key}/extract", None)
            st.rerun()


with shell.page("schema", "Schema", LEAD):
    draw()
