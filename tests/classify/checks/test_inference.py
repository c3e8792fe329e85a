"""What the adversary finds, and what it must not find."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxpriv.classify.checks.adversary import Adversary, Rule
from ctxpriv.classify.checks.finding import CheckSettings
from ctxpriv.classify.checks.inference import gain_of, inference
from ctxpriv.classify.checks.records import Column, column, records_of

QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


def found(make, columns, partition, **about):
    return inference(records_of(make.corpus(columns, **about)), partition)


def test_a_functional_dependency_is_found_named_and_undone_by_the_suggestion(make):
    rng = np.random.default_rng(0)
    level = rng.integers(0, 4, 300)
    columns = {"level": level, "noise": rng.integers(0, 3, 300), "income": (level + 1) % 4}
    finding = found(make, columns, make.sides("level noise", "income"))
    row = finding.rows[0]
    assert finding.warning
    assert row["accuracy"] == 1
    assert row["majority"] == max(np.bincount(columns["income"])) / 300
    assert row["moves"] == ["level"]
    assert row["enough"]
    assert (
        "Whoever knows the 2 disclosed attributes guesses income right for 100 % of 300 records"
        in finding.sentence
    )
    assert "level alone gives 100 %" in finding.sentence
    assert finding.suggestion.startswith("Make level private: income is then guessed right for ")


def test_an_interaction_of_two_attributes_is_found_that_tell_nothing_alone(make):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    columns = {"a": a, "b": b, "other": rng.integers(0, 5, 400), "secret": a ^ b}
    finding = found(make, columns, make.sides("a b other", "secret"))
    assert finding.rows[0]["accuracy"] > 0.99
    assert "a and b together give 100 %" in finding.rows[0]["told"]
    assert len(finding.rows[0]["moves"]) == 1
    assert finding.rows[0]["after_moves"] < 0.65


def test_an_attribute_of_hundreds_of_values_is_found(make):
    rng = np.random.default_rng(2)
    city = rng.integers(0, 300, 3000)
    columns = {"city": city, "sex": rng.integers(0, 2, 3000), "country": city % 7}
    finding = found(make, columns, make.sides("city sex", "country"))
    assert finding.rows[0]["accuracy"] > 0.99


def test_weak_evidence_of_many_attributes_adds_up(make):
    rng = np.random.default_rng(3)
    secret = rng.integers(0, 2, 2000)
    columns = {f"a{i}": np.where(rng.random(2000) < 0.65, secret, 1 - secret) for i in range(9)}
    finding = found(make, columns | {"secret": secret}, make.sides(" ".join(columns), "secret"))
    row = finding.rows[0]
    assert row["accuracy"] > 0.8 > 0.7 > max(row["alone"].values())
    assert not row["enough"]
    assert finding.suggestion.startswith("Many attributes tell it")


def test_where_two_attributes_tell_the_same_both_are_named_and_both_must_go(make):
    level = np.arange(200) % 4
    columns = {"level": level, "band": 3 - level, "income": level}
    row = found(make, columns, make.sides("level band", "income")).rows[0]
    assert sorted(row["moves"]) == ["band", "level"]
    assert row["enough"]
    assert "100 %" in row["told"]
    assert "band" in row["told"]
    assert "level" in row["told"]


def test_values_that_are_nearly_unique_tell_nothing_held_out(make):
    rng = np.random.default_rng(4)
    columns = {"id": np.arange(500), "secret": rng.integers(0, 3, 500)}
    finding = found(make, columns, make.sides("id", "secret"))
    assert not finding.warning
    assert finding.rows[0]["accuracy"] < 0.42


def test_an_author_is_met_once_so_that_a_habit_of_theirs_is_no_leak(make):
    """`style` names the author, who always has one `secret`: the guesser has not met them."""
    rng = np.random.default_rng(5)
    author = np.repeat(np.arange(60), 5)
    secret = rng.integers(0, 3, 60)[author]
    columns = {"style": author, "secret": secret}
    apart = found(make, columns, make.sides("style", "secret"), authors=[f"u{a}" for a in author])
    assert not apart.warning
    assert apart.facts["authors_apart"]
    assert found(make, columns, make.sides("style", "secret")).warning


def test_too_few_authors_are_dealt_by_record_and_it_is_said(make):
    author = [f"u{i % 3}" for i in range(60)]
    finding = found(
        make,
        {"a": [i % 2 for i in range(60)], "b": [i % 2 for i in range(60)]},
        make.sides("a", "b"),
        authors=author,
    )
    assert not finding.facts["authors_apart"]
    assert "too few authors" in finding.sentence


def test_a_rare_value_that_is_found_out_warns_though_accuracy_hardly_moves(make):
    ill = np.arange(1000) % 33 == 0
    finding = found(make, {"drug": ill, "illness": ill}, make.sides("drug", "illness"))
    assert finding.rows[0]["gain"] < 0.05
    assert finding.warning


BUCKETS = {str(v): f"tens {v // 10}" for v in range(40)}


def test_public_values_are_guessed_from_as_values_and_as_buckets_coarsened_ones_as_buckets_only(make):
    values = np.arange(400) % 40
    columns = {"fine": values, "digit": values % 10, "tens": values // 10}
    about = {"buckets": {"fine": BUCKETS}}
    both = {r["attribute"]: r for r in found(make, columns, make.sides("fine", "digit tens"), **about).rows}
    assert both["digit"]["accuracy"] == both["tens"]["accuracy"] == 1
    assert both["tens"]["after_coarsening"] == 1
    coarse = {
        r["attribute"]: r for r in found(make, columns, make.sides("", "digit tens", "fine"), **about).rows
    }
    assert coarse["tens"]["accuracy"] == 1
    assert coarse["digit"]["accuracy"] < 0.2


def test_few_records_of_many_values_are_guessed_by_bucket(make):
    """The maps are public: who knows the value knows the bucket, and few share a value."""
    values = np.random.default_rng(6).permutation(40)
    columns = {"fine": values, "tens": values // 10}
    row = found(make, columns, make.sides("fine", "tens"), buckets={"fine": BUCKETS}).rows[0]
    assert row["accuracy"] == 1


def test_the_target_is_the_bucket_of_a_private_attribute(make):
    values = np.arange(400) % 40
    finding = found(
        make, {"tens": values // 10, "fine": values}, make.sides("tens", "fine"), buckets={"fine": BUCKETS}
    )
    assert finding.rows[0]["accuracy"] == 1
    assert finding.rows[0]["majority"] == 0.25


@pytest.mark.parametrize("in_the_first", [5, 4])
def test_buckets_of_a_private_attribute_do_not_hide_that_its_value_is_told(make, in_the_first):
    """Nearly all records share one bucket, so guessing buckets gains little; the value follows whole."""
    town = np.array([0, 1, 2, 3] * 120 + [4] * 20)
    buckets = {"town": {str(v): "here" if v < in_the_first else "there" for v in range(5)}}
    finding = found(make, {"code": town + 10, "town": town}, make.sides("code", "town"), buckets=buckets)
    (row,) = finding.rows
    assert finding.warning and (row["level"], row["accuracy"], row["majority"]) == ("value", 1, 0.24)
    assert "guesses town right for 100 %" in finding.sentence


def test_the_text_says_where_the_bucket_is_guessed(make):
    values = np.random.default_rng(3).integers(0, 40, 400)
    columns = {"tens": values // 10, "fine": values}
    finding = found(make, columns, make.sides("tens", "fine"), buckets={"fine": BUCKETS})
    assert finding.rows[0]["level"] == "bucket"
    assert "guesses the bucket of fine right for 100 %" in finding.sentence


def test_a_private_attribute_of_very_many_values_is_tested_by_its_bucket(make):
    values = np.arange(400) % 80
    buckets = {"fine": {str(v): "low" if v < 40 else "high" for v in range(80)}}
    row = found(make, {"a": values, "fine": values}, make.sides("a", "fine"), buckets=buckets).rows[0]
    assert row["level"] == "bucket" and row["accuracy"] == 1


@settings(max_examples=25, **QUIET)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 8]), st.sampled_from([40, 200, 600]))
def test_independent_data_stay_near_the_majority(make, seed, classes, n):
    rng = np.random.default_rng(seed)
    columns = {f"a{i}": rng.integers(0, m, n) for i, m in enumerate((2, 3, 7, 30, 150))}
    columns["secret"] = rng.integers(0, classes, n)
    row = found(make, columns, make.sides("a0 a1 a2 a3 a4", "secret")).rows[0]
    assert row["accuracy"] - row["majority"] < 4 * np.sqrt(0.5 / n)


@settings(max_examples=25, **QUIET)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_a_copy_is_always_found(make, seed, classes):
    rng = np.random.default_rng(seed)
    secret = np.concatenate([np.repeat(np.arange(classes), 20), rng.integers(0, classes, 50)])
    columns = {"noise": rng.integers(0, 4, len(secret)), "copy": classes - secret, "secret": secret}
    finding = found(make, columns, make.sides("noise copy", "secret"))
    assert finding.rows[0]["accuracy"] == 1
    assert finding.warning


def test_lookup_by_hand():
    """Five records, a fold each: held out, each is guessed by the others of its cell."""
    known, target = Column(np.array([0, 0, 0, 1, 1]), 2), Column(np.array([0, 0, 1, 0, 1]), 2)
    adversary = Adversary({"a": known}, {}, target, range(6))
    # cell 0 holds 0 0 1: the first two see {0, 1}, a draw, guessed 0; the third sees 0 0.
    # cell 1 holds 0 1: each sees the other one.
    assert adversary._hit(Rule(("a",))).tolist() == [True, True, False, False, False]
    assert adversary.majority.tolist() == [True, True, False, True, False]


def test_standard_errors_by_hand():
    hits, base = np.array([1, 1, 0, 1], bool), np.array([1, 0, 0, 0], bool)
    gain = gain_of(hits, base, np.arange(4), 0.5)
    assert (gain.accuracy, gain.majority, gain.gain) == (0.75, 0.25, 0.5)
    assert gain.gain_low == pytest.approx(0.5)  # at even odds: the gain itself
    # the gain deviates by -0.5 0.5 -0.5 0.5: s² = 1/3, the error is sqrt(1/12), and t(3 df, 0.9) = 1.6377
    assert gain_of(hits, base, np.arange(4), 0.1).gain_low == pytest.approx(0.5 - 1.6377 / 12**0.5, abs=1e-4)
    # two authors of two records: their sums cancel
    assert gain_of(hits, base, np.array([0, 0, 1, 1]), 0.1).gain_low == pytest.approx(0.5)


def test_columns_are_numbered_by_how_common_their_values_are():
    assert column(np.array([2, 0, 2, 1, 2, 1])).codes.tolist() == [0, 2, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("public", "private", "n", "told"),
    [
        ("a b", "", 50, "Nothing is private"),
        ("", "a b", 50, "Nothing is disclosed"),
        ("a", "b", 1, "Not tested: 1 private record"),
        ("a", "b", 0, "Not tested: 0 private records"),
        ("a", "b", 50, "clearly better"),
    ],
)
def test_what_cannot_be_guessed_is_said(make, public, private, n, told):
    columns = {"a": [i % 2 for i in range(n)], "b": ["same"] * n}
    finding = found(make, columns, make.sides(public, private))
    assert not finding.warning
    assert told in finding.sentence


def test_only_the_private_split_counts(make):
    columns = {"a": [0, 1] * 40, "b": [0, 1] * 20 + [0, 0, 1, 1] * 10}
    corpus = make.corpus(columns, splits=["private"] * 40 + ["test"] * 40)
    finding = inference(records_of(corpus), make.sides("a", "b"), CheckSettings(folds=4))
    assert finding.facts["n"] == 40
    assert finding.rows[0]["accuracy"] == 1
