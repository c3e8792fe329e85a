from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.extract.evidence.choice import fit, log_prior, scores
from ctxpriv.extract.evidence.learned import Lifts, Space


def test_a_prior_counts_weights_and_leaves_nothing_out():
    prior = np.exp(log_prior(np.array([0, 0, 1]), 3, np.array([0.5, 0.5, 1.0]), extra=1.0))
    assert np.allclose(prior, [2 / 5, 2 / 5, 1 / 5])


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000))
def test_scores_are_log_probabilities(seed):
    rng = np.random.default_rng(seed)
    s = scores(log_prior(rng.integers(0, 4, 9), 4), rng.normal(size=(5, 4, 3)), rng.random(3))
    assert np.allclose(np.exp(s).sum(axis=1), 1)


def test_weights_find_the_feature_that_tells_and_none_is_negative():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    x = rng.normal(size=(60, 3, 2))
    x[np.arange(60), y, 0] += 2.0
    x[np.arange(60), y, 1] -= 2.0  # counts against its own value
    w = fit([(log_prior(y, 3), x, y)], np.zeros(2), 0.1)
    assert w[0] > 1 and w[1] == 0


def test_a_strong_pull_keeps_the_weights_where_they_are_pulled():
    rng = np.random.default_rng(1)
    y, x = rng.integers(0, 2, 20), rng.normal(size=(20, 2, 2))
    assert np.allclose(fit([(log_prior(y, 2), x, y)], np.array([0.7, 0.2]), 1e7), [0.7, 0.2], atol=1e-3)


def test_the_space_of_the_donated_texts_keeps_their_inner_products():
    texts = ["we cook soup", "we take the bus", "", "soup and bread and soup"]
    means = np.eye(4, 6)
    space = Space.fit(means, texts)
    again = space.of(means, texts)
    assert np.allclose(again, space.donated, atol=1e-6)
    wide = space.back.toarray()
    assert np.allclose(space.donated @ space.donated.T, wide @ wide.T, atol=1e-6)


def test_texts_without_a_word_make_a_space():
    assert Space.fit(np.ones((2, 3)) / 2, ["", "..."]).of(np.ones((1, 3)), ["!"]).shape[0] == 1


def test_lifts_say_nothing_of_values_that_were_not_there():
    x, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0, 0, 2, 2])
    lifts = Lifts.fit(x, y, 3, 0).of(np.array([[1.0], [-1.0]]))
    assert lifts[0, 0] > 0 > lifts[0, 2] and lifts[1, 2] > 0 and (lifts[:, 1] == 0).all()
    assert (Lifts.fit(x, np.zeros(4, int), 3, 0).of(x) == 0).all()
