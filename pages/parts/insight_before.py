"""Insights page: what a release will cost and be worth, before anything private is read; then the run."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.insights.planning import PlannedInsight, plan_insights, together
from ctxpriv.insights.store import stored_insights
from ctxpriv.insights.study import InsightStudy
from ctxpriv.privatize.spin.expectation import RUNS, SHAPES
from ctxpriv.privatize.spin.mechanisms import Mechanism, Spin
from ctxpriv.project import ProjectState
from pages.parts import charts, insight_methods, insight_setup, models, shell
from pages.parts.insight_memory import Memory
from pages.parts.text import count, epsilon_text, plain

CARDS = 3  # expectations that are told large
CARD_WIDTH, CURVE_WIDTH = 400, 520  # pixels
HELP = {
    "δ": "Chance at most that the guarantee by ε fails; 0 for pure ε.",
    "ρ": "The same cost in zCDP, the unit in which the ledger adds up releases.",
    "ε, replacement": "What ε is when one record (or user) is exchanged for another, not added or dropped.",
    "sensitivity": "How far one protected unit can move what gets noise.",
}


def draw(key: str, state: ProjectState, study: InsightStudy, *, busy: bool) -> None:
    st.subheader("What to expect", anchor=False)
    with st.spinner("Working out what the releases are worth"):
        planned = plans(key, study)
    _expected(key, study, planned)
    st.subheader("What it will cost", anchor=False)
    _costs(study, planned)
    private = [p for p in planned if p.guarantee is not None]
    todo = [p for p in private if not p.drawn]
    told = f"{count(len(todo), 'private release')} to draw"
    if len(todo) < len(private):
        told += f"; {len(private) - len(todo)} drawn before, whose words and measures are made anew: no cost"
    if references := len(planned) - len(private):
        told += f"; {count(references, 'reference')} without noise, for the curator"
    st.markdown(f"{plain(told)}.")
    if len(todo) > 1:
        rho, epsilon, delta = together(planned)
        at = f" at δ = {delta:.2g}" if delta else ""
        st.caption(f"Handed out together they cost at most ε = {epsilon:.3g}{at} (ρ = {rho:.3g}).")
    st.caption(plain(insight_setup.in_short(study) + "."))
    label = "Run after the present one" if busy else "Run" if todo else "Put into words again"
    row = st.container(horizontal=True, vertical_alignment="center")
    if row.button(label, key="run_insights", type="primary"):
        kept = Memory.of(key, state).now()
        if kept != state.settings.get("insights"):
            changed = state.with_settings(insights=kept)
            shell.workspace().save_state(key, changed, "Settings of insights kept")
        shell.jobs().start(study, key)
        st.rerun()
    if busy:
        row.caption("A run is going on: its progress stands at the top of this page.")


def plans(key: str, study: InsightStudy) -> list[PlannedInsight]:
    """What `study` would do; reads public settings and donated records."""
    drawn = tuple((run.run_id, run.status) for run in stored_insights(shell.workspace(), key))
    asked = json.dumps(study.to_dict(), sort_keys=True)
    return _plans(str(shell.workspace().root), shell.workspace().digest(key), asked, drawn)


@st.cache_resource(show_spinner=False, max_entries=32)
def _plans(root: str, digest: str, asked: str, drawn: tuple) -> list[PlannedInsight]:
    """The same whenever the corpus, the study and what was drawn before are."""
    study = InsightStudy.from_dict(json.loads(asked))
    return plan_insights(study, shell.workspace(), roles=models.roles(study.models))


def _expected(key: str, study: InsightStudy, planned: list[PlannedInsight]) -> None:
    own = [(c, p) for c, p in zip(study.methods, planned, strict=True) if p.expectation is not None]
    if not own:
        st.caption("An expectation can be worked out for DP-SPIN only, and it is not chosen.")
        return
    few = len(own) <= CARDS
    if not few:
        _as_table(study, own)
    row = st.container(horizontal=True)  # the chart goes below where the window is narrow
    if few:
        with row.container(width=CARD_WIDTH):
            st.markdown(f"Admitted atoms that would be among the true top {study.measure['size']}:")
            _cards(study, own)
    with row.container(width=CURVE_WIDTH):
        _curve(key, study, tuple(dict.fromkeys(c.mechanism for c, _ in own)))
    if all(p.expectation.overlap_low == 1 for _, p in own) and study.measure["size"] == study.atoms.m:
        st.caption("The plan admits every atom there is: noise can move their masses and their order alone.")
    shapes = dict.fromkeys(p.expectation.shape for _, p in own)
    st.caption(
        "Overlap@L: the share of the true L largest atoms that the plan admits. Mass retained: how much of "
        "the mass of those L the admitted atoms carry."
    )
    st.caption(
        f"Nothing private was read for this: {RUNS} releases were imagined, "
        + "; ".join(SHAPES[s] for s in shapes)
        + "."
    )


def _cards(study: InsightStudy, own: list[tuple[Spin, PlannedInsight]]) -> None:
    for config, p in own:
        e = p.expectation
        card = st.container(border=True, key=f"expect_{config.mechanism}_{config.epsilon:g}")
        card.metric(
            f"{p.title}, ε = {epsilon_text(config.epsilon)}",
            f"{e.overlap:.0%}",
            help=f"Expected Overlap@L; in 90 % of releases {e.overlap_low:.0%} to {e.overlap_high:.0%}.",
        )
        card.caption(
            f"Mass retained {e.mass_retained:.0%}. Noise scale {e.noise_scale:.3g}, in {study.unit}s: a "
            f"row's support is known to ± {100 * e.half_width:.2g} points."
        )


def _as_table(study: InsightStudy, own: list[tuple[Spin, PlannedInsight]]) -> None:
    rows = [
        {
            "method": p.title,
            "ε": epsilon_text(c.epsilon),
            "Overlap@L": f"{e.overlap:.0%}",
            "mass retained": f"{e.mass_retained:.0%}",
            f"noise, {study.unit}s": f"{e.noise_scale:.3g}",
            "support ±": f"{100 * e.half_width:.2g} points",
        }
        for c, p in own
        if (e := p.expectation) is not None
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="insight_expected")


def _curve(key: str, study: InsightStudy, mechanisms: tuple[Mechanism, ...]) -> None:
    """The expected overlap over every ε on the slider."""
    every = tuple(Spin(e, m) for m in mechanisms for e in insight_methods.EPSILONS)
    rows = [
        {
            "method": p.title, "value": config.epsilon, "measure": "overlap", "mean": p.expectation.overlap,
            "low": p.expectation.overlap_low, "high": p.expectation.overlap_high, "repeats": RUNS,
        }
        for config, p in zip(every, plans(key, replace(study, methods=every)), strict=True)
    ]  # fmt: skip
    chart = figures.ablation_lines(
        rows, "ε", title="Expected before anything is released", dark=charts.dark(), width=330,
        told="rule: 90 % of imagined releases; higher is better",
    )  # fmt: skip
    charts.altair(chart, "expectation", "Expected Overlap@L over ε, per mechanism.")


def _costs(study: InsightStudy, planned: list[PlannedInsight]) -> None:
    rows = [
        {
            "method": p.title,
            "for": p.audience,
            "ε": "–" if p.guarantee is None else epsilon_text(p.guarantee.epsilon),
            "δ": "–" if p.guarantee is None else f"{p.guarantee.delta:.2g}",
            "ρ": "–" if p.guarantee is None else f"{p.guarantee.rho:.3g}",
            "ε, replacement": "–" if p.guarantee is None else f"{p.guarantee.epsilon_replacement:.3g}",
            "state": "no cost" if p.guarantee is None else "drawn, no cost" if p.drawn else "to draw",
            "leaves the curator": "no: no noise at all" if p.guarantee is None else "may, as a bundle",
        }
        for p in planned
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="insight_plan", column_config=_helped())
    stages = [
        {
            "method": p.title,
            "stage": c.what,
            "noise": c.mechanism,
            "sensitivity": f"{c.sensitivity:.3g}",
            "scale or ε a draw": f"{c.scale:.3g}",
            "ρ": f"{float(c.rho):.3g}",
        }
        for p in planned
        if p.guarantee is not None
        for c in p.guarantee.charges
    ]
    if stages:
        st.caption("The noise of every stage, in protected units; the ledger gets its line before any draw.")
        st.dataframe(
            pd.DataFrame(stages).drop_duplicates(),
            hide_index=True,
            key="insight_stages",
            column_config=_helped(),
        )
    for relation in dict.fromkeys((p.guarantee.relation, p.guarantee.unit) for p in planned if p.guarantee):
        st.caption(plain(f"Neighbours: {relation[0]}; protected: {relation[1]}."))


def _helped() -> dict[str, Any]:
    return {name: st.column_config.TextColumn(help=words) for name, words in HELP.items()}
