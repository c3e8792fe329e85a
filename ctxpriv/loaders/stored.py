"""A corpus as a folder in the workspace: records.parquet and corpus.json.

Written beside its place and renamed into it, so that a folder is either whole or not there.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.schema import Schema

RECORDS, META = "records.parquet", "corpus.json"
_ATTRIBUTE = "attribute: "  # keeps an attribute named "text" apart from the text


def save_corpus(corpus: Corpus, folder: str | Path) -> None:
    """Writes the corpus to `folder`, replacing what is there only when all is written.

    Raises BadInput when the disk is full or the place cannot be written; what was there
    before is then untouched.
    """
    folder = Path(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise _not_written(folder, error) from None
    try:
        _records(corpus).to_parquet(made / RECORDS, index=False)
        (made / META).write_text(json.dumps(_meta(corpus), ensure_ascii=False, indent=1), "utf-8")
        for name in (RECORDS, META):
            with (made / name).open("rb+") as file:
                os.fsync(file.fileno())
        _replace(made, folder)
    except OSError as error:
        raise _not_written(folder, error) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def load_corpus(folder: str | Path) -> Corpus:
    """The corpus in `folder`. Raises BadInput when it is not there, not whole, or was edited by hand."""
    folder = Path(folder)
    _recover(folder)
    try:
        meta = json.loads((folder / META).read_text("utf-8"))
        records = pd.read_parquet(folder / RECORDS)
    except FileNotFoundError:
        raise BadInput("there is no stored corpus.", where=folder.name) from None
    except (ValueError, OSError):
        raise BadInput(
            "the stored corpus cannot be read.", where=folder.name, fix="Load the file again."
        ) from None
    schema = Schema.from_dict(meta["schema"])
    table = pd.DataFrame({n: records[_ATTRIBUTE + n].to_numpy(object) for n in schema.names})
    corpus = Corpus(
        meta["name"],
        tuple(records["id"]),
        tuple(records["text"]),
        table,
        schema,
        records["split"].to_numpy(object),
        meta["label"],
        tuple(records["author"]) if "author" in records else None,
        CorpusContext(**meta["context"]),
        meta["outside"],
    )
    if corpus.digest != meta["digest"]:
        raise BadInput(
            "the stored corpus was changed outside ctxpriv.",
            where=folder.name,
            fix="Load the file again; ledger lines name the corpus by its content.",
        )
    return corpus


def _records(corpus: Corpus) -> pd.DataFrame:
    columns: dict[str, object] = {
        "id": list(corpus.ids),
        "text": list(corpus.texts),
        "split": list(corpus.splits),
    }
    if corpus.authors is not None:
        columns["author"] = list(corpus.authors)
    for name in corpus.schema.names:
        columns[_ATTRIBUTE + name] = list(corpus.table[name])
    return pd.DataFrame(columns)


def _meta(corpus: Corpus) -> dict[str, object]:
    return {
        "name": corpus.name,
        "label": corpus.label,
        "digest": corpus.digest,
        "schema": corpus.schema.to_dict(),
        "context": asdict(corpus.context),
        "outside": dict(corpus.outside),
    }


def _old(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def _replace(made: Path, folder: Path) -> None:
    old = _old(folder)
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
    made.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _recover(folder: Path) -> None:
    """Undo a replacement that was cut between its two renames."""
    if not folder.exists() and _old(folder).exists():
        _old(folder).rename(folder)


def _not_written(folder: Path, error: OSError) -> BadInput:
    return BadInput(
        f"the corpus cannot be written ({error.strerror or 'input/output error'}).",
        where=folder.name,
        fix="Free some space or choose another workspace; nothing was lost.",
    )
