"""The conversion against dp-accounting and the table of known values."""

from __future__ import annotations

import math

import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from, group_epsilon, rho_from

KNOWN = [
    (1e-3, 0.5, 0.018055),
    (1e-3, 1, 0.059390),
    (1e-3, 2, 0.193311),
    (1e-3, 4, 0.611800),
    (1e-3, 10, 2.606777),
    (1e-5, 0.5, 0.008506),
    (1e-5, 1, 0.030557),
    (1e-5, 2, 0.108256),
    (1e-5, 4, 0.373144),
    (1e-5, 10, 1.782696),
]


@pytest.mark.parametrize(("delta", "epsilon", "rho"), KNOWN)
def test_known_values(delta, epsilon, rho):
    assert rho_from(epsilon, delta) == pytest.approx(rho, abs=6e-7)


@pytest.mark.parametrize(("delta", "epsilon", "rho"), KNOWN)
def test_agrees_with_dp_accounting(delta, epsilon, rho):
    orders = [1 + 10 ** (k / 60) for k in range(-120, 181)]
    rdp = [order * rho for order in orders]  # zCDP is RDP linear in the order
    other, _ = rdp_privacy_accountant.compute_epsilon(orders, rdp, delta)
    assert epsilon_from(rho, delta) == pytest.approx(other, rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-3, 50), st.floats(1e-9, 0.2))
def test_round_trip_never_exceeds_epsilon_and_wastes_nothing(epsilon, delta):
    rho = rho_from(epsilon, delta)
    assert epsilon_from(rho, delta) <= epsilon
    assert epsilon_from(rho * (1 + 1e-6), delta) > epsilon * (1 - 1e-9)
    loose = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert loose >= epsilon * (1 - 1e-6)  # tight: never worse than the loose conversion


@pytest.mark.parametrize("delta", [1e-300, 1e-9, 0.5])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 1000.0])
def test_converts_at_the_ends_of_the_range(epsilon, delta):
    assert 0 < epsilon_from(rho_from(epsilon, delta), delta) <= epsilon


def test_converts_where_delta_is_near_one():
    """OpenDP's rounding leaves no room above the loose conversion there."""
    assert 0 < epsilon_from(rho_from(1000.0, 0.999), 0.999) <= 1000


@pytest.mark.parametrize("epsilon", [1e-7, 1e-300, 1001, 1e9, 1e300])
def test_refuses_what_cannot_be_converted(epsilon):
    with pytest.raises(BadInput, match="outside 1e-06 to 1000"):
        rho_from(epsilon, 1e-3)


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, -math.inf, True, "1", None])
def test_refuses_what_is_no_epsilon(epsilon):
    with pytest.raises(BadInput, match="epsilon"):
        rho_from(epsilon, 1e-3)


@pytest.mark.parametrize("delta", [0, 1, -0.1, 2, math.nan, "0.1"])
def test_refuses_what_is_no_delta(delta):
    with pytest.raises(BadInput, match="delta"):
        rho_from(1.0, delta)
    with pytest.raises(BadInput, match="delta"):
        epsilon_from(1.0, delta)


def test_extremes():
    assert rho_from(math.inf, 1e-3) == math.inf
    assert epsilon_from(math.inf, 1e-3) == math.inf
    assert epsilon_from(0, 1e-3) == 0
    with pytest.raises(BadInput):
        epsilon_from(-1e-9, 1e-3)


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-3, 2), st.integers(1, 40), st.floats(1e-9, 0.2))
def test_a_group_of_m_is_a_gaussian_of_m_times_the_sensitivity(rho, m, delta):
    """The definition: m records change a Gaussian mechanism's centre by m times as much."""
    sigma = 1 / math.sqrt(2 * rho)  # ρ = Δ²/(2σ²) at Δ = 1
    grouped = m**2 / (2 * sigma**2)
    if grouped < 500:
        assert group_epsilon(rho, m, delta) == pytest.approx(epsilon_from(grouped, delta), rel=1e-6)
        epsilon = group_epsilon(rho, m, delta)
        assert gaussian_delta(m / sigma, epsilon) <= delta * (1 + 1e-9)  # the exact δ of that mechanism


def gaussian_delta(shift: float, epsilon: float) -> float:
    """Exact δ of the Gaussian mechanism whose centre moves by `shift` standard deviations (Balle
    and Wang 2018, Theorem 5)."""
    a, b = shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift
    return norm.cdf(a) - math.exp(epsilon + norm.logcdf(b))


def test_groups_at_the_ends():
    assert group_epsilon(0.05, 1, 1e-3) == epsilon_from(0.05, 1e-3)
    assert group_epsilon(math.inf, 3, 1e-3) == math.inf
    assert group_epsilon(0, 3, 1e-3) == 0
    below, above = group_epsilon(0.9999, 100, 1e-3), group_epsilon(1.0001, 100, 1e-3)
    assert below < above < below * 1.001  # the two conversions meet
    assert 1e8 < group_epsilon(1.0, 10_000, 1e-3) < 1.001e8
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(BadInput, match="group"):
            group_epsilon(0.1, wrong, 1e-3)
