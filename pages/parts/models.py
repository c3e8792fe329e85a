"""The models behind the roles, made once per process, and what to say of them."""

from __future__ import annotations

import streamlit as st

from ctxpriv.casting import Cast, cast_for
from ctxpriv.model_choice import ModelChoice
from pages.parts import shell


def cast(choice: ModelChoice) -> Cast:
    """Who plays which role under `choice`; models are loaded and their speed measured once."""
    return _cast(str(shell.workspace().root), choice)


@st.cache_resource(show_spinner=False, max_entries=4)
def _cast(root: str, choice: ModelChoice) -> Cast:
    return cast_for(choice, shell.workspace())


def models_in_use() -> str:
    return "In use"


def language_model_in_use(key):
    return "In use"
