from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ctxpriv.privatize.spin.noise_bounds import loss_bound, selection_gap, tau


def test_tau_by_hand() -> None:
    assert tau("Laplace", 2.0, 100, 0.05) == pytest.approx(2 * np.log(2000))
    assert tau("Gaussian", 3.0, 100, 0.05) == pytest.approx(3 * np.sqrt(2 * np.log(4000)))
    assert tau("none", 0.0, 100) == 0


@pytest.mark.parametrize("m", [1, 10, 200])
@pytest.mark.parametrize("beta", [0.01, 0.05, 0.3])
def test_tau_is_above_the_true_quantile_of_the_largest_error(m: int, beta: float) -> None:
    one = 1 - (1 - beta) ** (1 / m)  # two-sided tail that one coordinate may have
    assert tau("Laplace", 1.0, m, beta) >= stats.laplace.isf(one / 2) - 1e-9
    assert tau("Gaussian", 1.0, m, beta) >= stats.norm.isf(one / 2) - 1e-9


def test_loss_bound_is_2_l_tau() -> None:
    assert loss_bound(10, 3.0) == 60


def test_a_private_draw_stays_within_its_gap() -> None:
    """Exactly, for one draw on the worst scores: all others a gap below the best."""
    m, beta = 50, 0.05
    scores = np.full(m, -selection_gap(1.0, 1, m, beta))
    scores[0] = 0.0
    weights = np.exp(scores)
    assert weights[1:].sum() / weights.sum() <= beta
