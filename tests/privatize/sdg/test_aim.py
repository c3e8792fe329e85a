"""The loop of Alg. 1: its budget, its branches, its bad input, and what it keeps."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput, BudgetExceeded
from ctxpriv.privacy.accounting import rho_from
from ctxpriv.privacy.budget import Budget
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.sdg.aim import AIMConfig, expected_error, fit
from ctxpriv.privatize.sdg.estimator import Estimation
from ctxpriv.privatize.sdg.measured import merge_rare
from ctxpriv.progress import Cancelled, CancelToken

QUICK = AIMConfig(rounds_per_attribute=2, estimation=Estimation(1e-2, 20, 1e-2, 20))


def _names(sizes):
    return [f"a{i}" for i in range(len(sizes))]


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5),
    data=st.data(),
    rho=st.one_of(st.floats(1e-6, 1000), st.fractions(Fraction(1, 1000), 10)),
    alpha=st.sampled_from([0.9, 0.5, 0.123]),
    rounds=st.integers(1, 5),
)
def test_spends_exactly_rho(sizes, data, rho, alpha, rounds):
    private = data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))
    codes = np.random.default_rng(0).integers(0, sizes, (20, len(sizes)))
    config = AIMConfig(rounds_per_attribute=rounds, alpha=alpha, estimation=Estimation(1e-1, 5, 1e-1, 5))
    outer = Budget(Fraction(rho) * 10)
    f = fit(codes, sizes, _names(sizes), sorted(private), rho, config, noise=OpenDPNoise(), budget=outer)
    assert f.rho == Fraction(rho)
    assert outer.spent == Fraction(rho)
    assert sum(c.rho for c in f.charges[: len(private)]) == Fraction(rho) / 10
    assert len(f.rounds) <= rounds * len(sizes)


def test_first_round_has_the_scales_of_the_paper(chain, quiet):
    codes, rho = chain(300, [3, 3, 2]), 0.2
    f = fit(codes, [3, 3, 2], _names(range(3)), [0, 1], rho, noise=quiet)
    rounds, loop = 16 * 3, 0.9 * rho
    assert f.one_way_sigma == pytest.approx(np.sqrt(2 / (0.2 * rho)))
    assert f.rounds[0].sigma == pytest.approx(np.sqrt(rounds / (2 * 0.9 * loop)))
    assert f.rounds[0].epsilon == pytest.approx(np.sqrt(8 * 0.1 * loop / rounds))


def test_budget_doubles_when_the_model_did_not_move_and_the_last_round_takes_the_rest(chain, quiet):
    f = fit(chain(300, [3, 3, 2]), [3, 3, 2], _names(range(3)), [0, 1], 0.2, noise=quiet)
    for before, after in zip(f.rounds[:-2], f.rounds[1:-1], strict=True):
        assert after.rho == pytest.approx(before.rho * (2 if before.annealed else 1))
    assert any(r.annealed for r in f.rounds)
    assert not f.noise_is_private
    last, previous = f.rounds[-1], f.rounds[-2]
    assert last.rho > 0
    assert last.rho < 2 * previous.rho * (2 if previous.annealed else 1)
    share = (1 / (2 * last.sigma**2)) / last.rho
    assert share == pytest.approx(0.9)


def test_no_annealing_while_the_model_moves(chain, quiet):
    """At a huge budget exact answers keep moving the model: rounds stay equal until the last."""
    f = fit(
        chain(3000, [4, 4, 4]),
        [4] * 3,
        _names(range(3)),
        [0, 1],
        1e4,
        AIMConfig(rounds_per_attribute=1, anneal_norm="l1"),
        noise=quiet,
    )
    assert not f.rounds[0].annealed
    assert f.rounds[1].rho == pytest.approx(f.rounds[0].rho)


def test_model_follows_the_data_when_noise_is_small(chain):
    sizes = [3, 4, 2, 3]
    codes = chain(4000, sizes)
    f = fit(codes, sizes, _names(sizes), [1, 2, 3], 50.0, noise=OpenDPNoise())
    synthetic = f.sample()
    for r in ([1], [3], [0, 1], [1, 2], [0, 1, 2]):
        shape = [sizes[a] for a in r]
        real, made = (
            np.bincount(np.ravel_multi_index(t[:, r].T, shape), minlength=int(np.prod(shape)))
            for t in (codes, synthetic)
        )
        assert np.abs(real - made).sum() / 2 / len(codes) < 0.03, r


def test_public_values_are_copied_and_subsets_keep_their_order(chain, quiet):
    sizes = [3, 4, 2]
    codes = chain(200, sizes)
    f = fit(codes, sizes, _names(sizes), [1], 1.0, QUICK, noise=quiet)
    rows = np.array([5, 3, 3, 199])
    sample = f.sample(rows=rows, seed=7)
    assert sample[:, [0, 2]].tolist() == codes[rows][:, [0, 2]].tolist()
    assert np.array_equal(sample, f.sample(rows=rows, seed=7))
    assert np.array_equal(f.sample()[:, [0, 2]], codes[:, [0, 2]])


def test_nothing_public(chain, scripted):
    sizes = [3, 4, 2]
    f = fit(chain(500, sizes), sizes, _names(sizes), [0, 1, 2], 1.0, noise=scripted(seed=0))
    assert f.total != 500  # the number of records is protected: estimated, not read
    assert f.total == pytest.approx(500, abs=30)
    assert len(f.sample()) == round(f.total)
    assert f.sample(n_rows=17).shape == (17, 3)
    with pytest.raises(BadInput, match="n_rows"):
        f.sample(rows=np.arange(3))


def test_all_values_rare_gives_uniform_values(chain, quiet):
    sizes = [2, 5]
    f = fit(np.zeros((400, 2), np.int64), sizes, _names(sizes), [1], 1e-6, QUICK, noise=quiet)
    assert f.bins[1].size == 1
    drawn = np.bincount(f.sample()[:, 1], minlength=5)
    assert drawn.min() > 40


def test_rare_values_merge_and_expand_uniformly():
    bins = merge_rare([100, 2, 50, -3], threshold=10)
    assert bins.bin_of.tolist() == [0, 2, 1, 2]
    assert bins.merged == [1, 3]
    assert bins.collapse(np.array([100.0, 2, 50, -3])).tolist() == [100, 50, -1]
    drawn = bins.expand(np.full(1000, 2), np.random.default_rng(0))
    assert set(drawn) == {1, 3}
    assert abs(np.mean(drawn == 1) - 0.5) < 0.06
    assert merge_rare([9, 99], 10).merged == []
    assert merge_rare([1, 2], 10).size == 1


@pytest.mark.parametrize(
    ("sizes", "private"), [([4], [0]), ([1], [0]), ([1, 3], [0]), ([3, 1], [0]), ([1, 1], [1])]
)
def test_degenerate_tables(sizes, private):
    codes = np.random.default_rng(0).integers(0, sizes, (50, len(sizes)))
    f = fit(codes, sizes, _names(sizes), private, 1.0, QUICK, noise=OpenDPNoise())
    sample = f.sample(n_rows=50) if not f.public else f.sample()
    assert sample.shape == (50, len(sizes))
    assert np.all(sample < sizes)


def test_one_record():
    f = fit(np.array([[0, 1]]), [2, 2], ["a", "b"], [1], 0.5, QUICK, noise=OpenDPNoise())
    assert f.sample().shape == (1, 2)


def test_model_size_limit_holds(chain):
    sizes = [5, 5, 5, 5, 5, 5]
    codes = chain(5000, sizes)
    limit = 0.05
    f = fit(
        codes,
        sizes,
        _names(sizes),
        [0, 1, 2, 3, 4],
        100.0,
        AIMConfig(rounds_per_attribute=3, max_model_mb=limit, estimation=Estimation(1e-2, 20, 1e-2, 20)),
        noise=OpenDPNoise(),
    )
    spent = 0.1 * 100
    for r in f.rounds:
        spent += r.rho
        assert r.model_bytes <= limit * 2**20 * spent / 100 * (1 + 1e-9)
    assert f.rounds[-1].model_bytes > 0.1 * limit * 2**20


def test_diagnostics_are_json_and_name_attributes(chain, quiet):
    f = fit(chain(100, [3, 2]), [3, 2], ["age", "sex"], [0], 0.5, QUICK, noise=quiet)
    told = json.loads(json.dumps(f.diagnostics(), allow_nan=False))
    assert told["rounds"][0]["private"] == ["age"]
    assert told["total_is_exact"]
    assert told["noise"] == quiet.name


def test_cancel_and_progress(chain, quiet):
    token, seen = CancelToken(), []

    def watch(stage, done, total):
        seen.append((stage, done, total))
        token.cancel()

    with pytest.raises(Cancelled):
        fit(chain(100, [3, 2]), [3, 2], ["a", "b"], [0], 0.5, noise=quiet, progress=watch, cancel=token)
    assert len(seen) == 1


def test_a_shared_budget_that_is_too_small_is_refused_before_anything_is_asked(chain, quiet):
    with pytest.raises(BudgetExceeded):
        fit(chain(100, [3, 2]), [3, 2], ["a", "b"], [0], 0.5, noise=quiet, budget=Budget(0.4))
    assert quiet.sigmas == []


@pytest.mark.parametrize(
    ("codes", "private", "message"),
    [
        (np.array([[0, 3]]), [0], "outside its domain"),
        (np.array([[0, -1]]), [0], "outside its domain"),
        (np.zeros((0, 2), int), [0], "no records"),
        (np.array([[0.5, 0]]), [0], "integers"),
        (np.array([[0, 0]]), [], "no attribute is private"),
        (np.array([[0, 0]]), [2], "not in the table"),
        (np.array([[0]]), [0], "columns"),
    ],
)
def test_bad_input(codes, private, message, quiet):
    with pytest.raises(BadInput, match=message):
        fit(codes, [2, 3], ["a", "b"], private, 0.5, noise=quiet)


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 1.0},
        {"alpha": 0.0},
        {"max_order": 0},
        {"anneal_norm": "l3"},
        {"rounds_per_attribute": 0},
        {"max_model_mb": 0},
        {"rare_threshold": -1},
    ],
)
def test_bad_settings(wrong):
    with pytest.raises(BadInput):
        AIMConfig(**wrong)


def test_expected_error_matches_the_noise():
    rho = 0.1 * rho_from(1.0, 1 / 525)
    errors = expected_error([5, 2, 5], ["age", "sex", "city"], [0, 2], rho)
    assert [e.attribute for e in errors] == ["age", "city"]
    sigma = np.sqrt(2 / (0.2 * rho))
    noise = OpenDPNoise().gaussian(np.zeros(20_000, np.int64), sigma)
    assert errors[0].sigma == pytest.approx(sigma)
    assert errors[0].per_value == pytest.approx(np.abs(noise).mean(), rel=0.03)
    assert errors[0].l1 == pytest.approx(5 * errors[0].per_value)
