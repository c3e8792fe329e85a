"""Schema page: values read out of the texts, one record at a time."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ctxpriv import figures
from ctxpriv.corpus import Corpus
from ctxpriv.edits import filled
from ctxpriv.errors import ModelFailed
from ctxpriv.extract.quality import quality_of
from ctxpriv.project import ProjectState
from ctxpriv.roles import Extraction
from pages.parts import background, charts, models, schema_figures, second_reader, shell
from pages.parts.text import count, plain

BY_MODEL, BY_CLASSIFIER = "Language model", "Local classifier"


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    st.markdown(
        "Every record is read on its own, by the extractor named below, and its values are filled "
        "in. Nothing changes before you accept the result."
    )
    names = list(corpus.schema.names)
    empty = [n for n in names if corpus.table[n].nunique() <= 1]
    chosen = st.multiselect("Attributes to extract", names, default=empty, key="extract_names")
    player = st.segmented_control(
        "Extractor", [BY_MODEL, BY_CLASSIFIER], default=BY_MODEL, key="extract_player", required=True
    )
    if player == BY_MODEL:
        st.caption(plain(models.language_model_line(state.models)))
        models.stand_in_note(state.models)
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
        work = models.extraction(state.models, corpus, chosen, by_model=player == BY_MODEL)
        background.start(key, "extract", f"Extracting {count(len(chosen), 'attribute')}", work)
    result = background.take(key, "extract")
    if result is not None:
        shell.keep(f"{key}/extract", (*result, shell.workspace().digest(key)))
    waiting = shell.kept(f"{key}/extract", None)
    if waiting is not None and waiting[-1] != corpus.digest:
        st.info("The corpus has changed since these values were extracted; extract again.")
        waiting = shell.keep(f"{key}/extract", None)
    if waiting is not None:
        decide(key, corpus, *waiting[:2])
    first, coarse = (waiting[0], waiting[2]) if waiting is not None else (None, False)
    names = list(first.values.columns) if first is not None else chosen
    with shell.guard():
        second_reader.draw(key, corpus, state.models, names, first, coarse)


def decide(key: str, corpus: Corpus, result: Extraction, reader: Mapping[str, str]) -> None:
    """How the reading went, what came out per attribute, and whether it is taken."""
    with st.container(border=True, key="extraction"):
        st.markdown(
            f"**Extracted** {count(len(result.values.columns), 'attribute')} of "
            f"{count(len(result.values), 'record')}; {count(len(result.failures), 'record')} failed, "
            f"{count(result.retries, 'retry', 'retries')}."
        )
        try:
            quality = quality_of(result, corpus.schema.only(list(result.values.columns)), reader)
        except ModelFailed as why:
            st.warning(plain(why))
        else:
            st.caption(schema_figures.reading_line(quality))
            schema_figures.failures(quality)
            shell.curator_only("Values of private records")
            schema_figures.per_attribute(quality, "extracted", chart=False)
        _before_after(corpus, result)
        row = st.container(horizontal=True)
        if row.button("Accept these values", key="accept_values", type="primary"):
            shell.keep(f"{key}/extract", None)
            shell.save_corpus(key, filled(corpus, result.values), "Extracted values accepted")
        if row.button("Reject", key="reject_values"):
            shell.keep(f"{key}/extract", None)
            st.rerun()


def _before_after(corpus: Corpus, result: Extraction) -> None:
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
