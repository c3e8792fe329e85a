"""Insights page: the atoms as a table in which a person edits labels and descriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st
import yaml

from ctxpriv.privatize.spin.atoms import LONGEST_DESCRIPTION, LONGEST_LABEL, SOURCES, AtomSet
from pages.parts import insight_tabs, shell
from pages.parts.text import count


def draw(atoms: AtomSet, save: Callable[[AtomSet | None, str], None]) -> None:
    """`save` gets the atoms as they are to be (None: no more), and what was done to them."""
    st.subheader("The atoms", anchor=False)
    edited = _editor(atoms)
    st.caption(
        f"{count(len(atoms), 'atom')}; digest {atoms.digest[:12]}. A run freezes the labels and "
        "descriptions as they are then; later edits are for later runs. Two releases can be compared when "
        "their digests are equal."
    )
    if any(st.session_state.get(_key(), {}).values()):
        st.warning("The table holds changes that are not saved yet.")
    row = st.container(horizontal=True)
    if row.button("Save the labels", key="save_atoms", type="primary"):
        rows = [(_line(r["label"]), _line(r["description"])) for _, r in edited.iterrows()]
        changed = atoms.edited([r for r in rows if any(r)])
        if changed == atoms:
            st.info("Nothing was changed.")
        else:
            save(changed, "Atoms edited")
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
        save(None, "Atoms taken out")
    insight_tabs.lead_to(insight_tabs.RELEASE, row)


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
        key=_key(),
        placeholder="–",
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


def _key() -> str:
    return f"atoms_{shell.version()}"


def _line(cell: Any) -> str:
    return "" if pd.isna(cell) else " ".join(str(cell).split())
