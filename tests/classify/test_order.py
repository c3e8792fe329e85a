from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.classify.expert import ExpertReview, Opinion
from ctxpriv.classify.order import review_order
from ctxpriv.context import SIDES, Judgement, Partition, partition_from
from ctxpriv.errors import BadInput
from ctxpriv.schema import Attribute, Schema

NAMES = ("a", "b", "c", "d", "e", "f")
SCHEMA = Schema(tuple(Attribute(n, ("v",)) for n in NAMES))


def test_what_needs_a_look_comes_first():
    judgements = [
        Judgement("a", "public", "", 1.0, 3),
        Judgement("b", "public", "", 2 / 3, 3),
        Judgement("c", "private", "", 0.0, 0),  # no usable answer
        Judgement("d", "public", "", 1.0, 3),  # the expert disagrees
        Judgement("e", "public", "", 1.0, 3),  # the decision differs from the proposal
        Judgement("f", "public", "", 1.0, 3),
    ]
    partition = partition_from("ads", judgements).moved("e", "private")
    expert = ExpertReview("x", (Opinion("d", "ads", "private"), Opinion("a", "others", "private")))
    assert review_order(SCHEMA, partition, judgements, expert) == ("e", "d", "c", "b", "a", "f")
    assert review_order(SCHEMA, partition, judgements) == ("e", "c", "b", "a", "d", "f")


def test_without_proposals_it_is_the_order_of_the_schema():
    assert review_order(SCHEMA, Partition("ads", (), NAMES[::-1]), ()) == NAMES


def test_a_partition_of_another_schema_is_refused():
    with pytest.raises(BadInput, match="says nothing about"):
        review_order(SCHEMA, Partition("ads", (), ("a",)), ())


judged = st.tuples(st.sampled_from(SIDES), st.integers(0, 4), st.sampled_from(SIDES))


@given(st.lists(judged, min_size=6, max_size=6))
@settings(deadline=None, max_examples=50)
def test_it_is_a_permutation_with_changed_decisions_ahead(rows):
    judgements = [
        Judgement(n, side, "", 1.0 if k else 0.0, k) for n, (side, k, _) in zip(NAMES, rows, strict=True)
    ]
    partition = Partition("x", (), NAMES)
    for name, (_, _, decided) in zip(NAMES, rows, strict=True):
        partition = partition.moved(name, decided)
    order = review_order(SCHEMA, partition, judgements)
    assert sorted(order) == sorted(NAMES)
    changed = [j.attribute for j in judgements if j.samples and j.side != partition.side(j.attribute)]
    assert list(order[: len(changed)]) == changed
