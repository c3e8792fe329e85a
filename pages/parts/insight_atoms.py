"""Insights page: the atoms, where their labels come from, and the table in which they are edited."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.insights.atom_recipe import AtomRecipe
from ctxpriv.insights.first_columns import first_columns
from ctxpriv.privatize.spin.atom_files import from_rows, read_atoms
from ctxpriv.privatize.spin.atom_sources import combined
from ctxpriv.privatize.spin.atoms import MOST_ATOMS, AtomSet
from ctxpriv.project import ProjectState
from pages.parts import background, insight_atom_table, models, shell
from pages.parts.text import count, plain

STEP = "insight atoms"
SIZES = (50, 100, 200)
ENOUGH = 30  # labels for a plan of ten to choose among
OTHER = "another number"
WAYS = {
    "taxonomy": "Columns of the donated records",
    "phrases": "Phrases of the donated texts",
    "typed": "Typed",
    "uploaded": "A file",
    "model": "Proposed by a model",
}
NOTHING_DONATED = (
    "Nothing is donated in this corpus, so there are no columns and no texts that labels may be read off. "
    "Type them, upload a list, or let a model propose them from a description; or load the corpus again with "
    "a donated share."
)


def stored(state: ProjectState) -> AtomSet | None:
    """The atoms of the open corpus, None where there are none yet. Raises BadInput as `AtomSet`."""
    rows = _settings(state).get("atoms")
    return AtomSet.from_list(rows) if rows else None


def recipe(state: ProjectState, atoms: AtomSet) -> AtomRecipe:
    """These atoms as they are; the columns that they were made of go along, for the guarantee names those
    whose values were read off the records."""
    columns = tuple(_settings(state).get("columns", ())) if "taxonomy" in atoms.sources else ()
    return AtomRecipe(atoms.atoms, taxonomy=columns, m=len(atoms))


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    proposed = background.take(key, STEP)
    if proposed is not None:
        add = bool(shell.kept(f"{key}/{STEP}/add", False))
        _keep(key, state, stored(state), proposed, add, "a model's proposal")
    atoms = stored(state)
    if atoms is None:
        st.info(
            "There are no atoms yet. Atoms are the public themes that every record is measured against: "
            "build a set from one of the sources below, then look at its labels and change what you like."
        )
    _build(key, corpus, state, atoms)
    if atoms is not None:
        insight_atom_table.draw(atoms, partial(_save, key, state))


# ---- sources


def _build(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet | None) -> None:
    donated = corpus.facts().n_donated
    ways = list(WAYS) if donated else ["typed", "uploaded", "model"]
    with st.container(border=True):
        st.markdown("**Where labels come from**")
        st.caption(
            "Public and donated material only. Nothing here reads a protected record: a label read off those "
            "would be published without any protection. A run refuses labels that quote a protected record."
        )
        if not donated:
            st.warning(NOTHING_DONATED)
            st.page_link("pages/corpus.py", label="Go to Corpus")
        way = st.segmented_control(
            "Source", ways, default=ways[0], format_func=WAYS.get, key="atoms_way", required=True
        )
        with shell.guard():
            {
                "taxonomy": _from_columns,
                "phrases": _from_phrases,
                "typed": _typed,
                "uploaded": _uploaded,
                "model": _from_model,
            }[way](key, corpus, state, atoms)


def _from_columns(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet | None) -> None:
    names, donated = list(corpus.schema.names), corpus.donated()
    first = _settings(state).get("columns") or _first_columns(shell.workspace().digest(key), donated)
    columns = st.multiselect(
        "Columns, joined in this order",
        names,
        [n for n in first if n in names],
        key="atoms_columns",
        placeholder="Choose columns",
        help="Each combination of values that donated records hold becomes a label, the most frequent first: "
        "“Mortgage / Trouble during payment process”. Offered first are columns that say what "
        "texts are about.",
        wrap=True,
    )
    provenance = {a.name: a.provenance for a in corpus.schema.attributes}
    if observed := [n for n in columns if provenance[n] == "observed"]:
        st.caption(
            "Labels come from donated records, but which values these columns may take was read off all "
            f"records, the protected ones too: {plain(', '.join(observed))}. The guarantee says so."
        )
    fill = st.toggle(
        f"Add phrases of the donated texts where columns give fewer than {ENOUGH} labels",
        True,
        key="atoms_fill",
        help="A plan that admits most of what there is says little: two-word themes of the donated texts "
        "then follow, up to m.",
    )
    m, add = _how_many(atoms)
    if _pressed("Build from columns"):
        if not columns:
            raise BadInput("No column is chosen.", fix="Choose one at least, or another source.")
        built, what = _of_columns(donated, AtomRecipe(taxonomy=tuple(columns), m=m), fill, state)
        _keep(key, state, atoms, built, add, what, columns=columns)


def _of_columns(
    donated: DonatedExamples, recipe: AtomRecipe, fill: bool, state: ProjectState
) -> tuple[AtomSet, str]:
    """The atoms, and what they are made of."""
    roles, what = models.roles(state.models), "values of donated records"
    built = recipe.build(donated, roles)
    if not fill or len(built) >= min(ENOUGH, recipe.m):
        return built, what
    try:
        phrases = AtomRecipe(phrases=True, m=recipe.m).build(donated, roles)
    except BadInput:
        return built, f"{what}; no phrase is frequent enough to fill up with"
    return combined(built, phrases, recipe.m), f"{what} and phrases of their texts"


@st.cache_data(show_spinner=False, max_entries=16)
def _first_columns(digest: str, _donated: DonatedExamples) -> list[str]:
    return list(first_columns(_donated))


def _from_phrases(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet | None) -> None:
    least = st.number_input(
        "Donated texts that must hold a phrase",
        1,
        None,
        None,
        key="atoms_support",
        placeholder="one in a hundred, at most 25",
    )
    m, add = _how_many(atoms)
    if _pressed("Build from phrases"):
        made = AtomRecipe(phrases=True, least_support=least and int(least), m=m)
        built = made.build(corpus.donated(), models.roles(state.models))
        _keep(key, state, atoms, built, add, "phrases of donated texts")


def _typed(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet | None) -> None:
    lines = st.text_area(
        "One label a line; after a colon, what it means",
        key=f"atoms_typed_{shell.version()}",
        placeholder="late fee: a charge because a payment came late\nrude staff",
        height=150,
    )
    if _pressed("Add these"):
        rows = [(label, text) for label, _, text in (line.partition(":") for line in lines.splitlines())]
        _keep(key, state, atoms, from_rows(rows, "typed"), True, "typed labels")


def _uploaded(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet | None) -> None:
    file = st.file_uploader(
        "CSV with the columns `label` and perhaps `description`, text with a label a line, or YAML",
        ["csv", "txt", "yaml", "yml"],
        key=f"atoms_file_{shell.version()}",
    )
    add = atoms is not None and st.toggle("Add to the atoms that are there", True, key="atoms_add_file")
    if file is not None and _pressed("Take these labels"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / Path(file.name).name
            path.write_bytes(file.getvalue())
            made = read_atoms(path)
        _keep(key, state, atoms, made, add, "an uploaded file")


def _from_model(key: str, corpus: Corpus, state: ProjectState, atoms: AtomSet | None) -> None:
    told = st.text_area(
        "What the texts are about",
        state.description,
        key="atoms_description",
        placeholder="Complaints by consumers about banks and lenders.",
    )
    st.caption(
        f"{plain(models.language_model_line(state.models))} reads this description and nothing else: no "
        "record, and no donated text."
    )
    models.stand_in_note(state.models)
    m, add = _how_many(atoms)
    busy = background.running(key, STEP)
    if st.button("Propose labels", key="build_atoms", type="primary", disabled=busy):
        if not told.strip():
            raise BadInput("The description is empty.", fix="Say in a sentence what the texts are about.")
        roles = models.roles(replace(state.models, mapper="model"))
        work = partial(AtomRecipe(describe=told.strip(), m=m).build, corpus.donated(), roles)
        shell.keep(f"{key}/{STEP}/add", add)
        background.start(key, STEP, "Labels from a description", work)
        st.rerun()


def _how_many(atoms: AtomSet | None) -> tuple[int, bool]:
    """m, and whether the new atoms join those that are there."""
    left, middle, right = st.columns([2, 1, 2], vertical_alignment="bottom")
    chosen = left.segmented_control(
        "Atoms at most (m)", [*SIZES, OTHER], default=SIZES[0], key="atoms_m", required=True
    )
    m = chosen
    if chosen == OTHER:
        m = middle.number_input("m", 1, MOST_ATOMS, SIZES[0], key="atoms_m_other")
    add = atoms is not None and right.toggle("Add to the atoms that are there", key="atoms_add")
    return int(m), add


def _pressed(label: str) -> bool:
    return st.button(label, key="build_atoms", type="primary")


def _keep(
    key: str, state: ProjectState, atoms: AtomSet | None, made: AtomSet, add: bool, what: str, **more: Any
) -> None:
    whole = combined(atoms, made) if add and atoms is not None else made
    new = len(whole) - (len(atoms) if add and atoms is not None else 0)
    if whole == atoms:
        st.info("Nothing changed: every one of these labels is there already.")
        return
    _save(key, state, whole, f"{count(new, 'atom')} from {what}", **more)


def _save(key: str, state: ProjectState, atoms: AtomSet | None, what: str, **more: Any) -> None:
    kept = {**_settings(state), **more, "atoms": atoms.to_list() if atoms else []}
    shell.save_state(key, state.with_settings(insights=kept), what)


def _settings(state: ProjectState) -> Mapping[str, Any]:
    return state.settings.get("insights", {})
