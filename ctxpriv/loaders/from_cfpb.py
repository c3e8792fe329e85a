"""Exports of the CFPB consumer complaint database.

Shape: CSV with "Product", "Sub-product", "Issue", "Sub-issue", "Consumer complaint narrative",
"State", "Tags", "Submitted via", "Company response to consumer", "Timely response?", "Complaint
ID" and more; which columns are there changes with the years, so only three are needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus
from ctxpriv.loaders.columns import FormatOptions, as_corpus, keep_frequent, read_format, with_text
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.observed import as_values, observed_schema
from ctxpriv.loaders.samples import samples_folder
from ctxpriv.loaders.schema_file import read_schema
from ctxpriv.schema import NOT_STATED, Attribute, Coarsening

TEXT, ID = "Consumer complaint narrative", "Complaint ID"
COLUMNS = {
    "Product": "product",
    "Sub-product": "sub_product",
    "Issue": "issue",
    "Sub-issue": "sub_issue",
    "State": "state",
    "Tags": "tags",
    "Submitted via": "submitted_via",
    "Company response to consumer": "company_response",
    "Timely response?": "timely_response",
}
"""Columns that become attributes, by their new names. The company is left out: thousands of values."""
ELSEWHERE = "Elsewhere or not stated"
CONTEXT = CorpusContext(
    "the consumers who complained",
    "consumers who complained to a public authority",
    "narratives are published with consent, after personal details were removed",
)


def load(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """Complaints that have a narrative; `product` is the label.

    Values are observed; of a column the 50 most frequent are kept, the rest is `Other`.
    States are grouped into census regions. Columns with one value are left out.
    """
    where = Path(path).name
    table = with_text(read_format(path, ["Product", "Issue", TEXT], "a CFPB export"), TEXT, where)
    names = {c: n for c, n in COLUMNS.items() if c in table.columns}
    values = {n: keep_frequent(as_values(table[c], where)) for c, n in names.items()}
    values = {n: v for n, v in values.items() if n == "product" or len(set(v)) > 1}
    out = pd.DataFrame(
        {"narrative": table[TEXT], **({"id": table[ID]} if ID in table.columns else {}), **values},
        dtype=object,
    )
    _, schema = observed_schema(out[list(values)], where, keep=("product",), unlimited=tuple(values))
    if "state" in values:
        schema = schema.with_coarsening(_census_regions(schema["state"]))
    mapping = ColumnMapping("narrative", tuple(values), "product", id="id" if ID in table.columns else None)
    return as_corpus(out, path, mapping, schema, CONTEXT, options)


def _census_regions(state: Attribute) -> Coarsening:
    """The regions of the complaints sample; territories, the military and `Not stated` are elsewhere."""
    shipped = read_schema(samples_folder() / "schemas" / "complaints.yaml").coarsenings["state"]
    mapping = {v: ELSEWHERE if v == NOT_STATED else shipped.mapping.get(v, ELSEWHERE) for v in state.values}
    buckets = tuple(b for b in (*shipped.buckets, ELSEWHERE) if b in set(mapping.values()))
    return Coarsening("state", mapping, buckets, "shipped")
