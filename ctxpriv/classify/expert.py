"""An expert's judgements, read from a file and laid beside ours (paper App. H).

The file is a CSV with a line for each attribute and audience: attribute, audience, side (or
decision), note. It holds no records. A line without a side is one the expert did not judge.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ctxpriv.classify.votes import side_said
from ctxpriv.context import SIDES, Partition, Side
from ctxpriv.errors import BadInput
from ctxpriv.loaders.tables import file_kind, read_table, read_uploaded
from ctxpriv.schema import Schema
from ctxpriv.strict import did_you_mean

SIDE_FIELDS = ("side", "decision")
LONGEST_NOTE = 2000  # characters; every version of the project keeps the notes
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Opinion:
    """What the expert says of one attribute for one audience."""

    attribute: str
    audience: str
    side: Side
    note: str = ""


@dataclass(frozen=True)
class ExpertReview:
    """One file. `unjudged` counts its lines without a side."""

    name: str
    opinions: tuple[Opinion, ...]
    unjudged: int = 0

    def on(self, audience: str) -> dict[str, Opinion]:
        """The opinions for one audience, by attribute."""
        return {o.attribute: o for o in self.opinions if o.audience == audience}

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ExpertReview:
        return ExpertReview(**{**data, "opinions": tuple(Opinion(**o) for o in data["opinions"])})


@dataclass(frozen=True)
class Disagreement:
    """One attribute that the expert puts on another side than we do."""

    attribute: str
    ours: Side
    expert: Side
    note: str = ""

    @property
    def discloses(self) -> bool:
        """Whether we disclose something of what the expert protects."""
        return self.expert == "private" != self.ours


@dataclass(frozen=True)
class ExpertAgreement:
    """One audience: on how many of the `covered` attributes we stand on the expert's side.

    `exact` counts the same side; `agree` also counts public beside coarsened, as the paper's
    App. H does, where that was a clarification. Disclosed-but-protected disagreements come first.
    """

    audience: str
    covered: int
    exact: int
    agree: int
    disagreements: tuple[Disagreement, ...]

    def sentence(self) -> str:
        """As App. H says it: agreement on k of n attributes, and what is clarified."""
        if not self.covered:
            return f"{self.audience}: the expert judged none of the attributes."
        clarified = self.agree - self.exact
        said = f"{self.audience}: agreement on {self.agree} of {self.covered} attributes"
        if clarified:
            said += f", with a clarification on {clarified} (coarsened or not)"
        worse = sum(d.discloses for d in self.disagreements)
        return f"{said}. {worse} disclosed here but private to the expert." if worse else f"{said}."


def load_expert(
    source: str | Path | bytes, name: str, schema: Schema, audiences: Iterable[str]
) -> ExpertReview:
    """Reads a CSV (comma or semicolon, UTF-8 with or without BOM) from a path or its bytes.

    `name` is the file's name for messages. Sides may be spelled as in `side_said`. Raises
    BadInput naming file, row and field for an unknown attribute, audience or side, for a pair
    that is judged twice, for a note above `LONGEST_NOTE`, and for missing columns. No message quotes a cell.
    """
    table, audiences = _table(source, name), tuple(audiences)
    side_field = _side_field(table, name)
    first_row: dict[tuple[str, str], int] = {}
    opinions: list[Opinion] = []
    for number, row in enumerate(table.to_dict("records"), 1):
        if not any(row.values()):
            continue  # spreadsheets leave empty lines at the end
        where = f"{name}, row {number}"
        attribute = _known(row["attribute"], schema.names, f"{where}, field attribute", "attribute")
        audience = _known(row["audience"], audiences, f"{where}, field audience", "audience")
        if (earlier := first_row.setdefault((attribute, audience), number)) != number:
            raise BadInput(
                f"judges {attribute!r} for {audience!r} again, after row {earlier}.",
                where=where,
                fix="Keep one of the two.",
            )
        if row[side_field]:
            side = _side(row[side_field], f"{where}, field {side_field}")
            note = _note(row.get("note", ""), f"{where}, field note")
            opinions.append(Opinion(attribute, audience, side, note))
    return ExpertReview(name, tuple(opinions), len(first_row) - len(opinions))


def compare_expert(review: ExpertReview, partitions: Mapping[str, Partition]) -> tuple[ExpertAgreement, ...]:
    """Agreement per audience that the expert judged, in the order of `partitions`. Attributes that a
    partition does not know (the schema changed since) are left out."""
    return tuple(
        _agreement(partition, review.on(name)) for name, partition in partitions.items() if review.on(name)
    )


def apply_expert(partition: Partition, review: ExpertReview, schema: Schema) -> Partition:
    """The partition with the expert's sides; any approval is void where something moves.

    Attributes that the partition does not know are passed over, as in `compare_expert`. Raises
    BadInput where the expert wants buckets that the schema does not have.
    """
    applied, known = partition, {*partition.disclosed, *partition.private}
    for attribute, opinion in review.on(partition.audience).items():
        if attribute in known and applied.side(attribute) != opinion.side:
            applied = applied.moved(attribute, opinion.side)
    applied.check(schema)
    return applied


def template_csv(schema: Schema, partitions: Iterable[str]) -> bytes:
    """A file for the expert to fill in, for every attribute and every audience of `partitions`.

    It does not show our sides, which would lead the expert. UTF-8 with BOM, so that spreadsheet
    programs read it right; a cell that such a program would run as a formula starts with "'".
    """
    out = io.StringIO(newline="")
    lines = csv.writer(out)
    lines.writerow(("attribute", "description", "audience", "side", "note"))
    for audience in partitions:
        for attribute in schema.attributes:
            lines.writerow(map(_guarded, (attribute.name, attribute.description, audience, "", "")))
    return out.getvalue().encode("utf-8-sig")


def _agreement(partition: Partition, opinions: Mapping[str, Opinion]) -> ExpertAgreement:
    known = {*partition.disclosed, *partition.private}
    pairs = [(partition.side(name), opinion) for name, opinion in opinions.items() if name in known]
    differ = [Disagreement(o.attribute, ours, o.side, o.note) for ours, o in pairs if ours != o.side]
    return ExpertAgreement(
        partition.audience,
        len(pairs),
        len(pairs) - len(differ),
        sum((ours == "private") == (o.side == "private") for ours, o in pairs),
        tuple(sorted(differ, key=_disclosed_first)),
    )


def _disclosed_first(d: Disagreement) -> tuple[bool, int]:
    return not d.discloses, SIDES.index(d.ours) - SIDES.index(d.expert)


def _table(source: str | Path | bytes, name: str) -> pd.DataFrame:
    """The cells as stripped text, "" where empty, columns in lower case."""
    if file_kind(name) != "csv":
        raise BadInput("is not a CSV file.", where=name, fix="Save the table as CSV.")
    table = read_uploaded(source, name) if isinstance(source, bytes) else read_table(source)
    table = table.fillna("").map(lambda cell: _unguarded(cell.strip()))
    table.columns = [column.casefold() for column in table.columns]
    return table


def _side_field(table: pd.DataFrame, name: str) -> str:
    """Which column holds the side, after a check that all columns are there, and once only."""
    columns = list(table.columns)
    given = [field for field in SIDE_FIELDS if field in columns]
    wanted = [field for field in ("attribute", "audience") if field not in columns]
    if not given:
        wanted.append("side")
    if wanted:
        fix = "The first line must name attribute, audience, side and note."
        raise BadInput(f"has no column {wanted[0]!r}.", where=name, fix=fix)
    if len(given) > 1 or len(set(columns)) < len(columns):
        raise BadInput("has two columns for the same thing.", where=name, fix="Keep one of them.")
    return given[0]


def _known(cell: str, known: Iterable[str], where: str, what: str) -> str:
    if not cell:
        raise BadInput("is empty.", where=where, fix=f"Name the {what}.")
    if cell not in known:
        raise BadInput(f"is no {what} here.", where=where, fix=did_you_mean(cell, known))
    return cell


def _side(cell: str, where: str) -> Side:
    side = side_said(cell)
    if side is None:
        raise BadInput("is no side.", where=where, fix=f"Use one of {', '.join(SIDES)}.")
    return side


def _note(cell: str, where: str) -> str:
    if len(cell) > LONGEST_NOTE:
        raise BadInput(f"is longer than {LONGEST_NOTE} characters.", where=where, fix="Shorten it.")
    return cell


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA) else cell
