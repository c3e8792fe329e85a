"""Insights page: its tabs, and the buttons that lead from one to the next."""

from __future__ import annotations

from typing import Any

import streamlit as st

ATOMS, RELEASE, RESULTS, COMPARE, TRIALS = TABS = (
    "Atoms",
    "New release",
    "Results",
    "Compare",
    "Experiments",
)
KEY = "insights_tab"


def lead_to(tab: str, place: Any = st, *, label: str | None = None) -> None:
    """A button that turns to another tab."""
    place.button(label or f"Go to {tab}", key=f"to_{tab}", on_click=_turn, args=(tab,))


def _turn(tab: str) -> None:
    st.session_state[KEY] = tab
