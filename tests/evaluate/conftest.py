"""Small corpora, releases and an embedder double for the evaluation tests."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privacy.guarantee import DP, guarantee_from
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.release import Release
from ctxpriv.roles import Roles
from ctxpriv.schema import Attribute, Schema

WORDS = {
    "food": ["soup", "bread", "kitchen", "pepper", "onion", "oven", "dinner", "spice"],
    "work": ["office", "meeting", "boss", "salary", "desk", "report", "shift", "client"],
    "travel": ["train", "ticket", "beach", "passport", "hotel", "airport", "map", "bus"],
}
SEXES = {"female": ["sister", "mother", "she"], "male": ["brother", "father", "he"]}
FILLER = ["the", "a", "of", "and", "today", "then", "some", "many", "never", "always"]


class HashedWordsEmbedderDouble:
    """Bag of hashed words, unit length: instant, and near for texts that share words."""

    identity = ModelIdentity("local", "hashed words (test double)")
    dimension = 64

    def __init__(self) -> None:
        self.embedded = 0

    def embed(self, texts, *, progress=None, cancel=None):
        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            self.embedded += 1
            for word in text.split():
                out[row, int(hashlib.sha256(word.encode()).hexdigest(), 16) % self.dimension] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


SCHEMA = Schema(
    (
        Attribute("topic", tuple(WORDS)),
        Attribute("sex", tuple(SEXES)),
        Attribute("age", ("young", "old")),
        Attribute("word_count", ("under 9 words", "9+ words")),
    )
)


def records(n: int, seed: int, age_follows_sex: float = 0.5) -> tuple[list[str], pd.DataFrame]:
    """Texts whose words tell topic and sex; `age` follows sex with the given probability."""
    rng = np.random.default_rng(seed)
    texts, rows = [], []
    for _ in range(n):
        topic, sex = rng.choice(list(WORDS)), rng.choice(list(SEXES))
        follows = rng.random() < age_follows_sex
        age = "young" if (sex == "female") == follows else "old"
        length = int(rng.integers(6, 13))
        words = [*rng.choice(WORDS[topic], 3), *rng.choice(SEXES[sex], 2), *rng.choice(FILLER, length - 5)]
        texts.append(" ".join(rng.permutation(words)))
        rows.append((topic, sex, age, "under 9 words" if length < 9 else "9+ words"))
    return texts, pd.DataFrame(rows, columns=list(SCHEMA.names), dtype=object)


def make_corpus(
    n_private: int = 120,
    n_test: int = 80,
    n_donated: int = 20,
    *,
    label: str | None = "topic",
    seed: int = 0,
    age_follows_sex: float = 0.5,
) -> Corpus:
    n = n_private + n_test + n_donated
    texts, table = records(n, seed, age_follows_sex)
    splits = np.array(["private"] * n_private + ["test"] * n_test + ["donated"] * n_donated, object)
    authors = tuple(f"a{i // 2}" for i in range(n))
    return Corpus(
        "made up", tuple(f"r{i}" for i in range(n)), tuple(texts), table, SCHEMA, splits, label, authors
    )


def make_release(texts, table: pd.DataFrame, *, method: str = "SDG-CI", epsilon: float = 1.0) -> Release:
    frame = table.reset_index(drop=True).copy()
    frame.insert(0, "text", list(texts))
    guarantee = guarantee_from(method, DP, [], 0.01, OpenDPNoise())
    return Release(method, "vendor", PARTITION, {"epsilon": epsilon}, guarantee, frame)


PARTITION = Partition("vendor", ("topic", "sex", "word_count"), ("age",))


@pytest.fixture
def embedder() -> HashedWordsEmbedderDouble:
    return HashedWordsEmbedderDouble()


@pytest.fixture
def roles(embedder) -> Roles:
    return Roles(embedder, generator=None)


@pytest.fixture
def make():
    """The makers of this file, for tests that cannot import it (there are no packages here)."""

    class Make:
        corpus = staticmethod(make_corpus)
        release = staticmethod(make_release)
        records = staticmethod(records)
        partition = PARTITION
        schema = SCHEMA

    return Make
