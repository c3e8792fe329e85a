"""Schema page: values read out of the texts, one record at a time."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.corpus import Corpus
from ctxpriv.edits import filled
from ctxpriv.project import ProjectState
from ctxpriv.roles import Extraction
from pages.parts import background, charts, models, shell
from pages.parts.text import count, plain


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    st.markdown(
        "Every record is read on its own, by the extractor named below, and its values are filled "
        "in. Nothing changes before you accept the result."
    )
    names = list(corpus.schema.names)
    empty = [n for n in names if corpus.table[n].nunique() <= 1]
    chosen = st.multiselect("Attributes to extract", names, default=empty, key="extract_names")
    by_model = "Language model"
    player = st.segmented_control(
        "Extractor", [by_model, "Local classifier"], default=by_model, key="extract_player", required=True
    )
    if player == by_model:
        st.caption(plain(models.language_model_line(state.models)))
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
        work = models.extraction(state.models, corpus, chosen, by_model=player == by_model)
        background.start(key, "extract", f"Extracting {count(len(chosen), 'attribute')}", work)
    result = background.take(key, "extract")
    if result is not None:
        shell.keep(f"{key}/extract", (result, shell.workspace().digest(key)))
    waiting = shell.kept(f"{key}/extract", None)
    if waiting is not None:
        decide_extraction(key, corpus, *waiting)


def decide_extraction(key: str, corpus: Corpus, result: Extraction, digest: str) -> None:
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
                    figures.value_counts(values.tolist(), title=title, width=180, dark=charts.dark()),
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
