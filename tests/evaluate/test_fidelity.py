from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.evaluate.fidelity import Quantisation, attribute_jsd, kl_and_tv, mauve, mauve_ceiling
from ctxpriv.evaluate.settings import EvaluationSettings

FEW = EvaluationSettings(bootstrap=40, refits=5, mauve_seeds=3, mauve_resamples=1)


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def cloud(n: int, seed: int, centre: float = 0.0) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(n, 8)) + centre)


def test_mauve_is_one_for_the_same_texts_and_small_for_others():
    real = cloud(80, 0)
    same, other = mauve(real, real, FEW), mauve(real, cloud(80, 1, centre=4), FEW)
    assert same.value > 0.99
    assert other.value < 0.2
    for metric in (same, other):
        assert 0 <= metric.low <= metric.value <= metric.high <= 1
        assert len(metric.detail["by_seed"]) == 3
        assert metric.detail["cells"] == 8


def test_the_ceiling_is_below_one_and_above_other_texts():
    real = cloud(160, 0)
    ceiling = mauve_ceiling(real, FEW)
    assert mauve(real, cloud(80, 1, centre=4), FEW).value < ceiling.value <= 1
    assert ceiling.n == 80


def test_mauve_says_what_is_lacking():
    metric = mauve(cloud(80, 0), cloud(39, 1), FEW)
    assert metric.value is None
    assert metric.missing == "needs at least 40 released records, there are 39"
    assert "private records" in mauve(cloud(10, 0), cloud(80, 1), FEW).missing
    assert mauve_ceiling(cloud(79, 0), FEW).value is None


def test_kl_and_tv_vanish_on_the_real_texts_themselves():
    real = cloud(100, 0)
    kl, tv = kl_and_tv(Quantisation.fit(real, 0), real, FEW)
    assert kl.value == pytest.approx(0, abs=1e-9)
    assert tv.value == pytest.approx(0, abs=1e-9)
    assert kl.high > 0


def test_the_quantisation_knows_only_the_real_texts():
    real = cloud(100, 0)
    before = kl_and_tv(Quantisation.fit(real, 0), cloud(50, 1), FEW)
    kl_and_tv(Quantisation.fit(real, 0), cloud(50, 2, centre=3), FEW)
    assert kl_and_tv(Quantisation.fit(real, 0), cloud(50, 1), FEW) == before


def test_kl_is_hand_computable_on_two_cells():
    quantisation = Quantisation(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([30, 10]))
    released = np.repeat(np.eye(2, dtype=np.float32), [5, 15], axis=0)
    kl, tv = kl_and_tv(quantisation, released, FEW)
    p, q = np.array([30.5, 10.5]) / 41, np.array([5.5, 15.5]) / 21
    assert kl.value == pytest.approx((p * np.log(p / q)).sum())
    assert tv.value == pytest.approx(0.5)


def test_too_few_for_histograms():
    real = cloud(100, 0)
    kl, tv = kl_and_tv(Quantisation.fit(real, 0), cloud(19, 1), FEW)
    assert kl.missing == tv.missing == "needs at least 20 released records, there are 19"
    assert kl_and_tv(None, real, FEW)[0].missing == "needs at least 20 private records"


def test_jsd_is_the_mean_over_attributes():
    half, one = np.repeat(np.eye(2), 20, axis=0), np.tile([1.0, 0.0], (40, 1))
    metric, rows = attribute_jsd({"a": half, "b": half}, {"a": half, "b": one}, FEW)
    assert rows["a"]["value"] == pytest.approx(0)
    expected = 0.5 * (0.5 * np.log2(0.5 / 0.75) + 0.5 * np.log2(0.5 / 0.25)) + 0.5 * np.log2(1 / 0.75)
    assert rows["b"]["value"] == pytest.approx(expected)
    assert metric.value == pytest.approx(expected / 2)
    assert 0 <= metric.low <= metric.value <= metric.high <= 1


def test_jsd_needs_records():
    few, many = np.tile([1.0, 0.0], (19, 1)), np.tile([1.0, 0.0], (40, 1))
    assert attribute_jsd({"a": many}, {"a": few}, FEW)[0].missing.endswith("there are 19")
    assert attribute_jsd({}, {}, FEW)[0].value is None
