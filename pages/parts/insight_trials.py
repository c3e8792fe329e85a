"""Insights page: experiments with one click: what each setting changes, and how few records show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from ctxpriv import figures
from ctxpriv.insights.experiments import kept_experiments, run_experiments
from ctxpriv.insights.study import InsightStudy
from ctxpriv.privatize.spin.experiments.choice import EXPERIMENTS
from ctxpriv.privatize.spin.experiments.results import ExperimentResult
from pages.parts import background, charts, insight_tabs, models, shell
from pages.parts.text import count, duration, epsilon_text, plain

STEP = "insight experiments"
FIRST = ["mechanisms", "probe"]
FACTORS = {
    "m": "m, atoms in the dictionary",
    "k": "K, atoms a record",
    "size": "L, atoms in the plan",
    "n": "records or users",
    "bound": "B, mass of one user",
    "epsilon": "ε",
}


def draw(key: str, study: InsightStudy | None) -> None:
    shell.curator_only("Experiments hold many draws against the exact sketch")
    st.caption(
        "They need no language model and charge nothing, because no draw is shown as a release. Measured is "
        "what is set under New release, on all atoms."
    )
    if study is None:
        st.info("There is nothing to measure yet: build the atoms first, under Atoms.")
        insight_tabs.lead_to(insight_tabs.ATOMS)
    else:
        _start(key, study)
    background.take(key, STEP)  # the work itself has kept its results
    kept = kept_experiments(shell.workspace(), key)
    if not kept:
        if not background.running(key, STEP):
            st.caption("No experiment was run on this corpus yet.")
        return
    name = st.segmented_control(
        "Result", list(kept), default=next(iter(kept)), format_func=_label, key="trial", required=True
    )
    with shell.guard():
        _result(kept[name])


def _start(key: str, study: InsightStudy) -> None:
    offered = [n for n in EXPERIMENTS if n != "bound" or study.unit == "user"]
    chosen = st.pills(
        "Experiments",
        offered,
        default=FIRST,
        selection_mode="multi",
        format_func=_label,
        key="trials",
        wrap=True,
    )
    if st.button(
        "Run the experiments", key="run_trials", type="primary", disabled=background.running(key, STEP)
    ):
        work = partial(run_experiments, study, chosen, shell.workspace(), models.roles(study.models))
        background.start(key, STEP, "Experiments", work)
        st.rerun()


def _about(name: str) -> str:
    """What an experiment is; not escaped."""
    about = EXPERIMENTS[name].about if name in EXPERIMENTS else name
    return f"{about[:1].upper()}{about[1:]}"


def _label(name: str) -> str:
    return plain(_about(name))


def _result(result: ExperimentResult) -> None:
    st.caption(f"{count(len(result.rows), 'figure')} in {plain(duration(result.seconds))}.")
    for note in result.notes:
        st.caption(plain(note))
    if result.name == "probe":
        _probe(result)
    else:
        _ablation(result)
    st.download_button(
        "Rows, CSV",
        result.frame().to_csv(index=False),
        f"{result.name}.csv",
        "text/csv",
        key=f"trial_csv_{result.name}",
        on_click="ignore",
    )


def _probe(result: ExperimentResult) -> None:
    """A row of panels an ε; two of them at most are drawn side by side."""
    rows = result.curves()
    epsilons = sorted({r["epsilon"] for r in rows})
    shown = st.pills(
        "ε",
        epsilons,
        default=epsilons[:3],
        selection_mode="multi",
        key="trial_epsilons",
        format_func=epsilon_text,
    )
    chart = figures.probe_curves([r for r in rows if r["epsilon"] in shown], dark=charts.dark())
    charts.altair(chart, "probe", "Admission and mention rate against the number of inserted records.")


def _ablation(result: ExperimentResult) -> None:
    """Against ε with the other factor fixed, or against that factor with ε fixed."""
    rows = result.frame()
    against = "epsilon"
    fixed: dict[str, Any] = {}
    if factor := result.factor:
        left, right = st.columns(2)
        against = left.segmented_control(
            "Drawn against",
            [factor, "epsilon"] if result.name != "mechanisms" else ["epsilon", factor],
            default=factor if result.name != "mechanisms" else "epsilon",
            format_func=lambda f: FACTORS.get(f, f),
            key=f"trial_axis_{result.name}",
            required=True,
        )
        other = factor if against == "epsilon" else "epsilon"
        values = sorted(rows[other].unique().tolist())
        fixed[other] = right.segmented_control(
            f"At {FACTORS.get(other, other)}",
            values,
            default=values[len(values) // 2],
            format_func=epsilon_text if other == "epsilon" else str,
            key=f"trial_at_{result.name}_{other}",
            required=True,
        )
    told = ", ".join(f"{FACTORS[k].split(',')[0]} = {v:g}" for k, v in fixed.items())
    draws: list[tuple[str, Callable[[], Any]]] = [
        (
            "ablation",
            lambda: figures.ablation_lines(
                result.lines(against, **fixed),
                FACTORS[against],
                title=f"{_about(result.name)}{f'; {told}' if told else ''}",
                dark=charts.dark(),
            ),
        )
    ]
    losses = [r for r in result.losses(**fixed) if r["bound"] is not None]
    if against == "epsilon" and losses:
        draws.append(("losses", lambda: figures.loss_and_bound(losses, dark=charts.dark())))
    for name, make in draws:
        charts.altair(make(), f"{name}_{result.name}", f"{name} of {result.name}")
