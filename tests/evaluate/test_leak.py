from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.context import Partition
from ctxpriv.evaluate.leak import NOTHING_PRIVATE, attribute_inference
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.schema import Attribute, Schema

SCHEMA = Schema(
    (Attribute("sex", ("f", "m")), Attribute("age", ("y", "o")), Attribute("job", ("a", "b", "c")))
)
SETTINGS = EvaluationSettings(bootstrap=40, refits=5)
ONE_PUBLIC = Partition("vendor", ("sex",), ("age", "job"))


def attack(released, test, partition=ONE_PUBLIC):
    released, test = np.asarray(released), np.asarray(test)
    return attribute_inference(
        released, test, [str(i) for i in range(len(test))], SCHEMA, partition, SETTINGS
    )


def test_hand_computed_advantage():
    # In the release age is sex; job is always "a".
    released = [[0, 0, 0], [1, 1, 0]] * 20
    # In the test, age is sex in 16 of 20; 12 of 20 have age y; 15 of 20 have job a.
    test = [[0, 0, 0]] * 10 + [[1, 1, 0]] * 5 + [[1, 1, 1]] + [[0, 1, 1]] * 2 + [[1, 0, 1]] * 2
    metric, rows = attack(released, test)
    assert rows["age"]["accuracy"] == pytest.approx(16 / 20)
    assert rows["age"]["majority"] == pytest.approx(12 / 20)
    assert rows["age"]["raw"] == pytest.approx(0.2)
    assert rows["age"]["majority_value"] == "y"
    assert rows["job"]["raw"] == pytest.approx(0)
    assert metric.value == pytest.approx(0.1)
    assert metric.low <= metric.value <= metric.high
    assert metric.n == 20


def test_an_attack_that_misleads_leaks_nothing_but_is_on_record():
    released = [[0, 1, 0], [1, 0, 0]] * 20  # the opposite of the truth
    test = [[0, 0, 0], [1, 1, 0]] * 10
    metric, rows = attack(released, test)
    assert rows["age"]["raw"] == pytest.approx(-0.5)
    assert rows["age"]["value"] == metric.value == 0
    assert metric.detail["raw"] == pytest.approx(-0.25)


def test_nothing_public_means_guessing_the_releases_majority():
    released = [[0, 0, 0]] * 20 + [[1, 1, 1]] * 10
    metric, rows = attack(released, [[0, 0, 1]] * 15 + [[0, 1, 1]] * 5, Partition("v", (), SCHEMA.names))
    assert rows["age"]["accuracy"] == rows["age"]["majority"] == 0.75
    assert rows["job"]["raw"] == -1
    assert metric.value == 0


def test_missing_reasons():
    assert (
        attack([[0, 0, 0]] * 30, [[0, 0, 0]] * 30, Partition("v", SCHEMA.names, ()))[0].missing
        == NOTHING_PRIVATE
    )
    assert (
        attack([[0, 0, 0]] * 19, [[0, 0, 0]] * 30)[0].missing
        == "needs at least 20 released records, there are 19"
    )
    assert "real test records" in attack([[0, 0, 0]] * 30, [[0, 0, 0]] * 5)[0].missing
