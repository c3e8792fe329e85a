"""Reviews as published: Amazon Reviews 2023 and the Yelp open dataset.

Shapes: Amazon JSON lines {rating, title, text, images, asin, parent_asin, user_id, timestamp
(milliseconds), helpful_vote, verified_purchase}; Yelp JSON lines {review_id, user_id, business_id,
stars, useful, funny, cool, text, date}. All domains are declared here, none read off the records.
"""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus
from ctxpriv.loaders.columns import (
    FormatOptions,
    as_corpus,
    declared,
    in_bands,
    read_format,
    with_text,
    yes_no,
)
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.schema import Attribute, Schema

STARS = {str(k): (lambda x, k=k: x == k) for k in range(1, 6)}
VOTES = {
    "none": lambda x: x <= 0,
    "1": lambda x: x == 1,
    "2–4": lambda x: 2 <= x <= 4,
    "5+": lambda x: x >= 5,
}
YEARS = {
    "up to 2010": lambda x: x <= 2010,
    "2011–2014": lambda x: 2011 <= x <= 2014,
    "2015–2017": lambda x: 2015 <= x <= 2017,
    "2018–2020": lambda x: 2018 <= x <= 2020,
    "2021 or later": lambda x: x >= 2021,
}
CONTEXT = CorpusContext(
    "the reviewers",
    "customers who reviewed products or businesses",
    "reviews were posted on one site under its terms of use",
)


def load_amazon(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """Title and text together; rating (label), helpful votes, verified purchase, year."""
    where = Path(path).name
    table = read_format(path, ["rating", "text", "user_id"], "Amazon Reviews 2023")
    titles = table["title"] if "title" in table.columns else [None] * len(table)
    table["review"] = [_joined(a, b) for a, b in zip(titles, table["text"], strict=True)]
    table = with_text(table, "review", where)
    columns = {"rating": in_bands(table["rating"], STARS)}
    attributes = [_rating()]
    if "helpful_vote" in table.columns:
        columns["helpful_votes"] = in_bands(table["helpful_vote"], VOTES)
        attributes.append(
            declared("helpful_votes", tuple(VOTES), "How many readers found the review helpful.")
        )
    if "verified_purchase" in table.columns:
        columns["verified_purchase"] = yes_no(table["verified_purchase"])
        attributes.append(
            declared("verified_purchase", ("yes", "no"), "Whether the reviewer bought the product.")
        )
    if "timestamp" in table.columns:
        times = pd.to_datetime(pd.to_numeric(table["timestamp"], errors="coerce"), unit="ms", errors="coerce")
        columns["year"] = in_bands(times.dt.year, YEARS)
        attributes.append(declared("year", tuple(YEARS), "The year of the review."))
    return _corpus(table, "review", columns, attributes, None, path, options)


def load_yelp(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """Stars as `rating` (label), votes, year."""
    where = Path(path).name
    table = read_format(path, ["review_id", "user_id", "stars", "text"], "Yelp reviews")
    table = with_text(table, "text", where)
    columns, attributes = {"rating": in_bands(table["stars"], STARS)}, [_rating()]
    for vote in ("useful", "funny", "cool"):
        if vote in table.columns:
            columns[f"{vote}_votes"] = in_bands(table[vote], VOTES)
            attributes.append(
                declared(f"{vote}_votes", tuple(VOTES), f"How many readers called the review {vote}.")
            )
    if "date" in table.columns:
        columns["year"] = in_bands(pd.to_datetime(table["date"], errors="coerce").dt.year, YEARS)
        attributes.append(declared("year", tuple(YEARS), "The year of the review."))
    return _corpus(table, "text", columns, attributes, "review_id", path, options)


def _rating() -> Attribute:
    return declared("rating", tuple(STARS), "Stars given by the reviewer, 1 to 5.")


def _joined(title: object, text: object) -> str:
    return "\n".join(part.strip() for part in (title, text) if isinstance(part, str) and part.strip())


def _corpus(
    table: pd.DataFrame,
    text: str,
    columns: dict[str, list[str]],
    attributes: list[Attribute],
    key: str | None,
    path: str | Path,
    options: FormatOptions,
) -> Corpus:
    out = pd.DataFrame({text: table[text], "user_id": table["user_id"], **columns})
    if key:
        out[key] = table[key]
    mapping = ColumnMapping(text, tuple(columns), "rating", "user_id", key)
    return as_corpus(out, path, mapping, Schema(tuple(attributes)), CONTEXT, options)
