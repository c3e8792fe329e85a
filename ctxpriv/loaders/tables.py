"""Files to a plain table of cells: CSV, TSV, JSON, JSON lines, Parquet, also gzipped.

Nothing here knows what a column means. Errors name the file and the line or row; rows
count from 1 and leave out the header, lines are the file's own. No error quotes a cell.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from ctxpriv.errors import BadInput

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
MAX_NAME = 100  # characters
_DELIMITERS = ",;\t|"


def read_table(path: str | Path, *, n_rows: int | None = None) -> pd.DataFrame:
    """The file's cells, one row a record, columns in file order.

    CSV cells are text; an empty cell is missing, while "NA" and "null" stay what they are.
    JSON objects keep their types, and nested objects become columns named "outer.inner".
    `n_rows` stops early, for a preview. Raises BadInput for a file that does not exist, is
    empty, is not UTF-8, or cannot be parsed; then nothing is returned.
    """
    path = Path(path)
    kind = file_kind(path)
    if not path.is_file():
        raise BadInput("does not exist.", where=path.name, fix="Check the path.")
    if path.stat().st_size == 0:
        raise BadInput("is empty.", where=path.name, fix="Choose a file with records in it.")
    if kind == "parquet":
        table = _read_parquet(path)
    else:
        check_utf8(path)
        table = _read_csv(path, n_rows) if kind == "csv" else _read_json(path, n_rows)
    if not len(table):
        raise BadInput("holds no records.", where=path.name, fix="Choose a file with records in it.")
    _check_header(table, path)
    return table if n_rows is None else table.head(n_rows)


def read_uploaded(data: bytes, name: str) -> pd.DataFrame:
    """As `read_table`, for the bytes of a file called `name`; nothing of them stays on disk."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(data)
        return read_table(path)


def file_kind(path: str | Path) -> str:
    """ "csv", "json" or "parquet", from the name (".gz" is looked through)."""
    path = Path(path)
    suffixes = [s.lower() for s in path.suffixes]
    last = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else suffixes[-1] if suffixes else ""
    if last not in KINDS:
        raise BadInput(
            f"has an unknown kind of name ({last or 'no ending'}).",
            where=path.name,
            fix="Use .csv, .tsv, .jsonl, .json or .parquet.",
        )
    return KINDS[last]


def open_bytes(path: Path) -> BinaryIO:
    """The file's bytes, unpacked where it is gzipped."""
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]


def check_utf8(path: Path) -> None:
    """Raises BadInput naming line and byte offset of the first byte that is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = lines = 0
    with open_bytes(path) as file:
        try:
            while chunk := file.read(1 << 20):
                if offset == 0 and chunk[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                    raise BadInput("is UTF-16, not UTF-8.", where=path.name, fix="Save it as UTF-8.")
                if offset == 0 and b"\x00" in chunk:
                    raise BadInput(
                        "holds zero bytes: it is not a text file.",
                        where=path.name,
                        fix="Choose a CSV or JSON file, saved as UTF-8.",
                    )
                pending = len(decoder.getstate()[0])
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError as error:
                    raise _not_utf8(
                        path,
                        offset - pending + error.start,
                        lines + chunk[: max(0, error.start - pending)].count(b"\n") + 1,
                    ) from None
                offset, lines = offset + len(chunk), lines + chunk.count(b"\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            raise _not_utf8(path, offset, lines + 1) from None
        except (gzip.BadGzipFile, EOFError):
            raise BadInput(
                "is not a whole gzip file.", where=path.name, fix="Download or pack it again."
            ) from None


def _not_utf8(path: Path, offset: int, line: int) -> BadInput:
    return BadInput(
        f"is not UTF-8: byte {offset} cannot be read.",
        where=f"{path.name}, line {line}",
        fix="Save it as UTF-8; files from Windows programs are often Windows-1252.",
    )


def _read_csv(path: Path, n_rows: int | None) -> pd.DataFrame:
    with open_bytes(path) as file:
        head = io.TextIOWrapper(file, "utf-8-sig").readline()
    if not head.strip():
        raise BadInput(
            "has no header line.", where=path.name, fix="Put the column names into the first line."
        )
    # The header decides: records may hold any of these characters in their text.
    delimiter = max(_DELIMITERS, key=head.count) if any(d in head for d in _DELIMITERS) else ","
    try:
        # Before pandas renames repeated names; nameless columns may repeat ("Unnamed: 3").
        _check_names([n for n in next(csv.reader([head], delimiter=delimiter)) if n.strip()], path)
        table = pd.read_csv(
            path,
            sep=delimiter,
            dtype=str,
            keep_default_na=False,
            na_values=[""],
            encoding="utf-8-sig",
            nrows=n_rows,
            skip_blank_lines=True,
        )
    except csv.Error:
        raise BadInput("its first line cannot be read as column names.", where=path.name) from None
    except pd.errors.EmptyDataError:
        raise BadInput("holds no records.", where=path.name) from None
    except pd.errors.ParserError as error:
        raise BadInput(
            f"cannot be read as CSV ({_where_csv_broke(str(error))}).",
            where=path.name,
            fix="Put cells that hold the separator, quotes or line breaks in double quotes.",
        ) from None
    if not isinstance(table.index, pd.RangeIndex):
        # pandas takes surplus cells at the front of a row for an index and shifts the columns.
        raise BadInput(
            "its rows have more cells than the header has names.",
            where=f"{path.name}, row 1",
            fix="Name every column in the first line.",
        )
    return table


def _where_csv_broke(message: str) -> str:
    """The parser's own account, which holds line and field numbers but no cell text."""
    if "EOF inside string" in message:
        return (
            "a quoted cell never ends; it " + message[message.find("starting at") :].strip()
            if "starting at" in message
            else "a quoted cell never ends"
        )
    position = message.find("Expected ")
    return message[position:].strip() if position >= 0 else "the rows do not fit the header"


def _read_json(path: Path, n_rows: int | None) -> pd.DataFrame:
    """JSON lines, one array of objects, or one object that holds an array of objects."""
    with open_bytes(path) as file:
        start = file.read(4096).decode("utf-8-sig", "ignore").lstrip()
    if not start:
        raise BadInput("holds no records.", where=path.name, fix="Choose a file with records in it.")
    rows = _whole_document(path) if start[0] == "[" or _is_one_document(path) else _json_lines(path, n_rows)
    # As objects: a column with gaps would turn whole numbers into floats, and large ids into others.
    return pd.DataFrame([_flat(row) for row in rows], dtype=object)


def _is_one_document(path: Path) -> bool:
    """True when the first line alone is not JSON, so that the file is one document."""
    if path.suffix.lower() in (".jsonl", ".ndjson") or path.name.lower().endswith(
        (".jsonl.gz", ".ndjson.gz")
    ):
        return False
    with open_bytes(path) as file:
        lines = io.TextIOWrapper(file, "utf-8-sig")
        first = next((line for line in lines if line.strip()), "")
        try:
            row = json.loads(first)
        except json.JSONDecodeError:
            return True
        only = not any(line.strip() for line in lines)
    return only and any(_is_rows(value) for value in row.values())


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _whole_document(path: Path) -> list[dict[str, Any]]:
    with open_bytes(path) as file:
        try:
            data = json.load(io.TextIOWrapper(file, "utf-8-sig"))
        except json.JSONDecodeError as error:
            raise BadInput(
                f"is not valid JSON ({error.msg}).",
                where=f"{path.name}, line {error.lineno}",
                fix="Correct the line, or export the file again.",
            ) from None
        except RecursionError:
            raise BadInput("is nested too deeply.", where=path.name) from None
    if isinstance(data, dict):
        # The record list is the largest array of objects: "collection" of the bioRxiv API.
        data = max((v for v in data.values() if _is_rows(v)), key=len, default=[])
    for number, row in enumerate(data, 1):
        if not isinstance(row, dict):
            raise BadInput(
                "is not a JSON object.",
                where=f"{path.name}, row {number}",
                fix="Every record must be an object with named fields.",
            )
    return data


def _json_lines(path: Path, n_rows: int | None) -> Iterator[dict[str, Any]]:
    with open_bytes(path) as file:
        count = 0
        for number, line in enumerate(io.TextIOWrapper(file, "utf-8-sig", newline="\n"), 1):
            if not line.strip():
                continue
            if n_rows is not None and count >= n_rows:
                return
            where = f"{path.name}, line {number}"
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise BadInput(
                    f"is not valid JSON ({error.msg} at character {error.colno}).",
                    where=where,
                    fix="Correct or remove the line.",
                ) from None
            except RecursionError:
                raise BadInput("is nested too deeply.", where=where) from None
            if not isinstance(row, dict):
                raise BadInput(
                    "is not a JSON object.",
                    where=where,
                    fix="Every line must be an object with named fields.",
                )
            count += 1
            yield row


def _flat(row: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            out.update(_flat(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = _whole_characters(value) if isinstance(value, str) else value
    return out


def _whole_characters(text: str) -> str:
    """Halves of characters, which cut-off exports hold as escapes, become the replacement character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except Exception as error:  # pyarrow raises several kinds for a file that is not Parquet
        if isinstance(error, MemoryError):
            raise
        raise BadInput("cannot be read as Parquet.", where=path.name, fix="Export it again.") from None
    return table.reset_index(drop=True)


def _check_header(table: pd.DataFrame, path: Path) -> None:
    table.columns = [str(c).strip() for c in table.columns]
    _check_names(list(table.columns), path)


def _check_names(names: list[str], path: Path) -> None:
    if any(len(n) > MAX_NAME for n in names):
        # Most likely a record: it must not reach a message or a page as a column name.
        raise BadInput(
            "its first line does not look like column names.",
            where=path.name,
            fix="Put the column names into the first line.",
        )
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise BadInput(f"two columns are named {twice[0]!r}.", where=path.name, fix="Rename one.")
