"""A small corpus made up for the tests, and doubles of the roles."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.sdg.write_local import DonorRecombiner
from ctxpriv.roles import Roles
from ctxpriv.schema import Attribute, Coarsening, Schema

CITIES = {"Berlin, Germany": "Europe", "Lagos, Nigeria": "Africa", "Oslo, Norway": "Europe"}
SAID = {
    "food": [
        "The soup was thick.",
        "I eat late.",
        "Bread is cheap.",
        "We cook on Sundays.",
        "Salt ruins it.",
    ],
    "work": ["My boss is away.", "I start at six.", "The pay is low.", "We fix pumps.", "Nobody reads mail."],
}


def small_schema() -> Schema:
    return Schema(
        (
            Attribute("topic", ("food", "work")),
            Attribute("age", ("20", "35", "50")),
            Attribute("city", tuple(CITIES)),
            Attribute("mood", ("calm", "angry")),
        ),
        {"city": Coarsening("city", CITIES, ("Europe", "Africa"))},
    )


class HashingEmbedder:
    """An embedder double: words hashed into 64 places, unit length. Counts its texts."""

    identity = ModelIdentity("local", "hashing double")
    dimension = 64

    def __init__(self) -> None:
        self.embedded = 0

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        self.embedded += len(texts)
        out = np.zeros((len(texts), self.dimension), np.float32)
        for i, text in enumerate(texts):
            for word in text.split():
                out[i, hashlib.sha1(word.encode()).digest()[0] % self.dimension] += 1
        return out / np.linalg.norm(out, axis=1, keepdims=True)


class MemoryCheckpoint:
    """Keeps stages in a dict; raises `StoppedHere` instead of saving the stage `fail_at`."""

    def __init__(self, fail_at: str = "") -> None:
        self.stages: dict[str, object] = {}
        self.saves: list[str] = []
        self.fail_at = fail_at

    def load(self, stage: str):
        return self.stages.get(stage)

    def save(self, stage: str, value) -> None:
        if stage == self.fail_at:
            raise StoppedHere(stage)
        self.saves.append(stage)
        self.stages[stage] = value


class StoppedHere(Exception):
    pass


@pytest.fixture
def corpus() -> Corpus:
    """60 private records, 20 donated, 10 for testing."""
    rng = np.random.default_rng(5)
    rows, texts = [], []
    schema = small_schema()
    for _ in range(90):
        row = {a.name: str(rng.choice(a.values)) for a in schema.attributes}
        said = list(rng.permutation(SAID[row["topic"]])[:3])
        texts.append(
            " ".join([f"I live in {row['city'].split(',')[0]}.", f"I am {row['age']} years old.", *said])
        )
        rows.append(row)
    table = pd.DataFrame({n: np.array([r[n] for r in rows], object) for n in schema.names})
    splits = np.array(["private"] * 60 + ["donated"] * 20 + ["test"] * 10, object)
    return Corpus("small", tuple(f"r{i}" for i in range(90)), tuple(texts), table, schema, splits, "topic")


@pytest.fixture
def partition() -> Partition:
    return Partition("vendor", ("topic", "mood"), ("age", "city"))


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def roles(embedder: HashingEmbedder) -> Roles:
    return Roles(embedder, DonorRecombiner())


@pytest.fixture
def checkpoint_that_stops_at():
    """`checkpoint_that_stops_at(stage)`; "" never stops. See `MemoryCheckpoint`."""
    return MemoryCheckpoint


@pytest.fixture
def stopped() -> type[Exception]:
    return StoppedHere
