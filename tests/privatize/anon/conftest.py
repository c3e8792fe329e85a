"""Doubles of the roles of rewriting, and a tiny corpus to rewrite."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ctxpriv.asking import Meter
from ctxpriv.corpus import Corpus
from ctxpriv.matching import Matcher
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.anon.assess import Assessor, Record
from ctxpriv.progress import NEVER
from ctxpriv.rewriting_roles import Brief, Guessed, Rewritten
from ctxpriv.schema import Attribute, Coarsening, Schema

SCHEMA = Schema(
    (
        Attribute("topic", ("work", "home", "Not stated"), "What it is about"),
        Attribute("town", ("Bonn", "Ulm", "Köln", "Not stated"), "Where the writer lives"),
        Attribute("job", ("baker", "nurse", "pilot", "Not stated"), "What the writer does"),
    ),
    {"job": Coarsening("job", {"baker": "trade", "nurse": "care", "pilot": "transport", "Not stated": "none"},
                       ("trade", "care", "transport", "none"))},
)  # fmt: skip


class ScriptedRewriterDouble:
    """Test double: gives `script[round]` (a text, a Rewritten, or a function of the task), the last
    entry for all later rounds. `tasks` holds all that it was given."""

    identity = ModelIdentity("local", "scripted rewriter (test double)")

    def __init__(self, *script) -> None:
        self.script, self.tasks, self.waves = script, [], []

    def prepared(self, brief, seed):
        return self

    def rewrite(self, tasks, *, seed):
        self.tasks += tasks
        self.waves.append(len(tasks))
        return [self._one(task) for task in tasks]
        yield

    def _one(self, task):
        step = self.script[min(task.round, len(self.script)) - 1]
        step = step(task) if callable(step) else step
        return step if isinstance(step, Rewritten) else Rewritten(step)


class WordGuesserDouble:
    """Test double: guesses a value of an attribute where it stands in the text; says nothing otherwise.

    `unreadable(text)` names attributes that are left out of the answer, so unknown.
    """

    identity = ModelIdentity("local", "word guesser (test double)")

    def __init__(self, schema=SCHEMA, unreadable=lambda text: ()) -> None:
        self.schema, self.unreadable, self.texts = schema, unreadable, []

    def prepared(self, brief, seed):
        return self

    def guess(self, texts, attributes, *, seed):
        self.texts += texts
        return [self._one(text, attributes) for text in texts]
        yield

    def _one(self, text, attributes):
        known = {}
        for name in (a for a in attributes if a not in self.unreadable(text)):
            values = (*self.schema[name].values, *self.schema.coarse_values(name))
            known[name] = tuple(v for v in dict.fromkeys(values) if v in text)[: attributes[name]]
        return Guessed(known, spans=known)


@pytest.fixture
def schema():
    return SCHEMA


@pytest.fixture
def rewriter():
    return ScriptedRewriterDouble


@pytest.fixture
def guesser():
    return WordGuesserDouble


@pytest.fixture
def record():
    def make(text="I work as a baker in Ulm, and this is about work.", row=0, **truths):
        return Record(row, f"r{row}", text, {"topic": "work", "town": "Ulm", "job": "baker", **truths})

    return make


@pytest.fixture
def assessor():
    """Town is private; the topic and the job must stay inferable."""

    def make(privacy=None, utility=None, *, private=("town",), public=("topic", "job"), coarsened=(),
             checked=None, cancel=NEVER):  # fmt: skip
        brief = Brief(SCHEMA, public, private, "topic", None, coarsened)
        return Assessor(
            brief,
            privacy or WordGuesserDouble(),
            utility or WordGuesserDouble(),
            Matcher(SCHEMA),
            dict.fromkeys(private, 1),
            tuple(n for n in SCHEMA.names if n in (*public, *coarsened)) if checked is None else checked,
            0,
            cancel,
            Meter(),
        )

    return make


@pytest.fixture
def corpus():
    """24 private records, 6 test, 10 donated."""
    rng = np.random.default_rng(0)
    n = 40
    table = pd.DataFrame(
        {
            "topic": rng.choice(["work", "home"], n),
            "town": rng.choice(["Bonn", "Ulm", "Köln"], n),
            "job": rng.choice(["baker", "nurse", "pilot"], n),
        }
    ).astype(object)
    texts = tuple(
        f"Number {i}: as a {r.job} from {r.town} I write about {r.topic}." for i, r in table.iterrows()
    )
    splits = np.array(["private"] * 24 + ["test"] * 6 + ["donated"] * 10, object)
    return Corpus("tiny", tuple(f"r{i}" for i in range(n)), texts, table, SCHEMA, splits, "topic")
