"""Attacks with made-up figures, an adversary that is scripted, and twelve records to attack."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ctxpriv.corpus import Corpus
from ctxpriv.evaluate.attacks.adversary import Originals
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, Attack
from ctxpriv.evaluate.metric import Metric
from ctxpriv.models.base import ModelIdentity
from ctxpriv.rewriting_roles import Guessed
from ctxpriv.schema import Attribute, Coarsening, Schema


def made_up(leak: float | None = 0.4, majority: float = 0.3, unprotected: float = 0.8, **changes) -> Attack:
    figure = Metric.not_computed("nothing was answered") if leak is None else Metric(leak, 0.2, 0.9, 30)
    advantage = figure if leak is None else Metric(leak - majority, -0.1, 0.2, 30)
    fields = {
        "name": CLASSIFIER,
        "who": {"kind": "local", "name": "made up", "digest": "", "place": "this machine"},
        "leak": figure,
        "majority": Metric(majority, n=30),
        "advantage": advantage,
        "unprotected": Metric(unprotected, 0.7, 0.9, 30),
        "leak_when_useful": Metric.not_computed("no record kept everything"),
        "n": 30,
        "per_attribute": {"age": {"accuracy": 0.4, "n": 30}},
    }
    return Attack(**{**fields, **changes})


@pytest.fixture
def some_attack():
    return made_up


class ScriptedAdversaryDouble:
    """Answers by a fixed rule, `answer(text, attribute)`: guesses, or None for an unreadable answer."""

    def __init__(self, answer, name: str = "scripted adversary (test double)") -> None:
        self.answer, self.identity = answer, ModelIdentity("local", name)
        self.asked: list[tuple[tuple[str, ...], tuple[str, ...]]] = []

    def answers(self, texts, brief, *, progress=None, cancel=None):
        self.asked.append((tuple(texts), brief.private))
        found = [{name: self.answer(text, name) for name in brief.private} for text in texts]
        return [Guessed({n: g for n, g in told.items() if g is not None}) for told in found]


@pytest.fixture
def scripted_adversary():
    return ScriptedAdversaryDouble


TOWNS = ("Bonn, Germany", "Ulm, Germany", "Lyon, France", "Not stated")


@pytest.fixture
def victims():
    """Originals of twelve records by six authors: an age, a town in buckets of countries, a topic."""
    schema = Schema(
        (
            Attribute("age", (*map(str, range(20, 70)), "Not stated")),
            Attribute("town", TOWNS),
            Attribute("topic", ("food", "work")),
        ),
        {
            "town": Coarsening(
                "town",
                dict(zip(TOWNS, ("Germany", "Germany", "France", "Not stated"), strict=True)),
                ("Germany", "France", "Not stated"),
            )
        },
    )
    table = pd.DataFrame(
        {
            "age": ["30", "30", "33", "60", "Not stated", "45"] * 2,
            "town": ["Bonn, Germany", "Ulm, Germany", "Lyon, France", "Bonn, Germany", *["Not stated"] * 2]
            * 2,
            "topic": ["food", "work"] * 6,
        },
        dtype=object,
    )
    texts = tuple(f"text {i}" for i in range(12))
    corpus = Corpus(
        "made up",
        tuple(f"r{i}" for i in range(12)),
        texts,
        table,
        schema,
        np.array(["private"] * 12, object),
        "topic",
        tuple(f"a{i // 2}" for i in range(12)),
    )
    return Originals.of(corpus)
