"""bioRxiv: rows of its API, and abstracts with the attributes of the paper's Table 4.

API shape: api.biorxiv.org/details/<server>/<interval> gives {"messages": [...],
"collection": [{doi, title, authors, date, version, type, license, category, abstract,
published, server, ...}]}. Value lists are declared (data_samples/schemas/biorxiv.yaml);
a value outside them becomes `Other`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus
from ctxpriv.loaders.columns import FormatOptions, as_corpus, declared, read_format, with_text
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.observed import as_values
from ctxpriv.loaders.samples import samples_folder
from ctxpriv.loaders.schema_file import read_schema
from ctxpriv.schema import NOT_STATED, OTHER, Schema

TYPES = ("new results", "confirmatory results", "contradictory results")
LICENSES = ("cc0", "cc_by", "cc_by_nc", "cc_by_nd", "cc_by_nc_nd", "cc_no")
CONTEXT = CorpusContext(
    "the research laboratory whose experiments the record describes",
    "the research laboratory that conducted the experiments",
    "records are held in confidence until the laboratory publishes them",
)


def load_api_rows(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """The abstracts with category (label), type, licence, and whether a journal published them."""
    where = Path(path).name
    table = with_text(
        read_format(path, ["doi", "abstract", "category"], "rows of the bioRxiv API"), "abstract", where
    )
    table = _last_versions(table, "doi")
    table["category"] = [
        None if c is None else c.casefold().replace("_", " ") for c in as_values(table["category"], where)
    ]
    attributes = [read_schema(samples_folder() / "schemas" / "biorxiv.yaml")["category"]]
    for column, values, about in (
        ("type", TYPES, "The kind of result."),
        ("license", LICENSES, "The licence."),
    ):
        if column in table.columns:
            attributes.append(declared(column, (*values, OTHER), about))
    if "published" in table.columns:
        table["published"] = [
            NOT_STATED if v is None else "no" if v.upper() == "NA" else "yes"
            for v in as_values(table["published"], where)
        ]
        attributes.append(declared("published", ("no", "yes"), "Whether a journal has published it."))
    mapping = ColumnMapping("abstract", tuple(a.name for a in attributes), "category", id="doi")
    return as_corpus(table, path, mapping, Schema(tuple(attributes)), CONTEXT, options)


def load_with_attributes(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """Abstracts with category (label) and the other attributes of Table 4 that the file has."""
    where = Path(path).name
    table = read_format(path, ["text", "category", "model_organism"], "bioRxiv abstracts with attributes")
    table = _last_versions(with_text(table, "text", where), "id")
    schema = read_schema(samples_folder() / "schemas" / "biorxiv.yaml")
    names = tuple(n for n in schema.names if n in table.columns)
    mapping = ColumnMapping("text", names, "category", id="id" if "id" in table.columns else None)
    return as_corpus(table, path, mapping, schema.only(names), CONTEXT, options)


def _last_versions(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """One row a preprint: the highest version, or the last row where versions are not given."""
    if key not in table.columns:
        return table
    if "version" in table.columns:
        order = pd.to_numeric(table["version"], errors="coerce").fillna(0).sort_values(kind="stable").index
        table = table.loc[order].drop_duplicates(key, keep="last").sort_index()
    else:
        table = table.drop_duplicates(key, keep="last")
    return table.reset_index(drop=True)
