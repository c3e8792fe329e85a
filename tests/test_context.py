from __future__ import annotations

from dataclasses import asdict

import pytest

from ctxpriv.context import SIDES, Approval, Audience, Flow, Judgement, Partition, partition_from
from ctxpriv.errors import BadInput
from ctxpriv.schema import Attribute, Coarsening, Schema


def schema_of(*names: str) -> Schema:
    """Attributes of two values; `x` has a bucket."""
    schema = Schema(tuple(Attribute(n, ("1", "2")) for n in names))
    return schema.with_coarsening(Coarsening("x", {"1": "any", "2": "any"}, ("any",)))


def test_a_partition_covers_every_attribute_once() -> None:
    for sides in ({"private": ("x",)}, {"private": (), "coarsened": ("x",)}, {"private": ("y", "y")}):
        with pytest.raises(BadInput, match="is both"):
            Partition("A", ("x",), **sides)
    partition = Partition("A", ("x",), ("y",))
    partition.check(schema_of("x", "y"))
    with pytest.raises(BadInput, match="says nothing about"):
        partition.check(schema_of("x", "y", "z"))
    with pytest.raises(BadInput, match="does not have"):
        partition.check(schema_of("x"))


def test_only_what_has_buckets_can_be_public_when_coarsened() -> None:
    partition = Partition("A", (), ("y",), coarsened=("x",))
    partition.check(schema_of("x", "y"))
    assert partition.disclosed == ("x",) and partition.side("x") == "coarsened"
    with pytest.raises(BadInput, match="no buckets"):
        partition.moved("y", "coarsened").check(schema_of("x", "y"))


def test_moving_an_attribute_voids_the_approval() -> None:
    approved = Partition("A", ("x",), ("y",)).approved(Approval("Ada", "2026-11-29", "fine"))
    moved = approved.moved("x", "private")
    assert (moved.public, moved.private, moved.approval) == ((), ("y", "x"), None)
    assert moved.moved("x", "coarsened").coarsened == ("x",)
    for attribute, side in (("z", "public"), ("x", "secret")):
        with pytest.raises(BadInput):
            approved.moved(attribute, side)


def test_sides_are_compared_whatever_their_order_or_approval() -> None:
    partition = Partition("A", ("x", "z"), ("y",))
    assert partition.same_sides(Partition("A", ("z", "x"), ("y",), Approval("Ada", "2026-11-29")))
    assert not partition.same_sides(None)
    assert not any(partition.same_sides(partition.moved("x", s)) for s in SIDES if s != "public")
    # Ids of runs made before there were three sides stay as they were.
    assert partition.sides_key() == [["x", "z"], ["y"]]


def test_a_partition_survives_its_dict_with_and_without_approval() -> None:
    for partition in (
        Partition("A", ("x",), ("y",)),
        Partition("A", (), ("y",), Approval("Ada", "2026-11-29")),
        Partition("A", ("x",), ("y",), coarsened=("z",)),
    ):
        assert Partition.from_dict("A", partition.to_dict()) == partition


def test_one_sided_partitions_warn() -> None:
    assert "Nothing is private" in Partition("A", ("x",), ()).warnings()[0]
    assert "equals MAPLE" in Partition("A", (), ("x",)).warnings()[0]
    assert Partition("A", ("x",), ("y",)).warnings() == []
    assert Partition("A", (), ("y",), coarsened=("x",)).warnings() == []
    assert "or as its bucket" in Partition("A", (), (), coarsened=("x",)).warnings()[0]


def test_judgements_become_the_partition_to_review() -> None:
    judgements = [
        Judgement("x", "public", "r", 1.0, 3),
        Judgement("y", "private", "r", 0.67, 3),
        Judgement("z", "coarsened", "r", 0.67, 3),
    ]
    assert partition_from("A", judgements) == Partition("A", ("x",), ("y",), coarsened=("z",))


def test_judgements_survive_their_dict_and_those_of_earlier_workspaces_are_read() -> None:
    judgement = Judgement("x", "coarsened", "r", 0.5, 2, Flow(information="a place", recipient="a lender"))
    assert Judgement.from_dict(asdict(judgement)) == judgement
    old = {"attribute": "x", "reason": "r", "agreement": 1.0, "samples": 1}
    assert Judgement.from_dict({**old, "private": True}) == Judgement("x", "private", "r", 1.0, 1)
    assert Judgement.from_dict({**old, "private": False}).side == "public"
    with pytest.raises(BadInput, match="no side"):
        Judgement("x", "secret", "r", 1.0, 1)


def test_an_audience_needs_a_name() -> None:
    with pytest.raises(BadInput, match="needs a name"):
        Audience("  ", "someone", "something")
