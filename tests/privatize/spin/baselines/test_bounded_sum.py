"""No unit weighs more than is declared, whoever it is and whatever the signs."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.baselines.bounded_sum import bounded_sum, gaussian, with_room
from ctxpriv.privatize.spin.measurement import ONE, Measurement

ROWS = st.lists(st.lists(st.integers(-3 * ONE, 3 * ONE), min_size=4, max_size=4), min_size=1, max_size=8)


def total(rows, most, users=None):
    return bounded_sum(csr_matrix(np.array(rows, np.int64)), most, users)


def norm(vector) -> float:
    return math.sqrt(sum(int(x) ** 2 for x in vector))


@settings(max_examples=100, deadline=None)
@given(ROWS, st.floats(0.5, 3.0))
def test_a_record_moves_the_sum_by_at_most_the_bound(rows, bound):
    most = bound * ONE
    moved = total(rows, most) - (total(rows[:-1], most) if rows[1:] else 0)
    assert norm(moved) <= most


@settings(max_examples=100, deadline=None)
@given(ROWS, st.floats(0.5, 3.0), st.data())
def test_a_user_moves_the_sum_by_at_most_the_bound(rows, bound, data):
    most = bound * ONE
    users = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))))
    kept = users != users[0]
    rows = np.array(rows)
    moved = total(rows, most, users) - (total(rows[kept], most, users[kept]) if kept.any() else 0)
    assert norm(moved) <= most


def test_a_unit_within_the_bound_is_left_as_it_is():
    rows = [[ONE, -ONE, 0, 5], [0, 0, 0, 0]]
    assert total(rows, 2 * ONE).tolist() == rows[0]
    assert total([[ONE, ONE, 0, 0]], with_room(math.sqrt(2) * ONE)).tolist() == [ONE, ONE, 0, 0]


def test_what_is_scaled_keeps_its_direction_and_never_grows():
    moved = total([[300, -400, 0, 0]] * 1000, 5.0 * ONE, np.zeros(1000, np.int64))
    assert norm(moved) <= 5 * ONE
    assert moved.tolist() == pytest.approx([300_000, -400_000, 0, 0])  # within the bound: as it is
    moved = total([[3 * ONE, -4 * ONE, 0, 0]] * 10_000, 5.0 * ONE, np.zeros(10_000, np.int64))
    assert norm(moved) <= 5 * ONE
    assert moved == pytest.approx([3 * ONE, -4 * ONE, 0, 0], abs=2)


@pytest.mark.parametrize(("relation", "doubled"), [("add/drop", 1), ("replacement", 2)])
def test_noise_is_calibrated_to_the_relation(relation, doubled):
    measured = Measurement(AtomSet((Atom("a"),)), denominator=1, delta=1e-3, size=1, relation=relation)
    stage = gaussian(measured, Fraction(1, 10), 2.0 * ONE, "x")
    assert float(stage.charge.rho) == pytest.approx(0.1 / doubled, rel=1e-9)
    assert stage.charge.rho * doubled <= Fraction(1, 10)
    assert stage.in_units == pytest.approx(2 / math.sqrt(2 * 0.1 / doubled), rel=1e-9)
