"""Prices, directions of rounding, and that the noise has the stated size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.privacy import noise as module
from ctxpriv.privacy.noise import (
    NoNoise,
    OpenDPNoise,
    gaussian_rho,
    gaussian_sigma,
    laplace_epsilon,
    laplace_scale,
    noisy_max_epsilon,
    noisy_max_rho,
    quantised_scores,
)

RHOS = st.fractions(Fraction(1, 10**6), Fraction(1000))


@settings(max_examples=50, deadline=None)
@given(RHOS, st.sampled_from([1.0, 2.0, float(2**20)]))
def test_sigma_costs_at_most_the_charge_and_wastes_nothing(rho, sensitivity):
    sigma = gaussian_sigma(rho, sensitivity)
    assert Fraction(gaussian_rho(sigma, sensitivity)) <= rho
    assert gaussian_rho(sigma, sensitivity) == pytest.approx(float(rho), rel=1e-12)


@settings(max_examples=50, deadline=None)
@given(RHOS)
def test_selection_costs_at_most_the_charge(rho):
    epsilon = noisy_max_epsilon(rho)
    assert noisy_max_rho(epsilon) <= rho
    assert float(noisy_max_rho(epsilon)) == pytest.approx(float(rho), rel=1e-12)


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.1, 3), (1.0, 1), (1.7, 168 * 1024)])
def test_selection_price_is_opendp_s_own(epsilon, sensitivity):
    assert module._noisy_max(2 * sensitivity / epsilon).map(sensitivity) == pytest.approx(epsilon**2 / 8)


def test_selection_is_charged_as_not_monotone():
    """exp(ε q / 2Δ), not exp(ε q / Δ): at a gap of 2Δ/ε the odds are e, not e²."""
    noise, n = OpenDPNoise(), 4000
    better = sum(noise.noisy_max(np.array([0, 8]), epsilon=1.0, sensitivity=4) for _ in range(n)) / n
    assert better == pytest.approx(np.e / (1 + np.e), abs=0.03)


def test_laplace_price():
    scale = laplace_scale(0.3, 2)
    assert laplace_epsilon(scale, 2) <= 0.3
    assert scale == pytest.approx(2 / 0.3)


@pytest.mark.parametrize(
    ("draw", "deviation"),
    [
        (lambda x: OpenDPNoise().gaussian(x, 7.0), 7.0),
        (lambda x: OpenDPNoise().laplace(x, 5.0), 5.0 * np.sqrt(2)),
    ],
)
def test_noise_has_the_stated_size_and_is_integer(draw, deviation):
    exact = np.arange(20_000).reshape(2, -1)
    error = draw(exact) - exact
    assert error.shape == exact.shape
    assert error.dtype == np.int64
    assert abs(error.mean()) < 5 * deviation / np.sqrt(error.size)
    assert error.std() == pytest.approx(deviation, rel=0.05)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.floats(0.01, 100), st.data())
def test_quantised_scores_move_by_at_most_the_declared_sensitivity(scores, sensitivity, data):
    moves = data.draw(st.lists(st.floats(-1, 1), min_size=len(scores), max_size=len(scores)))
    moved = [s + m * sensitivity for s, m in zip(scores, moves, strict=True)]
    grid_of = max([*map(abs, scores), *map(abs, moved)])
    if grid_of > 2**31:  # the grid may then differ between the two
        return
    before, declared = quantised_scores(np.array([*scores, grid_of]), sensitivity)
    after, _ = quantised_scores(np.array([*moved, grid_of]), sensitivity)
    assert np.abs(after - before).max() <= declared


def test_integer_scores_are_exact():
    whole, declared = quantised_scores(np.array([3, -5]), 2)
    assert whole.tolist() == [3, -5]
    assert declared == 2


@pytest.mark.parametrize("scores", [[], [np.nan], [np.inf], [[1.0]]])
def test_refuses_scores_that_cannot_be_compared(scores):
    with pytest.raises(BadInput):
        quantised_scores(scores, 1.0)


def test_refuses_fractions_and_saturation():
    with pytest.raises(BadInput, match="integers"):
        OpenDPNoise().gaussian(np.array([0.5]), 1.0)
    with pytest.raises(BadInput, match="too large"):
        OpenDPNoise().gaussian(np.array([2**62]), 1.0)
    with pytest.raises(BadInput, match="positive"):
        OpenDPNoise().gaussian(np.array([1]), 0.0)


def test_no_noise_says_so():
    assert not NoNoise().private
    assert NoNoise().noisy_max([1.0, 3.0, 2.0], 1.0, 1.0) == 1
