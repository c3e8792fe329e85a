"""A small corpus with users and two declared attributes, and a study of it."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from ctxpriv.corpus import Corpus
from ctxpriv.insights.study import InsightStudy
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.spin.template import TemplateDecoder
from ctxpriv.roles import Roles
from ctxpriv.schema import Attribute, Schema
from ctxpriv.workspace import Workspace

THEMES = ("late fee", "rude staff", "lost card", "long wait", "wrong amount")


class HashEmbedderDouble:
    """Unit vectors from a hash of the text."""

    identity = ModelIdentity("local", "hash embedder double")
    dimension = 8

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        seeds = [int.from_bytes(hashlib.sha256(t.encode()).digest()[:4]) for t in texts]
        vectors = np.stack([np.random.default_rng(s).normal(size=8) for s in seeds]).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def corpus() -> Corpus:
    rng, n = np.random.default_rng(0), 150
    schema = Schema((Attribute("theme", THEMES), Attribute("region", ("North", "South"))), {})
    theme = rng.choice(5, n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    texts = [f"They had a {THEMES[t]} in my case number {i}, and nobody helped." for i, t in enumerate(theme)]
    table = pd.DataFrame(
        {"theme": [THEMES[t] for t in theme], "region": rng.choice(["North", "South"], n)}, dtype=object
    )
    splits = np.asarray(["private"] * 100 + ["test"] * 10 + ["donated"] * 40, object)
    return Corpus(
        "cases", tuple(f"r{i}" for i in range(n)), tuple(texts), table, schema, splits, "theme",
        tuple(f"u{i % 40}" for i in range(n)),
    )  # fmt: skip


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path / "ws")


@pytest.fixture
def roles() -> Roles:
    return Roles(HashEmbedderDouble(), None, decoder=TemplateDecoder())


@pytest.fixture
def study(corpus, workspace):
    """A study of the corpus in the workspace; keywords replace keys of the plan."""
    key = workspace.add_corpus(corpus)

    def make(**changes) -> InsightStudy:
        plan = {
            "kind": "insights",
            "name": "Cases",
            "corpus": {"workspace": key},
            "atoms": {"taxonomy": ["theme"], "list": ["never heard of"], "m": 10},
            "measure": {"size": 3, "denominator": 100, "delta": 1e-3},
            "methods": ["DP-SPIN"],
            "epsilon": 1,
        }
        return InsightStudy.from_dict({**plan, **changes})

    return make
