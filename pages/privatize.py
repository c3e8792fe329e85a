"""Privatize: audiences, methods and budgets; the plan; the run in the background."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.corpus_source import WorkspaceCorpus
from ctxpriv.errors import BadInput
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.model_choice import ModelChoice
from ctxpriv.privatize.registry import METHODS
from ctxpriv.project import ProjectState
from ctxpriv.runner import plan_study
from ctxpriv.study import Study, StudyAudience
from pages.parts import job_panel, models, plan_tables, rewriting, shell, sizes
from pages.parts.text import count, epsilon_text, plain

LEAD = (
    "Choose what to run and see what it will do and cost before anything private is read. Runs go on in the "
    "background: closing this page, or the program, loses no finished work."
)
EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, math.inf)
# Chosen to begin with: rewriting every record by a language model can take hours.
FIRST_METHODS = [m for m, entry in METHODS.items() if entry.family == "synthetic"]
GENERATORS = {
    "auto": "Whichever fits this machine",
    "model": "Language model",
    "local": "Donated texts recombined",
}


def draw() -> None:
    key, corpus, state = shell.corpus_or_hint()
    busy = job_panel.running(key)
    if not state.approved:
        st.info(
            "No partition is approved yet, so nothing may run. Review and approve one on the Audiences page."
        )
        st.page_link("pages/audiences.py", label="Go to Audiences")
        not_ready(state)
    elif not busy or st.toggle("Prepare another run meanwhile", key="meanwhile"):
        study = choose(key, corpus, state)
        if study is not None:
            with shell.guard():
                plan_and_run(key, study, busy=busy)
    job_panel.earlier(key)


# ---- choices


def choose(key: str, corpus: Corpus, state: ProjectState) -> Study | None:
    """The study that the widgets describe; None while something is missing, which is said."""
    saved = dict(state.settings.get("privatize", {}))

    def before(name: str, default: Any) -> Any:
        return shell.kept(f"{key}/{name}", saved.get(name, default))

    def kept(name: str, value: Any) -> Any:
        return shell.keep(f"{key}/{name}", value)

    left, right = st.columns(2, gap="large")
    with left:
        approved = list(state.approved)
        audiences = kept(
            "audiences",
            st.multiselect(
                "Audiences",
                approved,
                [a for a in before("audiences", approved) if a in approved],
                key="run_audiences",
                placeholder="Choose audiences",
                wrap=True,
            ),
        )
        not_ready(state)
        methods = kept(
            "methods",
            st.multiselect(
                "Methods",
                list(METHODS),
                [m for m in before("methods", FIRST_METHODS) if m in METHODS],
                key="run_methods",
                placeholder="Choose methods",
                wrap=True,
            ),
        )
        for name in methods:
            st.caption(f"**{plain(name)}**: {plain(METHODS[name].description)}")
    with right:
        epsilons = choose_epsilons(before, kept) if any(METHODS[m].takes("epsilon") for m in methods) else []
        model_choice = choose_models(state, methods, before, kept)
        protected = rewriting.default_partition(methods, state, before, kept)
    if not audiences or not methods:
        st.info("Choose at least one audience and one method.")
        return None
    partitions = [state.partitions[name] for name in audiences]
    own = rewriting.settings(methods, corpus.facts(), before, kept)
    configs = sizes.choose_sizes(corpus, methods, epsilons, partitions, own, before, kept)
    settings = {
        "audiences": audiences,
        "methods": methods,
        **({"epsilon": _json(epsilons[0]), "more": [_json(e) for e in epsilons[1:]]} if epsilons else {}),
        **{role: getattr(model_choice, role) for role in ("generator", *rewriting.ROLES)},
        **({**own, "default_partition": before("default_partition", None)} if own else {}),
    }
    settings = {k: v for k, v in settings.items() if v is not None}
    st.session_state["_privatize_settings"] = settings
    pairs = tuple(StudyAudience(state.audience(a), state.partitions[a]) for a in audiences)
    return Study(
        corpus.name,
        WorkspaceCorpus(key),
        pairs,
        configs,
        model_choice,
        evaluation(corpus, before, kept),
        int(before("seed", 0)),
        protected,
    )


def not_ready(state: ProjectState) -> None:
    for audience in state.audiences:
        if audience.name not in state.approved:
            why = (
                "its partition is not approved"
                if audience.name in state.partitions
                else "it is not classified"
            )
            st.caption(f"{plain(audience.name)} cannot be run: {why}.")


def choose_epsilons(before: Callable, kept: Callable) -> list[float]:
    first = st.select_slider(
        "ε, the privacy budget",
        EPSILONS,
        _number(before("epsilon", 1.0)),
        key="epsilon",
        format_func=epsilon_text,
        help="Smaller protects more. ∞ adds no noise: for research, never exportable.",
    )
    kept("epsilon", _json(first))
    remembered = [_number(e) for e in before("more", [])]
    more = st.pills(
        "Further values of ε",
        [e for e in EPSILONS if e != first],
        default=[e for e in remembered if e in EPSILONS and e != first],
        selection_mode="multi",
        format_func=epsilon_text,
        key="more_epsilons",
        wrap=True,
    )
    kept("more", [_json(e) for e in more])
    chosen = [first, *sorted(more)]
    if any(e > 5 for e in chosen):
        st.caption("Above 5 the formal guarantee is weak; rely on the measured leakage as well.")
    return chosen


def choose_models(state: ProjectState, methods: list[str], before: Callable, kept: Callable) -> ModelChoice:
    choice = rewriting.players(methods, state.models, before, kept)
    if not any(METHODS[m].family == "synthetic" for m in methods):
        return choice
    generator = st.selectbox(
        "Who writes the texts",
        list(GENERATORS),
        key="generator",
        index=list(GENERATORS).index(before("generator", state.models.generator)),
        format_func=GENERATORS.get,
        help="Whichever fits: a language model where a server offers one, else donated texts recombined.",
    )
    kept("generator", generator)
    choice = replace(choice, generator=generator)
    if generator == "model" or (generator == "auto" and models.serves(choice)):
        st.caption(f"{plain(models.language_model_line(choice))} writes. Another model: Start page.")
    else:
        st.caption("Donated texts are recombined; no language model is needed for that.")
    return choice


def evaluation(corpus: Corpus, before: Callable, kept: Callable) -> EvaluationSettings:
    with st.expander("Evaluation"):
        none = "(none)"
        options = [none, *[n for n in corpus.schema.names if n != corpus.label]]
        first = before("group", next((n for n in ("sex", "gender") if n in options), none))
        group = st.selectbox(
            "Fairness between the two largest groups of",
            options,
            options.index(first) if first in options else 0,
            key="group",
        )
        kept("group", group)
    return EvaluationSettings(group_attribute=None if group == none else group, seed=int(before("seed", 0)))


# ---- plan


def plan_and_run(key: str, study: Study, *, busy: bool) -> None:
    st.subheader("The plan", anchor=False)
    with st.spinner("Preparing the models and measuring their speed"):
        planned = plan_study(study, shell.workspace(), roles=models.roles(study.models))
    plan_tables.plan_table(planned)
    todo = [p for p in planned if not p.finished]
    minutes = [p.plan.minutes for p in todo]
    told = f"{count(len(todo), 'run')} to do"
    if len(todo) < len(planned):
        told += f"; {len(planned) - len(todo)} finished, will be reused: no cost"
    if known := [m for m in minutes if m is not None]:
        told += f"; about {max(1, math.ceil(sum(known)))} min and the evaluation"
        if len(known) < len(minutes):
            told += f", beside {count(len(minutes) - len(known), 'run')} whose time shows once they run"
    st.markdown(f"{plain(told)}.")
    warned: dict[str, list[str]] = {}
    for p in planned:
        for warning in p.plan.warnings:
            warned.setdefault(warning, []).append(p.plan.method)
    for warning, methods in warned.items():
        st.warning(f"{plain(', '.join(dict.fromkeys(methods)))}: {plain(warning)}")
    label = "Run after the present one" if busy else "Run" if todo else "Run again from what is kept"
    if st.button(label, key="run", type="primary"):
        start(key, study)


def start(key: str, study: Study) -> None:
    state, settings = shell.workspace().state(key), st.session_state["_privatize_settings"]
    if state.settings.get("privatize") != settings:
        shell.workspace().save_state(key, state.with_settings(privatize=settings), "Settings of a run kept")
    shell.jobs().start(study, key)
    st.session_state.pop("meanwhile", None)
    st.rerun()


def _json(epsilon: float) -> float | str:
    return "inf" if math.isinf(epsilon) else epsilon


def _number(value) -> float:
    number = float(value)
    if number not in EPSILONS:
        raise BadInput(f"the stored ε {value} is not on the slider.")
    return number


with shell.page("privatize", "Privatize", LEAD):
    draw()
