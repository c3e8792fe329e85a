"""What planned releases cost together, and what those of some records are expected to be worth."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ctxpriv.insights.desk import runs_of, set_up
from ctxpriv.insights.planning import PlannedInsight, proxy_of, together
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


def test_what_is_expected_of_some_records_is_their_share_of_the_whole(study, corpus, roles):
    """The noise stays as it is for all: so fewer records must be expected to come out worse."""

    def masses(**changes):
        asked = study(**changes)
        desk = set_up(asked, corpus, "key", roles)
        return proxy_of(desk, runs_of(desk)[0].measurement)

    north, south = masses(only={"region": ["North"]}), masses(only={"region": ["South"]})
    assert north.sum() > 0 and south.sum() > 0
    np.testing.assert_allclose(north + south, masses())
