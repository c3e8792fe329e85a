from __future__ import annotations

from ctxpriv.extract.word_count import (
    counted_values,
    word_count_attribute,
    word_count_bins,
    word_count_values,
)
from ctxpriv.schema import Attribute


def test_bins_are_quantiles_of_the_reference_texts():
    texts = ["w " * n for n in range(1, 101)]
    bins = word_count_bins(texts)
    values = word_count_values(texts, bins)
    assert [values.count(label) for label in bins.labels] == [20] * 5
    assert word_count_attribute(bins).values == bins.labels


def test_texts_outside_the_reference_range_fall_into_the_end_bins():
    bins = word_count_bins(["w " * n for n in range(10, 20)], k=3)
    assert word_count_values(["", "w " * 1000], bins) == [bins.labels[0], bins.labels[-1]]


def test_without_reference_texts_the_edges_are_fixed():
    assert word_count_bins([]).edges == (25.0, 50.0, 100.0, 200.0)
    assert word_count_bins([], k=3).edges == (25.0, 50.0)


def test_bins_from_private_texts_are_marked_observed():
    assert word_count_attribute(word_count_bins(["a b"]), "observed").provenance == "observed"


def test_counted_values_only_for_word_count_over_its_own_bins():
    bins = word_count_bins(["w " * n for n in range(1, 101)])
    texts = ["w w", "w " * 50]
    assert counted_values(texts, word_count_attribute(bins)) == word_count_values(texts, bins)
    assert counted_values(texts, Attribute("word_count", ("short", "long"))) is None
    assert counted_values(texts, Attribute("length", bins.labels)) is None
