from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.evaluate.attacks.adversary import Adversary
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, CLASSIFY, OPEN
from ctxpriv.evaluate.attacks.score import Target, attack, share
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.matching import Matcher

QUICK = EvaluationSettings(bootstrap=40)
REWRITES = tuple(f"rewrite {i}" for i in range(12))


def run(victims, double, *, attributes=("age", "town"), useful=None, evaluator=None, **adversary):
    target = Target(
        REWRITES,
        tuple(range(12)),
        attributes,
        np.ones(12, bool) if useful is None else useful,
        evaluator or {},
    )
    who = Adversary(adversary.pop("name", CLASSIFY), double, **adversary)
    return attack(who, target, victims, Matcher(victims.brief.schema), QUICK)


def test_an_adversary_that_reads_originals_but_not_rewrites(victims, scripted_adversary):
    """Named on every original, "Germany" on every rewrite: the majority of the towns, an age of none."""
    truth = {(f"text {i}", name): victims.table[name][i] for name in ("age", "town") for i in range(12)}
    double = scripted_adversary(
        lambda text, name: (truth.get((text, name), "Germany" if name == "town" else "21"),)
    )
    found = run(victims, double)
    assert found.unprotected.value == 1.0
    town, age = found.per_attribute["town"], found.per_attribute["age"]
    assert (town["accuracy"], town["majority"], town["n"], town["not_stated"]) == (0.75, 0.75, 8, 4)
    assert (age["accuracy"], age["majority"], age["n"], age["not_stated"]) == (0.0, 0.4, 10, 2)
    assert found.leak.value == pytest.approx(0.375)
    assert found.majority.value == pytest.approx((0.75 + 0.4) / 2)
    assert found.advantage.value == pytest.approx(0.375 - 0.575)
    assert found.removed == pytest.approx((1 - 0.375) / (1 - 0.575))
    assert found.leak.low <= found.leak.value <= found.leak.high


def test_closed_answers_are_buckets_or_values_and_never_nearly_right(victims, scripted_adversary):
    """31 is not 30 for one who chooses among the values; a value stands for its bucket."""
    double = scripted_adversary(lambda text, name: ("Ulm, Germany",) if name == "town" else ("31",))
    found = run(victims, double)
    assert found.per_attribute["town"]["accuracy"] == 0.75
    assert found.per_attribute["age"]["accuracy"] == 0.0


def test_open_guesses_go_through_matching_and_any_of_them_counts(victims, scripted_adversary):
    double = scripted_adversary(
        lambda text, name: (
            ("Lyon", "Bonn, Germany", "Rome") if name == "town" else ("mid-thirties", "62", "7")
        )
    )
    found = run(victims, double, name=OPEN, closed=False, guesses=3)
    assert found.per_attribute["town"]["accuracy"] == 0.75  # Ulm is another town of the same country
    assert found.per_attribute["age"]["accuracy"] >= 0.4  # 33 and 60 at least, within five years
    one = run(victims, double, name="first only", closed=False, guesses=1)
    assert one.per_attribute["town"]["accuracy"] == 0.25


def test_the_majority_has_as_many_guesses_as_the_adversary(victims, scripted_adversary):
    nothing = scripted_adversary(lambda text, name: ())
    one = run(victims, nothing, name="one", closed=False, guesses=1)
    three = run(victims, nothing, name="three", closed=False, guesses=3)
    assert one.per_attribute["town"]["majority"] == 0.5
    assert three.per_attribute["town"]["majority"] == 1.0
    # Within five years, 30 covers 33 as well; 45 and 60 are one guess each.
    assert one.per_attribute["age"]["majority"] == 0.6
    assert three.per_attribute["age"]["majority"] == 1.0


def test_no_indication_is_a_miss_but_an_unreadable_answer_is_no_evidence(victims, scripted_adversary):
    double = scripted_adversary(
        lambda text, name: (
            None if name == "town" and text == "rewrite 0" else ("Germany",) if text == "rewrite 1" else ()
        )
    )
    town = run(victims, double).per_attribute["town"]
    assert (town["n"], town["unknown"]) == (7, 1)
    assert town["accuracy"] == pytest.approx(1 / 7)
    assert town["majority"] == pytest.approx(5 / 7)


def test_nothing_readable_is_no_figure_and_not_nought(victims, scripted_adversary):
    found = run(victims, scripted_adversary(lambda text, name: None))
    assert found.leak.value is None and found.advantage.value is None and found.removed is None
    assert found.unknown == 24
    assert found.per_attribute["age"]["accuracy"] is None


def test_leak_where_utility_was_kept(victims, scripted_adversary):
    double = scripted_adversary(lambda text, name: ("Germany",))
    useful = np.array([i in (2, 8) for i in range(12)])  # the two who live in France
    found = run(victims, double, attributes=("town",), useful=useful)
    assert found.leak.value == 0.75
    assert (found.leak_when_useful.value, found.leak_when_useful.n) == (0.0, 2)
    none = run(victims, double, attributes=("town",), useful=np.zeros(12, bool))
    assert "no record kept" in none.leak_when_useful.missing


def test_the_adversary_that_judged_while_rewriting_is_recognised(victims, scripted_adversary):
    double = scripted_adversary(lambda text, name: ())
    same = double.identity.to_dict()
    assert run(victims, double, evaluator=same).same_as_evaluator
    assert run(victims, double, evaluator={**same, "digest": "once it has learnt"}).same_as_evaluator
    assert not run(victims, double, evaluator={**same, "name": "another"}).same_as_evaluator
    assert not run(victims, double).same_as_evaluator


def test_same_seed_same_attack(victims, scripted_adversary):
    double = scripted_adversary(lambda text, name: ("Germany",) if text.endswith("1") else ("France",))
    first, second = (run(victims, double, name=CLASSIFIER).to_dict() for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=1, max_size=30), st.integers(0, 5))
def test_shares_are_means_of_what_counts(row, seed):
    array = np.array(row)
    weights = np.random.default_rng(seed).multinomial(len(row), np.full(len(row), 1 / len(row)), size=8)
    found = share(array, weights.astype(float))
    counted = array[~np.isnan(array)]
    if not len(counted):
        assert found is None
        return
    value, draws = found
    assert value == counted.mean()
    usable = draws[~np.isnan(draws)]
    assert ((usable >= -1e-12) & (usable <= 1 + 1e-12)).all()
    assert np.isnan(draws).sum() == (weights[:, ~np.isnan(array)].sum(axis=1) == 0).sum()
