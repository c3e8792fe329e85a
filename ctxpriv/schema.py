"""Attributes with finite domains, their schema, and coarsening (DESIGN section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.errors import BadInput

NOT_STATED = "Not stated"
OTHER = "Other"
NOT_APPLICABLE = "Not Applicable"
"""The value of a conditional attribute where its condition is not met (paper App. A.1, ii)."""

SAYS_NOTHING = frozenset({NOT_STATED, OTHER, NOT_APPLICABLE})
"""Values that state nothing of their own: there is nothing in them to protect, to keep or to guess."""

MAX_BUCKETS = 5  # paper App. B
COARSEN_ABOVE = 10  # paper App. B: domains of more than 10 values are coarsened

PRIVATE_VALUES = "private values"
"""How the origin of a coarsening ends when it was computed on private records."""

PROVENANCES = ("declared", "observed", "prompted", "dp")
"""How a domain came about: declared by people who did not look at the private records,
read off the private records (then the card must say so, DESIGN 4.8), proposed by a
model that saw no private text, or found by a differentially private pass over the private
records (paper App. A.3)."""


@dataclass(frozen=True)
class Attribute:
    """One information type with its finite domain, values in display order."""

    name: str
    values: tuple[str, ...]
    description: str = ""
    provenance: str = "declared"
    rationale: str = ""

    def __post_init__(self) -> None:
        where = f"attribute {self.name!r}"
        if not self.name or self.name != self.name.strip():
            raise BadInput("has an empty name or spaces around it.", where=where, fix="Give it a plain name.")
        if len(self.values) < 1:
            raise BadInput("has no values.", where=where, fix="List at least one value.")
        if len(set(self.values)) != len(self.values):
            raise BadInput("lists a value twice.", where=where, fix="Remove the repeated value.")
        if self.provenance not in PROVENANCES:
            raise BadInput(f"has unknown provenance {self.provenance!r}.", where=where)


@dataclass(frozen=True)
class Coarsening:
    """The map g_a from the values of one attribute to a few buckets (paper App. B)."""

    attribute: str
    mapping: Mapping[str, str]  # value -> bucket
    buckets: tuple[str, ...]  # display order
    # "by hand" | "model" | "shipped" | "quantiles: WHOSE" | "frequent values: WHOSE", see `extract.coarsen`
    origin: str = "by hand"

    def __post_init__(self) -> None:
        where = f"coarsening of {self.attribute!r}"
        unknown = set(self.mapping.values()) - set(self.buckets)
        if unknown:
            raise BadInput(f"maps to undeclared buckets {sorted(unknown)}.", where=where)
        if len(set(self.buckets)) != len(self.buckets):
            raise BadInput("lists a bucket twice.", where=where)

    @property
    def reads_private_values(self) -> bool:
        """Whether the buckets were computed on private values without DP (DESIGN 4.8)."""
        return self.origin.endswith(PRIVATE_VALUES)

    @property
    def misleading(self) -> tuple[str, ...]:
        """Buckets that are named like a value of another bucket: who is told one takes it for the value."""
        return tuple(b for b in self.buckets if self.mapping.get(b, b) != b)

    def require_clear(self, where: str) -> Coarsening:
        """Itself. Raises BadInput where a bucket is misleading."""
        if self.misleading:
            raise BadInput(
                f"its bucket {self.misleading[0]!r} is also a value of another bucket.",
                where=where,
                fix="Rename the bucket, or put the value into it.",
            )
        return self

    def members(self, bucket: str) -> tuple[str, ...]:
        """The declared values inside `bucket`, in mapping order."""
        return tuple(value for value, b in self.mapping.items() if b == bucket)


@dataclass(frozen=True)
class Schema:
    """S = (A, {X_a}) plus the coarsening of some attributes."""

    attributes: tuple[Attribute, ...]
    coarsenings: Mapping[str, Coarsening] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [a.name for a in self.attributes]
        if len(set(names)) != len(names):
            twice = sorted({n for n in names if names.count(n) > 1})
            raise BadInput(f"two attributes share the name {twice[0]!r}.", where="schema", fix="Rename one.")
        for name, coarsening in self.coarsenings.items():
            missing = set(self[name].values) - set(coarsening.mapping)
            if missing:
                raise BadInput(
                    f"{len(missing)} values of {name!r} are in no bucket.",
                    where="schema",
                    fix="Put every value into a bucket.",
                )

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise BadInput(f"there is no attribute {name!r}.", where="schema")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.attributes)

    def coarse_values(self, name: str) -> tuple[str, ...]:
        """The buckets where `name` is coarsened, else its values: what mechanisms see."""
        return self.coarsenings[name].buckets if name in self.coarsenings else self[name].values

    def coarse_sizes(self, names: Iterable[str] | None = None) -> tuple[int, ...]:
        return tuple(len(self.coarse_values(n)) for n in (self.names if names is None else names))

    def coarsen(self, table: pd.DataFrame) -> pd.DataFrame:
        """Values to buckets, column by column; columns outside the schema are dropped."""
        out = {}
        for name in self.names:
            column = table[name].astype(str)
            if name in self.coarsenings:
                column = column.map(dict(self.coarsenings[name].mapping))
            out[name] = column.to_numpy(object)
        return pd.DataFrame(out, index=table.index)

    def codes(self, table: pd.DataFrame) -> np.ndarray:
        """Coarse codes, int64 of shape (n, |A|), each in range(coarse size).

        Raises BadInput naming the attribute and row when a value is outside its domain:
        call `conform` first.
        """
        coarse = self.coarsen(table)
        columns = []
        for name in self.names:
            position = {v: i for i, v in enumerate(self.coarse_values(name))}
            code = coarse[name].map(position)
            if code.isna().any():
                row = int(np.flatnonzero(code.isna().to_numpy())[0])
                raise BadInput("a value is outside the schema.", where=f"row {row}, attribute {name!r}")
            columns.append(code.to_numpy(np.int64))
        if not columns:
            return np.zeros((len(table), 0), np.int64)
        return np.column_stack(columns)

    def decode(self, codes: np.ndarray, names: Sequence[str] | None = None) -> pd.DataFrame:
        """Coarse codes of shape (n, len(names)) back to bucket names or values."""
        names = self.names if names is None else tuple(names)
        return pd.DataFrame(
            {n: np.asarray(self.coarse_values(n), object)[codes[:, i]] for i, n in enumerate(names)}
        )

    def conform(self, table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
        """Map missing values to `Not stated` and foreign ones to `Other` or `Not stated`.

        Returns the conformed table (the schema's columns only) and, per attribute, how
        many values were outside its domain. Comparison ignores case and outer spaces.
        Domains that hold neither `Other` nor `Not stated` raise BadInput on such a value.
        """
        out, outside = {}, {}
        for attribute in self.attributes:
            column, count = _conform_column(table[attribute.name], attribute)
            out[attribute.name] = column
            if count:
                outside[attribute.name] = count
        return pd.DataFrame(out, index=table.index), outside

    def with_attribute(self, attribute: Attribute) -> Schema:
        """The schema with `attribute` added, or replaced where the name exists (its
        coarsening is dropped when it no longer covers the values)."""
        if attribute.name in self.names:
            attributes = tuple(attribute if a.name == attribute.name else a for a in self.attributes)
        else:
            attributes = (*self.attributes, attribute)
        keep = {
            n: c
            for n, c in self.coarsenings.items()
            if n != attribute.name or set(attribute.values) <= set(c.mapping)
        }
        return Schema(attributes, keep)

    def with_coarsening(self, coarsening: Coarsening) -> Schema:
        return replace(self, coarsenings={**self.coarsenings, coarsening.attribute: coarsening})

    def without_coarsening(self, name: str) -> Schema:
        return replace(self, coarsenings={n: c for n, c in self.coarsenings.items() if n != name})

    def at_coarse_level(self, names: Iterable[str] | None = None) -> Schema:
        """With the buckets of `names` (default: all) as their values, and no coarsening left there.

        Codes mean the same in both: a table that tells buckets has the same codes under this
        schema as the table of its values has under the present one.
        """
        chosen = set(self.names if names is None else names) & set(self.coarsenings)
        attributes = tuple(
            replace(a, values=self.coarse_values(a.name)) if a.name in chosen else a for a in self.attributes
        )
        return Schema(attributes, {n: c for n, c in self.coarsenings.items() if n not in chosen})

    def provenances(self) -> str:
        """Where the value lists come from, in words: "declared: age, sex; dp: mood"."""
        by: dict[str, list[str]] = {}
        for attribute in self.attributes:
            by.setdefault(attribute.provenance, []).append(attribute.name)
        return "; ".join(f"{how}: {', '.join(who)}" for how, who in by.items())

    def only(self, names: Sequence[str]) -> Schema:
        return Schema(
            tuple(self[n] for n in names), {n: c for n, c in self.coarsenings.items() if n in names}
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "attributes": [
                {
                    "name": a.name,
                    "values": list(a.values),
                    "description": a.description,
                    "provenance": a.provenance,
                    "rationale": a.rationale,
                }
                for a in self.attributes
            ],
            "coarsenings": [
                {
                    "attribute": c.attribute,
                    "buckets": list(c.buckets),
                    "mapping": dict(c.mapping),
                    "origin": c.origin,
                }
                for c in self.coarsenings.values()
            ],
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Schema:
        attributes = tuple(
            Attribute(
                a["name"],
                tuple(str(v) for v in a["values"]),
                a.get("description", ""),
                a.get("provenance", "declared"),
                a.get("rationale", ""),
            )
            for a in data["attributes"]
        )
        coarsenings = {
            c["attribute"]: Coarsening(
                c["attribute"],
                {str(k): str(v) for k, v in c["mapping"].items()},
                tuple(c["buckets"]),
                c.get("origin", "by hand"),
            )
            for c in data.get("coarsenings", [])
        }
        return Schema(attributes, coarsenings)


def _conform_column(column: pd.Series, attribute: Attribute) -> tuple[np.ndarray, int]:
    """One column brought into the attribute's domain, with the number of foreign values."""
    folded = {v.strip().casefold(): v for v in attribute.values}
    missing = NOT_STATED if NOT_STATED in attribute.values else OTHER if OTHER in attribute.values else None
    foreign = OTHER if OTHER in attribute.values else missing
    # Not `column.astype(str)` alone: that would turn a missing value into the text "nan".
    is_missing = column.isna().to_numpy()
    values = column.astype(object).map(lambda v: str(v).strip().casefold()).to_numpy(object)
    unique = {v: folded.get(v) for v in pd.unique(values[~is_missing])}
    out, count = np.empty(len(values), object), 0
    for row, value in enumerate(values):
        known = None if is_missing[row] or value == "" else unique[value]
        if known is None:
            empty = is_missing[row] or value == ""
            known = missing if empty else foreign
            count += not empty
            if known is None:
                raise BadInput(
                    "is empty." if empty else "holds a value outside the schema.",
                    where=f"row {row}, attribute {attribute.name!r}",
                    fix=f"Add {NOT_STATED!r} or {OTHER!r} to its values, or correct the row.",
                )
        out[row] = known
    return out, count
