from __future__ import annotations

import numpy as np
import pandas as pd

from ctxpriv.evaluate.values import ByRole, CrossFitted
from ctxpriv.models.base import ModelIdentity
from ctxpriv.roles import Extraction, Failure


def test_real_values_are_out_of_fold(make, embedder):
    private = make.corpus().part("private")
    vectors = embedder.embed(private.texts)
    # `age` is a coin toss here: whoever had seen the record would do better than a coin.
    fitted = CrossFitted.fit(private, embedder, vectors, 0)
    truth, names = private.codes(), private.schema.names
    read = fitted.real.codes(names)
    right = dict(zip(names, (read == truth).mean(axis=0), strict=True))
    assert right["topic"] > 0.9
    assert right["age"] < 0.7
    in_sample = fitted.read(private.texts, vectors).codes(names)
    assert (in_sample[:, 2] == truth[:, 2]).mean() > right["age"]


def test_word_count_is_counted_on_both_sides(make, embedder):
    private = make.corpus().part("private")
    fitted = CrossFitted.fit(private, embedder, embedder.embed(private.texts), 0)
    column = private.schema.names.index("word_count")
    assert (fitted.real.codes(private.schema.names)[:, column] == private.codes()[:, column]).all()
    read = fitted.read(["one two", "w " * 40], embedder.embed(["one two", "w " * 40]))
    assert read.codes(["word_count"])[:, 0].tolist() == [0, 1]


def test_shares_sum_to_one(make, embedder):
    private = make.corpus().part("private")
    fitted = CrossFitted.fit(private, embedder, embedder.embed(private.texts), 0)
    texts, _ = make.records(15, 9)
    for shares in fitted.read(texts, embedder.embed(texts)).shares.values():
        assert shares.shape[0] == 15
        assert np.allclose(shares.sum(axis=1), 1)


class FirstValueExtractorDouble:
    """Answers the first value of every attribute and fails on one row."""

    identity = ModelIdentity("ollama", "double")

    def extract(self, texts, schema, *, progress=None, cancel=None):
        table = pd.DataFrame({n: [schema[n].values[0]] * len(texts) for n in schema.names}, dtype=object)
        return Extraction(table, (Failure(1, "empty"),))


def test_failed_rows_are_left_out_not_counted_as_a_value(make):
    private = make.corpus().part("private")
    fitted = ByRole.fit(private, FirstValueExtractorDouble())
    assert fitted.real.failures == 1
    assert all(len(s) == len(private) - 1 for s in fitted.real.shares.values())
    assert fitted.name == "double"
    assert (fitted.real.codes(["topic"]) == 0).all()
