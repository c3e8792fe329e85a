"""Unions of partitions, and what they cost."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.classify.checks.collusion import collude, gains, union_of
from ctxpriv.context import SIDES, Partition
from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.ledger import Ledger, LedgerEntry

NAMES = ("a", "b", "c", "d")
GROUPS = st.lists(st.tuples(*[st.sampled_from(SIDES)] * 4), min_size=1, max_size=5)


def partitions(rows) -> list[Partition]:
    return [
        Partition(
            f"p{i}", **{s: tuple(n for n, own in zip(NAMES, row, strict=True) if own == s) for s in SIDES}
        )
        for i, row in enumerate(rows)
    ]


@settings(max_examples=50, deadline=None)
@given(GROUPS, st.randoms(use_true_random=False))
def test_the_union_is_commutative_and_monotone(rows, random):
    group = partitions(rows)
    union = union_of(group)
    shuffled = list(group)
    random.shuffle(shuffled)
    assert union_of(shuffled).sides_key() == union.sides_key()
    assert union_of([*group, group[0]]).sides_key() == union.sides_key()
    for name in NAMES:
        place = SIDES.index(union.side(name))
        assert place == min(SIDES.index(p.side(name)) for p in group)  # public, coarsened, private
        assert SIDES.index(union_of(group[:1]).side(name)) >= place


@settings(max_examples=50, deadline=None)
@given(GROUPS)
def test_gains_are_exactly_where_the_union_knows_more(rows):
    group = partitions(rows)
    union, gained = union_of(group), gains(group)
    for p in group:
        assert set(gained[p.audience]) == {n for n in NAMES if union.side(n) != p.side(n)}


@pytest.fixture
def corpus(make):
    columns = {"a": [0, 1] * 30, "b": range(60), "c": [0, 1] * 30, "d": [0] * 60}
    return make.corpus(columns, buckets={"b": {str(i): "low" if i < 30 else "high" for i in range(60)}})


@pytest.fixture
def known(make):
    return {
        "shop": make.sides("a", "c d", "b", audience="shop"),
        "lab": make.sides("b", "a c d", audience="lab"),
        "twin": make.sides("b", "a c d", audience="twin"),
    }


def test_by_hand(corpus, known):
    finding = collude(corpus, known, Ledger(None), ["shop", "lab"], next_rho=0.02)
    assert finding.warning
    assert finding.facts["gains"] == {"shop": {"b": "public"}, "lab": {"a": "public"}}
    assert finding.facts["opened"] == ["a"]
    assert finding.facts["private_to_all"] == ["c", "d"]
    assert finding.facts["rho_planned"] == pytest.approx(0.04)
    assert finding.facts["epsilon_planned"] == epsilon_from(0.04, 1 / 60)
    assert finding.facts["small"] == 1  # b as it is names everybody
    assert finding.facts["small_alone"] == {"shop": 0.0, "lab": 1.0}
    assert finding.facts["guessed"]["c"] == [1.0, 0.5]
    row = {r["attribute"]: r for r in finding.rows}["b"]
    assert row["sides"] == {"shop": "coarsened", "lab": "public"}
    assert row["union"] == "public"
    assert row["gained"] == 1
    assert "shop learns b; lab learns a" in finding.sentence
    assert "Nothing was released to them so far" in finding.sentence
    assert "Make a private and b public when coarsened for every audience" in finding.suggestion


def test_who_gets_a_bucket_and_learns_the_value_from_another_is_a_warning(corpus, make):
    known = {
        "shop": make.sides("a", "c d", "b", audience="shop"),
        "lab": make.sides("a b", "c d", audience="lab"),
    }
    finding = collude(corpus, known, Ledger(None), ["shop", "lab"])
    assert finding.facts["opened"] == [] and finding.facts["refined"] == ["b"]
    assert finding.warning and finding.suggestion.startswith("Make b public when coarsened for every")


def test_equal_audiences_gain_nothing(corpus, known):
    finding = collude(corpus, known, Ledger(None), ["lab", "twin"])
    assert not finding.warning
    assert "none of them learns of a further attribute" in finding.sentence
    assert not finding.suggestion


def test_one_audience_shares_with_nobody(corpus, known):
    finding = collude(corpus, known, Ledger(None), ["lab", "lab"])
    assert not finding.warning
    assert finding.facts["audiences"] == ["lab"]
    assert finding.sentence.startswith("lab alone")


def entry(run, corpus, audience, rho=0.02, public=("b",), digest=None):
    return LedgerEntry(
        run,
        digest or corpus.digest,
        audience,
        public,
        ("c",),
        "SDG-CI",
        "add/drop",
        rho,
        1.0,
        0.01,
        "declared",
        records=corpus.records_digest,
    )


def test_what_was_released_adds_up_also_from_before_the_schema_changed(corpus, known):
    ledger = Ledger(None)
    for run, audience in (("1", "shop"), ("2", "lab"), ("3", "twin")):
        ledger.charge(entry(run, corpus, audience, digest="an older schema", public=("b", "d")))
    for run in ("1", "2"):
        ledger.mark_released(run)
    finding = collude(corpus, known, ledger, ["shop", "lab", "twin"])
    assert finding.facts["runs"] == 2
    assert finding.facts["rho"] == pytest.approx(0.04)
    assert finding.facts["epsilon"] == epsilon_from(0.04, 1 / 60)
    assert finding.facts["disclosed_before"] == ["d"]
    assert "Earlier releases to them also disclosed d." in finding.sentence
    assert "What was released to them so far adds up to ε" in finding.sentence


def test_one_record_has_no_delta(make):
    corpus = make.corpus({"a": [1], "b": [2]})
    known = {"x": make.sides("a", "b", audience="x"), "y": make.sides("b", "a", audience="y")}
    finding = collude(corpus, known, Ledger(None), ["x", "y"], next_rho=0.1)
    assert finding.warning
    assert finding.facts["epsilon"] is None
    assert "ε" not in finding.sentence


def test_research_runs_at_infinity_are_told(corpus, known):
    ledger = Ledger(None)
    ledger.charge(entry("1", corpus, "shop", rho=math.inf))
    ledger.mark_released("1")
    assert "ε = ∞ (ρ = ∞" in collude(corpus, known, ledger, ["shop", "lab"]).sentence


def test_refusals(corpus, known, make):
    with pytest.raises(BadInput, match="no partition for 'press'"):
        collude(corpus, known, Ledger(None), ["shop", "press"])
    with pytest.raises(BadInput, match="no audience"):
        collude(corpus, known, Ledger(None), [])
    with pytest.raises(BadInput, match="different attributes"):
        union_of([known["shop"], make.sides("a", "z", audience="odd")])


def test_a_value_that_was_told_stays_told_when_only_its_bucket_is_public_now(corpus, known):
    ledger = Ledger(None)
    ledger.charge(entry("1", corpus, "shop", public=("b",)))
    ledger.mark_released("1")
    finding = collude(corpus, known, ledger, ["shop"])
    assert finding.facts["disclosed_before"] == ["b"]
