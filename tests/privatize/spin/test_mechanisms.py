"""DP-SPIN's three releases: price, distribution, and an audit of the whole on neighbouring corpora."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp, kstest

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.accounting import rho_from
from ctxpriv.privacy.guarantee import DP, guarantee_from
from ctxpriv.privacy.noise import (
    NoNoise,
    OpenDPNoise,
    gaussian_rho,
    laplace_epsilon,
    noisy_max_rho,
)
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import Contributions
from ctxpriv.privatize.spin.insight import Protected, Task
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, Spin
from ctxpriv.privatize.spin.sensitivity import Sensitivity
from ctxpriv.roles import Roles
from ctxpriv.schema import Attribute, Schema

DELTA = 1e-3
NOBODY = Roles(None, None)
SCHEMA = Schema((Attribute("topic", ("a", "b")),))
DONATED = DonatedExamples((), pd.DataFrame({"topic": []}), SCHEMA)
KINDS = [
    {"unit": unit, "bound": bound, "relation": relation, "weights": weights}
    for unit, bound in (("record", 1), ("user", 2))
    for relation, weights in itertools.product(("add/drop", "replacement"), ("scores", "equal"))
]


def measurement(m: int, **settings) -> Measurement:
    atoms = AtomSet(tuple(Atom(f"theme {i}") for i in range(m)))
    return Measurement(atoms, **{"denominator": 100, "delta": DELTA, "size": min(m, 10), **settings})


def drawn(spin, contributions, measured, noise):
    protected = Protected(
        ["text"] * len(contributions), pd.DataFrame(index=range(len(contributions))), contributions
    )
    return spin.draw(Task(protected, measured, DONATED, NOBODY, noise)).plan


class RecordingNoiseDouble(NoNoise):
    """TESTS ONLY, not private: exact answers, and what was asked for at which price."""

    def __init__(self) -> None:
        self.rho, self.epsilon = Fraction(0), Fraction(0)

    def gaussian(self, counts, sigma, sensitivity=1.0):
        self.rho += Fraction(gaussian_rho(sigma, sensitivity))
        return super().gaussian(counts, sigma, sensitivity)

    def laplace(self, counts, scale, sensitivity=1):
        paid = Fraction(laplace_epsilon(scale, sensitivity))
        self.rho, self.epsilon = self.rho + paid**2 / 2, self.epsilon + paid
        return super().laplace(counts, scale, sensitivity)

    def noisy_top_k(self, scores, k, epsilon, sensitivity):
        self.rho += k * noisy_max_rho(epsilon)
        return super().noisy_top_k(scores, k, epsilon, sensitivity)


def some_contributions(n: int, m: int, seed: int = 0) -> Contributions:
    rng = np.random.default_rng(seed)
    atoms = rng.integers(0, m, (n, 3)).astype(np.int32)
    mass = np.full((n, 3), ONE // 3, np.int64)
    return Contributions(atoms, mass, rng.integers(0, max(n // 4, 1), n))


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "-".join(map(str, k.values())))
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_noise_that_is_drawn_costs_exactly_what_is_charged(mechanism, kind):
    spin, measured, noise = Spin(0.7, mechanism), measurement(20, **kind), RecordingNoiseDouble()
    drawn(spin, some_contributions(50, 20), measured, noise)
    charges = spin.charges(measured)
    assert noise.rho == sum(c.rho for c in charges)
    if mechanism == "laplace":
        assert noise.epsilon == Fraction(charges[0].epsilon)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "-".join(map(str, k.values())))
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_guarantee_holds_under_the_relation_that_was_asked_for(mechanism, kind):
    """And wastes nothing: within a millionth of the ε asked for, under that relation."""
    epsilon, spin, measured = 0.7, Spin(0.7, mechanism), measurement(20, **kind)
    delta = 0.0 if mechanism == "laplace" else DELTA
    told = guarantee_from(spin.title, DP, spin.charges(measured), delta, OpenDPNoise())
    reached = told.epsilon if kind["relation"] == "add/drop" else told.epsilon_replacement
    assert epsilon * (1 - 1e-6) < reached <= epsilon * (1 + 1e-12)
    assert told.epsilon <= told.epsilon_replacement


@pytest.mark.parametrize("mechanism", ["gaussian", "admission"])
def test_rho_is_that_of_the_tight_conversion(mechanism):
    charges = Spin(1.0, mechanism).charges(measurement(20))
    assert float(sum(c.rho for c in charges)) == pytest.approx(rho_from(1.0, DELTA), rel=1e-9)
    assert sum(c.rho for c in charges) <= Fraction(rho_from(1.0, DELTA))


def test_the_share_of_the_selection_moves_budget_between_the_stages():
    choice, values = Spin(1.0, "admission", selection_share=0.8).charges(measurement(20))
    assert float(choice.rho / (choice.rho + values.rho)) == pytest.approx(0.8, rel=1e-9)
    # L draws of the exponential mechanism at ε_r each.
    assert float(choice.rho) == pytest.approx(10 * choice.scale**2 / 8, rel=1e-9)


def test_equal_weights_need_less_gaussian_noise_at_record_level():
    (scores,), (equal,) = (
        Spin(1.0, "gaussian").charges(measurement(20, weights=w)) for w in ("scores", "equal")
    )
    assert scores.scale / equal.scale == pytest.approx(math.sqrt(3), rel=1e-5)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "-".join(map(str, k.values())))
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_released_masses_have_the_stated_distribution(mechanism, kind):
    """2,000 coordinates of one release; fails by chance less than once in a million runs."""
    measured = measurement(2000, **kind)
    exact = np.arange(2000, dtype=np.int64) * ONE
    plan = Spin(0.9, mechanism).release(exact, measured, OpenDPNoise())
    error = np.array(plan.sketch) - exact / ONE
    law = "laplace" if mechanism == "laplace" else "norm"
    assert kstest(error, law, (0, plan.noise_scale)).pvalue > 1e-6
    assert kstest(error, law, (0, plan.noise_scale * 2)).pvalue < 1e-6  # it does tell a wrong scale
    expected = 1.0 if mechanism == "laplace" else math.sqrt(2 / math.pi)
    # Five and a half standard errors of the mean of |Laplace|; more for |normal|.
    assert np.abs(error).mean() / plan.noise_scale == pytest.approx(expected, abs=0.123)
    moved = Sensitivity.of(measured)
    doubled = 2 if kind["relation"] == "replacement" else 1
    if mechanism == "laplace":
        assert plan.noise_scale == pytest.approx(doubled * moved.l1 / ONE / 0.9, rel=1e-9)
    else:
        rho = rho_from(0.9, DELTA) / doubled
        assert plan.noise_scale == pytest.approx(moved.l2 / ONE / math.sqrt(2 * rho), rel=1e-9)


def test_masses_of_admitted_atoms_have_the_stated_distribution():
    measured = measurement(800, size=400)
    exact = np.arange(800, dtype=np.int64) * 10_000 * ONE  # so far apart that the choice is certain
    plan = Spin(0.9, "admission").release(exact, measured, OpenDPNoise())
    assert sorted(plan.admitted) == list(range(400, 800))
    assert plan.sketch is None
    assert plan.threshold is None
    error = [row.mass - exact[row.atom] / ONE for row in plan.rows]
    assert kstest(error, "norm", (0, plan.noise_scale)).pvalue > 1e-6


def test_plans_hold_the_largest_released_masses_in_order():
    measured = measurement(50)
    plan = Spin(1.0).release(np.zeros(50, np.int64), measured, OpenDPNoise())
    released = sorted(plan.sketch, reverse=True)
    assert [row.mass for row in plan.rows] == released[:10]
    assert plan.threshold == released[10]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"mechanism": "exponential"}, "no mechanism"),
        ({"epsilon": math.inf}, "Non-private top-L"),
        ({"epsilon": -1.0}, "not a privacy level"),
        ({"selection_share": 1.0}, "below 1"),
        ({"selection_share": "half"}, "not a number"),
    ],
)
def test_refuses_settings_it_cannot_use(settings, said):
    with pytest.raises(BadInput, match=said):
        Spin(**settings)


RUNS = 500
BY_CHANCE = math.sqrt(-math.log(1e-6 / 2) / RUNS)
"""What the best threshold gains on two samples of one distribution: more than this once in a million
audits (two-sample Kolmogorov–Smirnov: 2·exp(−RUNS·gain²)); 0.170 for 500 runs each."""


def without(unit_masses: int, user: bool) -> tuple[Contributions, Contributions]:
    """Two corpora with as many records for atom 1 as for atom 0, but that the second holds one more
    record of atom 0, or the 40 more of one more user."""
    extra = 40 if user else 1
    atoms = np.array([0] * unit_masses + [1] * unit_masses + [0] * extra, np.int32)[:, None]
    users = np.array([*range(2 * unit_masses), *([2 * unit_masses] * extra)], np.int64)
    both = Contributions(atoms, np.full(atoms.shape, ONE, np.int64), users)
    return both.of(np.arange(2 * unit_masses)), both


def advantage(spin, measured, noise) -> float:
    """The largest TPR − FPR of "the plan gives atom 0 more than t" over all t, by `RUNS` runs each."""
    seen = []
    for corpus in without(10, measured.unit == "user"):
        plans = (drawn(spin, corpus, measured, noise) for _ in range(RUNS))
        seen.append([plan.row(0).mass if plan.row(0) else -math.inf for plan in plans])
    return float(ks_2samp(seen[0], seen[1], alternative="greater").statistic)


def largest_advantage(spin, measured) -> float:
    """(e^ε − 1 + 2δ) / (e^ε + 1), and √(ρ/2) by Pinsker's inequality, as a ρ-zCDP mechanism has a
    divergence of at most ρ: whichever is smaller bounds every distinguisher."""
    delta = 0.0 if spin.mechanism == "laplace" else measured.delta
    odds = math.exp(spin.epsilon)
    rho = float(sum(c.rho for c in spin.charges(measured)))
    return min((odds - 1 + 2 * delta) / (odds + 1), math.sqrt(rho / 2))


class BrokenNoiseDouble(OpenDPNoise):
    """TESTS ONLY, not private: a quarter of the noise that is charged."""

    name = "a quarter of the noise (tests only)"
    private = False

    def gaussian(self, counts, sigma, sensitivity=1.0):
        return super().gaussian(counts, sigma / 4, sensitivity)

    def laplace(self, counts, scale, sensitivity=1):
        return super().laplace(counts, scale / 4, sensitivity)

    def noisy_top_k(self, scores, k, epsilon, sensitivity):
        return super().noisy_top_k(scores, k, epsilon * 4, sensitivity)


@pytest.mark.parametrize("unit", ["record", "user"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_nobody_tells_neighbouring_corpora_apart_better_than_allowed(mechanism, unit):
    spin, measured = Spin(1.0, mechanism), measurement(3, size=1, unit=unit)
    assert advantage(spin, measured, OpenDPNoise()) <= largest_advantage(spin, measured) + BY_CHANCE


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_audit_catches_a_quarter_of_the_noise(mechanism):
    spin, measured = Spin(1.0, mechanism), measurement(3, size=1)
    assert advantage(spin, measured, BrokenNoiseDouble()) > largest_advantage(spin, measured) + BY_CHANCE


def test_the_audit_catches_a_user_who_is_not_clipped(monkeypatch):
    from ctxpriv.privatize.spin import contributions

    monkeypatch.setattr(contributions, "clipped_rows", lambda mass, most: mass)
    spin, measured = Spin(1.0), measurement(3, size=1, unit="user")
    assert advantage(spin, measured, OpenDPNoise()) > largest_advantage(spin, measured) + BY_CHANCE
