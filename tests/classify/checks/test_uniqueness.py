"""Groups of equal disclosed rows, counted by hand and by another way of counting."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxpriv.classify.checks.finding import CheckSettings
from ctxpriv.classify.checks.records import Column, records_of, together
from ctxpriv.classify.checks.uniqueness import group_sizes, uniqueness

QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}
TABLES = st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=40)
HALVES = {str(v): "low" if v < 2 else "high" for v in range(4)}


def found(make, columns, partition, k=3, **about):
    return uniqueness(records_of(make.corpus(columns, **about)), partition, CheckSettings(k=k))


def moves(finding):
    return {(r["attribute"], r["side"]): r["small"] for r in finding.rows if r["kind"] == "move"}


def test_by_hand(make):
    """Ten records: x1 x1 x1 x1 (4), y1 y1 (2), and x2 y2 z1 z2 alone."""
    a = [*"xxxxyy", *"xyzz"]
    b = [1, 1, 1, 1, 1, 1, 2, 2, 1, 2]
    finding = found(make, {"a": a, "b": b, "secret": a}, make.sides("a b", "secret"))
    assert finding.warning
    assert finding.facts["unique"] == 0.4
    assert finding.facts["small"] == 0.6
    groups = {r["size"]: r["records"] for r in finding.rows if r["kind"] == "group"}
    assert groups == {"alone": 4, "2": 2, "3–29": 4, "30 or more": 0}
    # without a: 1 × 7, 2 × 3; without b: x 5, y 3, z 2
    assert moves(finding) == {("a", "private"): 0.0, ("b", "private"): 0.2}
    assert finding.facts["plan"] == [["a", "private"]]
    assert "40 % of 10 records are the only one of their kind" in finding.sentence
    assert finding.suggestion.startswith("Make a private: then 0 % are in groups below 3.")


def test_coarsening_is_proposed_where_it_suffices(make):
    values = [0, 1, 2, 3] * 3
    columns = {"fine": values, "other": ["o"] * 12}
    finding = found(make, columns, make.sides("fine other"), k=4, buckets={"fine": HALVES})
    assert finding.facts["small"] == 1
    assert moves(finding)["fine", "coarsened"] == 0
    assert finding.facts["plan"] == [["fine", "coarsened"]]
    assert "fine public when coarsened" in finding.suggestion


def test_a_coarsened_attribute_counts_by_its_bucket(make):
    columns = {"fine": [0, 1, 2, 3] * 3, "other": ["o"] * 12}
    finding = found(make, columns, make.sides("other", coarsened="fine"), k=4, buckets={"fine": HALVES})
    assert finding.facts["small"] == 0
    assert not finding.warning
    assert "at least 3 others like it" in finding.sentence


def test_where_only_the_combination_is_rare_it_is_said_and_moves_are_added(make):
    rng = np.random.default_rng(0)
    twins = {a: np.arange(60) for a in ("a", "b")}
    finding = found(make, twins | {"c": rng.integers(0, 2, 60)}, make.sides("a b c"))
    assert "No single attribute causes it" in finding.sentence
    assert moves(finding)["a", "private"] == 1
    assert not finding.facts["plan"]  # no single step helps
    assert finding.suggestion.startswith("No single change helps")


def test_the_utility_label_is_not_given_away_while_another_move_helps(make):
    grid = [(i, j) for i in range(5) for j in range(5)]
    columns = {"label": [i for i, _ in grid], "other": [j for _, j in grid]}
    named = found(make, columns, make.sides("label other"), k=3, label="label")
    assert named.facts["plan"] == [["other", "private"]]
    assert found(make, columns, make.sides("label other"), k=3).facts["plan"] == [["label", "private"]]


@pytest.mark.parametrize(
    ("columns", "public", "told", "warning"),
    [
        ({"a": [1, 2], "b": [1, 1]}, "", "Nothing is disclosed", False),
        ({"a": [1], "b": [1]}, "a b", "100 % of 1 record are", True),
        ({"a": [], "b": []}, "a b", "no private records", False),
        ({"a": ["same"] * 9, "b": [1] * 9}, "a b", "at least 2 others", False),
        ({"a": range(9), "b": [1] * 9}, "a b", "100 % of 9 records are the only one", True),
    ],
)
def test_extremes_get_sentences(make, columns, public, told, warning):
    private = "" if public else "a b"
    finding = found(make, columns, make.sides(public, private))
    assert told in finding.sentence
    assert finding.warning is warning


@settings(max_examples=40, **QUIET)
@given(TABLES)
def test_group_sizes_are_what_counting_rows_gives(rows):
    columns = [Column(np.array(c), 4) for c in zip(*rows, strict=True)]
    assert group_sizes(columns, len(rows)).tolist() == [Counter(rows)[r] for r in rows]


@settings(max_examples=25, **QUIET)
@given(TABLES, st.sampled_from(["a", "b", "c", "d"]))
def test_hiding_or_coarsening_an_attribute_never_makes_more_records_stand_out(make, rows, name):
    columns = dict(zip("abcd", zip(*rows, strict=True), strict=True))
    about = {"buckets": dict.fromkeys("abcd", HALVES)}
    partition = make.sides("a b c d")
    before = found(make, columns, partition, **about)
    last = None
    for side in ("coarsened", "private"):
        after = found(make, columns, partition.moved(name, side), **about)
        row = next(
            r for r in before.rows if r["kind"] == "move" and (r["attribute"], r["side"]) == (name, side)
        )
        assert row["small"] == after.facts["small"]  # the picture says what would be
        assert row["unique"] == after.facts["unique"]
        for figure in ("small", "unique"):
            assert after.facts[figure] <= before.facts[figure]
            assert last is None or after.facts[figure] <= last.facts[figure]
        last = after


def test_more_combinations_than_integers_are_counted_exactly():
    """16 columns of 100,000 possible values: the plain product would be 10^80."""
    rng = np.random.default_rng(0)
    half = rng.integers(0, 100_000, (50, 16))
    rows = np.concatenate([half, half, rng.integers(0, 100_000, (30, 16))])
    joined = together([Column(rows[:, i], 100_000) for i in range(16)], len(rows))
    assert joined.size == 80
    assert (joined.codes[:50] == joined.codes[50:100]).all()
