"""Forum comments with the personal attributes of their authors: llmprivacy and SynthPAI.

Shapes: eth-sri/llmprivacy, synthetic_dataset.jsonl (personality {...}, feature, hardness,
question_asked, response) and RobinSta/SynthPAI, synthpai.jsonl (author, username, text, id,
thread_id, profile {...}, reviews). Values are read off the file (provenance "observed");
the coarsening is by the fixed rules of people.py, so it does not depend on the records.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pandas as pd

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus
from ctxpriv.loaders.columns import FormatOptions, as_corpus, read_format
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.observed import as_values, observed_schema
from ctxpriv.loaders.people import RULES, coarsen_by_rule
from ctxpriv.schema import COARSEN_ABOVE, Schema

PERSONAL = {
    "age": "The author's age in years.",
    "sex": "The author's sex.",
    "city_country": "The city and country where the author lives.",
    "birth_city_country": "The city and country where the author was born.",
    "income": "The author's yearly income in local currency.",
    "income_level": "The author's income compared with others in the same place.",
    "relationship_status": "The author's relationship status.",
    "education": "The author's highest education.",
    "occupation": "The author's occupation.",
}
LEVELS = ("no", "low", "middle", "high", "very high")
CONTEXT = CorpusContext(
    "the people who wrote the comments",
    "forum users commenting on public forums",
    "comments were posted in public under a pseudonym, without consent to be profiled",
)


def load_llmprivacy(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """llmprivacy as published: the answer is the text, one author per distinct personality."""
    table = read_format(path, ["personality.age", "response"], "llmprivacy's synthetic dataset")
    table = table.rename(columns=lambda c: c.removeprefix("personality."))
    profile = table[[c for c in PERSONAL if c in table.columns]].astype(str).agg("\x1f".join, axis=1)
    table["author_id"] = [f"person {i + 1}" for i in pd.factorize(profile)[0]]
    return _load(table, path, ColumnMapping("response", author="author_id"), options)


def load_llmprivacy_flat(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """The same with the attributes as columns, `text`, `author_id` and perhaps `topic`."""
    table = read_format(path, ["author_id", "text", "city_country"], "the flattened llmprivacy dataset")
    mapping = ColumnMapping("text", author="author_id", id="id" if "id" in table.columns else None)
    return _load(table, path, mapping, options)


def load_synthpai(path: str | Path, **options: Unpack[FormatOptions]) -> Corpus:
    """SynthPAI: the profile's attributes, not the reviewers' guesses, are the values."""
    table = read_format(path, ["author", "text", "profile.age"], "SynthPAI")
    table = table.rename(columns=lambda c: c.removeprefix("profile.") if c[8:] in PERSONAL else c)
    mapping = ColumnMapping("text", author="author", id="id" if "id" in table.columns else None)
    return _load(table, path, mapping, options)


def _load(table: pd.DataFrame, path: str | Path, mapping: ColumnMapping, options: FormatOptions) -> Corpus:
    where = Path(path).name
    names = [n for n in (*PERSONAL, "topic") if n in table.columns]
    for column in names:
        cells = as_values(table[column], where)
        table[column] = [None if c is None else _spelling(column, c) for c in cells]
    schema = _schema(table, names, where)
    mapping = replace(mapping, attributes=tuple(names), label="topic" if "topic" in names else None)
    return as_corpus(table, path, mapping, schema, CONTEXT, options)


def _spelling(column: str, value: str) -> str:
    return value.casefold() if column in ("sex", "income_level", "relationship_status", "topic") else value


def _schema(table: pd.DataFrame, names: list[str], where: str) -> Schema:
    """Observed values; columns with a rule may have any number of them."""
    cells = pd.DataFrame({n: as_values(table[n], where) for n in names}, dtype=object)
    _, schema = observed_schema(cells, where, keep=("topic",), unlimited=tuple(RULES))
    attributes, coarsenings = [], dict(schema.coarsenings)
    for attribute in schema.attributes:
        values = attribute.values
        if attribute.name == "income_level":
            values = tuple(sorted(values, key=lambda v: LEVELS.index(v) if v in LEVELS else len(LEVELS)))
        description = PERSONAL.get(attribute.name, "What the comment is about.")
        attribute = replace(attribute, values=values, description=description)
        attributes.append(attribute)
        if attribute.name in RULES and len(values) > COARSEN_ABOVE:
            coarsenings[attribute.name] = coarsen_by_rule(attribute)
    return Schema(tuple(attributes), coarsenings)
