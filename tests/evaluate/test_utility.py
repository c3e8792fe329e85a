from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.evaluate.utility import (
    TestSide,
    Verdicts,
    accuracy,
    demographic_gap,
    majority_accuracy,
    train_and_test,
)

SETTINGS = EvaluationSettings(group_attribute="sex", bootstrap=40, refits=5)


def side(labels, groups=None, values=("female", "male")) -> TestSide:
    labels = np.asarray(labels)
    vectors = np.eye(4, dtype=np.float32)[labels]
    return TestSide(
        vectors,
        tuple("x" for _ in labels),
        labels,
        tuple(str(i) for i in range(len(labels))),
        None if groups is None else np.asarray(groups),
        values if groups is not None else (),
    )


def verdicts(correct) -> Verdicts:
    return Verdicts(np.asarray(correct, bool), np.zeros((0, len(correct)), bool), "by hand", 50)


def test_gap_by_hand():
    # 20 of group 0, 16 right; 10 of group 1, 3 right.
    correct = [1] * 16 + [0] * 4 + [1] * 3 + [0] * 7
    test = side([0] * 30, [0] * 20 + [1] * 10)
    metric = demographic_gap(verdicts(correct), test, SETTINGS)
    assert metric.value == pytest.approx(0.8 - 0.3)
    assert metric.n == 30
    assert metric.detail["groups"] == ["female", "male"]
    assert metric.detail["sizes"] == [20, 10]
    assert metric.low <= metric.value <= metric.high
    assert accuracy(verdicts(correct), test, SETTINGS).value == pytest.approx(19 / 30)


def test_gap_takes_the_two_largest_groups_and_not_the_silent():
    groups = [0] * 30 + [1] * 12 + [2] * 5 + [3] * 11
    test = side([0] * 58, groups, ("Not stated", "female", "other", "male"))
    metric = demographic_gap(verdicts([1] * 58), test, SETTINGS)
    assert metric.detail["groups"] == ["female", "male"]
    assert metric.value == 0


@pytest.mark.parametrize(
    ("groups", "values", "changes", "why"),
    [
        ([0] * 20 + [1] * 9, ("female", "male"), {}, "at least 10 test records a group, there are 9"),
        ([0] * 29, ("female",), {}, "fewer than two groups"),
        (None, (), {}, "no attribute 'sex'"),
        ([0] * 15 + [1] * 14, ("female", "male"), {"group_attribute": None}, "no attribute was named"),
        ([0] * 15 + [1] * 14, ("female", "male"), {"groups": ("female", "x")}, "no value 'x'"),
    ],
)
def test_gap_says_why_not(groups, values, changes, why):
    settings = EvaluationSettings(**{"group_attribute": "sex", "bootstrap": 40, "refits": 5, **changes})
    metric = demographic_gap(verdicts([1] * 29), side([0] * 29, groups, values), settings)
    assert metric.value is None
    assert why in metric.missing


def test_a_separable_label_is_learnt():
    rng = np.random.default_rng(0)
    train = rng.integers(0, 3, 60)
    test = side(rng.integers(0, 3, 40))
    metric = accuracy(train_and_test(np.eye(4)[train], train, test, SETTINGS), test, SETTINGS)
    assert metric.value == 1
    assert metric.high == 1


def test_labels_unseen_in_training_count_as_wrong():
    test = side([0] * 15 + [3] * 5)
    found = train_and_test(np.eye(4)[[0, 1] * 15], np.array([0, 1] * 15), test, SETTINGS)
    metric = accuracy(found, test, SETTINGS)
    assert metric.detail["unseen_labels"] == 5
    assert metric.value == pytest.approx(0.75)


def test_a_label_with_one_member_and_a_release_with_one_label():
    test = side([0] * 12 + [1] * 8)
    alone = train_and_test(np.eye(4)[[0] * 29 + [1]], np.array([0] * 29 + [1]), test, SETTINGS)
    assert np.isfinite(accuracy(alone, test, SETTINGS).value)
    constant = train_and_test(np.eye(4)[[0] * 30], np.zeros(30, int), test, SETTINGS)
    assert accuracy(constant, test, SETTINGS).value == pytest.approx(0.6)


def test_majority():
    assert majority_accuracy(side([2] * 15 + [0] * 5)).value == pytest.approx(0.75)
    assert majority_accuracy(side([2] * 5)).value is None
