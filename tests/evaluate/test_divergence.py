from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ctxpriv.evaluate.divergence import SMOOTHING, jsd, kl, normalise, tv

counts = arrays(np.int64, 6, elements=st.integers(0, 50)).filter(lambda c: c.sum() > 0)


@settings(max_examples=50, deadline=None)
@given(counts, counts)
def test_bounds_and_symmetry(a, b):
    p, q = normalise(a), normalise(b)
    assert 0 <= jsd(p, q) <= 1
    assert jsd(p, q) == pytest.approx(jsd(q, p))
    assert 0 <= tv(p, q) <= 1
    assert tv(p, q) == pytest.approx(tv(q, p))
    assert kl(p, q) >= 0


@settings(max_examples=50, deadline=None)
@given(counts, counts)
def test_smoothed_kl_is_finite_and_obeys_pinsker(a, b):
    p, q = normalise(a, SMOOTHING), normalise(b, SMOOTHING)
    assert np.isfinite(kl(p, q))
    assert tv(p, q) <= np.sqrt(kl(p, q) / 2) + 1e-12


@settings(max_examples=50, deadline=None)
@given(counts)
def test_equal_histograms_are_at_distance_zero(a):
    p = normalise(a)
    assert kl(p, p) == tv(p, p) == jsd(p, p) == 0


def test_disjoint_histograms_are_as_far_as_can_be():
    p, q = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert tv(p, q) == 1
    assert jsd(p, q) == pytest.approx(1)
    assert kl(p, q) == np.inf


def test_hand_computed():
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert tv(p, q) == pytest.approx(0.25)
    assert kl(p, q) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))


def test_rows_are_independent():
    p, q = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]])
    assert tv(p, q).tolist() == [1.0, 0.0]


def test_an_empty_histogram_has_no_shares():
    with pytest.raises(ValueError, match="empty"):
        normalise(np.zeros(3))
