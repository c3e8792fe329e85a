"""Insights page: two releases on the same atoms, held against each other with their noise."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.charts.insights import share_text
from ctxpriv.insights.result import InsightResult
from ctxpriv.insights.store import stored_insights
from ctxpriv.privatize.spin.compare_plans import SAYS, Difference, Interval, comparable, compare
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from pages.parts import charts, insight_tabs, shell
from pages.parts.insight_purpose import OF_ALL
from pages.parts.insight_releases import first_plan, title
from pages.parts.text import count, plain


def draw(key: str) -> None:
    names = {e.key: e.name for e in shell.workspace().corpora()}
    found = [s.result() for s in stored_insights(shell.workspace())[::-1]]
    results = {r.run_id: r for r in found if r is not None and r.plan is not None and r.measures_atoms}
    here = [i for i, r in results.items() if r.corpus.get("key") == key]
    if len(results) < 2 or not here:
        st.info(
            "Two releases are needed: for two audiences, of two periods (under “Only some of the records”), "
            "or of two corpora. The same atoms make them comparable."
        )
        insight_tabs.lead_to(insight_tabs.RELEASE)
        return

    def told(run_id: str) -> str:
        of = results[run_id].corpus.get("key", "")
        return f"{names.get(of, 'a corpus that is gone')}: {title(results[run_id])}"

    first = st.selectbox(
        "First release",
        here,
        _with_another(here, results),
        key="compare_first",
        format_func=told,
    )
    plan = results[first].plan
    others = [i for i, r in results.items() if i != first and comparable(plan, r.plan)]
    if not others:
        st.info(
            "No other release was made on these very atoms for the same protected unit. Run one: atoms that "
            "are not edited in between keep their digest."
        )
        insight_tabs.lead_to(insight_tabs.RELEASE)
        return
    second = st.selectbox(
        "Second release",
        others,
        _like(results[first], [results[i] for i in others]),
        key="compare_second",
        format_func=told,
    )
    if any(_other_unit(plan, r.plan) for r in results.values()):
        st.caption(
            "Releases for another protected unit, or another mass of one user (B), are not offered: "
            "what they count is something else."
        )
    _compared(results[first], results[second])


def _with_another(here: list[str], results: dict[str, InsightResult]) -> int:
    """Where the newest private plan stands that another release can be held against."""
    plans = {i: r.plan for i, r in results.items()}
    able = {i for i in here if any(j != i and comparable(plans[i], plan) for j, plan in plans.items())}
    both = (n for n, i in enumerate(here) if i in able and results[i].family == "plan")
    return next(both, first_plan({i: results[i] for i in here}))


def _other_unit(one: SemanticPlan, two: SemanticPlan) -> bool:
    """The same atoms, yet not comparable."""
    return one.atoms.digest == two.atoms.digest and not comparable(one, two)


def _like(first: InsightResult, others: list[InsightResult]) -> int:
    """Where a release by the same method stands, of other records or for another audience."""
    alike = (i for i, r in enumerate(others) if r.config == first.config)
    return next(alike, first_plan({r.run_id: r for r in others}))


def _compared(first: InsightResult, second: InsightResult) -> None:
    rows = compare(first.plan, second.plan)
    if None in (first.guarantee, second.guarantee):
        shell.curator_only("A comparison with a reference without noise")
    for note in _apart(first, second):
        st.caption(plain(note))
    differ = [d for d in rows if d.told]
    st.markdown(
        f"{count(len(differ), 'atom differs', 'atoms differ')} by more than the noise; "
        f"{sum(d.verdict == 'cannot tell' for d in rows)} cannot be told apart; "
        f"{sum(d.verdict == 'not released' for d in rows)} were not released in both."
    )
    charts.altair(
        figures.compared_plans(rows, names=("first", "second"), dark=charts.dark(), width=420),
        f"compared_{first.run_id}_{second.run_id}",
        "Support of each atom in the first and in the second release. "
        + "; ".join(f"{d.label}: {SAYS[d.verdict]}" for d in differ),
    )
    st.caption(
        "Each interval covers the noise of its own row in 9 of 10 releases. It says nothing of how well the "
        "texts were read; and among many atoms a few will differ by noise alone."
    )
    with st.expander("All atoms"):
        st.dataframe(pd.DataFrame(_row(d) for d in rows), hide_index=True, key="compared_atoms")


def _apart(first: InsightResult, second: InsightResult) -> list[str]:
    """What else differs between the two, so that not every difference is read as one of the records."""
    one, two = first.measurement.to_dict(), second.measurement.to_dict()
    names = {
        "k": "K", "floor": "the similarity floor", "assign": "the way records are compared with atoms",
        "weights": "the weights",
    }  # fmt: skip
    gone = [words for name, words in names.items() if one[name] != two[name]]
    out = [f"They were not measured alike: {', '.join(gone)} differ."] if gone else []
    if first.only or second.only:
        out.append(OF_ALL)
    return out


def _row(d: Difference) -> dict[str, str]:
    return {
        "atom": d.label,
        "first": _told(d.first),
        "second": _told(d.second),
        "verdict": SAYS[d.verdict],
    }


def _told(side: Interval | None) -> str:
    if side is None:
        return "–"
    return f"{share_text(side.support)} ({share_text(side.low)} to {share_text(side.high)})"
