"""Schema page: buckets for one attribute, proposed, looked at, accepted or not, removed."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.corpus import Corpus
from ctxpriv.extract.coarsen import frequent_values, quantile_coarsening
from ctxpriv.extract.coarsen_by_model import propose_coarsening
from ctxpriv.loaders.observed import suggest_coarsening
from ctxpriv.project import ProjectState
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
EXPANSION = (
    "Where the attribute is private, a release draws a bucket, and then one of the values declared for it, "
    "all alike. Which of them occur in the records plays no part, unless a plan asks for it "
    "(value_expansion: observed), and then the card says so."
)


def draw(key: str, corpus: Corpus, state: ProjectState, name: str) -> None:
    """The buckets in use, then the ways to others."""
    st.subheader("Buckets", anchor=False)
    coarsening = corpus.schema.coarsenings.get(name)
    if coarsening is None:
        st.caption(f"{plain(name)} has no buckets: a release tells its values as they are.")
        values = corpus.table[name].tolist()
        charts.altair(
            figures.value_counts(values, dark=charts.dark()), f"chart_{name}", f"Records per value of {name}."
        )
    else:
        table(corpus, name, coarsening, f"buckets_{name}")
        st.caption(f"These buckets: {plain(coarsening.origin)}. {EXPANSION}")
        _remove(key, corpus, state, name)
    _propose(key, corpus, name)


def table(corpus: Corpus, name: str, coarsening: Coarsening, key: str) -> None:
    """How many values and records each bucket holds, as a table and as a picture."""
    st.dataframe(
        bucket_rows(corpus.table[name], coarsening),
        hide_index=True,
        key=key,
        column_config={
            "bucket": st.column_config.TextColumn("Bucket"),
            "values": st.column_config.NumberColumn("Values", width="small"),
            "records": st.column_config.NumberColumn("Records", width="small", format="localized"),
            "share": st.column_config.NumberColumn("Share", width="small", format="percent"),
            "holds": st.column_config.TextColumn("Holds", width="large"),
        },
    )
    shell.curator_only("Record counts")
    schema = corpus.schema.with_coarsening(coarsening)
    charts.altair(
        figures.before_after(corpus.table[name].tolist(), schema, name, width=170, dark=charts.dark()),
        f"chart_{key}",
        f"Records per value of {name}, and per bucket.",
    )


def bucket_rows(column: pd.Series, coarsening: Coarsening) -> pd.DataFrame:
    """One row a bucket in display order: bucket, values (declared), records, share, holds."""
    per_bucket = column.astype(str).map(dict(coarsening.mapping)).value_counts()
    rows = [
        {
            "bucket": bucket,
            "values": len(coarsening.members(bucket)),
            "records": int(per_bucket.get(bucket, 0)),
            "share": float(per_bucket.get(bucket, 0) / max(1, len(column))),
            "holds": ", ".join(coarsening.members(bucket)),
        }
        for bucket in coarsening.buckets
    ]
    return pd.DataFrame(rows)


def _remove(key: str, corpus: Corpus, state: ProjectState, name: str) -> None:
    needing = [a for a, partition in state.partitions.items() if name in partition.coarsened]
    if needing:
        st.info(
            f"{plain(name)} is public when coarsened for {plain(', '.join(needing))}. Without its buckets it "
            "becomes private there."
        )
    if st.button("Remove buckets", key="no_buckets", help="Undo, at the left, brings them back."):
        changed = corpus.with_schema(corpus.schema.without_coarsening(name))
        shell.save_corpus(key, changed, f"Buckets of {name} removed")


def _propose(key: str, corpus: Corpus, name: str) -> None:
    """Propose buckets one way or another; nothing changes before the proposal is accepted."""
    attribute, waiting = corpus.schema[name], f"coarsen_{name}"
    st.markdown("**Propose other buckets**" if name in corpus.schema.coarsenings else "**Propose buckets**")
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
    if way == BY_HAND:
        st.caption(
            f"Write a bucket beside each value in the table, at most {MAX_BUCKETS} different ones, and save."
        )
    elif st.button("Propose buckets", key="propose_buckets", disabled=background.running(key, waiting)):
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
    _decide(key, corpus, name, waiting)


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


def _decide(key: str, corpus: Corpus, name: str, waiting: str) -> None:
    proposal = shell.kept(f"{key}/{waiting}", None)
    if proposal is None:
        return
    if set(proposal.mapping) != set(corpus.schema[name].values):
        shell.keep(f"{key}/{waiting}", None)
        return
    with st.container(border=True, key="bucket_proposal"):
        st.markdown(f"**Proposed buckets** ({plain(proposal.origin)})")
        table(corpus, name, proposal, "proposed")
        st.caption(EXPANSION)
        row = st.container(horizontal=True)
        if row.button("Accept", key="accept_buckets", type="primary"):
            shell.keep(f"{key}/{waiting}", None)
            changed = corpus.with_schema(corpus.schema.with_coarsening(proposal))
            shell.save_corpus(key, changed, f"Buckets for {name} accepted")
        if row.button("Reject", key="reject_buckets"):
            shell.keep(f"{key}/{waiting}", None)
            st.rerun()
