from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.evaluate.insights.bounds import draw_scale, margin, most_lost, most_off
from ctxpriv.evaluate.insights.plan_metrics import loss
from ctxpriv.evaluate.insights.values import value_errors
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, Spin


def test_the_margin_is_the_gap_after_the_l_th(exact) -> None:
    assert margin(exact, 1) == 10 and margin(exact, 3) == 0 and margin(exact, 5) == 5
    assert margin(exact, 6) is None


def test_full_sketch_bound_is_2_l_tau(plan, measurement) -> None:
    made = plan({0: 1.0}, sketch=(1.0,) * 6, scale=2.0)
    assert most_off(made, beta=0.1) == pytest.approx(2 * np.log(60))
    assert most_lost(made, measurement) == pytest.approx(2 * 3 * 2 * np.log(120))


def test_admission_needs_its_config_for_a_bound(plan, measurement) -> None:
    spin = Spin(1.0, "admission")
    made = plan({0: 1.0, 1: 2.0, 2: 1.0}, law="Gaussian")
    assert most_lost(made, measurement) is None
    assert most_lost(made, measurement, Spin(1.0, "laplace")) is None
    scale = draw_scale(spin, measurement)
    assert most_lost(made, measurement, spin) == pytest.approx(3 * scale * np.log(6 * 3 / 0.05))


def test_the_scale_of_a_draw_is_the_one_that_opendp_gets(measurement) -> None:
    chosen, _ = Spin(1.0, "admission").calibrated(measurement)
    assert draw_scale(Spin(1.0, "admission"), measurement) == pytest.approx(1 / chosen.scale)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bounds_hold_for_real_noise(mechanism: str) -> None:
    """95 % of draws at least; 150 draws leave room for 5 standard errors of chance."""
    atoms = AtomSet(tuple(Atom(f"theme {i}") for i in range(30)))
    measurement = Measurement(atoms, 300, 1e-5, size=5)
    exact = (np.geomspace(80, 1, 30) * ONE).astype(np.int64)
    spin, held = Spin(1.0, mechanism), 0
    for _ in range(150):
        made = spin.release(exact, measurement, OpenDPNoise())
        bound = most_lost(made, measurement, spin)
        held += loss(made.admitted, exact, 5) <= bound and value_errors(made, exact).linf <= most_off(made)
    assert held >= 150 * (0.95 - 5 * np.sqrt(0.05 * 0.95 / 150))
