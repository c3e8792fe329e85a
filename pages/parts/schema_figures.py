"""Schema page: the figures of one reading, attribute by attribute, with what is weak in words."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.extract.agreement import FieldAgreement
from ctxpriv.extract.quality import SchemaQuality
from ctxpriv.extract.weakest import FEW, weakest
from ctxpriv.roles import reasons_told
from pages.parts import charts
from pages.parts.text import count, duration, pace, plain

EXPLAINED = {
    "signal": "Share of texts that state it (a value other than Not stated). Higher is better.",
    "entropy": "How evenly the values that occur are used, 0 to 1. Higher is better.",
    "dominance": "Share of the commonest value. Lower is better.",
    "kappa": "Cohen's κ of two readings: agreement above chance, at most 1. Below 0.4 is slight or fair.",
    "coverage": "How much of a text its row keeps, judged from 1 (almost nothing) to 5 (nearly all).",
}


def reading_line(quality: SchemaQuality) -> str:
    """How the reading went: records, time, pace, failures, retries; for Markdown."""
    read = quality.n + sum(quality.failures.values())
    told = f"{count(read, 'text')} in {duration(quality.seconds)}"
    if quality.seconds >= 0.05:
        told += f" ({pace(read / quality.seconds)} a second)"
    if quality.calls:
        told += f", {count(quality.calls, 'model call')}, {quality.cached} of them answered before"
    told += f"; {count(quality.retries, 'retry', 'retries')}; {sum(quality.failures.values())} failed"
    return f"Read by {plain(quality.extractor['name'])}: {plain(told)}."


def failures(quality: SchemaQuality) -> None:
    """Why records failed, and how many answers were outside a list; nothing where all went well."""
    if quality.failures:
        kinds = plain(reasons_told(quality.failures))
        st.caption(f"Failed texts count as unknown and are in no figure: {kinds}.")
    if quality.outside:
        total = sum(quality.outside.values())
        st.caption(
            f"{count(total, 'answer was', 'answers were')} outside the list and became Other or Not stated "
            "by rule; see the column Outside."
        )


def per_attribute(quality: SchemaQuality, key: str, *, chart: bool = True) -> None:
    """One row an attribute, then the same as bars."""
    st.dataframe(
        attribute_rows(quality),
        hide_index=True,
        key=f"{key}_table",
        height="content",
        placeholder="–",
        column_config={
            "attribute": st.column_config.TextColumn("Attribute", pinned=True),
            "weak": st.column_config.TextColumn("What speaks against it", width=260),
            "signal": st.column_config.NumberColumn("Signal ↑", format="%.2f", help=EXPLAINED["signal"]),
            "entropy": st.column_config.NumberColumn("Entropy ↑", format="%.2f", help=EXPLAINED["entropy"]),
            "dominance": st.column_config.NumberColumn(
                "Dominance ↓", format="%.2f", help=EXPLAINED["dominance"]
            ),
            **_agreement_columns(),
            "distinct": st.column_config.NumberColumn("Values seen", width="small"),
            "outside": st.column_config.NumberColumn("Outside", width="small"),
        },
    )
    if quality.n < FEW:
        st.caption(f"Only {count(quality.n, 'text was', 'texts were')} read: take these figures as a hint.")
    if any(f.counted for f in quality.fields):
        st.caption("word\\_count is counted, not read: it is no part of means and agreement.")
    if chart:
        charts.altair(
            figures.schema_fields(quality, dark=charts.dark()), f"{key}_chart", "The same figures as bars."
        )


def attribute_rows(quality: SchemaQuality) -> pd.DataFrame:
    """One row an attribute, in schema order."""
    weak = {w.attribute: "; ".join(w.says) for w in weakest(quality)}
    rows = [
        {
            "attribute": f.attribute,
            "weak": weak.get(f.attribute, "counted" if f.counted else ""),
            "signal": f.signal,
            "entropy": f.balanced_entropy,
            "dominance": f.dominance,
            **(agreement_cells(quality.agreement_of(f.attribute)) if quality.agreement else {}),
            "distinct": f.distinct,
            "outside": quality.outside.get(f.attribute, 0),
        }
        for f in quality.fields
    ]
    return _without_empty_notes(pd.DataFrame(rows))


def _without_empty_notes(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="note") if "note" in frame and not frame["note"].any() else frame


def agreement_rows(fields: tuple[FieldAgreement, ...]) -> pd.DataFrame:
    """One row an attribute of two readings."""
    return _without_empty_notes(
        pd.DataFrame(
            {"attribute": f.attribute, "read": f.n, "left out": f.failed, **agreement_cells(f)}
            for f in fields
        )
    )


def agreement_table(fields: tuple[FieldAgreement, ...], key: str) -> None:
    st.dataframe(
        agreement_rows(fields),
        hide_index=True,
        key=key,
        height="content",
        placeholder="–",
        column_config={
            "attribute": st.column_config.TextColumn("Attribute", pinned=True),
            "read": st.column_config.NumberColumn("Read by both", width="small"),
            "left out": st.column_config.NumberColumn("Failed in one", width="small"),
            **_agreement_columns(),
        },
    )


def agreement_cells(agreed: FieldAgreement | None) -> dict[str, object]:
    """Both levels, and why κ is missing where it is."""
    if agreed is None:
        return {"agree": None, "kappa values": None, "kappa buckets": None, "note": ""}
    return {
        "agree": agreed.agreed / agreed.n if agreed.n else None,
        "kappa values": agreed.values.kappa,
        "kappa buckets": agreed.buckets.kappa if agreed.buckets else None,
        "note": "; ".join(dict.fromkeys(k.why for k in (agreed.values, agreed.buckets) if k and k.why)),
    }


def _agreement_columns() -> dict[str, object]:
    return {
        "agree": st.column_config.NumberColumn(
            "Agree", format="percent", width="small", help="In buckets where there are any, else in values."
        ),
        "kappa values": st.column_config.NumberColumn(
            "κ of values ↑", format="%.2f", help=EXPLAINED["kappa"]
        ),
        "kappa buckets": st.column_config.NumberColumn(
            "κ of buckets ↑", format="%.2f", help="The same between the buckets that the values fall into."
        ),
        "note": st.column_config.TextColumn("Why there is no κ", width="medium"),
    }
