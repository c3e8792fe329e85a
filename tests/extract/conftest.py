"""A small private corpus, an embedder double, and a checkpoint for the schema constructions."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from ctxpriv.corpus import Corpus
from ctxpriv.models.base import ModelIdentity
from ctxpriv.schema import Attribute, Schema


class HashingEmbedderDouble:
    """Test double: words hashed into 64 places, unit length."""

    identity = ModelIdentity("local", "hashing test double")
    dimension = 64

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        out = np.zeros((len(texts), self.dimension), np.float32)
        for i, text in enumerate(texts):
            for word in text.split():
                out[i, hashlib.sha1(word.encode()).digest()[0] % self.dimension] += 1
        return out / np.linalg.norm(out, axis=1, keepdims=True)


class MemoryCheckpoint(dict):
    """Keeps the stages of one run in memory."""

    def load(self, stage: str):
        return self.get(stage)

    def save(self, stage: str, value) -> None:
        self[stage] = value


@pytest.fixture
def embedder() -> HashingEmbedderDouble:
    return HashingEmbedderDouble()


@pytest.fixture
def checkpoint() -> MemoryCheckpoint:
    return MemoryCheckpoint()


@pytest.fixture
def private_corpus():
    """`private_corpus(texts)`: these as private records, and one test record nobody may read."""

    def make(texts) -> Corpus:
        every = (*texts, "a test record that no construction reads")
        schema = Schema((Attribute("topic", ("a", "b")),))
        table = pd.DataFrame({"topic": np.array(["a"] * len(every), object)})
        splits = np.array(["private"] * len(texts) + ["test"], object)
        return Corpus("c", tuple(map(str, range(len(every)))), every, table, schema, splits, "topic")

    return make
