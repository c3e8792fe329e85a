"""Atoms that a person typed or uploaded: rows of a table, or a CSV, TXT or YAML file.

RELEASE SIDE: labels are read as they are; nothing is added from any corpus.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from ctxpriv.errors import BadInput
from ctxpriv.loaders.schema_file import read_yaml
from ctxpriv.loaders.tables import check_utf8
from ctxpriv.privatize.spin.atoms import MOST_ATOMS, Atom, AtomSet, canonical

MOST_BYTES = 5_000_000
_KEYS = frozenset(("label", "description", "source"))
_FIX = "Write label, or label and description, and no other columns."


def from_rows(
    rows: Iterable[tuple[str, str]], source: Literal["typed", "uploaded"], *, where: str = "atoms"
) -> AtomSet:
    """Atoms from (label, description) rows, in their order. Rows without both are left out.

    Raises BadInput naming `where` and the row, from 1, of a label that is empty, too long or there
    already.
    """
    return _atoms(({"label": label, "description": text} for label, text in rows), source, where, "row")


def read_atoms(path: str | Path) -> AtomSet:
    """Atoms from a file, source "uploaded".

    CSV: a header with `label` and perhaps `description`. TXT: one label a line. YAML: a list of labels,
    or of maps with `label` and `description`. A `source` may be told, and is refused where it is not
    public. Raises BadInput naming the file and the row.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in _READERS:
        raise BadInput(
            f"has an unknown kind of name ({kind or 'no ending'}).",
            where=path.name,
            fix="Use .csv, .txt or .yaml.",
        )
    if not path.is_file():
        raise BadInput("does not exist.", where=path.name, fix="Check the path.")
    if path.stat().st_size > MOST_BYTES:
        raise BadInput("is too large for a list of labels.", where=path.name, fix="Keep fewer labels.")
    rows = _READERS[kind](path)
    unit = "line" if kind == ".txt" else "row"
    return _atoms(rows, "uploaded", path.name, unit)


def _atoms(rows: Iterable[Mapping[str, Any]], source: str, where: str, unit: str) -> AtomSet:
    atoms: dict[str, Atom] = {}
    for number, row in enumerate(rows, 1):
        here = f"{where}, {unit} {number}"
        label, description, told = (_cell(row.get(key), here) for key in ("label", "description", "source"))
        if not (label or description or told):
            continue
        if not label:
            raise BadInput("has no label.", where=here, fix="Name the concept, or take the row out.")
        try:
            atom = Atom(label, description, told or source)
        except BadInput as error:
            raise BadInput(error.what, where=here, fix=error.fix) from None
        if canonical(label) in atoms:
            raise BadInput(
                f"the label {label!r} is there already.", where=here, fix="Rename one or take it out."
            )
        if len(atoms) == MOST_ATOMS:
            raise BadInput(f"there are more than {MOST_ATOMS} labels.", where=where, fix="Keep fewer.")
        atoms[canonical(label)] = Atom(label, description, source) if told in ("typed", "uploaded") else atom
    if not atoms:
        raise BadInput("holds no label.", where=where, fix="Write one label at least.")
    return AtomSet(tuple(atoms.values()))


def _cell(value: Any, where: str) -> str:
    """A cell on one line, the spaces single."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise BadInput("holds something that is no text.", where=where, fix=_FIX)
    return " ".join(str(value).split())


def _csv(path: Path) -> list[Mapping[str, Any]]:
    reader = csv.DictReader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        _check_keys(names, path.name)
        reader.fieldnames = names
        rows = []
        for number, row in enumerate(reader, 1):
            if None in row:
                raise BadInput(
                    "has more cells than the header.",
                    where=f"{path.name}, row {number}",
                    fix="Put quotes around a text that holds a comma.",
                )
            rows.append(row)
    except csv.Error as error:
        raise BadInput(f"is not valid CSV ({error}).", where=f"{path.name}, line {reader.line_num}") from None
    return rows


def _txt(path: Path) -> list[Mapping[str, Any]]:
    return [{"label": line} for line in _text(path).splitlines()]


def _yaml(path: Path) -> list[Mapping[str, Any]]:
    data = read_yaml(path)
    if not isinstance(data, list):
        raise BadInput("is no list.", where=path.name, fix="Write a list of labels: `- late fees`.")
    rows: list[Mapping[str, Any]] = []
    for number, entry in enumerate(data, 1):
        if isinstance(entry, Mapping):
            _check_keys([str(key) for key in entry], f"{path.name}, row {number}")
            rows.append({str(key): value for key, value in entry.items()})
        else:
            rows.append({"label": entry})
    return rows


def _check_keys(names: list[str], where: str) -> None:
    if "label" not in names:
        raise BadInput("has no column `label`.", where=where, fix=_FIX)
    if unknown := sorted(set(names) - _KEYS):
        raise BadInput(f"has an unknown column {unknown[0][:40]!r}.", where=where, fix=_FIX)
    if len(set(names)) < len(names):
        raise BadInput("names a column twice.", where=where, fix=_FIX)


def _text(path: Path) -> str:
    check_utf8(path)
    return path.read_text("utf-8-sig")


_READERS = {".csv": _csv, ".txt": _txt, ".yaml": _yaml, ".yml": _yaml}
