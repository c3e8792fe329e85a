"""What the pictures of the checks hold; that they draw, by drawing them."""

from __future__ import annotations

import pytest

from ctxpriv import figures
from ctxpriv.classify.checks.finding import Finding


def guess(name, accuracy, majority, warning=False):
    return {
        "attribute": name, "majority": majority, "accuracy": accuracy, "low": accuracy - 0.1,
        "high": min(accuracy + 0.1, 1), "gain": accuracy - majority, "warning": warning,
    }  # fmt: skip


def move(name, side, small, now=0.6):
    return {"kind": "move", "attribute": name, "side": side, "unique": small / 2, "small": small, "now": now}


GUESSES = (guess("income", 0.71, 0.24, True), guess("sex", 0.5, 0.55))
GROUPS = tuple(
    {"kind": "group", "size": s, "share": x, "records": int(100 * x)}
    for s, x in (("alone", 0.4), ("2–4", 0.2), ("5–49", 0.4), ("50 or more", 0.0))
)
MOVES = (move("city", "coarsened", 0.2), move("city", "private", 0.0), move("sex", "private", 0.55))
SHARED = (
    {"attribute": "a", "sides": {"shop": "public", "lab": "private"}, "union": "public", "gained": 1},
    {"attribute": "b", "sides": {"shop": "coarsened", "lab": "public"}, "union": "public", "gained": 1},
    {"attribute": "c", "sides": {"shop": "private", "lab": "private"}, "union": "private", "gained": 0},
)
TEXTS = ({"texts": 1, "authors": 9}, {"texts": 22, "authors": 1})

ALL = (
    Finding("inference", True, "s", rows=GUESSES),
    Finding("uniqueness", True, "s", rows=(*GROUPS, *MOVES)),
    Finding("collusion", True, "s", rows=SHARED),
    Finding("authors", True, "s", rows=TEXTS),
)


def data_of(chart) -> list[dict]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("finding", ALL, ids=lambda f: f.check)
def test_every_finding_draws_offline(finding, dark):
    svg = figures.to_svg(figures.check_chart(finding, dark=dark))
    assert svg.startswith("<svg")
    assert "NaN" not in svg


def test_nothing_found_draws_nothing():
    assert figures.check_chart(Finding("authors", False, "unknown")) is None


def test_guesses_are_told_beside_their_points_on_a_fixed_range():
    chart = figures.guessed_right(GUESSES)
    rows = {r["attribute"]: r for r in data_of(chart) if "accuracy_told" in r}
    assert rows["income"]["accuracy_told"] == "71 %"
    assert rows["income"]["majority_told"] == "24 %"
    assert rows["income"]["rightwards"]
    assert not rows["sex"]["rightwards"]  # below the majority: its figure stands on the other side
    assert "'domain': [0, 1]" in str(chart.to_dict())
    svg = figures.to_svg(chart)
    assert "71 %" in svg
    assert "24 %" in svg


def test_moves_are_sorted_by_what_they_bring_and_now_is_told():
    chart = figures.standing_out((*GROUPS, *MOVES))
    assert "'domain': ['city', 'sex']" in str(chart.to_dict())
    svg = figures.to_svg(chart)
    assert "now 60 %" in svg
    assert "40 % (40)" in svg
    assert "20 %" in svg


def test_one_disclosed_attribute_and_fifty_draw():
    figures.to_svg(figures.standing_out((*GROUPS, move("only", "private", 0.0))))
    many = tuple(move(f"a{i}", "private", i / 100) for i in range(50))
    svg = figures.to_svg(figures.standing_out((*GROUPS, *many)))
    assert "35 more are not drawn" in svg


def test_who_learns_from_the_others_is_outlined():
    cells = {
        (r["attribute"], r["audience"]): r for r in data_of(figures.shared_knowledge(SHARED)) if "gains" in r
    }
    assert len(cells) == 9
    assert {cell for cell, r in cells.items() if r["gains"]} == {("a", "lab"), ("b", "shop")}
    assert cells["b", "together"]["side"] == "public"
    assert cells["a", "lab"]["told"] == "private; together public"
    calm = ({"attribute": "a", "sides": {"x": "private"}, "union": "private", "gained": 0},)
    assert figures.to_svg(figures.shared_knowledge(calm)).startswith("<svg")


def test_texts_per_author_counts_everybody_and_marks_the_heaviest():
    rows = [r for r in data_of(figures.texts_per_author(TEXTS)) if "authors" in r and "word" not in r]
    assert sum(r["authors"] for r in rows) == 10
    assert len(rows) == 22
    assert "heaviest: 22 texts" in figures.to_svg(figures.texts_per_author(TEXTS))
    heavy = data_of(figures.texts_per_author(({"texts": 5000, "authors": 1}, {"texts": 1, "authors": 7})))
    assert sum(r["authors"] for r in heavy if "word" not in r) == 8
    assert figures.to_svg(figures.texts_per_author(({"texts": 1, "authors": 3},))).startswith("<svg")
