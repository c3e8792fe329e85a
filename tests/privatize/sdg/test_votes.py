"""Votes: exact counts on a grid, sensitivity one, abstentions, charges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput, BudgetExceeded
from ctxpriv.privacy.budget import Budget
from ctxpriv.privacy.noise import gaussian_rho
from ctxpriv.privatize.sdg.votes import Electorate, count_votes, noisy_votes, on_grid


class AddsSeven:
    """A noise double: not private."""

    name, private = "adds seven (not private)", False

    def gaussian(self, counts, sigma, sensitivity=1.0):
        return counts + 7


def scene(seed: int, n: int, m: int, d: int, labels: int):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(n, d)),
        rng.integers(0, labels, n),
        rng.normal(size=(m, d)),
        rng.integers(0, labels, m),
    )


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 40), st.integers(1, 400), st.integers(1, 4))
def test_one_record_more_moves_one_count_by_one(seed: int, n: int, m: int, d: int, labels: int) -> None:
    private, private_labels, candidates, candidate_labels = scene(seed, n, m, d, labels)
    grid = on_grid(candidates)
    with_all = count_votes(Electorate.of(private, private_labels), grid, candidate_labels)
    without = count_votes(Electorate.of(private[:-1], private_labels[:-1]), grid, candidate_labels)
    moved = with_all - without
    assert np.linalg.norm(moved) == (1 if private_labels[-1] in candidate_labels else 0)
    assert (moved >= 0).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_grid_products_are_exact_whatever_the_order(seed: int) -> None:
    private, _, candidates, _ = scene(seed, 5, 7, 384, 1)
    a, b = on_grid(private), on_grid(candidates)
    assert np.array_equal((a @ b.T).astype(np.int64), a.astype(np.int64) @ b.astype(np.int64).T)
    assert np.abs(a.astype(np.int64) @ b.astype(np.int64).T).max() < 2**24


def test_votes_go_to_the_nearest_candidate_of_the_same_label() -> None:
    voters = Electorate.of(np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]]), np.array([0, 1, 1]))
    candidates = on_grid(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [1.0, 1.0]]))
    assert count_votes(voters, candidates, np.array([1, 0, 0, 1])).tolist() == [1, 1, 0, 1]


def test_ties_go_to_the_lowest_index_and_labels_without_candidates_abstain() -> None:
    voters = Electorate.of(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([0, 0, 5]))
    candidates = on_grid(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]))
    assert count_votes(voters, candidates, np.array([0, 0, 0])).tolist() == [0, 2, 0]


def test_blocks_do_not_change_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    private, labels, candidates, candidate_labels = scene(3, 50, 20, 16, 2)
    voters, grid = Electorate.of(private, labels), on_grid(candidates)
    whole = count_votes(voters, grid, candidate_labels)
    monkeypatch.setattr("ctxpriv.privatize.sdg.votes._BLOCK_ENTRIES", 1)
    assert count_votes(voters, grid, candidate_labels).tolist() == whole.tolist()


def test_noise_is_added_after_the_charge() -> None:
    private, labels, candidates, candidate_labels = scene(1, 9, 4, 8, 1)
    voters = Electorate.of(private, labels)
    budget = Budget(Fraction(1, 10))
    rho = Fraction(1, 10)
    noisy = noisy_votes(
        voters, candidates, candidate_labels, rho, what="votes", noise=AddsSeven(), budget=budget
    )
    assert noisy.sum() == 9 + 4 * 7
    (charge,) = budget.charges
    assert budget.spent == rho and charge.sensitivity == 1.0
    assert Fraction(gaussian_rho(charge.scale)) <= rho
    with pytest.raises(BudgetExceeded):
        noisy_votes(voters, candidates, candidate_labels, rho, what="votes", noise=AddsSeven(), budget=budget)


def test_without_rho_the_counts_are_exact() -> None:
    private, labels, candidates, candidate_labels = scene(2, 9, 4, 8, 1)
    votes = noisy_votes(
        Electorate.of(private, labels),
        candidates,
        candidate_labels,
        None,
        what="votes",
        noise=AddsSeven(),
        budget=None,
    )
    assert votes.sum() == 9


def test_vectors_that_are_not_finite_are_refused() -> None:
    with pytest.raises(BadInput, match="finite"):
        on_grid(np.array([[np.nan, 1.0]]))
