from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.corpus import SPLITS, Corpus, Splits
from ctxpriv.errors import BadInput
from ctxpriv.schema import Attribute, Schema

SCHEMA = Schema((Attribute("a", ("x", "y")), Attribute("b", ("1", "2", "3"))))


def small(n: int = 6) -> Corpus:
    table = pd.DataFrame(
        {"a": ["xy"[i % 2] for i in range(n)], "b": [str(i % 3 + 1) for i in range(n)]}, dtype=object
    )
    splits = np.asarray([SPLITS[i % 3] for i in range(n)], object)
    return Corpus(
        "small",
        tuple(f"r{i}" for i in range(n)),
        tuple(f"text number {i}" for i in range(n)),
        table,
        SCHEMA,
        splits,
        "a",
    )


shares = st.tuples(st.integers(1, 10), st.integers(0, 5), st.integers(0, 5)).map(
    lambda s: (
        Splits(s[0] / sum(s), s[1] / sum(s), 1 - s[0] / sum(s) - s[1] / sum(s) if s[2] else 0.0)
        if s[2]
        else Splits(s[0] / sum(s), 1 - s[0] / sum(s), 0.0)
    )
)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(0, 99))
@settings(deadline=None, max_examples=50)
def test_an_author_is_never_divided_and_shares_hold_to_one_author(sizes, seed) -> None:
    units = [f"u{i}" for i, size in enumerate(sizes) for _ in range(size)]
    order = np.random.default_rng(seed).permutation(len(units))
    units = [units[i] for i in order]
    splits = Splits(seed=seed)
    assigned = splits.assign(units)
    for unit in set(units):
        assert len({s for u, s in zip(units, assigned, strict=True) if u == unit}) == 1
    for name, share in zip(SPLITS, (0.6, 0.2, 0.2), strict=True):
        # Dealt to the split that lacks most: no split overshoots by more than one unit.
        assert (assigned == name).sum() <= share * len(units) + max(sizes)


@given(st.integers(20, 300), shares, st.integers(0, 9))
@settings(deadline=None, max_examples=50)
def test_single_records_follow_the_shares_to_within_two(n, splits, seed) -> None:
    assigned = replace(splits, seed=seed).assign([str(i) for i in range(n)])
    for name in SPLITS:
        assert abs((assigned == name).sum() - getattr(splits, name) * n) <= 2
        if getattr(splits, name) == 0:
            assert not (assigned == name).any()


@given(st.integers(1, 400), st.integers(2, 12), shares, st.integers(0, 9))
@settings(deadline=None, max_examples=50)
def test_one_heavy_author_leaves_no_wanted_split_empty(heavy, others, splits, seed) -> None:
    units = ["heavy"] * heavy + [f"a{i}" for i in range(others)]
    assigned = replace(splits, seed=seed).assign(units)
    for name in SPLITS:
        assert (assigned == name).any() == (getattr(splits, name) > 0)
    assert len({s for u, s in zip(units, assigned, strict=True) if u == "heavy"}) == 1


def test_the_seed_decides_the_split_and_the_order_of_records_does_not() -> None:
    units = [f"u{i}" for i in range(50)]
    first = dict(zip(units, Splits(seed=1).assign(units), strict=True))
    again = dict(zip(units[::-1], Splits(seed=1).assign(units[::-1]), strict=True))
    assert first == again
    assert first != dict(zip(units, Splits(seed=2).assign(units), strict=True))


@pytest.mark.parametrize("shares", [(0.5, 0.2, 0.2), (1.2, -0.1, -0.1), (0.0, 0.5, 0.5)])
def test_impossible_shares_are_refused(shares) -> None:
    with pytest.raises(BadInput, match="shares"):
        Splits(*shares)


def changed(corpus: Corpus) -> dict[str, Corpus]:
    table = corpus.table.copy()
    table.loc[0, "a"] = "y"
    splits = corpus.splits.copy()
    splits[0] = "test"
    return {
        "id": replace(corpus, ids=("other", *corpus.ids[1:])),
        "text": replace(corpus, texts=("other", *corpus.texts[1:])),
        "value": replace(corpus, table=table),
        "split": replace(corpus, splits=splits),
        "label": replace(corpus, label="b"),
        "authors": replace(corpus, authors=tuple("abcdef")),
        "schema": replace(corpus, schema=Schema((replace(SCHEMA["a"], description="new"), SCHEMA["b"]))),
        "boundary": replace(corpus, texts=(corpus.texts[0] + corpus.texts[1], "", *corpus.texts[2:])),
        "separators": replace(corpus, texts=("\x00\x01", *corpus.texts[1:])),
    }


def test_the_digest_changes_with_every_kind_of_content_and_with_nothing_else() -> None:
    corpus = small()
    digests = {name: other.digest for name, other in changed(corpus).items()}
    assert len({corpus.digest, *digests.values()}) == len(digests) + 1
    assert replace(corpus, name="renamed", outside={"a": 3}).digest == corpus.digest
    assert small().digest == corpus.digest


@given(
    st.lists(st.text(max_size=8), min_size=2, max_size=6),
    st.lists(st.text(max_size=8), min_size=2, max_size=6),
)
@settings(deadline=None, max_examples=50)
def test_different_texts_have_different_digests(first, second) -> None:
    def make(texts: list[str]) -> Corpus:
        table = pd.DataFrame({"a": ["x"] * len(texts), "b": ["1"] * len(texts)}, dtype=object)
        return Corpus(
            "c",
            tuple(map(str, range(len(texts)))),
            tuple(texts),
            table,
            SCHEMA,
            np.asarray(["private"] * len(texts), object),
        )

    assert (make(first).digest == make(second).digest) == (first == second)


def test_parts_and_donated_examples_hold_their_records_only() -> None:
    corpus = small()
    part = corpus.part("test")
    assert part.ids == ("r1", "r4") and list(part.table["b"]) == ["2", "2"] and len(part.codes()) == 2
    assert corpus.donated().texts == ("text number 2", "text number 5")


def test_facts_measure_length_on_donated_texts_only() -> None:
    corpus = small()
    texts = tuple("one" if s == "donated" else "many many words here" for s in corpus.splits)
    facts = replace(corpus, texts=texts).facts()
    assert (facts.n_private, facts.n_test, facts.n_donated, facts.mean_words) == (2, 2, 2, 1.0)


def test_a_corpus_that_contradicts_itself_is_refused() -> None:
    corpus = small()
    with pytest.raises(BadInput, match="differ in length"):
        replace(corpus, ids=corpus.ids[1:])
    with pytest.raises(BadInput, match="not the schema's"):
        replace(corpus, table=corpus.table[["b", "a"]])
    with pytest.raises(BadInput, match="utility label 'c'"):
        replace(corpus, label="c")
    called_text = Schema((replace(SCHEMA["a"], name="text"),))
    with pytest.raises(BadInput, match="attribute is called 'text'"):
        replace(corpus, schema=called_text, label=None, table=corpus.table[["a"]].set_axis(["text"], axis=1))


def test_a_new_schema_conforms_the_values_and_drops_a_lost_label() -> None:
    corpus = small().with_schema(Schema((SCHEMA["b"],)))
    assert corpus.label is None and tuple(corpus.table.columns) == ("b",)
