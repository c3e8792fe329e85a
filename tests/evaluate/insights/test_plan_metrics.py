from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxpriv.evaluate.insights.plan_metrics import loss, mass_retained, overlap, rank
from ctxpriv.privatize.spin.measurement import ONE


def test_figures_by_hand(exact) -> None:
    assert overlap([0, 1, 2], exact, 3) == 1
    assert overlap([4, 0, 5], exact, 3) == pytest.approx(1 / 3)
    assert mass_retained([4, 0, 5], exact, 3) == pytest.approx(35 / 60)
    assert loss([4, 0, 5], exact, 3) == 25


def test_a_tie_at_the_boundary_costs_overlap_but_no_mass(exact) -> None:
    assert overlap([0, 1, 3], exact, 3) == pytest.approx(2 / 3)  # the earlier of the tied atoms is S*'s
    assert mass_retained([0, 1, 3], exact, 3) == 1 and loss([0, 1, 3], exact, 3) == 0


def test_fewer_atoms_than_l_and_none() -> None:
    exact = np.array([3, 2, 1], np.int64) * ONE
    assert overlap([0], exact, 2) == 0.5 and loss([0], exact, 2) == 2
    assert overlap([], exact, 2) == 0 and mass_retained([], exact, 2) == 0 and loss([], exact, 2) == 5


def test_mass_retained_is_0_where_nothing_has_mass() -> None:
    nothing = np.zeros(4, np.int64)
    assert mass_retained([0, 1], nothing, 2) == 0 and loss([2, 3], nothing, 2) == 0


def test_an_atom_named_twice_counts_once(exact) -> None:
    assert overlap([0, 0, 0], exact, 3) == pytest.approx(1 / 3)
    assert loss([0, 0, 0], exact, 3) == 30


def test_more_atoms_than_l_are_refused(exact) -> None:
    with pytest.raises(ValueError, match="4 atoms"):
        overlap([0, 1, 2, 3], exact, 3)


def test_rank_breaks_ties_by_position(exact) -> None:
    assert [rank(a, exact) for a in range(6)] == [1, 2, 3, 4, 5, 6]


@given(st.lists(st.integers(0, 10**9), min_size=3, max_size=12), st.data())
def test_the_three_agree(masses: list[int], data) -> None:
    exact = np.array(masses, np.int64)
    size = data.draw(st.integers(1, len(masses)))
    admitted = data.draw(st.permutations(range(len(masses))))[:size]
    best = float(np.sort(exact)[::-1][:size].sum()) / ONE
    assert 0 <= overlap(admitted, exact, size) <= 1
    assert 0 <= loss(admitted, exact, size) <= best
    assert loss(admitted, exact, size) == pytest.approx(
        best * (1 - mass_retained(admitted, exact, size)), abs=1e-9
    )
    if overlap(admitted, exact, size) == 1:
        assert loss(admitted, exact, size) == 0
