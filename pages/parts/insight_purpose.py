"""Insights page: for whom, of which records, and who puts the plan into words."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.corpus import Corpus
from ctxpriv.insights.study import ATTEMPTS, InsightAudience, Words
from ctxpriv.model_choice import ModelChoice
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.project import ProjectState
from pages.parts import models
from pages.parts.insight_memory import Memory
from pages.parts.text import plain, shortened

MODES = {"display": "Display: labels and bins", "audit": "Audit: markers and masses"}
OF_ALL = (
    "Shares are of the public denominator, not of the records chosen by a value: how many those are "
    "is private. So a smaller group has smaller shares."
)
DECODERS = {"auto": "Whichever fits this machine", "model": "Language model", "local": "Template"}


def audiences(state: ProjectState, atoms: AtomSet, memory: Memory) -> tuple[InsightAudience, ...]:
    known = {a.name: a for a in state.audiences}
    options = [ALL_AUDIENCES, *known]
    name = memory.before("audience", ALL_AUDIENCES)
    name = st.selectbox(
        "For whom",
        options,
        options.index(name) if name in options else 0,
        key="insight_audience",
        format_func=lambda n: "All audiences" if n == ALL_AUDIENCES else shortened(n),
    )
    memory.keep("audience", name)
    if not known:
        st.caption("Nobody in particular is described yet; that is done under Audiences.")
        st.page_link("pages/audiences.py", label="Go to Audiences")
    withhold: list[str] = []
    if name != ALL_AUDIENCES:
        withhold = st.multiselect(
            "Atoms withheld from this audience",
            atoms.labels,
            [label for label in memory.before("withhold", []) if label in atoms.labels],
            key="insight_withhold",
            placeholder="None",
            help="They are not measured for it at all.",
            wrap=True,
        )
        memory.keep("withhold", withhold)
    about = known.get(name)
    told = (about.recipient, about.purpose) if about else ("", "")
    return (InsightAudience(name, *told, withhold=tuple(withhold)),)


def only(corpus: Corpus, memory: Memory) -> dict[str, tuple[str, ...]]:
    """Records of one period or region alone, so that two releases can be held against each other."""
    first = memory.before("only_column", None)
    with st.expander("Only some of the records", expanded=first is not None):
        st.caption(
            "A release of some records, of one period or region, can be compared with another one on the "
            f"same atoms. {OF_ALL}"
        )
        options = [None, *corpus.schema.names]
        column = st.selectbox(
            "Attribute",
            options,
            options.index(first) if first in options else 0,
            key="insight_only",
            format_func=lambda n: "All records" if n is None else n,
        )
        memory.keep("only_column", column)
        if column is None:
            return {}
        known = list(corpus.schema[column].values)
        values = st.multiselect(
            "Values",
            known,
            [v for v in memory.before("only_values", []) if v in known],
            key=f"insight_only_{column}",
            placeholder="Choose values",
            wrap=True,
        )
        memory.keep("only_values", values)
        if not values:
            st.caption("No value is chosen: all records are measured.")
    return {column: tuple(values)} if values else {}


def words(state: ProjectState, assign: str, memory: Memory) -> tuple[Words, ModelChoice, bool]:
    players = state.models
    with st.expander("How plans are put into words"):
        decoder = st.segmented_control(
            "Who writes the summary",
            list(DECODERS),
            default=memory.before("decoder", players.decoder if players.decoder in DECODERS else "auto"),
            format_func=DECODERS.get,
            key="insight_decoder",
            required=True,
        )
        memory.keep("decoder", decoder)
        mode = memory.segments("Mode", "mode", MODES, "display")
        tries = memory.number(st, "Attempts before the template speaks", "attempts", ATTEMPTS, 1, 10)
        judge = memory.keep(
            "judge",
            st.checkbox(
                "A language model gives its opinion of each summary",
                memory.before("judge", False),
                key="insight_judge",
                help="Curator-only, and an opinion: no measurement.",
            ),
        )
    players = replace(
        players,
        decoder=decoder,
        mapper="model" if assign == "model" else players.mapper,
        judge="model" if judge else players.judge,
    )
    if decoder == "model" or assign == "model" or judge:
        st.caption(f"{plain(models.language_model_line(players))} plays.")
        models.stand_in_note(players)
    return Words(mode, tries), players, judge
