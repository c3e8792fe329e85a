from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.extract.by_classifier import ClassifierExtractor, LinearHead, cross_fitted
from ctxpriv.models.base import ModelIdentity
from ctxpriv.schema import Attribute, Coarsening, Schema

WORDS = ("nurse", "ward", "bread", "oven", "cat")
JOB = Attribute("job", ("nurse", "doctor", "baker", "cook", "pilot"))
GROUPS = Coarsening(
    "job",
    {"nurse": "care", "doctor": "care", "baker": "food", "cook": "food", "pilot": "air"},
    ("care", "food", "air"),
)
SCHEMA = Schema((JOB, Attribute("lang", ("en", "de"))), {"job": GROUPS})
TEXTS = ["nurse ward"] * 6 + ["bread oven"] * 6 + ["cat"]
VALUES = pd.DataFrame(
    {"job": ["nurse"] * 4 + ["doctor"] * 2 + ["cook"] * 4 + ["baker"] * 2 + ["pilot"], "lang": ["en"] * 13}
)


class WordCountingEmbedderDouble:
    """Test double: counts five words and normalises."""

    dimension = len(WORDS)
    identity = ModelIdentity("local", "word counting test double")

    def embed(self, texts, *, progress=None, cancel=None):
        counts = np.array([[t.split().count(w) for w in WORDS] for t in texts], np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def extractor():
    return ClassifierExtractor.train(TEXTS, VALUES, SCHEMA, WordCountingEmbedderDouble())


def test_at_coarse_level_it_answers_with_buckets(extractor):
    got = extractor.extract(["ward nurse", "oven", "cat"], SCHEMA.at_coarse_level())
    assert got.values["job"].tolist() == ["care", "food", "air"]
    assert got.values["lang"].tolist() == ["en"] * 3 and got.failures == ()


def test_at_the_trained_level_the_most_frequent_member_stands_for_the_bucket(extractor):
    got = extractor.extract(["ward", "oven"], SCHEMA).values
    assert got["job"].tolist() == ["nurse", "cook"]
    assert SCHEMA.coarsen(got)["job"].tolist() == ["care", "food"]


def test_fine_level_learns_specific_values():
    fine = ClassifierExtractor.train(TEXTS, VALUES, SCHEMA, WordCountingEmbedderDouble(), coarse=False)
    assert fine.extract(["ward nurse", "cat"], SCHEMA).values["job"].tolist() == ["nurse", "pilot"]


def test_top_values_are_ordered_probabilities(extractor):
    top = extractor.top_values(["ward nurse"], k=2)["job"][0]
    assert [v for v, _ in top][0] == "care" and top[0][1] > top[1][1]
    everything = extractor.top_values(["ward nurse"], k=9)["job"][0]
    assert sum(p for _, p in everything) == pytest.approx(1)


def test_two_classes_agree_with_sklearn():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    vectors, labels = rng.normal(size=(60, 4)), np.where(rng.random(60) < 0.5, "a", "b")
    theirs = LogisticRegression(C=10.0, max_iter=500).fit(vectors, labels).predict_proba(vectors)
    assert LinearHead.fit(vectors, labels).probabilities(vectors) == pytest.approx(theirs, abs=1e-6)


def test_unknown_attributes_and_domains_are_refused(extractor):
    with pytest.raises(BadInput, match="age"):
        extractor.extract(["cat"], Schema((Attribute("age", ("1",)),)))
    with pytest.raises(BadInput, match="'job'"):
        extractor.extract(["cat"], Schema((Attribute("job", ("nurse", "singer")),)))
    with pytest.raises(BadInput, match="at least one record"):
        ClassifierExtractor.train([], VALUES.iloc[:0], SCHEMA, WordCountingEmbedderDouble())


def test_identity_names_what_was_learned(extractor):
    again = ClassifierExtractor.train(TEXTS, VALUES, SCHEMA, WordCountingEmbedderDouble())
    other = ClassifierExtractor.train(TEXTS[::-1], VALUES, SCHEMA, WordCountingEmbedderDouble())
    assert extractor.identity == again.identity
    assert extractor.identity.digest != other.identity.digest and extractor.identity.kind == "local"


def test_cross_fitting_never_trains_on_the_group_it_reads():
    # Each author has a word of their own; only a model that saw the author could know the value.
    texts = [w for w in WORDS for _ in range(3)]
    schema = Schema((Attribute("v", WORDS),))
    values = pd.DataFrame({"v": texts})
    apart = cross_fitted(texts, values, schema, WordCountingEmbedderDouble(), groups=texts)
    together = cross_fitted(texts, values, schema, WordCountingEmbedderDouble(), folds=3, seed=1)
    assert (apart["v"] == values["v"]).sum() == 0
    assert (together["v"] == values["v"]).mean() > 0.7
    with pytest.raises(BadInput, match="two"):
        cross_fitted(["a"], values[:1], schema, WordCountingEmbedderDouble())


def test_no_texts_give_an_empty_table(extractor):
    assert extractor.extract([], SCHEMA).values.shape == (0, 2)
