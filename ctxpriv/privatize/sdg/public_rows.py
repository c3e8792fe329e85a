"""The multiset of public values, which Feature-DP releases exactly.

Known to the release, so the estimate uses it without noise: the model is conditional on
these rows, and cells whose public values never occur are known to be empty. When nothing is
public, the number of records is not public either: then there is one row of unknown weight.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ctxpriv.privatize.sdg.workload import Attributes

Ints = NDArray[np.int64]


class PublicRows:
    """Distinct public rows with their counts.

    `attributes` are table positions; `codes` is (n, |attributes|), or None when nothing is
    public. `record_row` (n,) gives each record's distinct row; `weights` (rows,) the counts,
    in units of the unknown total when nothing is public.
    """

    def __init__(self, attributes: Attributes, codes: Ints | None) -> None:
        if (codes is None) != (not attributes):
            raise ValueError("public codes are given exactly when there are public attributes")
        self.attributes = attributes
        self._groups: dict[Attributes, tuple[Ints, int]] = {}
        self._counts: dict[tuple[tuple[Attributes, ...], Attributes], sparse.csr_array] = {}
        self._incidence: dict[tuple[tuple[Attributes, ...], Attributes], sparse.csr_array] = {}
        if codes is None:
            self.known_total: int | None = None
            self.distinct: Ints = np.zeros((1, 0), np.int64)
            self.record_row: Ints = np.zeros(0, np.int64)
            self.weights: NDArray[np.float64] = np.ones(1)
        else:
            self.known_total = len(codes)
            self.distinct, row, count = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
            self.record_row, self.weights = row.reshape(-1), count.astype(np.float64)

    def groups(self, subset: Attributes) -> tuple[Ints, int]:
        """For each distinct row the number of its value combination on `subset`, and how many there are."""
        if subset not in self._groups:
            columns = [self.attributes.index(a) for a in subset]
            _, group = np.unique(self.distinct[:, columns], axis=0, return_inverse=True)
            group = group.reshape(-1).astype(np.int64)
            self._groups[subset] = group, int(group.max()) + 1
        return self._groups[subset]

    def group_weights(self, subset: Attributes) -> NDArray[np.float64]:
        """Records (or shares of the unknown total) in each group of `subset`."""
        group, n_groups = self.groups(subset)
        return np.bincount(group, self.weights, n_groups)

    def counts(self, subsets: Iterable[Attributes], rows: Attributes) -> sparse.csr_array:
        """(Σ groups of each subset, groups of `rows`): records that fall in both."""
        key = tuple(subsets), rows
        if key not in self._counts:
            self._counts[key] = self._stack(key[0], rows, self.weights)
        return self._counts[key]

    def incidence(self, subsets: Iterable[Attributes], rows: Attributes) -> sparse.csr_array:
        """As `counts` with ones, for subsets of `rows`: which group each row belongs to."""
        key = tuple(subsets), rows
        if key not in self._incidence:
            ones = self._stack(key[0], rows, np.ones_like(self.weights))
            ones.data[:] = 1.0
            self._incidence[key] = ones
        return self._incidence[key]

    def project(self, rows: Attributes, onto: Attributes) -> Ints:
        """For each group of `rows`, its group of `onto` ⊆ `rows`."""
        group, n_groups = self.groups(rows)
        out = np.zeros(n_groups, np.int64)
        out[group] = self.groups(onto)[0]
        return out

    def _stack(
        self, subsets: tuple[Attributes, ...], rows: Attributes, weights: NDArray[np.float64]
    ) -> sparse.csr_array:
        column, n_columns = self.groups(rows)
        parts = []
        for subset in subsets:
            group, n_groups = self.groups(subset)
            parts.append(sparse.coo_array((weights, (group, column)), shape=(n_groups, n_columns)).tocsr())
        return sparse.csr_array(sparse.vstack(parts, format="csr"))
