"""Schema page: buckets for one attribute, proposed, looked at, accepted or not."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.corpus import Corpus
from ctxpriv.extract.coarsen import frequent_values, quantile_coarsening
from ctxpriv.extract.coarsen_by_model import propose_coarsening
from ctxpriv.loaders.observed import suggest_coarsening
from ctxpriv.schema import MAX_BUCKETS, Coarsening
from pages.parts import background, charts, models, shell
from pages.parts.text import plain

SUGGESTED, QUANTILES, FREQUENT, MODEL, BY_HAND = (
    "Whatever fits",
    "Quantile bands of numbers",
    "Most frequent values",
    "Language model",
    "By hand, in the table above",
)


def distribution(corpus: Corpus, name: str, coarsening: Coarsening, key: str) -> None:
    """Records per value and per bucket, side by side."""
    schema = corpus.schema.with_coarsening(coarsening)
    charts.altair(
        figures.before_after(corpus.table[name].tolist(), schema, name, width=170, dark=charts.dark()),
        key,
        f"Records per value of {name}, and per bucket.",
    )


def propose(key: str, corpus: Corpus, name: str) -> None:
    """Propose buckets one way or another; nothing changes before the proposal is accepted."""
    attribute, waiting = corpus.schema[name], f"coarsen_{name}"
    st.subheader("Buckets", anchor=False)
    way = st.segmented_control(
        "Way",
        [SUGGESTED, QUANTILES, FREQUENT, MODEL, BY_HAND],
        default=SUGGESTED,
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
            model = models.language_model(shell.workspace().state(key).models)
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
    if way == SUGGESTED:
        return suggest_coarsening(attribute, seen, source=source)
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
