"""The estimate against mbi (the reference) and against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ctxpriv.privatize.sdg.calibration import Calibrator
from ctxpriv.privatize.sdg.conditional_model import ConditionalModel, estimated_total
from ctxpriv.privatize.sdg.estimator import Estimation, Target
from ctxpriv.privatize.sdg.junction import junction_tree
from ctxpriv.privatize.sdg.measured import NoisyMarginal
from ctxpriv.privatize.sdg.public_rows import PublicRows
from ctxpriv.privatize.sdg.queries import Marginals
from ctxpriv.privatize.sdg.sampler import draw_columns, draw_private
from ctxpriv.privatize.sdg.workload import Candidate

SIZES = [3, 4, 2, 3, 2]
PRECISE = Estimation(tolerance=1e-9, max_evaluations=3000)


def _count(codes, attributes):
    shape = [SIZES[a] for a in attributes]
    flat = np.ravel_multi_index(codes[:, attributes].T, shape)
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)


def _fitted(codes, public, cliques, sigma):
    """Our model and the (values, attributes) it was given, public attributes first."""
    rng = np.random.default_rng(1)
    private = [a for a in range(5) if a not in public]
    model = ConditionalModel(
        PublicRows(tuple(public), codes[:, public] if public else None),
        {a: SIZES[a] for a in private},
        PRECISE,
    )
    marginals, plain = [], []
    for r in [(a,) for a in private] + cliques:
        pub, priv = (tuple(a for a in r if (a in public) == side) for side in (True, False))
        y = _count(codes, pub + priv) + rng.normal(0, sigma, [SIZES[a] for a in pub + priv])
        rows = y.reshape(int(np.prod([SIZES[a] for a in pub])), -1)
        marginals.append(NoisyMarginal(priv, pub, rows, np.full(rows.shape, sigma**2)))
        plain.append((y.ravel(), pub + priv))
    model.add(marginals)
    return model, plain, private


@pytest.mark.parametrize(
    ("public", "cliques"),
    [
        ([], [(0, 1), (1, 2), (2, 3, 4)]),
        ([], [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (0, 4)]),
        ([0, 4], [(0, 1), (1, 2), (2, 3, 4), (0, 3)]),
    ],
)
def test_agrees_with_mbi(chain, public, cliques):
    import jax
    from mbi import Domain, LinearMeasurement
    from mbi.estimation import MirrorDescent

    sigma, codes = 40.0, chain(2000, SIZES)
    model, plain, private = _fitted(codes, public, cliques, sigma)
    letters = lambda r: tuple("abcde"[a] for a in r)  # noqa: E731
    domain = Domain(letters(range(5)), tuple(SIZES))
    with jax.enable_x64(True):
        given = [LinearMeasurement(y, letters(r), stddev=sigma) for y, r in plain]
        warm = None
        if (
            public
        ):  # the exact public joint as a very precise measurement, approached in steps (mbi stalls else)
            exact = _count(codes, public).ravel().astype(float)
            for precision in (3, 10, 30):
                joint = LinearMeasurement(exact, letters(public), stddev=sigma / precision)
                warm = MirrorDescent().estimate(
                    domain, [*given, joint], known_total=model.total, iters=5000, warm_start=warm
                )
        reference = warm or MirrorDescent().estimate(domain, given, known_total=model.total, iters=5000)
        joint = np.asarray(reference.project(letters(range(5))).datavector()).reshape(SIZES)
    for r in (r for k in (1, 2, 3) for r in combinations(range(5), k) if set(r) & set(private)):
        pub, priv = (tuple(a for a in r if (a in public) == side) for side in (True, False))
        ours = model.expected([Candidate(priv, pub, 1)])[0].ravel()
        theirs = joint.sum(axis=tuple(a for a in range(5) if a not in r))
        theirs = np.transpose(theirs, [sorted(r).index(a) for a in pub + priv]).ravel()
        assert np.abs(ours - theirs).max() < 0.1 * sigma, r


def test_public_counts_are_met_exactly(chain):
    codes = chain(500, SIZES)
    model, *_ = _fitted(codes, [0, 4], [(0, 1), (1, 2)], 60.0)
    table = model.expected([Candidate((1,), (0, 4), 1)])[0]
    assert table.sum(axis=1) == pytest.approx(_count(codes, [0, 4]).ravel())


def test_total_is_estimated_when_nothing_is_public():
    big = NoisyMarginal((0,), (), np.array([[60.0, 50.0]]), np.full((1, 2), 1.0))
    vague = NoisyMarginal((1,), (), np.array([[150.0, 0.0]]), np.full((1, 2), 9.0))
    assert estimated_total([big, vague]) == pytest.approx((110 * 9 + 150) / 10)
    assert estimated_total([NoisyMarginal((0,), (), np.array([[-9.0]]), np.ones((1, 1)))]) == 1


def test_repeated_measurements_combine_and_rows_are_corrected_by_variance():
    once = Target(np.array([[1.0, 5.0]]), np.array([[4.0, 4.0]]))
    twice = once.combined(Target(np.array([[3.0, 5.0]]), np.array([[4.0, 4.0]])))
    assert twice.values.tolist() == [[2.0, 5.0]]
    assert twice.variance.tolist() == [[2.0, 2.0]]
    fixed = Target(np.array([[1.0, 1.0]]), np.array([[1.0, 3.0]])).with_row_sums(np.array([6.0]))
    assert fixed.values.tolist() == [[2.0, 4.0]]


FACTORS = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (4, 5), (3, 6)]


@pytest.fixture(scope="module")
def brute():
    """A calibrated loopy model over seven attributes and three rows, and its joint by brute force."""
    sizes = dict(enumerate([2, 3, 2, 3, 2, 3, 2]))
    rng = np.random.default_rng(0)
    potentials = [rng.normal(0, 1.5, [*(sizes[a] for a in f), 3]) for f in FACTORS]
    tree = junction_tree(FACTORS, sizes)
    calibrated, marginals = Calibrator(tree, FACTORS, sizes, 3)(potentials)
    log = np.zeros([*sizes.values(), 3])
    for f, p in zip(FACTORS, potentials, strict=True):
        log += p.reshape([sizes[a] if a in f else 1 for a in sizes] + [3])
    joint = np.exp(log)
    z = joint.sum(axis=tuple(range(7)))
    return tree, calibrated, marginals, joint / z, np.log(z)


def test_inference_is_exact(brute):
    _, calibrated, marginals, joint, log_z = brute
    assert calibrated.log_z == pytest.approx(log_z)
    for f, m in zip(FACTORS, marginals, strict=True):
        assert m == pytest.approx(joint.sum(axis=tuple(a for a in range(7) if a not in f)))


def test_queries_across_cliques_are_exact_in_any_order(brute):
    tree, calibrated, _, joint, _ = brute
    answer = Marginals(tree, calibrated)
    for k in (1, 2, 3, 4):
        for q in combinations(range(7), k):
            assert answer(q) == pytest.approx(joint.sum(axis=tuple(a for a in range(7) if a not in q))), q
    assert answer((5, 0)) == pytest.approx(np.swapaxes(answer((0, 5)), 0, 1))


def test_extreme_potentials_stay_finite():
    sizes = {0: 2, 1: 2, 2: 2}
    hard = np.array([[2000.0, -2000.0], [-2000.0, 2000.0]]).reshape(2, 2, 1)
    tree = junction_tree([(0, 1), (1, 2)], sizes)
    model, (left, _) = Calibrator(tree, [(0, 1), (1, 2)], sizes, 1)([hard, hard])
    assert np.isfinite(model.log_z).all()
    assert left[..., 0] == pytest.approx(np.eye(2) / 2)


def test_samples_follow_the_model(chain):
    """χ² of drawn (public, private) cells against the model at 200,000 draws."""
    codes = chain(2000, SIZES)
    model, *_ = _fitted(codes, [0, 4], [(0, 1), (1, 2), (1, 3), (2, 3)], 5.0)
    rows = np.random.default_rng(3).permutation(np.tile(model.public.record_row, 100))
    drawn = draw_private(model, rows, np.random.default_rng(4))
    for priv, pub in [((1, 2, 3), ()), ((1,), (0, 4)), ((2, 3), (0,))]:
        cell = np.ravel_multi_index([drawn[a] for a in priv], [SIZES[a] for a in priv])
        want = 100 * model.expected([Candidate(priv, pub, 1)])[0]
        group = model.public.groups(pub)[0][rows]
        got = np.bincount(group * want.shape[1] + cell, minlength=want.size).reshape(want.shape)
        common = want > 20
        chi2 = ((got - want)[common] ** 2 / want[common]).sum()
        assert chi2 < common.sum() + 6 * np.sqrt(2 * common.sum())
        assert got[want < 1e-6].sum() == 0


def test_stratified_draws_have_the_right_counts_per_column():
    table = np.array([[0.5, 0.0], [0.25, 0.0], [0.25, 1.0]])
    columns = np.array([0] * 400 + [1] * 10)
    drawn = draw_columns(table, columns, np.random.default_rng(0))
    assert np.abs(np.bincount(drawn[:400]) - [200, 100, 100]).max() <= 1
    assert np.all(drawn[400:] == 2)
