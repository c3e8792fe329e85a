"""Prices, directions of rounding, and that the noise has the stated size."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

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


@pytest.mark.parametrize(
    ("k", "epsilon", "sensitivity"), [(1, 0.3, 1), (5, 1.0, 2**20), (10, 0.07, 3 * 2**20)]
)
def test_private_top_k_costs_what_its_peeled_rounds_do(k, epsilon, sensitivity):
    price = Fraction(module._noisy_top_k(k, sensitivity / epsilon).map(sensitivity))
    assert float(price) == pytest.approx(k * epsilon**2 / 8, rel=1e-9)


def test_private_top_k_never_costs_more_than_is_charged(monkeypatch):
    made, make = [], module._noisy_top_k

    def watched(k, scale):
        made.append((k, scale))
        return make(k, scale)

    monkeypatch.setattr(module, "_noisy_top_k", watched)
    rng = np.random.default_rng(0)
    for epsilon in rng.uniform(0.01, 3, 20):
        k, sensitivity = int(rng.integers(1, 12)), int(rng.integers(1, 2**22))
        OpenDPNoise().noisy_top_k(np.arange(20), k, epsilon, sensitivity)
        used_k, scale = made[-1]
        assert used_k == k
        assert Fraction(make(k, scale).map(sensitivity)) <= k * noisy_max_rho(epsilon)


def test_private_top_k_is_the_peeled_exponential_mechanism():
    """Every ordered pair of four atoms as often as two draws ∝ exp(ε·score / Δ) without replacement say."""
    scores, epsilon, sensitivity, n = np.array([0, 3, 5, 9]), 0.8, 4, 3000
    weight = np.exp(epsilon * scores / sensitivity)
    pairs = list(itertools.permutations(range(4), 2))
    expected = [weight[a] / weight.sum() * weight[b] / (weight.sum() - weight[a]) for a, b in pairs]
    drawn = Counter(tuple(OpenDPNoise().noisy_top_k(scores, 2, epsilon, sensitivity)) for _ in range(n))
    seen = [drawn[pair] for pair in pairs]
    assert sum(seen) == n  # no atom twice
    assert chisquare(seen, n * np.array(expected)).pvalue > 1e-6
    # With the weights of scores that are not monotone the same counts would be out of the question.
    weight = np.sqrt(weight)
    other = [weight[a] / weight.sum() * weight[b] / (weight.sum() - weight[a]) for a, b in pairs]
    assert chisquare(seen, n * np.array(other)).pvalue < 1e-6


def test_private_top_k_refuses_what_no_noise_can_hide():
    with pytest.raises(BadInput, match="integers"):
        OpenDPNoise().noisy_top_k(np.array([0.5, 1.0]), 1, 1.0, 1)
    assert NoNoise().noisy_top_k(np.array([1, 3, 3]), 2, 1.0, 1).tolist() == [1, 2]
