from __future__ import annotations

import math
from fractions import Fraction

import pytest

from ctxpriv.errors import BadInput, BudgetExceeded
from ctxpriv.privacy.budget import Budget, Charge


def charge(rho, mechanism="discrete Gaussian"):
    return Charge("a marginal", mechanism, Fraction(rho), 1.0, 2.0)


def test_thirds_add_up_exactly_where_floats_would_not():
    budget = Budget(0.1)
    for _ in range(3):
        budget.spend(charge(Fraction(0.1) / 3))
    assert budget.spent == Fraction(0.1)
    assert budget.remaining == 0


def test_a_charge_that_does_not_fit_is_refused_and_not_recorded():
    budget = Budget(1)
    budget.spend(charge(1))
    with pytest.raises(BudgetExceeded, match="a marginal"):
        budget.spend(charge(Fraction(1, 10**30)))
    assert len(budget.charges) == 1


@pytest.mark.parametrize("rho", [0, -1, math.inf, math.nan])
def test_refuses_a_budget_that_cannot_be_spent(rho):
    with pytest.raises(BadInput):
        Budget(rho)


def test_refuses_a_negative_charge():
    with pytest.raises(BadInput):
        Budget(1).spend(charge(-1))


def test_charges_survive_json():
    assert Charge.from_dict(charge(Fraction(1, 3)).to_dict()) == charge(Fraction(1, 3))


def test_price_under_replacement():
    assert charge(1).rho_replacement == 2
    assert charge(1, "exponential mechanism").rho_replacement == 4
    assert charge(1, "discrete Laplace").rho_replacement == 4
