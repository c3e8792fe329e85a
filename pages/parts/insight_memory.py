"""Insights page: widgets that come back as they were left, on this visit or by the corpus's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from ctxpriv.project import ProjectState
from pages.parts import shell


@dataclass(frozen=True)
class Memory:
    """Of one corpus. `saved` is what a run of it kept."""

    key: str
    saved: Mapping[str, Any]

    @staticmethod
    def of(key: str, state: ProjectState) -> Memory:
        return Memory(key, state.settings.get("insights", {}))

    def before(self, name: str, default: Any) -> Any:
        return shell.kept(f"{self.key}/insights/{name}", self.saved.get(name, default))

    def keep(self, name: str, value: Any) -> Any:
        return shell.keep(f"{self.key}/insights/{name}", value)

    def now(self) -> dict[str, Any]:
        """All settings as they are now, to be kept with the corpus."""
        prefix = f"{self.key}/insights/"
        said = {k.removeprefix(prefix): v for k, v in shell.all_kept().items() if k.startswith(prefix)}
        return {**self.saved, **said}

    def segments(self, label: str, name: str, options: Mapping[str, str], first: str) -> str:
        """One of few options, side by side."""
        chosen = st.segmented_control(
            label,
            list(options),
            default=self.before(name, first),
            format_func=options.get,
            key=f"insight_{name}",
            required=True,
        )
        return self.keep(name, chosen)

    def number(
        self, place: Any, label: str, name: str, first: int, least: int, most: int, help: str | None = None
    ) -> int:
        """`first` is remembered as None: another number may be first when there are other atoms."""
        before = self.before(name, None)
        now = min(max(int(first if before is None else before), least), most)
        told = int(place.number_input(label, least, most, now, key=f"insight_{name}", help=help))
        self.keep(name, None if told == first else told)
        return told
