"""What several planned releases cost together."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ctxpriv.insights.planning import PlannedInsight, together
from ctxpriv.privacy.accounting import epsilon_from


def planned(epsilon: float, delta: float, rho: float, *, drawn: bool = False) -> PlannedInsight:
    return PlannedInsight("m", "a", SimpleNamespace(epsilon=epsilon, delta=delta, rho=rho), None, drawn)


def test_pure_epsilons_add_up_and_what_was_drawn_before_is_not_counted_again():
    runs = [planned(1, 0, 0.5), planned(2, 0, 2.0), planned(4, 0, 8.0, drawn=True)]
    assert together(runs) == (2.5, 3, 0.0)


def test_with_a_delta_among_them_rho_adds_up():
    rho, epsilon, delta = together([planned(1, 0, 0.5), planned(1, 1e-4, 0.02)])
    assert (rho, delta) == (pytest.approx(0.52), 1e-4) and epsilon == epsilon_from(0.52, 1e-4)


def test_references_cost_nothing():
    assert together([PlannedInsight("top-L", "a", None, None, False)]) == (0, 0, 0.0)
