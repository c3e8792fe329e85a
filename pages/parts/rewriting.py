"""Privatize page: how records are rewritten, by whom, and what is protected where nobody says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.corpus import CorpusFacts
from ctxpriv.model_choice import PLAYERS, ModelChoice
from ctxpriv.privatize.registry import METHODS
from ctxpriv.project import ProjectState
from pages.parts import models
from pages.parts.text import plain

ROLES = {
    "rewriter": "Who rewrites",
    "privacy_evaluator": "Who checks privacy",
    "utility_evaluator": "Who checks usefulness",
    "adversary": "Who attacks the result",
}
PLAYERS_SAY = {
    "auto": "Whichever fits this machine",
    "model": "Language model",
    "local": "No language model",
}
ONLY_THE_LABEL = "(everything but the label is private)"


def settings(methods: list[str], facts: CorpusFacts, before: Callable, kept: Callable) -> dict[str, Any]:
    """The settings of rewriting methods; {} where none is chosen."""
    if not any(METHODS[m].family == "rewritten" for m in methods):
        return {}
    with st.expander("Rewriting", key="rewriting_box"):
        a, b, c = st.columns(3, vertical_alignment="bottom")
        chosen = {
            "n_records": a.number_input(
                "Records to rewrite",
                1,
                max(1, facts.n_private),
                max(1, min(before("n_records", facts.n_private), facts.n_private)),
                key="n_records",
                help="A random part of the private records, for a first look; all of them by default.",
            ),
            "max_rounds": b.number_input(
                "Most rounds",
                1,
                20,
                before("max_rounds", 10),
                key="max_rounds",
                help="A record ends sooner once nothing leaks and nothing is lost.",
            ),
            "guesses": c.number_input(
                "Guesses per attribute",
                1,
                5,
                before("guesses", 3),
                key="guesses",
                help="Of the privacy evaluator, at most. An attribute with few values gets fewer: three "
                "guesses at two values always hit.",
            ),
        }
        chosen = {name: int(value) for name, value in chosen.items()}
        withhold = st.checkbox(
            "Withhold records that are still unsafe after the last round",
            before("withhold_unsafe", False),
            key="withhold_unsafe",
            help="Otherwise the round with fewest leaks is released and marked for you, as in the paper. "
            "Records whose rewriting failed are always withheld.",
        )
        for name, value in (*chosen.items(), ("withhold_unsafe", withhold)):
            kept(name, value)
    if chosen["n_records"] >= facts.n_private:
        chosen["n_records"] = None
    return {**chosen, "withhold_unsafe": withhold}


def players(methods: list[str], choice: ModelChoice, before: Callable, kept: Callable) -> ModelChoice:
    """`choice` with the roles of rewriting as chosen."""
    if not any(METHODS[m].family == "rewritten" for m in methods):
        return choice
    own = models.usable_specs(choice)
    options = [*PLAYERS, *own]
    columns = st.columns(2)
    for i, (role, label) in enumerate(ROLES.items()):
        first = before(role, getattr(choice, role))
        picked = columns[i % 2].selectbox(
            label,
            options if first in options else [*options, first],
            (options if first in options else [*options, first]).index(first),
            key=f"player_{role}",
            format_func=lambda player: PLAYERS_SAY.get(player, player),
        )
        choice = replace(choice, **{role: kept(role, picked)})
    told = "Without a language model: typed detectors and classifiers that learn from the donated texts."
    if any(_plays(choice, role) for role in ROLES):
        told = f"{models.language_model_line(choice)} plays where a language model is chosen. {told}"
        if same := _same(choice):
            st.caption(plain(same))
    st.caption(plain(told))
    return choice


def default_partition(methods: list[str], state: ProjectState, before: Callable, kept: Callable) -> Any:
    """What methods for no audience in particular protect: one audience's sides, or None."""
    shared = [m for m in methods if METHODS[m].config.protects == "default partition"]
    if not shared:
        return None
    options = [*(a.name for a in state.audiences if a.name in state.partitions), ONLY_THE_LABEL]
    first = before("default_partition", options[0])
    verb = "protects" if len(shared) == 1 else "protect"
    picked = st.selectbox(
        f"{' and '.join(shared)} {verb}, for every audience, what is private for",
        options,
        options.index(first) if first in options else 0,
        key="default_partition",
        help="These methods know one partition only, so one release serves all audiences.",
    )
    kept("default_partition", picked)
    if picked == ONLY_THE_LABEL:
        return None
    return replace(state.partitions[picked], audience=ALL_AUDIENCES, approval=None)


def _plays(choice: ModelChoice, role: str) -> bool:
    player = getattr(choice, role)
    return player not in ("auto", "local") or player == "auto" and models.serves(choice)


def _same(choice: ModelChoice) -> str:
    """The sentence on one model in several roles, or ""."""
    rewriter, evaluator, attacker = (
        choice.model_for(role) if _plays(choice, role) else None
        for role in ("rewriter", "privacy_evaluator", "adversary")
    )
    if evaluator is not None and evaluator == attacker:
        return (
            "The evaluator in the loop and the attacker afterwards are the same model: its leak is what the "
            "loop optimised. The classifier adversary's figure beside it does not depend on that."
        )
    if rewriter is not None and rewriter == evaluator:
        return "The model that rewrites also evaluates: what it overlooks in its own text goes out."
    return ""
