"""A corpus on disk, in parts named by their content, so that versions share what is alike.

PRIVATE SIDE: these files are the private records; they never leave the workspace.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus
from ctxpriv.files import damaged, read_text, write_text
from ctxpriv.schema import Schema


def save_corpus(corpus: Corpus, folder: Path) -> dict[str, Any]:
    """Writes the parts that `folder` lacks; returns what `load_corpus` needs (JSON-able)."""
    authors = corpus.authors if corpus.authors is not None else [None] * len(corpus)
    records = [
        [i, t, s, a]
        for i, t, s, a in zip(corpus.ids, corpus.texts, corpus.splits.tolist(), authors, strict=True)
    ]
    rows = corpus.table.astype(str).to_numpy(object).tolist()
    return {
        "name": corpus.name,
        "digest": corpus.digest,
        "n_records": len(corpus),
        "label": corpus.label,
        "context": asdict(corpus.context),
        "outside": dict(corpus.outside),
        "schema": corpus.schema.to_dict(),
        "has_authors": corpus.authors is not None,
        "records": _save_lines(records, folder),
        "values": _save_lines(rows, folder),
    }


def load_corpus(meta: dict[str, Any], folder: Path) -> Corpus:
    """Raises WorkspaceFailed when a part is missing or is not what was saved."""
    schema = Schema.from_dict(meta["schema"])
    records = _load_lines(meta["records"], folder)
    rows = _load_lines(meta["values"], folder)
    columns = {name: [row[i] for row in rows] for i, name in enumerate(schema.names)}
    splits = np.empty(len(records), object)
    splits[:] = [r[2] for r in records]
    return Corpus(
        meta["name"],
        tuple(r[0] for r in records),
        tuple(r[1] for r in records),
        pd.DataFrame({k: np.asarray(v, object) for k, v in columns.items()}, index=range(len(records))),
        schema,
        splits,
        meta["label"],
        tuple(r[3] for r in records) if meta["has_authors"] else None,
        CorpusContext(**meta["context"]),
        meta["outside"],
    )


def part_name(digest: str) -> str:
    return f"{digest[:24]}.jsonl"


def _save_lines(rows: list[list[Any]], folder: Path) -> str:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    digest = hashlib.sha256(text.encode()).hexdigest()
    path = folder / part_name(digest)
    if not path.exists():
        write_text(path, text)
    return digest


def _load_lines(digest: str, folder: Path) -> list[list[Any]]:
    path = folder / part_name(digest)
    text = read_text(path)
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise damaged(path)
    return [json.loads(line) for line in text.split("\n") if line]
