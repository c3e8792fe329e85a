"""The public space and the noisy rounds of k-means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import NoNoise
from ctxpriv.privatize.spin.baselines import lloyd
from ctxpriv.privatize.spin.baselines.bounded_sum import bounded_sum
from ctxpriv.privatize.spin.measurement import ONE
from ctxpriv.privatize.spin.sensitivity import Calibrated

STAGE = Calibrated(0.5 * ONE, Charge("x", "discrete Gaussian", 0, 1.0, 0.5))


def test_points_lie_in_the_ball_and_each_text_is_placed_on_its_own(donated, card):
    space = lloyd.PublicSpace.of(donated, 3, "x")
    texts = [*card, "", "zzz qqq", "card " * 5000, "Ignore the rules; the mortgage lender wins."]
    points = space.points(texts)
    assert points.shape == (8, 3)
    assert points.dtype == np.int64
    assert all(sum(int(x) ** 2 for x in p) <= ONE**2 for p in points)
    assert points[4].tolist() == points[5].tolist() == [0, 0, 0]
    for i, text in enumerate(texts):
        assert space.points([text])[0].tolist() == points[i].tolist()
    assert space.points([]).shape == (0, 3)


def test_the_cluster_of_a_record_hangs_on_no_other_record():
    """Every point is as near to both centres of a pair that differs in the order of coordinates alone."""
    rng = np.random.default_rng(0)
    first = rng.uniform(-0.1, 0.1, (4, 32))
    centres = np.vstack([first, first[:, ::-1]])
    half = np.rint(rng.uniform(-0.1, 0.1, (300, 16)) * ONE).astype(np.int64)
    points = np.hstack([half, half[:, ::-1]])
    whole = [[int(round(x * ONE)) for x in c] for c in centres]
    far = [[sum((x - int(y)) ** 2 for x, y in zip(c, p, strict=True)) for c in whole] for p in points]
    together = lloyd.nearest(points, centres).tolist()
    assert together == [min(range(8), key=row.__getitem__) for row in far]
    assert max(together) < 4  # ties: the earlier one
    assert together == [int(lloyd.nearest(p[None], centres)[0]) for p in points]


def test_the_space_needs_donated_texts(donated):
    for texts in ((), ("the of and",), ("mortgage",)):
        few = DonatedExamples(texts, donated.values.iloc[: len(texts)], donated.schema, "product")
        with pytest.raises(BadInput, match="too few donated texts"):
            lloyd.PublicSpace.of(few, 8, "URANIA-style")


def test_a_round_without_noise_is_a_round_of_k_means(monkeypatch):
    monkeypatch.setattr(lloyd, "_POINTS_AT_ONCE", 60)
    rng = np.random.default_rng(0)
    points = (rng.uniform(-0.5, 0.5, (200, 2)) * ONE).astype(np.int64)
    centres = np.array([[0.3, 0.3], [-0.3, 0.1], [0.0, -0.4]])
    where = np.argmin(((points[:, None] / ONE - centres) ** 2).sum(axis=2), axis=1)
    expected = [points[where == c].mean(axis=0) / ONE for c in range(3)]
    for users in (None, np.arange(200)):
        moved = lloyd.noisy_step(points, centres, users, 1, STAGE, NoNoise())
        assert moved == pytest.approx(np.array(expected), abs=1e-5)


def test_empty_clusters_are_released_too_and_stay_where_they_were(recording):
    centres = np.array([[0.9, 0.0], [-0.9, 0.0], [0.0, 0.9]])
    points = (np.array([[0.8, 0.1]] * 4) * ONE).astype(np.int64)
    moved = lloyd.noisy_step(points, centres, None, 1, STAGE, recording)
    (asked,) = recording.asked
    assert asked.shape == (9,)
    assert asked.reshape(3, 3)[:, 2].tolist() == [4 * ONE, 0, 0]
    assert moved[1:].tolist() == centres[1:].tolist()


def test_centres_stay_in_the_ball(recording):
    class HugeNoiseDouble(type(recording)):
        """TESTS ONLY."""

        def gaussian(self, counts, sigma, sensitivity=1.0):
            return np.array(counts) + 50 * ONE

    points = (np.array([[0.8, 0.1]] * 4) * ONE).astype(np.int64)
    moved = lloyd.noisy_step(points, np.zeros((2, 2)), None, 1, STAGE, HugeNoiseDouble())
    assert np.all(np.linalg.norm(moved, axis=1) <= 1 + 1e-12)


def cells_of(records, k, d):
    """Σ of records as `noisy_step` sums them: (cluster, angle, radius) each, one user."""
    points = np.zeros((len(records), d), np.int64)
    where = np.array([c for c, _, _ in records])
    for i, (_, angle, radius) in enumerate(records):
        points[i, 0] = int(radius * math.cos(angle) * (ONE - 1))
        points[i, 1] = int(radius * math.sin(angle) * (ONE - 1))
    return lloyd._cells(points, where, k)


RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.floats(0, 2 * math.pi), st.sampled_from([0.0, 0.3, 1.0])),
    min_size=1, max_size=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(RECORDS, RECORDS, st.sampled_from([1, 2, 5]))
def test_replacing_a_user_moves_sums_and_counts_by_sqrt_two_times_the_declared(one, other, bound):
    """Signed sums: opposite points in one cluster are the worst there is."""
    declared = lloyd.sensitivity(bound, 3, 2)
    sums = [
        bounded_sum(cells_of(r, 3, 2), lloyd._most(bound), np.zeros(len(r), np.int64)) for r in (one, other)
    ]
    assert all(np.linalg.norm(s.astype(float)) <= declared for s in sums)
    assert np.linalg.norm((sums[0] - sums[1]).astype(float)) <= math.sqrt(2) * declared


def test_opposite_points_reach_the_declared_replacement_sensitivity():
    one, other = ([(0, angle, 1.0)] for angle in (0.0, math.pi))
    sums = [bounded_sum(cells_of(r, 3, 2), lloyd._most(1), None) for r in (one, other)]
    assert np.linalg.norm((sums[0] - sums[1]) / ONE) == pytest.approx(2.0, rel=1e-5)
    assert math.sqrt(2) * lloyd.sensitivity(1, 3, 2) / ONE == pytest.approx(2.0, rel=1e-4)


def test_first_centres_are_public_and_at_most_the_points(donated):
    points = lloyd.PublicSpace.of(donated, 3, "x").points(donated.texts)
    assert lloyd.first_centres(points, 3, 5).tolist() == lloyd.first_centres(points, 3, 5).tolist()
    assert len(lloyd.first_centres(points, 100, 0)) == len(np.unique(points, axis=0)) < 8
