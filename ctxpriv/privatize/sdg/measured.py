"""What crosses from the private side to the release side: noisy marginals and rare-value bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.sdg.workload import Attributes


@dataclass(frozen=True)
class NoisyMarginal:
    """A released count table.

    `values` is (occurring value combinations of `public`, cells of `private` in C order);
    `variance` the noise variance of each cell (σ², times the number of merged values).
    """

    private: Attributes
    public: Attributes
    values: NDArray[np.float64]
    variance: NDArray[np.float64]


@dataclass(frozen=True)
class ValueBins:
    """Rare values of one private attribute share one bin (Alg. 1, line 5).

    `bin_of` (values,) maps each value to its bin; kept values come first, the shared bin last.
    """

    bin_of: NDArray[np.int64]
    size: int

    @property
    def merged(self) -> list[int]:
        """Values that share a bin with another one."""
        return [v for v, b in enumerate(self.bin_of) if np.count_nonzero(self.bin_of == b) > 1]

    def expand(self, bins: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Bins to values, uniformly over the values of each bin (line 20)."""
        members = np.argsort(self.bin_of, kind="stable")
        width = np.bincount(self.bin_of, minlength=self.size)
        start = np.cumsum(width) - width
        return members[start[bins] + rng.integers(0, width[bins])]

    def collapse(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums the cells of each bin: counts, or variances of independent counts."""
        return np.bincount(self.bin_of, table, self.size)


def merge_rare(noisy: Sequence[int] | NDArray[np.int64], threshold: float) -> ValueBins:
    """Values with a noisy count below `threshold` share the last bin.

    When all values are rare there is one bin, expanded uniformly: the noise hides the whole
    marginal, and a uniform guess is what is left. A single rare value keeps a bin to itself.
    """
    counts = np.asarray(noisy)
    kept = np.flatnonzero(counts >= threshold)
    bin_of = np.full(len(counts), len(kept), np.int64)
    bin_of[kept] = np.arange(len(kept))
    return ValueBins(bin_of, int(bin_of.max()) + 1)
