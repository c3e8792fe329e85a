"""One line a rewritten record, narrowed and put in order."""

from __future__ import annotations

import pytest

from ctxpriv.privatize.anon.episode import (
    MODEL_FAILED,
    SAFE_AND_USEFUL,
    SAFE_SOME_LOST,
    UNSAFE,
    Episode,
    Round,
)
from ctxpriv.privatize.anon.summary import NOT_IN_RELEASE, narrowed, shown_round, summarise

ORIGINAL = Round(0, "I live in Bonn", leaked=("town",))
SAFE = Episode(0, "r0", (ORIGINAL, Round(1, "I live somewhere")), 1, SAFE_AND_USEFUL)
LOST = Episode(1, "r1", (ORIGINAL, Round(1, "Hello", lost=("topic",))), 1, SAFE_SOME_LOST)
LEAKS = Episode(
    2,
    "r2",
    (ORIGINAL, Round(1, "I live in Bonn, ok", survivors=("town",)), Round(2, "Bonn", leaked=("town", "job"))),
    1,
    UNSAFE,
)
FAILED = Episode(3, "r3", (ORIGINAL, Round(1, "", "empty")), None, MODEL_FAILED, "empty")
ADDS = Episode(4, "r4", (ORIGINAL, Round(1, "Ulm", added=(("town", "Ulm"),))), 1, SAFE_AND_USEFUL)
ALL = [summarise(e) for e in (SAFE, LOST, LEAKS, FAILED, ADDS)]


def rows(*args) -> list[int]:
    return [s.row for s in narrowed(ALL, *args)]


def test_how_records_stand() -> None:
    assert [s.standing for s in ALL] == ["safe", "safe", "unsafe", "withheld", "safe"]
    assert ALL[2].leaked == ("town",) and ALL[2].rounds == 2
    assert ALL[3].changed is None and ALL[3].why == "empty"
    assert ALL[0].changed == pytest.approx(1 - 2 * 2 / 7)  # "I live" of 4 and 3 words


def test_what_the_release_does_not_hold_is_withheld() -> None:
    assert summarise(LEAKS, {0, 2}).standing == "unsafe"
    told = summarise(LEAKS, {0})
    assert (told.standing, told.why) == ("withheld", NOT_IN_RELEASE)
    assert summarise(FAILED, {0}).why == "empty"


def test_the_round_that_stands_for_the_record() -> None:
    assert shown_round(LEAKS).number == 1
    assert shown_round(FAILED) is None
    withheld = Episode(5, "r5", (ORIGINAL, Round(1, "x"), Round(2, "y"), Round(3, "", "empty")), None, UNSAFE)
    assert shown_round(withheld).number == 2


def test_filters() -> None:
    assert rows("all") == [0, 1, 2, 3, 4]
    assert rows("unsafe") == [2]
    assert rows("withheld") == [3]
    assert rows("lost public values") == [1]
    assert rows("added facts") == [4]
    assert rows("all", ("town",)) == [2]
    assert rows("unsafe", ("job",)) == []


def test_orders() -> None:
    assert rows("all", (), "most leaks first")[0] == 2
    assert rows("all", (), "most lost first")[0] == 1
    assert rows("all", (), "most rounds first")[0] == 2
    assert rows("all", (), "most changed first")[-1] == 3
    assert rows("all", (), "least changed first")[0] == 2
