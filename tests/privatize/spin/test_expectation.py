from __future__ import annotations

import json

import numpy as np
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.evaluate.insights.plan_metrics import loss, mass_retained, overlap
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import NO_ATOM, Contributions
from ctxpriv.privatize.spin.expectation import (
    SHAPES,
    Expectation,
    donated_proxy,
    expected_overlap,
    zipf,
)
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, Spin
from ctxpriv.privatize.spin.semantic_plan import half_width


def measurement_of(m: int = 60, **settings) -> Measurement:
    atoms = AtomSet(tuple(Atom(f"theme {i}") for i in range(m)))
    return Measurement(atoms, **{"denominator": 400, "delta": 1e-5, **settings})


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    "settings",
    [{}, {"unit": "user", "bound": 2, "relation": "replacement"}, {"weights": "equal", "size": 5}],
    ids=["record", "user, replacement", "equal weights"],
)
def test_it_foretells_real_releases(mechanism: str, settings: dict) -> None:
    """Means of 60 OpenDP releases, within 5 standard errors of theirs and ours. The spread is the largest
    that a figure between 0 and its most can have at its mean: 60 draws that are alike tell of none."""
    measurement = measurement_of(**settings)
    spin, size = Spin(1.0, mechanism), measurement.size
    told = expected_overlap(spin, measurement, None)
    exact = (zipf(measurement) * ONE).astype(np.int64)
    plans = [spin.release(exact, measurement, OpenDPNoise()).admitted for _ in range(60)]
    best = np.sort(exact)[-size:].sum() / ONE
    for name, most, drawn in (
        ("overlap", 1.0, [overlap(p, exact, size) for p in plans]),
        ("mass_retained", 1.0, [mass_retained(p, exact, size) for p in plans]),
        ("loss", best, [loss(p, exact, size) for p in plans]),
    ):
        mean = getattr(told, name)
        around = 5 * np.sqrt(mean * (most - mean)) * np.sqrt(1 / 60 + 1 / 400) + 1e-3
        assert mean == pytest.approx(np.mean(drawn), abs=around), name
    assert (
        np.mean(
            [told.overlap_low - 1e-9 <= overlap(p, exact, size) <= told.overlap_high + 1e-9 for p in plans]
        )
        > 0.65
    )


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_more_budget_never_tells_less(mechanism: str) -> None:
    told = [expected_overlap(Spin(e, mechanism), measurement_of(), None) for e in (0.1, 0.5, 1, 2, 4, 8)]
    assert all(a.overlap <= b.overlap and a.mass_retained <= b.mass_retained for a, b in _pairs(told))
    assert all(a.tau > b.tau and a.half_width > b.half_width for a, b in _pairs(told))
    assert all(t.overlap_low <= t.overlap <= t.overlap_high and t.loss <= t.loss_bound for t in told)


def _pairs(items):
    return zip(items, items[1:], strict=False)


def test_the_same_question_gets_the_same_answer() -> None:
    assert expected_overlap(Spin(1.0), measurement_of(), None) == expected_overlap(
        Spin(1.0), measurement_of(), None
    )


def test_noise_scales_are_those_of_the_config() -> None:
    measurement, spin = measurement_of(), Spin(0.7, "admission")
    told = expected_overlap(spin, measurement, None)
    choice, values = spin.calibrated(measurement)
    assert told.noise_scale == values.in_units
    assert told.draw_scale == pytest.approx(1 / choice.scale)
    assert told.half_width == pytest.approx(half_width("Gaussian", values.in_units) / 400)
    assert expected_overlap(Spin(1.0), measurement, None).draw_scale is None


def test_all_atoms_admitted_loses_nothing() -> None:
    told = expected_overlap(Spin(0.1, "admission"), measurement_of(m=10), None)
    assert told.overlap == told.mass_retained == 1 and told.loss == 0


def test_a_sharper_proxy_is_recovered_better() -> None:
    measurement = measurement_of()
    flat, sharp = np.full(60, 400 / 60), np.r_[np.full(10, 39.0), np.full(50, 0.2)]
    told = [expected_overlap(Spin(1.0), measurement, p) for p in (flat, sharp)]
    assert told[0].overlap < 0.6 < 0.95 < told[1].overlap
    assert told[0].shape == "donated" and told[0].shape in SHAPES


def test_a_proxy_without_mass_promises_nothing() -> None:
    assert expected_overlap(Spin(1.0), measurement_of(), np.zeros(60)).mass_retained == 0


@pytest.mark.parametrize("proxy", [np.ones(59), -np.ones(60), np.full(60, np.nan)])
def test_a_proxy_that_is_none_is_refused(proxy) -> None:
    with pytest.raises(BadInput, match="60 atoms"):
        expected_overlap(Spin(1.0), measurement_of(), proxy)


def donated(users=None) -> Contributions:
    atoms = np.array([[0, 1], [0, NO_ATOM], [2, NO_ATOM], [NO_ATOM, NO_ATOM]], np.int32)
    mass = np.array([[ONE // 2, ONE // 2], [ONE, 0], [ONE, 0], [0, 0]], np.int64)
    return Contributions(atoms, mass, users)


def test_donated_records_are_scaled_to_the_denominator() -> None:
    masses = donated_proxy(donated(), measurement_of(m=10))
    assert masses[:4].tolist() == [150, 50, 100, 0]  # 1.5, 0.5, 1 of 4 records, times 400 / 4


def test_donated_users_are_clipped_and_scaled_as_users() -> None:
    user = measurement_of(m=10, unit="user")
    known = donated_proxy(donated(np.array([7, 7, 7, 9])), user)
    assert known[:3] == pytest.approx([100, 100 / 3, 200 / 3], abs=1e-3)  # one user clipped to 1, one empty
    assert donated_proxy(donated(), user).tolist() == donated_proxy(donated(), measurement_of(m=10)).tolist()


def test_no_donated_mass_no_proxy() -> None:
    measurement = measurement_of()
    assert donated_proxy(donated().of(np.array([3])), measurement) is None
    assert donated_proxy(donated().of(np.array([], int)), measurement) is None


def test_zipf_masses_add_up_to_the_denominator() -> None:
    masses = zipf(measurement_of())
    assert masses.sum() == pytest.approx(400) and masses[0] == pytest.approx(2 * masses[1])


def test_it_survives_json() -> None:
    told = expected_overlap(Spin(1.0, "admission"), measurement_of(), None)
    assert Expectation.from_dict(json.loads(json.dumps(told.to_dict()))) == told
