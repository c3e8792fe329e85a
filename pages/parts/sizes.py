"""Sizes and rounds on the Privatize page: the method configs that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus, CorpusFacts
from ctxpriv.privatize.registry import METHODS, method_from
from ctxpriv.sizing import suggested_records


def choose_sizes(
    corpus: Corpus,
    methods: list[str],
    epsilons: list[float],
    partitions: list[Partition],
    own: Mapping[str, Any],
    before: Callable,
    kept: Callable,
) -> tuple:
    """One config per method and ε; `own` holds settings chosen elsewhere. Every method gets those that
    it knows, so that a new one needs nothing here."""
    voted = [m for m in methods if METHODS[m].takes("evolution_rounds")]
    others = [_config(m, own, epsilons) for m in methods if m not in voted]
    configs = _voted(corpus, voted, epsilons, partitions, before, kept) if voted else ()
    return (*configs, *(config for group in others for config in group))


def _config(method: str, settings: Mapping[str, Any], epsilons: list[float]) -> list[Any]:
    known = {k: v for k, v in settings.items() if METHODS[method].takes(k)}
    if not METHODS[method].takes("epsilon"):
        return [method_from({"method": method, **known})]
    return [method_from({"method": method, "epsilon": e, **known}) for e in epsilons]


def _voted(
    corpus: Corpus,
    methods: list[str],
    epsilons: list[float],
    partitions: list[Partition],
    before: Callable,
    kept: Callable,
) -> tuple:
    """Methods that end in private evolution."""
    with st.expander("Sizes and rounds"):
        a, b, c, d = st.columns(4)
        place = a.container()  # the number of records stands first, but depends on the rounds
        rounds = b.number_input(
            "Evolution rounds",
            0,
            20,
            before("rounds", 2),
            key="rounds",
            help="Aug-PE has no table to start from and takes nine in the paper.",
        )
        aug_rounds = c.number_input(
            "Rounds of Aug-PE",
            1,
            20,
            before("aug_rounds", 9),
            key="aug_rounds",
            disabled="Aug-PE" not in methods,
        )
        variations = d.number_input(
            "Variations of a candidate", 1, 20, before("variations", 6), key="variations"
        )
        seed = a.number_input(
            "Seed",
            0,
            2**31 - 1,
            before("seed", 0),
            key="seed",
            help="Of the generator's choices. The privacy noise has no seed.",
        )
        for name, value in (
            ("rounds", rounds),
            ("aug_rounds", aug_rounds),
            ("variations", variations),
            ("seed", seed),
        ):
            kept(name, int(value))
        configs = tuple(
            config
            for name in methods
            for config in _config(
                name,
                {
                    "variations": int(variations),
                    "evolution_rounds": int(aug_rounds if name == "Aug-PE" else rounds),
                },
                epsilons,
            )
        )
        with place:
            n = choose_number(corpus.facts(), configs, partitions, before, kept)
    return tuple(replace(config, n_synthetic=n) for config in configs)


def choose_number(
    facts: CorpusFacts, configs: tuple, partitions: list[Partition], before: Callable, kept: Callable
) -> int:
    """Synthetic records: what fits the budget, and moves with it, until somebody says a number."""
    own = before("n", None)
    wanted = suggested_records(configs, facts, partitions) if own is None else own
    st.session_state["n_synthetic"] = max(1, min(wanted, facts.n_private))
    n = st.number_input(
        "Synthetic records",
        1,
        max(1, facts.n_private),
        key="n_synthetic",
        on_change=lambda: kept("n", int(st.session_state["n_synthetic"])),
        help=f"At most the {facts.n_private} private records. To begin with, as many as the votes can tell "
        "apart at these budgets, but enough for MAUVE.",
    )
    return int(n)
