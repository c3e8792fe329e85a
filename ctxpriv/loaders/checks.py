"""What a person should know about a loaded corpus before working with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from ctxpriv.corpus import SPLITS, Corpus
from ctxpriv.extract.bands import parse_number
from ctxpriv.schema import COARSEN_ABOVE, NOT_STATED

FEW_PRIVATE, FEW_TEST, FEW_DONATED = 100, 30, 20


def corpus_warnings(corpus: Corpus) -> list[str]:
    """Plain sentences, most important first; empty when nothing stands out.

    Curator-only: they name values and counts of the private records.
    """
    return [*_splits(corpus), *_label(corpus), *_attributes(corpus), *_texts(corpus)]


def _splits(corpus: Corpus) -> Iterator[str]:
    count = {s: int((corpus.splits == s).sum()) for s in SPLITS}
    if count["private"] < FEW_PRIVATE:
        yield (
            f"Only {count['private']} private records: noise at small ε will outweigh most counts, and "
            "metrics will be rough."
        )
    if count["test"] < FEW_TEST:
        yield f"Only {count['test']} test records: accuracy and leakage will be rough or not computed."
    if count["donated"] < FEW_DONATED:
        yield f"Only {count['donated']} donated records: generators have few examples to go by."
    if corpus.authors is None:
        return
    where: dict[str, set[str]] = {}
    for author, split in zip(corpus.authors, corpus.splits, strict=True):
        where.setdefault(author, set()).add(split)
    if across := sum(len(s) > 1 for s in where.values()):
        yield (
            f"{across} authors have records in more than one split: test figures and donated examples then "
            "tell about authors whose records are protected."
        )
    inside = Counter(a for a, s in zip(corpus.authors, corpus.splits, strict=True) if s == "private")
    if inside and max(inside.values()) * 4 > sum(inside.values()) and sum(inside.values()) > 1:
        yield (
            "One author wrote more than a quarter of the private records; guarantees are per record, "
            "not per author."
        )


def _label(corpus: Corpus) -> Iterator[str]:
    if corpus.label is None:
        yield "No utility label is named: accuracy on the downstream task is not computed."
        return
    values = corpus.table[corpus.label].to_numpy(object)
    count = Counter(values)
    if single := [v for v in corpus.schema[corpus.label].values if count[v] == 1]:
        yield (
            f"The label {corpus.label!r} has {len(single)} values with one record only ({_some(single)}): "
            f"they "
            "cannot be learnt and tested."
        )
    donated = set(values[corpus.splits == "donated"])
    private = set(values[corpus.splits == "private"])
    if donated and (without := [v for v in corpus.schema[corpus.label].values if v in private - donated]):
        yield f"No donated record has {corpus.label!r} = {_some(without)}: there is no example to write from."


def _attributes(corpus: Corpus) -> Iterator[str]:
    for name, count in corpus.outside.items():
        yield f"{count} values of {name!r} were outside the schema and became `Other` or `Not stated`."
    for attribute in corpus.schema.attributes:
        name, values = attribute.name, attribute.values
        if len(set(corpus.table[name])) == 1:
            yield f"{name!r} has the same value in every record: nothing can be learnt from it."
        if len(values) > COARSEN_ABOVE and name not in corpus.schema.coarsenings and name != corpus.label:
            yield (
                f"{name!r} has {len(values)} values and is not coarsened: marginals with it will be "
                f"mostly noise, "
                "and slow."
            )
        words = [v for v in values if v != NOT_STATED and parse_number(v) is None]
        if attribute.provenance == "observed" and words and len(words) * 5 < len(values):
            yield (
                f"{name!r} mixes numbers with other entries ({_some(words)}): correct them or make them "
                f"missing."
            )
    missing = {n: int((corpus.table[n].to_numpy(object) == NOT_STATED).sum()) for n in corpus.schema.names}
    if mostly := [n for n, k in missing.items() if k * 2 > len(corpus)]:
        yield f"More than half of the records state nothing for {', '.join(map(repr, mostly))}."


def _texts(corpus: Corpus) -> Iterator[str]:
    repeated = sum(k - 1 for k in Counter(corpus.texts).values() if k > 1)
    if repeated:
        yield f"{repeated} records repeat the text of another one: each counts as a record of its own."
    donated = {t for t, s in zip(corpus.texts, corpus.splits, strict=True) if s == "donated"}
    shared = sum(t in donated for t, s in zip(corpus.texts, corpus.splits, strict=True) if s == "private")
    if shared:
        yield (
            f"{shared} private records have the very text of a donated one, which may be released word for "
            "word. Give both the same author, or take them out of the donated split."
        )
    words = np.fromiter((len(t.split()) for t in corpus.texts), int, len(corpus))
    if (short := int((words < 3).sum())) * 10 > len(corpus):
        yield f"{short} texts have fewer than three words."


def _some(values: list[str]) -> str:
    shown = ", ".join(repr(v) for v in values[:3])
    return shown + (f" and {len(values) - 3} more" if len(values) > 3 else "")
