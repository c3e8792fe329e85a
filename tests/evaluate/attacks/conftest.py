"""Attacks as a report holds them, with made-up figures."""

from __future__ import annotations

import pytest

from ctxpriv.evaluate.attacks.attack import CLASSIFIER, Attack
from ctxpriv.evaluate.metric import Metric


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
