"""Which column is what: the mapping of a file's columns to the parts of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ctxpriv.errors import BadInput


@dataclass(frozen=True)
class ColumnMapping:
    """Columns by role. `attributes=None` means: the ones that `sniff` would propose.

    `label` is the utility label and is one of the attributes (added where it is missing).
    Without `id`, records are numbered from 1. With `author`, splits are made by author.
    `split` names a column that holds private, test or donated.
    """

    text: str
    attributes: tuple[str, ...] | None = None
    label: str | None = None
    author: str | None = None
    id: str | None = None
    split: str | None = None

    def check(self, columns: Sequence[str], where: str) -> None:
        """Raises BadInput naming the first column that the file does not have."""
        single = [
            ("text", self.text),
            ("label", self.label),
            ("author", self.author),
            ("id", self.id),
            ("split", self.split),
        ]
        for role, name in [*single, *(("attribute", a) for a in self.attributes or ())]:
            if name is None:
                continue
            if name not in columns:
                near = get_close_matches(str(name), list(columns), 1)
                raise BadInput(
                    f"has no column {name!r}, which should hold the {role}.",
                    where=where,
                    fix=f"Did you mean {near[0]!r}?" if near else f"Its columns are {_list(columns)}.",
                )
        used = [name for _, name in single if name is not None and name != self.label]
        if clash := sorted({n for n in used if used.count(n) > 1}):
            raise BadInput(
                f"column {clash[0]!r} has two roles.", where=where, fix="Give each role its own column."
            )
        if clash := sorted(set(used) & {*(self.attributes or ()), self.label}):
            raise BadInput(
                f"column {clash[0]!r} cannot be an attribute and have another role.",
                where=where,
                fix="Leave it out of the attributes.",
            )

    def to_dict(self) -> dict[str, Any]:
        attributes = None if self.attributes is None else list(self.attributes)
        return {
            "text": self.text,
            "attributes": attributes,
            "label": self.label,
            "author": self.author,
            "id": self.id,
            "split": self.split,
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ColumnMapping:
        """Raises BadInput for an unknown role and for a missing text column."""
        known = ("text", "attributes", "label", "author", "id", "split")
        if unknown := [k for k in data if k not in known]:
            raise BadInput(
                f"{unknown[0]!r} is not a role of a column.",
                where="columns",
                fix=f"The roles are {_list(known)}.",
            )
        if not data.get("text"):
            raise BadInput(
                "no text column is named.", where="columns", fix="Name the column that holds the text."
            )
        attributes = data.get("attributes")
        return ColumnMapping(**{**data, "attributes": None if attributes is None else tuple(attributes)})


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(repr(str(n)) for n in list(names)[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")
