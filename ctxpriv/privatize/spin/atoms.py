"""Semantic atoms: the fixed public concepts that records are measured against (DP-SPIN §3.2).

RELEASE SIDE. Labels and descriptions are seen by decoders and readers, so none may come from the
protected records: every atom says where it came from, and only public or donated sources exist.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from ctxpriv.errors import BadInput

SOURCES = {
    "taxonomy": "values of the donated records",
    "phrases": "phrases of the donated texts",
    "typed": "typed by a person",
    "uploaded": "uploaded by a person",
    "model": "proposed by a model from a description",
}
"""Where a label may come from, in words for pages and cards. A label read off the protected records
would need a differentially private release of its own (paper §3.2), so there is no such source."""

LONGEST_LABEL = 120
LONGEST_DESCRIPTION = 1000
MOST_ATOMS = 2000
_TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@dataclass(frozen=True)
class Atom:
    """One concept. `support`: how many donated records or texts carry it, None where not counted."""

    label: str
    description: str = ""
    source: str = "typed"
    support: int | None = None

    def __post_init__(self) -> None:
        where = f"atom {self.label!r}"
        if not all(isinstance(told, str) for told in (self.label, self.description, self.source)):
            raise BadInput(
                "has a label, description or source that is not text.", where=where, fix="Put it in quotes."
            )
        if self.support is not None and (type(self.support) is not int or self.support < 0):
            raise BadInput("has a support that is not a whole number of at least 0.", where=where)
        if self.label != " ".join(self.label.split()) or not any(c.isalnum() for c in self.label):
            raise BadInput(
                "has no letters, or spaces too many.", where=where, fix="Write a short name on one line."
            )
        if _halves(self.label + self.description) or (
            self.source not in ("taxonomy", "phrases") and _hidden(self.label)
        ):
            raise BadInput(
                "holds characters that cannot be shown: halves, control characters, or such as turn the "
                "direction of writing.",
                where=where,
                fix="Type the label anew.",
            )
        if len(self.label) > LONGEST_LABEL or len(self.description) > LONGEST_DESCRIPTION:
            raise BadInput(
                f"is too long: a label has at most {LONGEST_LABEL} characters, a description "
                f"{LONGEST_DESCRIPTION}.",
                where=f"atom {self.label[:40]!r}",
                fix="Name the concept; do not quote a record.",
            )
        if self.source not in SOURCES:
            raise BadInput(
                f"comes from {self.source!r}, which is no public source.",
                where=where,
                fix="Labels may come from donated records, a person or a model that saw neither, "
                "never from the protected records.",
            )

    @property
    def meaning(self) -> str:
        """What texts are compared with: the label and its description."""
        return f"{self.label}. {self.description}" if self.description else self.label


@dataclass(frozen=True)
class AtomSet:
    """The public dictionary, in a fixed order, so that its first m are a smaller one.

    Raises BadInput for an empty set and for labels that are alike but for case and spaces.
    """

    atoms: tuple[Atom, ...]

    def __post_init__(self) -> None:
        if not self.atoms:
            raise BadInput("there is no atom.", where="atoms", fix="Build or type at least one label.")
        if len(self.atoms) > MOST_ATOMS:
            raise BadInput(f"there are more than {MOST_ATOMS} atoms.", where="atoms", fix="Keep fewer.")
        seen: dict[str, str] = {}
        for atom in self.atoms:
            folded = canonical(atom.label)
            if folded in seen:
                raise BadInput(
                    f"two atoms share the label {atom.label!r}.",
                    where="atoms",
                    fix="Rename one or take it out.",
                )
            seen[folded] = atom.label

    def __len__(self) -> int:
        return len(self.atoms)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(a.label for a in self.atoms)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that occur, in the order of `SOURCES`."""
        return tuple(s for s in SOURCES if any(a.source == s for a in self.atoms))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over labels and descriptions in order: two plans are comparable when theirs are equal."""
        told = json.dumps([[a.label, a.description] for a in self.atoms], ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def marker(self, atom: int) -> str:
        """The canonical reference to an atom in audit summaries: [A001] is the first."""
        return f"[A{atom + 1:03d}]"

    def top(self, m: int) -> AtomSet:
        """The first m; all where there are fewer."""
        return AtomSet(self.atoms[:m])

    def without(self, labels: Iterable[str]) -> AtomSet:
        """Raises BadInput for an unknown label, and when none would be left."""
        gone = set(labels)
        if unknown := sorted(gone - set(self.labels)):
            raise BadInput(f"there is no atom {unknown[0]!r}.", where="withhold", fix="Use a label as it is.")
        return AtomSet(tuple(a for a in self.atoms if a.label not in gone))

    def edited(self, rows: Sequence[tuple[str, str]]) -> AtomSet:
        """The set after a person edited labels and descriptions. Atoms that were changed, and new ones,
        are theirs ("typed"); an unchanged atom keeps its source."""
        known = {(a.label, a.description): a for a in self.atoms}
        return AtomSet(tuple(known.get((label, text)) or Atom(label, text, "typed") for label, text in rows))

    def to_list(self) -> list[dict[str, Any]]:
        """JSON-able."""
        return [asdict(a) for a in self.atoms]

    @staticmethod
    def from_list(data: Iterable[Mapping[str, Any]]) -> AtomSet:
        return AtomSet(tuple(Atom(**row) for row in data))


def _halves(text: str) -> bool:
    """Half characters, which no file can hold."""
    return any(unicodedata.category(c) == "Cs" for c in text)


def _hidden(text: str) -> bool:
    return any(unicodedata.category(c) == "Cc" or unicodedata.bidirectional(c) in _TURNS for c in text)


def canonical(label: str) -> str:
    """What makes two labels the same: letters and digits, whatever the case and the signs between."""
    return " ".join("".join(c if c.isalnum() else " " for c in label.casefold()).split())


def ranked(atoms: Iterable[Atom], m: int | None = None) -> AtomSet:
    """The m atoms with most auxiliary support; ties by label, so that the order never varies."""
    ordered = sorted(atoms, key=lambda a: (-(a.support or 0), canonical(a.label), a.label))
    return AtomSet(tuple(ordered[:m]))
