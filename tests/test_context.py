from __future__ import annotations

import pytest

from ctxpriv.context import Approval, Audience, Judgement, Partition, partition_from
from ctxpriv.errors import BadInput


def test_a_partition_covers_every_attribute_once() -> None:
    with pytest.raises(BadInput, match="both public and private"):
        Partition("A", ("x",), ("x",))
    partition = Partition("A", ("x",), ("y",))
    partition.check(["x", "y"])
    with pytest.raises(BadInput, match="says nothing about"):
        partition.check(["x", "y", "z"])
    with pytest.raises(BadInput, match="does not have"):
        partition.check(["x"])


def test_flipping_moves_one_attribute_and_voids_the_approval() -> None:
    approved = Partition("A", ("x",), ("y",)).approved(Approval("Ada", "2026-11-29", "fine"))
    flipped = approved.flipped("x")
    assert (flipped.public, flipped.private, flipped.approval) == ((), ("y", "x"), None)
    assert flipped.flipped("x").public == ("x",)


def test_a_partition_survives_its_dict_with_and_without_approval() -> None:
    for partition in (
        Partition("A", ("x",), ("y",)),
        Partition("A", (), ("y",), Approval("Ada", "2026-11-29")),
    ):
        assert Partition.from_dict("A", partition.to_dict()) == partition


def test_one_sided_partitions_warn() -> None:
    assert "Nothing is private" in Partition("A", ("x",), ()).warnings()[0]
    assert "equals MAPLE" in Partition("A", (), ("x",)).warnings()[0]
    assert Partition("A", ("x",), ("y",)).warnings() == []


def test_judgements_become_the_partition_to_review() -> None:
    judgements = [Judgement("x", False, "r", 1.0, 3), Judgement("y", True, "r", 0.67, 3)]
    assert partition_from("A", judgements) == Partition("A", ("x",), ("y",))


def test_an_audience_needs_a_name() -> None:
    with pytest.raises(BadInput, match="needs a name"):
        Audience("  ", "someone", "something")
