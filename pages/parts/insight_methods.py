"""Insights page: the methods, their variants and budgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, TITLES, Spin
from ctxpriv.privatize.spin.registry import INSIGHTS, insight_from
from pages.parts.insight_memory import Memory
from pages.parts.text import epsilon_text, plain

EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
FIRST_METHODS = ["DP-SPIN", "Non-private top-L"]
FAMILIES = {
    "plan": "private plan",
    "baseline": "private baseline",
    "reference": "no privacy, curator only",
}


def choose(corpus: Corpus, memory: Memory) -> tuple[Any, ...]:
    st.markdown("**How it is released**")
    chosen = memory.keep(
        "methods",
        st.multiselect(
            "Methods",
            list(INSIGHTS),
            [m for m in memory.before("methods", FIRST_METHODS) if m in INSIGHTS],
            key="insight_methods",
            placeholder="Choose methods",
            wrap=True,
        ),
    )
    for name in chosen:
        entry = INSIGHTS[name]
        st.caption(f"**{plain(name)}** ({FAMILIES[entry.family]}): {plain(entry.description)}")
    mechanisms = _mechanisms(memory) if Spin.name in chosen else []
    column = _category(corpus, memory) if any(INSIGHTS[m].takes("column") for m in chosen) else None
    private = [m for m in chosen if INSIGHTS[m].takes("epsilon")]
    epsilons = choose_epsilons(memory) if private else []
    out = []
    for name in chosen:
        variants: list[Mapping[str, Any]] = [{}]
        if name == Spin.name:
            variants = [{"mechanism": m} for m in mechanisms]
        elif INSIGHTS[name].takes("column"):
            variants = [{"column": column}]
        each = [{"epsilon": e} for e in epsilons] if name in private else [{}]
        out += [insight_from({"method": name, **v, **e}) for v in variants for e in each]
    return tuple(out)


def _mechanisms(memory: Memory) -> list[str]:
    chosen = st.pills(
        "Mechanisms of DP-SPIN",
        list(MECHANISMS),
        default=memory.before("mechanisms", ["laplace"]),
        selection_mode="multi",
        format_func=lambda m: TITLES[m].capitalize(),
        key="insight_mechanisms",
    )
    for name in chosen:
        st.caption(f"{TITLES[name].capitalize()}: {plain(MECHANISMS[name])}.")
    return memory.keep("mechanisms", list(chosen))


def _category(corpus: Corpus, memory: Memory) -> str | None:
    names = list(corpus.schema.names)
    first = memory.before("column", corpus.label)
    index = names.index(first) if first in names else 0
    return memory.keep(
        "column", st.selectbox("Column of the category histogram", names, index, key="insight_column")
    )


def choose_epsilons(memory: Memory) -> list[float]:
    first = memory.before("epsilon", 1.0)
    epsilon = st.select_slider(
        "ε, the privacy budget of each release",
        EPSILONS,
        first if first in EPSILONS else 1.0,
        key="insight_epsilon",
        format_func=epsilon_text,
        help="Smaller protects more. What to expect of it stands below, before anything is released.",
    )
    memory.keep("epsilon", epsilon)
    more = st.pills(
        "Further values of ε",
        [e for e in EPSILONS if e != epsilon],
        default=[e for e in memory.before("more", []) if e in EPSILONS and e != epsilon],
        selection_mode="multi",
        format_func=epsilon_text,
        key="insight_more",
        wrap=True,
    )
    memory.keep("more", list(more))
    if max([epsilon, *more]) > 5:
        st.caption("Above 5 the formal guarantee is weak.")
    return [epsilon, *sorted(more)]
