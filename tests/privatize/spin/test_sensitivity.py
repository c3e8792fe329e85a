"""Noise scales and their price, against formulas written out here and against dp-accounting's values."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.sensitivity import Sensitivity, budget, gaussian, laplace, selection

ATOMS = AtomSet(tuple(Atom(f"label {i}") for i in range(12)))

LEVELS = [{"unit": "record"}] + [{"unit": "user", "bound": b} for b in (1, 2, 5)]
RELATIONS = ["add/drop", "replacement"]


def measured(**options: object) -> Measurement:
    return Measurement(ATOMS, **{"denominator": 10, "delta": 1e-5, **options})


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_laplace_has_the_scale_of_the_table(level: dict, relation: str) -> None:
    how = measured(relation=relation, **level)
    got = laplace(how, 1.5, "sketch")
    expected = how.bound / 1.5 * (1 if relation == "add/drop" else 2)
    assert got.in_units == pytest.approx(expected, rel=1e-5) and got.scale == got.in_units * ONE
    # What is charged is the price under add/drop; under the relation asked for it is ε, and never more.
    paid = float(got.charge.epsilon)
    assert paid * (1 if relation == "add/drop" else 2) <= 1.5 * (1 + 1e-9)
    assert float(got.charge.rho) == pytest.approx(paid**2 / 2, rel=1e-6)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_gaussian_has_the_scale_of_the_table(level: dict, relation: str) -> None:
    how = measured(relation=relation, **level)
    rho = Fraction(1, 20)
    got = gaussian(how, rho, "sketch")
    squared = how.bound**2 * (1 if relation == "add/drop" else 2)
    assert got.in_units == pytest.approx(math.sqrt(squared / (2 * float(rho))), rel=1e-5)
    assert float(got.charge.rho) * (1 if relation == "add/drop" else 2) <= float(rho) * (1 + 1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_equal_weights_need_less_gaussian_noise_at_record_level_alone(k: int) -> None:
    equal, shared = (measured(weights=w, k=k) for w in ("equal", "scores"))
    rho = Fraction(1, 20)
    ratio = gaussian(shared, rho, "").scale / gaussian(equal, rho, "").scale
    assert ratio == pytest.approx(math.sqrt(k), rel=1e-4)
    assert Sensitivity.of(equal).l1 == Sensitivity.of(shared).l1 == ONE
    at_users = [Sensitivity.of(measured(weights=w, k=k, unit="user", bound=2)) for w in ("equal", "scores")]
    assert at_users[0] == at_users[1] == Sensitivity(2 * ONE, 2.0 * ONE, 2 * ONE)


@given(st.integers(1, 50))
def test_the_declared_l2_is_never_below_the_real_one(k: int) -> None:
    each = ONE // k
    declared = Sensitivity.of(measured(weights="equal", k=k))
    assert Fraction(declared.l2) ** 2 >= k * Fraction(each) ** 2
    assert declared.linf == each and declared.l1 >= k * each


@pytest.mark.parametrize("relation", RELATIONS)
@given(st.floats(0.001, 5), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_selection_spends_no_more_than_it_is_given(relation: str, rho: float, rounds: int) -> None:
    how = measured(relation=relation)
    got = selection(how, rho, rounds, "admission")
    times = 1 if relation == "add/drop" else 4
    assert float(got.charge.rho) * times <= rho * (1 + 1e-9)
    # ε_r²/8 a draw (notes): what one draw may cost of this share.
    assert got.scale == pytest.approx(math.sqrt(8 * rho / rounds / times), rel=1e-3)
    assert float(got.charge.epsilon) == pytest.approx(rounds * got.scale, rel=1e-9)


@pytest.mark.parametrize(
    ("delta", "epsilon", "rho"),
    [(1e-3, 0.5, 0.018055), (1e-3, 4, 0.611800), (1e-5, 1, 0.030557), (1e-5, 10, 1.782696)],
)
def test_the_budget_is_the_tight_conversion(delta: float, epsilon: float, rho: float) -> None:
    """Values of the notes, computed with dp-accounting."""
    assert float(budget(measured(delta=delta), epsilon)) == pytest.approx(rho, rel=1e-3)


def test_a_charge_tells_its_sensitivity_and_scale_in_protected_units() -> None:
    charge = laplace(measured(unit="user", bound=5), 1.0, "the sketch").charge
    assert charge.what == "the sketch" and charge.sensitivity == 5 and charge.scale == pytest.approx(5)
