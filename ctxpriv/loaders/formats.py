"""Named file formats: corpora that people really have, loaded with one call.

A format knows its columns, names them, brings value lists or coarsening rules that do not
depend on the records where it can, and the paper's audiences where they apply. A new
format is a module and one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from ctxpriv.context import SIDES, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.loaders import from_biorxiv, from_cfpb, from_forums, from_reviews
from ctxpriv.loaders.columns import FormatOptions
from ctxpriv.loaders.samples import Preset, paper_presets
from ctxpriv.loaders.tables import read_table

NOT_JUDGED = "The preset does not judge this attribute; it stays private until somebody does."


@dataclass(frozen=True)
class Format:
    """`load(path, **FormatOptions)` gives a Corpus (columns.py); `columns` must all be there."""

    name: str
    title: str
    description: str
    load: Callable[..., Corpus]
    columns: frozenset[str]
    paper_dataset: str = ""  # the paper's dataset whose audiences fit

    def recognises(self, path: str | Path) -> bool:
        """True when the first records have this format's columns."""
        return self.fits(read_table(path, n_rows=5).columns)

    def fits(self, columns: Sequence[str]) -> bool:
        return self.columns <= set(columns)

    def presets(self, corpus: Corpus) -> tuple[Preset, ...]:
        """The paper's audiences, fitted to the corpus's attributes; empty where there are none."""
        if not self.paper_dataset:
            return ()
        return tuple(fit_preset(p, corpus.schema.names) for p in paper_presets(self.paper_dataset))


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format(
            "llmprivacy",
            "Synthetic Reddit (llmprivacy)",
            "JSON lines of eth-sri/llmprivacy: personality, question_asked, response. Nine personal "
            "attributes; "
            "one author a personality; a `topic` field becomes the utility label.",
            from_forums.load_llmprivacy,
            frozenset({"personality.age", "response"}),
            "reddit",
        ),
        Format(
            "llmprivacy-flat",
            "Synthetic Reddit, flattened",
            "The same records with the personal attributes as columns and author_id.",
            from_forums.load_llmprivacy_flat,
            frozenset({"author_id", "text", "city_country", "birth_city_country", "income"}),
            "reddit",
        ),
        Format(
            "synthpai",
            "SynthPAI",
            "JSON lines of RobinSta/SynthPAI: author, text, profile. Nine personal attributes of the "
            "profile.",
            from_forums.load_synthpai,
            frozenset({"author", "text", "profile.age", "profile.income_level"}),
            "reddit",
        ),
        Format(
            "biorxiv-attributes",
            "bioRxiv abstracts with extracted attributes",
            "One record a preprint with the attributes of the paper's Table 4. Of rows with one id, the "
            "last is "
            "kept.",
            from_biorxiv.load_with_attributes,
            frozenset({"text", "category", "model_organism", "disease_mention", "sample_size"}),
            "biorxiv",
        ),
        Format(
            "biorxiv-api",
            "bioRxiv or medRxiv API rows",
            "JSON of api.biorxiv.org/details, or its rows as JSON lines. Of several versions of a "
            "preprint, the "
            "last is kept.",
            from_biorxiv.load_api_rows,
            frozenset({"doi", "abstract", "category"}),
        ),
        Format(
            "cfpb",
            "CFPB complaint export",
            "CSV export of the consumer complaint database. Complaints without a narrative are left out.",
            from_cfpb.load,
            frozenset({"Product", "Issue", "Consumer complaint narrative"}),
        ),
        Format(
            "amazon-2023",
            "Amazon Reviews 2023",
            "JSON lines of a category: rating, title, text, user_id, timestamp. Title and text are joined; "
            "reviews without any text are left out.",
            from_reviews.load_amazon,
            frozenset({"rating", "text", "user_id", "parent_asin"}),
        ),
        Format(
            "yelp",
            "Yelp reviews",
            "yelp_academic_dataset_review.json: stars, text, user_id, useful, date.",
            from_reviews.load_yelp,
            frozenset({"review_id", "user_id", "business_id", "stars", "text"}),
        ),
    )
}


def recognise(path: str | Path) -> Format | None:
    """The first format whose columns the file has, or None."""
    columns = read_table(path, n_rows=5).columns
    return next((f for f in FORMATS.values() if f.fits(columns)), None)


def load_format(name: str, path: str | Path, /, **options: Unpack[FormatOptions]) -> Corpus:
    """Raises BadInput for an unknown format and for a file that lacks its columns."""
    if name not in FORMATS:
        raise BadInput(
            f"there is no format {name!r}.", where="formats", fix=f"Choose one of {list(FORMATS)}."
        )
    return FORMATS[name].load(path, **options)


def fit_preset(preset: Preset, names: Sequence[str]) -> Preset:
    """The preset for a corpus with attributes `names`; those it does not judge become private."""
    sides = {side: tuple(n for n in getattr(preset.partition, side) if n in names) for side in SIDES}
    known = {n for listed in sides.values() for n in listed}
    sides["private"] += tuple(n for n in names if n not in known)
    reasons = {n: preset.reasons.get(n, NOT_JUDGED) for listed in sides.values() for n in listed}
    return Preset(preset.audience, Partition(preset.audience.name, **sides), reasons, preset.origin)
