from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.evaluate.intervals import interval, record_weights, unit_weights


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_the_figure_is_inside_and_the_range_is_kept(value, draws):
    low, high = interval(value, np.array(draws), 0.0, 1.0)
    assert 0 <= low <= value <= high <= 1


def test_width_is_that_of_the_draws_and_their_bias_is_taken_out():
    draws = 0.3 + np.linspace(-0.1, 0.1, 1001)
    low, high = interval(0.2, draws, 0.0, 1.0)
    assert np.isclose(low, 0.2 - 0.095, atol=1e-3)
    assert np.isclose(high, 0.2 + 0.095, atol=1e-3)


def test_record_weights_draw_n_out_of_n():
    weights = record_weights(7, 30, np.random.default_rng(0))
    assert weights.shape == (30, 7)
    assert (weights.sum(axis=1) == 7).all()


def test_units_are_drawn_whole():
    units = ["a", "a", "b", "c", "c", "c"]
    weights = unit_weights(units, 50, np.random.default_rng(0))
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()  # three authors out of three
    assert (weights[:, 0] != weights[:, 2]).any()
