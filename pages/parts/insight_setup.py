"""Insights page: what is measured, and the study that all its widgets describe."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.corpus_source import WorkspaceCorpus
from ctxpriv.insights.study import InsightStudy
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.measurement import FLOOR
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.registry import insight_from
from ctxpriv.project import ProjectState
from pages.parts import insight_atoms, insight_methods, insight_purpose
from pages.parts.insight_memory import Memory
from pages.parts.text import shortened

ASSIGN = {"tfidf": "TF–IDF", "embedding": "Embeddings", "model": "Language model"}
UNITS = {"record": "One record", "user": "One user"}
WEIGHTS = {"scores": "By similarity", "equal": "Equal, 1/K each"}
SIZE = 10
RELATIONS = {"add/drop": "Add/drop", "replacement": "Replacement"}


def study(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet) -> InsightStudy | None:
    """None while something is missing, which is said. Raises BadInput as `InsightStudy`."""
    memory = Memory.of(key, state)
    left, right = st.columns(2, gap="large")
    with left:
        measure = _measure(corpus, atoms, memory)
        only = insight_purpose.only(corpus, memory)
        audiences = insight_purpose.audiences(state, atoms, memory)
    with right:
        methods = insight_methods.choose(corpus, memory)
        words, players, judge = insight_purpose.words(state, measure["assign"], memory)
    if not methods:
        st.info("Choose at least one method.")
        return None
    memory.keep("measure", measure)
    memory.keep("configs", [m.to_dict() for m in methods])
    memory.keep("only", {k: list(v) for k, v in only.items()})
    return InsightStudy(
        corpus.name,
        WorkspaceCorpus(key),
        insight_atoms.recipe(state, atoms),
        methods,
        audiences,
        measure,
        only,
        words,
        judge=judge,
        models=players,
    )


def last(key: str, corpus: Corpus, state: ProjectState) -> InsightStudy | None:
    """As it was set last, for parts of the page that do not show the widgets; None without atoms."""
    atoms = insight_atoms.stored(state)
    if atoms is None:
        return None
    now = Memory.of(key, state).now()
    measure = {"size": first_size(atoms), **now.get("measure", {})}
    measure |= {name: min(measure[name], len(atoms)) for name in ("size", "k") if name in measure}
    methods = tuple(insight_from(config) for config in now.get("configs", [Spin().to_dict()]))
    only = {k: tuple(v) for k, v in now.get("only", {}).items()}
    return InsightStudy(
        corpus.name,
        WorkspaceCorpus(key),
        insight_atoms.recipe(state, atoms),
        methods,
        measure=measure,
        only=only,
        models=state.models,
    )


def first_size(atoms: AtomSet) -> int:
    """L as it is offered: a plan that admits most of what there is says little."""
    return max(1, min(SIZE, len(atoms) // 3))


# ---- measurement


def _measure(corpus: Corpus, atoms: AtomSet, memory: Memory) -> dict[str, Any]:
    """Settings as `InsightStudy.measure` takes them; what is left to the data holder's n is left out."""
    st.markdown("**What is measured**")
    out: dict[str, Any] = {"unit": "record", "bound": 1}
    if corpus.authors is not None:
        out["unit"] = memory.segments("Protected unit", "unit", UNITS, "record")
        if out["unit"] == "user":
            out["bound"] = st.segmented_control(
                "Mass of one user at most (B)",
                (1, 2, 5),
                default=memory.before("bound", 1),
                key="insight_bound",
                required=True,
                help="A user's records are summed and scaled down to B. More keeps more of heavy users and "
                "takes B times the noise.",
            )
            memory.keep("bound", out["bound"])
        else:
            st.caption(
                "People with several records are protected for each of them alone, not for all together."
            )
    else:
        st.caption("One record is protected: this corpus does not know whose records belong together.")
    out["assign"] = memory.segments("Records are compared with atoms by", "assign", ASSIGN, "tfidf")
    a, b, c = st.columns(3)
    out["k"] = memory.number(
        a, "Atoms a record (K)", "k", 3, 1, len(atoms),
        help="A record counts for its K most similar atoms at most, with a total of at most 1.",
    )  # fmt: skip
    out["size"] = memory.number(
        b, "Atoms in plan (L)", "size", first_size(atoms), 1, len(atoms),
        help="The plan admits the L atoms that come out largest, noise included. All others stay unsaid.",
    )  # fmt: skip
    out["floor"] = c.number_input(
        "Similarity floor",
        0.0,
        0.99,
        float(memory.before("floor", FLOOR)),
        0.01,
        key="insight_floor",
        help="Similarity below it counts as none; a record without any match adds nothing.",
    )
    memory.keep("floor", out["floor"])
    with st.expander("Denominator, δ, relation, weights"):
        out |= _finer(corpus, out["unit"], memory)
    return out


def _finer(corpus: Corpus, unit: str, memory: Memory) -> dict[str, Any]:
    out: dict[str, Any] = {}
    out["relation"] = memory.segments(
        "Noise is calibrated to", "relation", RELATIONS,
        "add/drop",
    )  # fmt: skip
    out["weights"] = memory.segments("A record's mass is shared", "weights", WEIGHTS, "scores")
    denominator = st.number_input(
        "Public denominator",
        1,
        None,
        memory.before("denominator", None),
        key="insight_denominator",
        placeholder=f"the number of {unit}s that there are",
        help="Masses are divided by it. A number that is public anyway keeps the number of records out of "
        "the release.",
    )
    memory.keep("denominator", denominator)
    exponent = st.selectbox(
        "δ",
        (None, 3, 4, 5, 6, 7, 8),
        format_func=lambda e: "1 / n" if e is None else f"10⁻{'⁰¹²³⁴⁵⁶⁷⁸⁹'[e]}",
        index=(None, 3, 4, 5, 6, 7, 8).index(memory.before("delta_exponent", None)),
        key="insight_delta",
    )
    memory.keep("delta_exponent", exponent)
    if denominator is not None:
        out["denominator"] = int(denominator)
    if exponent is not None:
        out["delta"] = 10.0**-exponent
    return out


def in_short(asked: InsightStudy) -> str:
    """The measurement in a line; not escaped."""
    measure = asked.measure
    told = [
        f"unit: one {measure['unit']}" + (f", B = {measure['bound']}" if measure["unit"] == "user" else ""),
        f"K = {measure['k']}",
        f"L = {measure['size']}",
        f"floor {measure['floor']:g}",
        ASSIGN[measure["assign"]],
        measure["relation"],
    ]
    if asked.only:
        only = "; ".join(f"{k}: {', '.join(v)}" for k, v in asked.only.items())
        told.append(f"only {shortened(only, 120)}")
    return ", ".join(told)
