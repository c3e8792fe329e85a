"""Insights page: what is measured, by which methods, for whom: the study that the widgets describe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.corpus import Corpus
from ctxpriv.corpus_source import WorkspaceCorpus
from ctxpriv.insights.study import ATTEMPTS, InsightAudience, InsightStudy, Words
from ctxpriv.model_choice import ModelChoice
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.measurement import FLOOR
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, TITLES, Spin
from ctxpriv.privatize.spin.registry import INSIGHTS, insight_from
from ctxpriv.project import ProjectState
from pages.parts import insight_atoms, models, shell
from pages.parts.text import epsilon_text, plain, shortened

EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
FIRST_METHODS = ["DP-SPIN", "Non-private top-L"]
ASSIGN = {"tfidf": "TF–IDF", "embedding": "Embeddings", "model": "Language model"}
UNITS = {"record": "One record", "user": "One user"}
WEIGHTS = {"scores": "By similarity", "equal": "Equal, 1/K each"}
MODES = {"display": "Display: labels and bins", "audit": "Audit: markers and masses"}
DECODERS = {"auto": "Whichever fits this machine", "model": "Language model", "local": "Template"}
FAMILIES = {
    "plan": "private plan",
    "baseline": "private baseline",
    "reference": "no privacy, curator only",
}

Before = Callable[[str, Any], Any]
Kept = Callable[[str, Any], Any]


def study(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet) -> InsightStudy | None:
    """None while something is missing, which is said. Raises BadInput as `InsightStudy`."""
    saved = dict(state.settings.get("insights", {}))

    def before(name: str, default: Any) -> Any:
        return shell.kept(f"{key}/insights/{name}", saved.get(name, default))

    def kept(name: str, value: Any) -> Any:
        return shell.keep(f"{key}/insights/{name}", value)

    left, right = st.columns(2, gap="large")
    with left:
        measure = _measure(corpus, atoms, before, kept)
    with right:
        methods = _methods(corpus, before, kept)
        audiences = _audiences(state, atoms, before, kept)
        only = _only(corpus, before, kept)
        words, players, judge = _words(state, measure["assign"], before, kept)
    if not methods:
        st.info("Choose at least one method.")
        return None
    kept("measure", measure)
    kept("configs", [m.to_dict() for m in methods])
    kept("only", {k: list(v) for k, v in only.items()})
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
    now = settings(key, state)
    measure = {"size": 10, **now.get("measure", {})}
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


def settings(key: str, state: ProjectState) -> dict[str, Any]:
    """What the widgets say now, to be kept with the corpus; `state` has the atoms."""
    prefix = f"{key}/insights/"
    said = {k.removeprefix(prefix): v for k, v in shell.all_kept().items() if k.startswith(prefix)}
    return {**state.settings.get("insights", {}), **said}


# ---- measurement


def _measure(corpus: Corpus, atoms: AtomSet, before: Before, kept: Kept) -> dict[str, Any]:
    """Settings as `InsightStudy.measure` takes them; what is left to the data holder's n is left out."""
    st.markdown("**What is measured**")
    out: dict[str, Any] = {"unit": "record", "bound": 1}
    if corpus.authors is not None:
        out["unit"] = _segments("Protected unit", "unit", UNITS, "record", before, kept)
        if out["unit"] == "user":
            out["bound"] = st.segmented_control(
                "Mass of one user at most (B)",
                (1, 2, 5),
                default=before("bound", 1),
                key="insight_bound",
                required=True,
                help="A user's records are summed and scaled down to B. More keeps more of heavy users and "
                "takes B times the noise.",
            )
            kept("bound", out["bound"])
    else:
        st.caption("One record is protected: this corpus does not know whose records belong together.")
    out["assign"] = _segments("Records are compared with atoms by", "assign", ASSIGN, "tfidf", before, kept)
    a, b, c = st.columns(3)
    out["k"] = _number(a, "Atoms a record, at most (K)", "k", 3, 1, len(atoms), before, kept)
    out["size"] = _number(
        b, "Atoms in the plan (L)", "size", min(10, len(atoms)), 1, len(atoms), before, kept
    )
    out["floor"] = c.number_input(
        "Similarity floor",
        0.0,
        0.99,
        float(before("floor", FLOOR)),
        0.01,
        key="insight_floor",
        help="Similarity below it counts as none; a record without any match adds nothing.",
    )
    kept("floor", out["floor"])
    with st.expander("Denominator, δ, relation, weights"):
        out |= _finer(corpus, out["unit"], before, kept)
    return out


def _finer(corpus: Corpus, unit: str, before: Before, kept: Kept) -> dict[str, Any]:
    out: dict[str, Any] = {}
    out["relation"] = _segments(
        "Noise is calibrated to", "relation", {"add/drop": "Add/drop", "replacement": "Replacement"},
        "add/drop", before, kept,
    )  # fmt: skip
    out["weights"] = _segments("A record's mass is shared", "weights", WEIGHTS, "scores", before, kept)
    denominator = st.number_input(
        "Public denominator",
        1,
        None,
        before("denominator", None),
        key="insight_denominator",
        placeholder=f"the number of {unit}s that there are",
        help="Masses are divided by it. A number that is public anyway keeps the number of records out of "
        "the release.",
    )
    kept("denominator", denominator)
    exponent = st.selectbox(
        "δ",
        (None, 3, 4, 5, 6, 7, 8),
        format_func=lambda e: f"1 / the number of {unit}s" if e is None else f"10⁻{'⁰¹²³⁴⁵⁶⁷⁸⁹'[e]}",
        index=(None, 3, 4, 5, 6, 7, 8).index(before("delta_exponent", None)),
        key="insight_delta",
    )
    kept("delta_exponent", exponent)
    if denominator is not None:
        out["denominator"] = int(denominator)
    if exponent is not None:
        out["delta"] = 10.0**-exponent
    return out


# ---- methods


def _methods(corpus: Corpus, before: Before, kept: Kept) -> tuple[Any, ...]:
    st.markdown("**How it is released**")
    chosen = kept(
        "methods",
        st.multiselect(
            "Methods",
            list(INSIGHTS),
            [m for m in before("methods", FIRST_METHODS) if m in INSIGHTS],
            key="insight_methods",
            placeholder="Choose methods",
            wrap=True,
        ),
    )
    for name in chosen:
        entry = INSIGHTS[name]
        st.caption(f"**{plain(name)}** ({FAMILIES[entry.family]}): {plain(entry.description)}")
    mechanisms = _mechanisms(before, kept) if Spin.name in chosen else []
    column = _category(corpus, before, kept) if any(INSIGHTS[m].takes("column") for m in chosen) else None
    private = [m for m in chosen if INSIGHTS[m].takes("epsilon")]
    epsilons = choose_epsilons(before, kept) if private else []
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


def _mechanisms(before: Before, kept: Kept) -> list[str]:
    chosen = st.pills(
        "Mechanisms of DP-SPIN",
        list(MECHANISMS),
        default=before("mechanisms", ["laplace"]),
        selection_mode="multi",
        format_func=lambda m: TITLES[m].capitalize(),
        key="insight_mechanisms",
    )
    for name in chosen:
        st.caption(f"{TITLES[name].capitalize()}: {plain(MECHANISMS[name])}.")
    return kept("mechanisms", list(chosen))


def _category(corpus: Corpus, before: Before, kept: Kept) -> str | None:
    names = list(corpus.schema.names)
    first = before("column", corpus.label)
    index = names.index(first) if first in names else 0
    return kept(
        "column", st.selectbox("Column of the category histogram", names, index, key="insight_column")
    )


def choose_epsilons(before: Before, kept: Kept) -> list[float]:
    first = before("epsilon", 1.0)
    epsilon = st.select_slider(
        "ε, the privacy budget of each release",
        EPSILONS,
        first if first in EPSILONS else 1.0,
        key="insight_epsilon",
        format_func=epsilon_text,
        help="Smaller protects more. What to expect of it stands below, before anything is released.",
    )
    kept("epsilon", epsilon)
    more = st.pills(
        "Further values of ε",
        [e for e in EPSILONS if e != epsilon],
        default=[e for e in before("more", []) if e in EPSILONS and e != epsilon],
        selection_mode="multi",
        format_func=epsilon_text,
        key="insight_more",
        wrap=True,
    )
    kept("more", list(more))
    if max([epsilon, *more]) > 5:
        st.caption("Above 5 the formal guarantee is weak.")
    return [epsilon, *sorted(more)]


# ---- for whom, of which records, in whose words


def _audiences(
    state: ProjectState, atoms: AtomSet, before: Before, kept: Kept
) -> tuple[InsightAudience, ...]:
    known = {a.name: a for a in state.audiences}
    options = [ALL_AUDIENCES, *known]
    name = before("audience", ALL_AUDIENCES)
    name = st.selectbox(
        "For whom",
        options,
        options.index(name) if name in options else 0,
        key="insight_audience",
        format_func=lambda n: "All audiences" if n == ALL_AUDIENCES else shortened(n),
    )
    kept("audience", name)
    withhold: list[str] = []
    if name != ALL_AUDIENCES:
        withhold = st.multiselect(
            "Atoms withheld from this audience",
            atoms.labels,
            [label for label in before("withhold", []) if label in atoms.labels],
            key="insight_withhold",
            placeholder="None",
            help="They are not measured for it at all.",
            wrap=True,
        )
        kept("withhold", withhold)
    about = known.get(name)
    told = (about.recipient, about.purpose) if about else ("", "")
    return (InsightAudience(name, *told, withhold=tuple(withhold)),)


def _only(corpus: Corpus, before: Before, kept: Kept) -> dict[str, tuple[str, ...]]:
    """Records of one period or region alone, so that two releases can be held against each other."""
    with st.expander("Only some of the records"):
        st.caption(
            "A release of some records, of one period or region, can be compared with another one on the "
            "same atoms."
        )
        options = [None, *corpus.schema.names]
        first = before("only_column", None)
        column = st.selectbox(
            "Attribute",
            options,
            options.index(first) if first in options else 0,
            key="insight_only",
            format_func=lambda n: "All records" if n is None else n,
        )
        kept("only_column", column)
        if column is None:
            return {}
        known = list(corpus.schema[column].values)
        values = st.multiselect(
            "Values",
            known,
            [v for v in before("only_values", []) if v in known],
            key=f"insight_only_{column}",
            placeholder="Choose values",
            wrap=True,
        )
        kept("only_values", values)
    return {column: tuple(values)} if values else {}


def _words(state: ProjectState, assign: str, before: Before, kept: Kept) -> tuple[Words, ModelChoice, bool]:
    players = state.models
    with st.expander("How plans are put into words"):
        decoder = st.segmented_control(
            "Who writes the summary",
            list(DECODERS),
            default=before("decoder", players.decoder if players.decoder in DECODERS else "auto"),
            format_func=DECODERS.get,
            key="insight_decoder",
            required=True,
        )
        kept("decoder", decoder)
        mode = _segments("Mode", "mode", MODES, "display", before, kept)
        tries = _number(st, "Attempts before the template speaks", "attempts", ATTEMPTS, 1, 10, before, kept)
        judge = kept(
            "judge",
            st.checkbox(
                "A language model gives its opinion of each summary",
                before("judge", False),
                key="insight_judge",
                help="Curator-only, and an opinion: no measurement.",
            ),
        )
    players = replace(
        players,
        decoder=decoder,
        mapper="model" if assign == "model" else players.mapper,
        judge="model" if judge else players.judge,
    )
    if decoder == "model" or assign == "model" or judge:
        st.caption(f"{plain(models.language_model_line(players))} plays.")
        models.stand_in_note(players)
    return Words(mode, tries), players, judge


# ---- widgets


def _segments(
    label: str, name: str, options: Mapping[str, str], first: str, before: Before, kept: Kept
) -> str:
    chosen = st.segmented_control(
        label,
        list(options),
        default=before(name, first),
        format_func=options.get,
        key=f"insight_{name}",
        required=True,
    )
    return kept(name, chosen)


def _number(
    place: Any, label: str, name: str, first: int, least: int, most: int, before: Before, kept: Kept
) -> int:
    now = min(max(int(before(name, first)), least), most)
    return kept(name, int(place.number_input(label, least, most, now, key=f"insight_{name}")))


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
        told.append("only " + "; ".join(f"{k}: {', '.join(v)}" for k, v in asked.only.items()))
    return ", ".join(told)
