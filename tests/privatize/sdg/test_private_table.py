"""Add one record: every statistic moves by at most its declared sensitivity."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.privacy.budget import Budget
from ctxpriv.privacy.noise import OpenDPNoise, gaussian_rho, noisy_max_rho
from ctxpriv.privatize.sdg.private_table import SCORE_GRID, PrivateTable
from ctxpriv.privatize.sdg.public_rows import PublicRows
from ctxpriv.privatize.sdg.workload import build_workload


@st.composite
def neighbours(draw):
    """Codes with one record more, sizes, the private attributes, and a seed for a model's answer."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    private = draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))
    rows = draw(st.lists(st.tuples(*(st.integers(0, s - 1) for s in sizes)), min_size=1, max_size=12))
    return (
        np.array(rows, np.int64).reshape(len(rows), -1),
        sizes,
        tuple(sorted(private)),
        draw(st.integers(0, 99)),
    )


def _table(codes, sizes, public, public_rows, kept):
    """Statistics of the kept records, asked relative to the public rows of all (the simulator's view)."""
    table = PrivateTable(codes[kept], sizes, public_rows, OpenDPNoise(), Budget(1))
    if public:
        table._public = _Restricted(public_rows, kept)
    return table


class _Restricted:
    """The same public multiset, with the record order of the kept records."""

    def __init__(self, rows: PublicRows, kept) -> None:
        self.groups, self.record_row = rows.groups, rows.record_row[kept]


@settings(max_examples=50, deadline=None)
@given(neighbours())
def test_one_record_moves_marginals_by_one_and_scores_by_their_weight(case):
    codes, sizes, private, seed = case
    public = tuple(a for a in range(len(sizes)) if a not in private)
    rows = PublicRows(public, codes[:, list(public)] if public else None)
    workload = build_workload(sizes, private, max_order=3, max_cells=100)
    everyone = np.arange(len(codes))
    with_it, without = (_table(codes, sizes, public, rows, kept) for kept in (everyone, everyone[:-1]))
    with_it.prepare(workload)
    without.prepare(workload)
    rng = np.random.default_rng(seed)
    expected = []
    for a, b in zip(with_it._exact, without._exact, strict=True):
        assert np.abs(a - b).sum() == 1
        expected.append(rng.uniform(0, 5, a.shape))
    allowed = list(range(len(expected)))
    moved = np.abs(with_it.scores(expected, allowed, 0.37) - without.scores(expected, allowed, 0.37))
    weights = np.array([c.weight for c in workload.candidates])
    assert np.all(moved <= weights * SCORE_GRID)
    assert weights.max() == workload.max_weight


class ListeningNoise(OpenDPNoise):
    """Real noise that keeps what it was asked (TESTS ONLY: exact counts and scores stay readable)."""

    def __init__(self) -> None:
        self.asked = []

    def gaussian(self, counts, sigma, sensitivity=1.0):
        self.asked.append((np.array(counts), gaussian_rho(sigma, sensitivity), sensitivity))
        return super().gaussian(counts, sigma, sensitivity)

    def noisy_max(self, scores, epsilon, sensitivity):
        self.asked.append((np.array(scores), float(noisy_max_rho(epsilon)), sensitivity))
        return super().noisy_max(scores, epsilon, sensitivity)


@settings(max_examples=30, deadline=None)
@given(neighbours())
def test_noise_is_drawn_for_the_distance_that_one_record_makes(case):
    """What reaches the noise source moves by at most the sensitivity that it is told, and what
    it then costs is what is charged."""
    codes, sizes, private, seed = case
    public = tuple(a for a in range(len(sizes)) if a not in private)
    rows = PublicRows(public, codes[:, list(public)] if public else None)
    workload = build_workload(sizes, private, max_order=3, max_cells=100)
    budget, told = Budget(1), []
    for kept in (np.arange(len(codes)), np.arange(len(codes) - 1)):
        table = _table(codes, sizes, public, rows, kept)
        noise = table._noise = ListeningNoise()
        table._budget = budget = Budget(1)
        table.one_way(private[0], Fraction(1, 10))
        table.prepare(workload)
        rng = np.random.default_rng(seed)
        expected = [rng.uniform(0, 5, e.shape) for e in table._exact]
        table.select(expected, range(len(expected)), 0.37, Fraction(1, 10))
        table.measure(len(expected) - 1, workload.candidates[-1], Fraction(1, 10))
        told.append(noise.asked)
    assert len(told[0]) == len(budget.charges) == 3
    for (with_it, price, sensitivity), (without, _, _), charge in zip(*told, budget.charges, strict=True):
        moved = np.abs(with_it - without)
        norm = moved.max() if charge.mechanism == "exponential mechanism" else np.sqrt((moved**2).sum())
        assert norm <= sensitivity
        assert price <= float(charge.rho) * (1 + 1e-12)
    assert told[0][1][2] == workload.max_weight * SCORE_GRID


def test_every_answer_is_charged_at_opendp_s_price_before_it_is_drawn(chain):
    codes = chain(30, [2, 3])
    budget = Budget(Fraction(3, 100))
    table = PrivateTable(codes, [2, 3], PublicRows((), None), OpenDPNoise(), budget)
    workload = build_workload([2, 3], [0, 1], max_order=2, max_cells=100)
    table.prepare(workload)
    table.one_way(0, Fraction(1, 100))
    expected = [np.zeros_like(e, float) for e in table._exact]
    index, _ = table.select(expected, [0, 1, 2], 1.0, Fraction(1, 100))
    table.measure(index, workload.candidates[index], Fraction(1, 100))
    assert budget.remaining == 0
    assert [c.mechanism for c in budget.charges] == [
        "discrete Gaussian",
        "exponential mechanism",
        "discrete Gaussian",
    ]
    for c in budget.charges:
        paid = c.scale**2 / 8 if c.mechanism == "exponential mechanism" else 1 / (2 * c.scale**2)
        assert paid <= float(c.rho) * (1 + 1e-15)


def test_marginals_count_records(chain):
    codes = chain(200, [3, 2, 4])
    rows = PublicRows((1,), codes[:, [1]])
    table = PrivateTable(codes, [3, 2, 4], rows, OpenDPNoise(), Budget(1))
    workload = build_workload([3, 2, 4], [0, 2], max_order=3, max_cells=100)
    table.prepare(workload)
    for candidate, got in zip(workload.candidates, table._exact, strict=True):
        for group in range(got.shape[0]):
            inside = codes[codes[:, 1] == rows.distinct[group, 0]] if candidate.public else codes
            shape = [[3, 2, 4][a] for a in candidate.private]
            flat = np.ravel_multi_index(inside[:, candidate.private].T, shape)
            assert got[group].tolist() == np.bincount(flat, minlength=int(np.prod(shape))).tolist()
