"""The plan in two tables: the runs with their budget and cost, and the noise of every stage."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from ctxpriv.runner import PlannedRun
from pages.parts.text import epsilon_text, plain


def plan_table(planned: list[PlannedRun]) -> None:
    runs = [
        {
            "method": p.plan.method,
            "audience": p.plan.audience,
            "ε": epsilon_text(p.plan.epsilon),
            "δ": "–" if p.plan.delta is None else f"{p.plan.delta:.2g}",
            "ρ": _short(p.plan.rho),
            "error, records": _one_digit(p.plan.expected_error_records),
            "calls": p.plan.model_calls,
            "tokens": p.plan.prompt_tokens + p.plan.completion_tokens,
            "minutes": "–" if p.plan.minutes is None else f"{p.plan.minutes:.1f}",
            "state": "finished, no cost" if p.finished else "to do",
        }
        for p in planned
    ]
    empty = set() if any(row["tokens"] for row in runs) else {"tokens"}
    if all(p.plan.epsilon is None for p in planned):  # no budget: nothing to say of one
        empty |= {"ε", "δ", "ρ", "error, records"}
    runs = [{k: v for k, v in row.items() if k not in empty} for row in runs]
    calls = "model calls" if any(p.plan.completion_tokens for p in planned) else "texts to write"
    columns = {
        "error, records": st.column_config.TextColumn(
            help="Expected error of one cell of a one-way marginal; Aug-PE measures no table."
        ),
        "calls": st.column_config.NumberColumn(calls, format="localized"),
        "tokens": st.column_config.NumberColumn(format="localized"),
        "minutes": st.column_config.TextColumn(
            width="small", help="Of a rewriting model: the most it can be, if every record takes every round."
        ),
    }
    st.dataframe(pd.DataFrame(runs), hide_index=True, key="plan", column_config=columns)
    stages = [
        {
            "method": p.plan.method,
            "audience": p.plan.audience,
            "ε": epsilon_text(p.plan.epsilon),
            "stage": part.name,
            "ρ": _short(part.rho),
            "σ": "" if part.sigma is None else f"{part.sigma:.3g}",
            "what": part.what,
        }
        for p in planned
        for part in p.plan.parts
    ]
    wide = {"what": st.column_config.TextColumn(width="large")}
    if stages:
        st.caption("How the budget ρ is split, and the noise σ of every stage")
        st.dataframe(pd.DataFrame(stages), hide_index=True, key="stages", column_config=wide)
    for relation in dict.fromkeys(p.plan.relation for p in planned):
        st.caption(plain(relation))


def _one_digit(value: float | None) -> str:
    return "–" if value is None else _short(value) if math.isinf(value) else f"{value:.1f}"


def _short(rho: float | None) -> str:
    if rho is None:
        return "–"
    return "∞" if math.isinf(rho) else f"{rho:.3g}"
