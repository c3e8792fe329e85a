"""The sample corpora that ship with the project, and the audiences to try them with."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctxpriv.context import SIDES, Audience, CorpusContext, Partition
from ctxpriv.corpus import Corpus, Splits
from ctxpriv.errors import BadInput
from ctxpriv.loaders.load import load_table
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.schema_file import read_schema, read_yaml

FOLDER_VARIABLE = "CTXPRIV_SAMPLES"


@dataclass(frozen=True)
class Preset:
    """One audience with a default partition, a reason for every attribute, and where it comes from."""

    audience: Audience
    partition: Partition
    reasons: Mapping[str, str]  # attribute -> one sentence
    origin: str  # "paper Table 6", "paper App. H", "written for this project"


@dataclass(frozen=True)
class Sample:
    """A corpus that ships with the project. Paths are absolute."""

    name: str
    title: str
    description: str
    path: Path
    schema_path: Path
    card_path: Path
    columns: ColumnMapping
    context: CorpusContext
    presets: tuple[Preset, ...]
    group_attribute: str | None  # whose groups the demographic gap compares


def samples_folder() -> Path:
    """Where the sample files are: CTXPRIV_SAMPLES, beside the package, or where pip put them.

    Raises BadInput saying where it looked.
    """
    package = Path(__file__).resolve().parents[1]
    named = os.environ.get(FOLDER_VARIABLE)
    installed = Path(sys.prefix) / "share" / "ctxpriv" / "data_samples"
    places = [Path(named)] if named else [package.parent / "data_samples", installed]
    for place in places:
        if (place / "presets").is_dir():
            return place.resolve()
    raise BadInput(
        "the sample corpora are not installed.",
        where="data_samples",
        fix=f"Set {FOLDER_VARIABLE} to the project's data_samples folder.",
    )


def samples() -> dict[str, Sample]:
    """All samples by name, in the order of their files' `order`."""
    folder = samples_folder()
    found = [(read_yaml(path), path.stem) for path in sorted((folder / "presets").glob("*.yaml"))]
    found.sort(key=lambda item: item[0].get("order", 99))
    return {name: _sample(name, data, folder) for data, name in found if "title" in data}


def sample(name: str) -> Sample:
    """Raises BadInput naming the samples there are."""
    known = samples()
    if name not in known:
        raise BadInput(
            f"there is no sample corpus {name!r}.", where="samples", fix=f"Choose one of {list(known)}."
        )
    return known[name]


def load_sample(name: str, *, splits: Splits = Splits()) -> Corpus:
    """A sample as a corpus, with its declared schema and `word_count`."""
    chosen = sample(name)
    return load_table(
        chosen.path,
        chosen.columns,
        name=name,
        schema=read_schema(chosen.schema_path),
        splits=splits,
        context=chosen.context,
    )


def paper_presets(dataset: str) -> tuple[Preset, ...]:
    """The audiences of the paper's Tables 5 and 6 for "reddit", "biorxiv" or "realestate"."""
    sources = {"reddit": "forum", "biorxiv": "biomed", "realestate": "home_calls"}
    if dataset not in sources:
        raise BadInput(
            f"the paper has no dataset {dataset!r}.", where="presets", fix=f"Choose one of {list(sources)}."
        )
    return tuple(p for p in sample(sources[dataset]).presets if p.origin.startswith("paper"))


def _sample(name: str, data: Mapping[str, Any], folder: Path) -> Sample:
    context, presets = _presets(data, f"{name}.yaml")
    schema_path = folder / "schemas" / f"{name}.yaml"
    return Sample(
        name,
        data["title"],
        data["description"],
        folder / f"{name}.jsonl",
        schema_path,
        folder / "cards" / f"{name}.md",
        ColumnMapping.from_dict(data["columns"]),
        context,
        presets,
        data.get("group_attribute"),
    )


def _presets(data: Mapping[str, Any], where: str) -> tuple[CorpusContext, tuple[Preset, ...]]:
    return CorpusContext(**data["context"]), tuple(_preset(a, where) for a in data["audiences"])


def _preset(entry: Mapping[str, Any], where: str) -> Preset:
    audience = Audience(entry["name"], entry["recipient"], entry["purpose"])
    sides = {side: dict(entry.get(side) or {}) for side in SIDES}
    partition = Partition(audience.name, **{side: tuple(listed) for side, listed in sides.items()})
    reasons = {name: reason for listed in sides.values() for name, reason in listed.items()}
    if blank := [a for a, reason in reasons.items() if not reason]:
        raise BadInput(f"gives no reason for {blank[0]!r}.", where=f"{where}, audience {audience.name!r}")
    return Preset(audience, partition, reasons, entry["origin"])
