"""Insights page: the atoms, where their labels come from, and the table in which they are edited."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
import yaml

from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.insights.atom_recipe import AtomRecipe
from ctxpriv.privatize.spin.atom_files import from_rows, read_atoms
from ctxpriv.privatize.spin.atom_sources import combined
from ctxpriv.privatize.spin.atoms import LONGEST_DESCRIPTION, LONGEST_LABEL, MOST_ATOMS, SOURCES, AtomSet
from ctxpriv.project import ProjectState
from pages.parts import background, models, shell
from pages.parts.text import count, plain

STEP = "insight atoms"
SIZES = (50, 100, 200)
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
        _save(key, state, proposed, f"{count(len(proposed), 'atom')} proposed by a model")
    atoms = stored(state)
    if atoms is None:
        st.info(
            "There are no atoms yet. Atoms are the public themes that every record is measured against: "
            "build a set from one of the sources below, then look at its labels and change what you like."
        )
    _build(key, corpus, state, atoms)
    if atoms is not None:
        _table(key, state, atoms)


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
    names, label = list(corpus.schema.names), corpus.label
    columns = st.multiselect(
        "Columns, joined in this order",
        names,
        [n for n in _settings(state).get("columns", [label] if label else []) if n in names],
        key="atoms_columns",
        placeholder="Choose columns",
        wrap=True,
    )
    provenance = {a.name: a.provenance for a in corpus.schema.attributes}
    if observed := [n for n in columns if provenance[n] == "observed"]:
        st.caption(
            "Labels come from donated records, but which values these columns may take was read off all "
            f"records, the protected ones too: {plain(', '.join(observed))}. The guarantee says so."
        )
    m, add = _how_many(atoms)
    if _pressed("Build from columns"):
        if not columns:
            raise BadInput("No column is chosen.")
        made = AtomRecipe(taxonomy=tuple(columns), m=m).build(corpus.donated(), models.roles(state.models))
        _keep(key, state, atoms, made, add, "values of donated records", columns=columns)


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
    m, _ = _how_many(None)
    busy = background.running(key, STEP)
    if st.button("Propose labels", key="build_atoms", type="primary", disabled=busy):
        if not told.strip():
            raise BadInput("The description is empty.", fix="Say in a sentence what the texts are about.")
        roles = models.roles(replace(state.models, mapper="model"))
        work = partial(AtomRecipe(describe=told.strip(), m=m).build, corpus.donated(), roles)
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


# ---- the table


def _table(key: str, state: ProjectState, atoms: AtomSet) -> None:
    st.subheader("The atoms", anchor=False)
    edited = _editor(atoms)
    st.caption(
        f"{count(len(atoms), 'atom')}; digest {atoms.digest[:12]}. A run freezes the labels and "
        "descriptions as they are then; later edits are for later runs. Two releases can be compared when "
        "their digests are equal."
    )
    row = st.container(horizontal=True)
    if row.button("Save the labels", key="save_atoms", type="primary"):
        rows = [(_line(r["label"]), _line(r["description"])) for _, r in edited.iterrows()]
        _save(key, state, atoms.edited([r for r in rows if any(r)]), "Atoms edited")
    row.download_button(
        "Download the atoms",
        yaml.safe_dump(
            [{"label": a.label, "description": a.description, "source": a.source} for a in atoms.atoms],
            allow_unicode=True,
            sort_keys=False,
        ),
        "atoms.yaml",
        "text/yaml",
        key="atoms_yaml",
        on_click="ignore",
    )
    if row.button("Take all out", key="drop_atoms", help="Undo, at the left, brings them back."):
        _save(key, state, None, "Atoms taken out")


def _editor(atoms: AtomSet) -> pd.DataFrame:
    return st.data_editor(
        pd.DataFrame(
            {
                "label": a.label,
                "description": a.description,
                "source": SOURCES[a.source],
                "support": a.support,
            }
            for a in atoms.atoms
        ).astype({"support": "Int64"}),
        key=f"atoms_{shell.version()}",
        hide_index=True,
        num_rows="dynamic",
        height=380 if len(atoms) > 9 else "content",
        disabled=["source", "support"],
        column_order=["label", "source", "support", "description"],
        column_config={
            "label": st.column_config.TextColumn("Label", required=True, max_chars=LONGEST_LABEL),
            "description": st.column_config.TextColumn(
                "Description, which texts are compared with", width="large", max_chars=LONGEST_DESCRIPTION
            ),
            "source": st.column_config.TextColumn("Where it comes from"),
            "support": st.column_config.NumberColumn(
                "Support", width="small", help="Donated records or texts that carry it."
            ),
        },
    )


def _line(cell: Any) -> str:
    return "" if pd.isna(cell) else " ".join(str(cell).split())


def _keep(
    key: str, state: ProjectState, atoms: AtomSet | None, made: AtomSet, add: bool, what: str, **more: Any
) -> None:
    whole = combined(atoms, made) if add and atoms is not None else made
    new = len(whole) - (len(atoms) if add and atoms is not None else 0)
    _save(key, state, whole, f"{count(new, 'atom')} from {what}", **more)


def _save(key: str, state: ProjectState, atoms: AtomSet | None, what: str, **more: Any) -> None:
    kept = {**_settings(state), **more, "atoms": atoms.to_list() if atoms else []}
    shell.save_state(key, state.with_settings(insights=kept), what)


def _settings(state: ProjectState) -> Mapping[str, Any]:
    return state.settings.get("insights", {})
