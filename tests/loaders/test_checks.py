from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ctxpriv.corpus import Corpus
from ctxpriv.loaders.checks import corpus_warnings
from ctxpriv.schema import NOT_STATED, Attribute, Schema


def corpus(n: int = 400, **changes: object) -> Corpus:
    table = pd.DataFrame(
        {"kind": ["ab"[i % 2] for i in range(n)], "size": [str(i % 7) for i in range(n)]}, dtype=object
    )
    splits = np.asarray((["private"] * 3 + ["test", "donated"]) * (n // 5), object)
    schema = Schema(
        (
            Attribute("kind", ("a", "b", "c")),
            Attribute("size", (*map(str, range(7)), NOT_STATED), "", "observed"),
        )
    )
    made = Corpus(
        "c",
        tuple(map(str, range(n))),
        tuple(f"text with number {i}" for i in range(n)),
        table,
        schema,
        splits,
        "kind",
    )
    return replace(made, **changes)


def edited(column: str, rows: range, value: str) -> pd.DataFrame:
    table = corpus().table.copy()
    table.loc[list(rows), column] = value
    return table


def one(found: list[str], part: str) -> bool:
    return sum(part in w for w in found) == 1


def test_an_ordinary_corpus_raises_no_warning() -> None:
    assert corpus_warnings(corpus()) == []


def test_a_label_with_one_member_is_named() -> None:
    found = corpus_warnings(corpus(table=edited("kind", range(0, 1), "c")))
    assert one(found, "label 'kind' has 1 values with one record only ('c')") and one(
        found, "no example to write from"
    )


def test_small_splits_are_counted() -> None:
    found = corpus_warnings(corpus(40))
    assert one(found, "Only 24 private") and one(found, "Only 8 test") and one(found, "Only 8 donated")


def test_authors_across_splits_and_heavy_authors_are_told() -> None:
    found = corpus_warnings(corpus(authors=("one",) * 400))
    assert one(found, "1 authors have records in more than one split") and one(found, "more than a quarter")
    assert corpus_warnings(corpus(authors=tuple(map(str, range(400))))) == []


def test_attributes_that_say_little_are_told() -> None:
    assert one(corpus_warnings(corpus(table=edited("size", range(400), "1"))), "same value in every record")
    assert one(
        corpus_warnings(corpus(table=edited("size", range(300), NOT_STATED))), "state nothing for 'size'"
    )
    assert one(corpus_warnings(corpus(outside={"size": 3})), "3 values of 'size' were outside")
    assert one(corpus_warnings(corpus(label=None)), "No utility label")


def test_wide_and_mixed_attributes_are_told() -> None:
    wide = Schema(
        (corpus().schema["kind"], Attribute("size", (*map(str, range(20)), "unknown?"), "", "observed"))
    )
    found = corpus_warnings(corpus(schema=wide))
    assert one(found, "has 21 values and is not coarsened") and one(
        found, "mixes numbers with other entries ('unknown?')"
    )


def test_repeated_and_empty_looking_texts_are_counted() -> None:
    found = corpus_warnings(corpus(texts=("same",) * 400))
    assert one(found, "399 records repeat") and one(found, "400 texts have fewer than three words")


def test_private_texts_that_are_donated_too_are_counted() -> None:
    texts = list(corpus().texts)
    texts[0] = texts[5] = texts[4]  # records 0 and 5 are private, record 4 is donated
    found = corpus_warnings(corpus(texts=tuple(texts)))
    assert one(found, "2 private records have the very text of a donated one")
