"""The private side of Conditional AIM: the only module here that sees private values.

It computes exact marginals, and hands out only what went through `Noise` after its price was
taken from the `Budget`: noisy one-ways, the index of a selected candidate, `NoisyMarginal`s.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privacy.budget import Budget, Charge
from ctxpriv.privacy.noise import (
    Noise,
    gaussian_sigma,
    noisy_max_epsilon,
)
from ctxpriv.privatize.sdg.measured import NoisyMarginal, ValueBins
from ctxpriv.privatize.sdg.public_rows import PublicRows
from ctxpriv.privatize.sdg.workload import Attributes, Candidate, Workload

SCORE_GRID = 1 << 10
"""Scores are integers in 1/1024 records, so that their sensitivity is exact."""


class PrivateTable:
    """Codes (n, |A|), the public rows they share with the release, and the noise and budget to use."""

    def __init__(
        self, codes: NDArray[np.int64], sizes: Sequence[int], public: PublicRows, noise: Noise, budget: Budget
    ) -> None:
        self._codes = codes
        self._sizes = list(sizes)
        self._public = public
        self._noise = noise
        self._budget = budget
        self._exact: list[NDArray[np.int64]] = []

    def one_way(self, attribute: int, rho: Fraction) -> tuple[NDArray[np.int64], float]:
        """Noisy counts of one private attribute's values and their σ (Alg. 1, line 4). Δ2 = 1."""
        exact = np.bincount(self._codes[:, attribute], minlength=self._sizes[attribute])
        return self._gaussian(exact, rho, f"one-way marginal of attribute {attribute}")

    def merge(self, bins: dict[int, ValueBins]) -> None:
        """Works on bins instead of values from now on. The maps come from released counts."""
        self._codes = self._codes.copy()
        for attribute, b in bins.items():
            self._codes[:, attribute] = b.bin_of[self._codes[:, attribute]]
            self._sizes[attribute] = b.size

    def prepare(self, workload: Workload) -> None:
        """Counts every candidate once. They stay in this object."""
        self._exact = [self._marginal(c) for c in workload.candidates]
        self._weights = np.array([c.weight for c in workload.candidates], np.int64)
        self._max_weight = workload.max_weight

    def select(
        self, expected: Sequence[NDArray[np.float64]], allowed: Sequence[int], penalty: float, rho: Fraction
    ) -> tuple[int, float]:
        """A candidate by the exponential mechanism, and the ε of the draw (Alg. 1, line 11).

        `expected[i]` is the model's table of candidate i; `penalty` = √(2/π)·σ_t is taken off
        per cell. One record changes one cell of one table by 1, so a score moves by at most
        w_r; the declared sensitivity is the largest w_r of W⁺.
        """
        epsilon = noisy_max_epsilon(rho)
        sensitivity = self._max_weight * SCORE_GRID
        self._budget.spend(
            Charge(
                "selection of a marginal", "exponential mechanism", rho, self._max_weight, epsilon, epsilon
            )
        )
        scores = self.scores(expected, allowed, penalty)
        return allowed[self._noise.noisy_max(scores, epsilon, sensitivity)], epsilon

    def scores(
        self, expected: Sequence[NDArray[np.float64]], allowed: Sequence[int], penalty: float
    ) -> NDArray[np.int64]:
        """q_r in units of 1/SCORE_GRID records, exactly: not private, for `select` and its tests."""
        lengths = [self._exact[i].size for i in allowed]
        exact = np.concatenate([self._exact[i].ravel() for i in allowed]) * SCORE_GRID
        model = np.concatenate([expected[i].ravel() for i in allowed])
        error = np.abs(exact - np.rint(model * SCORE_GRID).astype(np.int64))
        error = np.add.reduceat(error, np.cumsum([0, *lengths[:-1]]))
        return self._weights[list(allowed)] * (
            error - np.rint(penalty * SCORE_GRID * np.array(lengths)).astype(np.int64)
        )

    def measure(self, index: int, candidate: Candidate, rho: Fraction) -> tuple[NoisyMarginal, float]:
        """The candidate's counts with discrete Gaussian noise, and its σ (line 12). Δ2 = 1."""
        noisy, sigma = self._gaussian(
            self._exact[index], rho, f"marginal of {candidate.private + candidate.public}"
        )
        values = noisy.astype(np.float64)
        return NoisyMarginal(
            candidate.private, candidate.public, values, np.full(values.shape, sigma**2)
        ), sigma

    def _gaussian(
        self, exact: NDArray[np.int64], rho: Fraction, what: str
    ) -> tuple[NDArray[np.int64], float]:
        sigma = gaussian_sigma(rho, 1.0)
        self._budget.spend(Charge(what, "discrete Gaussian", rho, 1.0, sigma))
        return self._noise.gaussian(exact, sigma, 1.0), sigma

    def _marginal(self, candidate: Candidate) -> NDArray[np.int64]:
        """(occurring public combinations, private cells), exact."""
        cells, cell = self._cells(candidate.private)
        if not candidate.public:
            return np.bincount(cell, minlength=cells).reshape(1, cells)
        group, n_groups = self._public.groups(candidate.public)
        flat = group[self._public.record_row] * cells + cell
        return np.bincount(flat, minlength=n_groups * cells).reshape(n_groups, cells)

    def _cells(self, private: Attributes) -> tuple[int, NDArray[np.int64]]:
        cells, cell = 1, np.zeros(len(self._codes), np.int64)
        for a in private:
            cell = cell * self._sizes[a] + self._codes[:, a]
            cells *= self._sizes[a]
        return cells, cell
