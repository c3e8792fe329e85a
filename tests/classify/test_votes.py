from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.classify.votes import Vote, judgement_from, read_votes, side_said
from ctxpriv.context import SIDES, Flow


@pytest.mark.parametrize(
    ("said", "side"),
    [
        ("Private.", "private"),
        ("PUBLIC", "public"),
        ("public when coarsened", "coarsened"),
        ("Public (when coarsened)", "coarsened"),
        ("generalised", "coarsened"),
        ("It is private, because it is not needed", "private"),
        ("private because anyone could use it", "private"),
        ("confidential", "private"),
        ("not private", None),
        ("non-public", None),
        ("private or public", None),
        ("public, but not the exact value", None),
        ("don't share", None),
        ("not confidential", None),
        ("maybe", None),
        ("it is", None),
        ("", None),
        (None, None),
        (True, None),
    ],
)
def test_sides_are_read_where_they_are_clear(said, side):
    assert side_said(said) == side


AGE, TOPIC = {"age": Vote("private")}, {"topic": Vote("public")}


@pytest.mark.parametrize(
    ("parsed", "votes"),
    [
        ({"age": {"decision": "private"}, "topic": {"label": "Public"}}, AGE | TOPIC),
        ({"Age": "PRIVATE", "to_pic": "public"}, AGE),
        ({"age": [{"decision": "private"}]}, AGE),
        ({"age": {"private": True, "public": False}}, AGE),
        ({"age": {"private": True, "public": True}}, {}),
        ([{"attribute": "age", "decision": "private"}, {"name": "Topic", "Decision": "public"}], AGE | TOPIC),
        ([{"age": {"decision": "private"}}, {"topic": "public"}], AGE | TOPIC),
        ({"judgements": [{"attribute": "age", "judgment": "private"}]}, AGE),
        ({"attributes": {"age": {"decision": "private"}}, "note": "done"}, AGE),
        ({"private": ["age", "zorp"], "public": ["topic", 3]}, AGE | TOPIC),
        ({"private": ["age"], "public": ["age", "topic"]}, TOPIC),  # a contradiction is no vote
        ([{"attribute": "age", "decision": d} for d in ("public", "private")], {}),
        ({"age": "coarsened"}, {"age": Vote("coarsened")}),
        ({"age": None, "topic": 1}, {}),
        ("private", {}),
        (None, {}),
    ],
)
def test_answers_of_many_shapes_are_read(parsed, votes):
    assert read_votes(parsed, ["age", "topic"], with_buckets=["age"]) == votes


def test_the_parameters_are_read_and_cut_to_a_length():
    answer = {
        "Information type": " exact\nage ",
        "transmission_principle": 3,
        "reason": "r" * 999,
        "decision": "public",
    }
    vote = read_votes({"age": answer}, ["age"])["age"]
    assert (vote.information, vote.principle, len(vote.reason)) == ("exact age", "", 400)


def test_a_tie_is_named_and_the_reason_is_of_the_winning_side():
    votes = [Vote("public", "open"), Vote("private"), Vote("private", "closed"), Vote("public", "open")]
    judgement = judgement_from("age", votes, Flow())
    assert (judgement.side, judgement.agreement, judgement.samples) == ("private", 0.5, 4)
    assert judgement.reason == "The samples are split evenly; private to be safe. closed"


def test_more_than_half_must_disclose():
    def side(public, coarsened, private):
        sides = ["public"] * public + ["coarsened"] * coarsened + ["private"] * private
        return judgement_from("age", [Vote(s) for s in sides], Flow()).side

    assert side(3, 2, 2) == "coarsened"  # the most votes are for public, but most would tell less
    assert side(2, 1, 2) == "coarsened"
    assert side(2, 0, 1) == "public"
    assert side(1, 1, 2) == "private"


@given(st.lists(st.sampled_from(SIDES), min_size=1, max_size=9))
@settings(deadline=None, max_examples=50)
def test_the_winner_has_votes_and_no_majority_wants_more_protection(sides):
    judgement = judgement_from("a", [Vote(s, "r") for s in sides], Flow())
    count, at = Counter(sides), SIDES.index(judgement.side)
    assert judgement.agreement == count[judgement.side] / len(sides) > 0
    assert 2 * sum(count[s] for s in SIDES[at + 1 :]) < len(sides)
    # More than half would disclose at least this much, unless it is the most protective side.
    assert judgement.private or 2 * sum(count[s] for s in SIDES[: at + 1]) > len(sides)
