from __future__ import annotations

import pytest

from ctxpriv.evaluate.insights.values import value_errors


def test_a_full_sketch_is_held_against_every_atom(plan, exact) -> None:
    noisy = (33.0, 20.0, 6.0, 10.0, 5.0, -12.0)
    off = value_errors(plan({0: 33.0, 1: 20.0, 3: 10.0}, sketch=noisy), exact)
    assert (off.l1, off.l2, off.linf, off.n, off.whole) == (19, 13, 12, 6, True)


def test_private_admission_on_the_admitted_atoms_alone(plan, exact) -> None:
    off = value_errors(plan({0: 33.0, 5: -4.0}), exact)
    assert (off.l1, off.l2, off.linf, off.n, off.whole) == (7, 5, 4, 2, False)


def test_negative_masses_are_not_clipped_first(plan, exact) -> None:
    assert value_errors(plan({5: -9.0}), exact).linf == 9


def test_no_row_no_error(plan, exact) -> None:
    assert value_errors(plan({}), exact).n == 0


def test_another_dictionary_is_refused(plan, exact) -> None:
    with pytest.raises(ValueError, match="other atoms"):
        value_errors(plan({0: 1.0}), exact[:5])
