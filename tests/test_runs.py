"""Ids of runs: everything that decides a result is in them, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ctxpriv.context import Approval, CorpusContext, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.anon.methods import RUPTA, AnonCI, OneTwoThree
from ctxpriv.privatize.sdg.methods import SDGCI
from ctxpriv.roles import Roles
from ctxpriv.runs import run_id
from ctxpriv.schema import Attribute, Schema

SCHEMA = Schema((Attribute("topic", ("a", "b")), Attribute("town", ("Bonn", "Ulm"))))
CORPUS = Corpus(
    "tiny",
    ("1", "2"),
    ("one", "two"),
    pd.DataFrame({"topic": ["a", "b"], "town": ["Bonn", "Ulm"]}, dtype=object),
    SCHEMA,
    np.array(["private", "donated"], object),
    "topic",
    context=CorpusContext("people", "a forum", "consent"),
)
SIDES = Partition("A", ("topic",), ("town",))


class PlayerDouble:
    """Test double: somebody with a name."""

    def __init__(self, name: str) -> None:
        self.identity = ModelIdentity("ollama", name)


ROLES = Roles(*(PlayerDouble(name) for name in "abcdefghi"))


def changed(role: str) -> Roles:
    return replace(ROLES, **{role: PlayerDouble("another")})


ANON = AnonCI()


def of(config=ANON, corpus=CORPUS, partition=SIDES, roles=ROLES, seed=0) -> str:
    return run_id(corpus, config, partition, roles, seed)


@pytest.mark.parametrize("config", [AnonCI(), RUPTA(), OneTwoThree()])
def test_what_decides_a_rewriting_run_makes_another_id(config) -> None:
    others = [
        of(replace(config, guesses=2)),
        of(replace(config, withhold_unsafe=True)),
        of(replace(config, n_records=1)),
        of(config, partition=SIDES.moved("topic", "private")),
        of(config, corpus=CORPUS.subset(np.array([0]))),
        of(config, corpus=replace(CORPUS, context=CorpusContext("people", "a clinic", "consent"))),
        of(config, seed=1),
        *(of(config, roles=changed(role)) for role in config.played_by),
    ]
    assert len({of(config), *others}) == len(others) + 1


@pytest.mark.parametrize("config", [AnonCI(), RUPTA(), OneTwoThree()])
def test_what_does_not_decide_it_makes_no_new_run(config) -> None:
    unused = {"generator", "extractor", "classifier", "adversary", "agents", "rewriter"} - {*config.played_by}
    same = [
        of(config, partition=SIDES.approved(Approval("N. N.", "2026-11-30"))),
        of(config, corpus=replace(CORPUS, name="other", context=CorpusContext("?", "a forum", "?"))),
        *(of(config, roles=changed(role)) for role in unused),
    ]
    assert {of(config), *same} == {of(config)}


def test_three_methods_of_the_same_settings_are_three_runs() -> None:
    assert len({of(c) for c in (AnonCI(), RUPTA(), OneTwoThree())}) == 3


def test_who_sent_the_texts_changes_no_synthetic_run() -> None:
    elsewhere = replace(CORPUS, context=CorpusContext("people", "a clinic", "consent"))
    assert of(SDGCI()) == of(SDGCI(), corpus=elsewhere)
