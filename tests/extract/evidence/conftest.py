"""Invented donated texts of twelve authors, and an embedder double."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import ModelIdentity
from ctxpriv.schema import Attribute, Coarsening, Schema

CITIES = {
    "Lagos, Nigeria": "Africa",
    "Accra, Ghana": "Africa",
    "Berlin, Germany": "Europe",
    "Porto, Portugal": "Europe",
}
AGES = {str(n): "under 40" if n < 40 else "40+" for n in range(18, 80)}
SCHEMA = Schema(
    (
        Attribute("topic", ("food", "travel"), "What the text is about."),
        Attribute("age", tuple(str(n) for n in range(18, 80)), "The author's age in years."),
        Attribute("sex", ("female", "male"), "The author's sex."),
        Attribute("city", tuple(CITIES), "Where the author lives."),
        Attribute("status", ("single", "married", "divorced", "Not stated"), "The author's marital status."),
        Attribute(
            "job", ("nurse", "family doctor", "truck driver", "Not stated"), "Occupation of the author."
        ),
        Attribute("word_count", ("under 5 words", "5+ words"), "How many words the text has."),
    ),
    {
        "age": Coarsening("age", AGES, ("under 40", "40+")),
        "city": Coarsening("city", CITIES, ("Africa", "Europe")),
    },
)


class HashingEmbedderDouble:
    """Test double: words hashed into 48 places, unit length; an empty text is the zero vector."""

    identity = ModelIdentity("local", "hashing test double")
    dimension = 48

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        out = np.zeros((len(texts), self.dimension), np.float32)
        for i, text in enumerate(texts):
            for word in text.casefold().split():
                out[i, hashlib.sha1(word.strip(".,!").encode()).digest()[0] % self.dimension] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


def donated() -> DonatedExamples:
    rows, texts = [], []
    for a in range(12):
        africa, woman = a % 2 == 0, a % 3 == 0
        city = ("Lagos, Nigeria" if a % 4 else "Accra, Ghana") if africa else "Berlin, Germany"
        spouse = "husband" if woman else "wife"
        for topic in ("food", "travel"):
            what = "We cook soup and bread" if topic == "food" else "We take the train and the bus"
            texts.append(f"{what} in {city.split(',')[0]}. My {spouse} likes it number {a}.")
            rows.append(
                [topic, str(20 + 4 * a), "female" if woman else "male", city, "married", "nurse", "5+ words"]
            )
    return DonatedExamples(tuple(texts), pd.DataFrame(rows, columns=list(SCHEMA.names)), SCHEMA, "topic")


@pytest.fixture
def embedder() -> HashingEmbedderDouble:
    return HashingEmbedderDouble()


@pytest.fixture(scope="session")
def examples() -> DonatedExamples:
    return donated()


@pytest.fixture(scope="session")
def schema() -> Schema:
    return SCHEMA
