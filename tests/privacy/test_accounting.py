"""The conversion against dp-accounting and the table of known values."""

from __future__ import annotations

import math

import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from, rho_from

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
