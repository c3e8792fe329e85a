"""Private-PGM for p(private | public): the estimate step (Alg. 1, line 13).

One component = private attributes that measurements have connected. Its model is log-linear:
a measured marginal r has a parameter table θ_r over (public combination, private cells), and
for each public row u the private attributes follow the graphical model of the θ_r sliced at
u. With weights w_u = records per public row (exact, public), M_r(θ) = Σ_u w_u p(r | u).

We minimise the Private-PGM loss Σ_r ‖M_r − y_r‖² / (2 var_r) by mirror descent with the
w-weighted entropy of p(· | u) as mirror map. Its step is θ_r ← θ_r − η (M_r − y_r) / var_r for
all r at once (the weights cancel), so iterates stay in the log-linear family, and from θ = 0
they tend to the minimiser of largest entropy, as in mbi. [ours] conditioning on the public
rows keeps public attributes out of the junction tree and uses them exactly; momentum with
restarts needs a fifth of the evaluations; it stops when what is left to gain is far below
the noise; the dual problem with L-BFGS was tried and is slower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ctxpriv.privatize.sdg.calibration import Calibrated, Calibrator, Table
from ctxpriv.privatize.sdg.junction import JunctionTree, cells, junction_tree
from ctxpriv.privatize.sdg.public_rows import PublicRows
from ctxpriv.privatize.sdg.workload import Attributes
from ctxpriv.strict import a_number, whole_number

Key = tuple[Attributes, Attributes]
"""A measured marginal: (private attributes, public attributes)."""


@dataclass(frozen=True)
class Target:
    """Everything measured on one marginal: the best estimate and its variance, per cell."""

    values: NDArray[np.float64]  # (public combinations, private cells)
    variance: NDArray[np.float64]

    def combined(self, other: Target) -> Target:
        """Inverse-variance mean: repeated measurements of a marginal are one better one."""
        weight = 1 / self.variance + 1 / other.variance
        return Target((self.values / self.variance + other.values / other.variance) / weight, 1 / weight)

    def with_row_sums(self, sums: NDArray[np.float64]) -> Target:
        """The least-squares correction to known row sums (the public counts, or the total)."""
        excess = self.values.sum(axis=1) - sums
        share = self.variance / self.variance.sum(axis=1, keepdims=True)
        return Target(self.values - share * excess[:, None], self.variance)


@dataclass(frozen=True)
class Estimation:
    """When to stop: once ten evaluations together gain less than `tolerance` per measured cell.

    The loss is in units where noise alone leaves about 1/2 per cell. Between rounds the
    estimate goes on from the last one and is cut off after `max_evaluations`; after the last
    measurement it is brought closer to the minimum (`final_...`).
    """

    tolerance: float = 1e-3
    max_evaluations: int = 80
    final_tolerance: float = 1e-4
    final_evaluations: int = 400

    def __post_init__(self) -> None:
        for name in ("tolerance", "final_tolerance"):
            a_number(getattr(self, name), f"AIM settings, estimation, {name}", above=0)
        for name in ("max_evaluations", "final_evaluations"):
            whole_number(getattr(self, name), f"AIM settings, estimation, {name}", least=1)


class Component:
    """A connected set of private attributes with its targets, parameters and calibrated model."""

    def __init__(
        self,
        targets: dict[Key, Target],
        theta: dict[Key, NDArray[np.float64]],
        public: PublicRows,
        sizes: dict[int, int],
        step: float | None = None,
    ) -> None:
        self.targets, self.theta, self.step = targets, theta, step
        self._public, self._sizes = public, sizes
        self.attributes: Attributes = tuple(sorted({a for private, _ in targets for a in private}))
        self.rows: Attributes = tuple(sorted({a for _, pub in targets for a in pub}))
        self.factors: list[Attributes] = sorted({private for private, _ in targets})
        self.tree: JunctionTree = junction_tree(self.factors, sizes)
        n_rows = public.groups(self.rows)[1]
        self._calibrate = Calibrator(self.tree, self.factors, sizes, n_rows)
        self._keys = {f: sorted(k for k in targets if k[0] == f) for f in self.factors}
        self._gather = {
            f: _compact(public.incidence([k[1] for k in keys], self.rows).T.tocsr())
            for f, keys in self._keys.items()
        }
        self._count = {
            f: _compact(public.counts([k[1] for k in keys], self.rows)) for f, keys in self._keys.items()
        }
        self._weights = public.group_weights(self.rows)
        self.model: Calibrated | None = None
        self.evaluations = 0

    def fit(self, scale: float, tolerance: float, max_evaluations: int) -> None:
        """Descends from the present θ. `scale` is the total when it is not public, else 1.

        Nesterov momentum on θ, dropped whenever the loss rises; the step doubles until it first
        fails, then grows slowly, so that it keeps probing for the largest that still descends.
        """
        y, variance = self._stacked(scale)
        at = self._flat(self.theta)
        expected = self._evaluate(at, scale)
        loss = float((((expected - y) ** 2 / variance).sum()) / 2)
        step = self.step or float(variance.min() / (scale * self._weights.sum()))
        trace, previous, momentum, growth = [loss], at, 0, 2.0
        while len(trace) < max_evaluations and not _settled(trace, tolerance * y.size):
            ahead = at - step * (expected - y) / variance
            trial = ahead + momentum / (momentum + 3) * (ahead - previous)
            trial_expected = self._evaluate(trial, scale)
            trial_loss = float((((trial_expected - y) ** 2 / variance).sum()) / 2)
            if trial_loss <= loss:
                previous, at, expected, loss = ahead, trial, trial_expected, trial_loss
                momentum, step = momentum + 1, step * growth
            else:
                if momentum == 0:
                    step, growth = step / 2, 1.03
                momentum, previous = 0, at
            trace.append(loss)
        self.theta, self.step, self.evaluations = self._unflat(at), step, len(trace)
        self._evaluate(at, scale)

    def _evaluate(self, flat: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
        """All M_r(θ), flat; leaves the calibrated model in `self.model`."""
        theta = self._by_factor(flat)
        potentials = [self._table(self._gather[f] @ theta[f], f) for f in self.factors]
        self.model, marginals = self._calibrate(potentials)
        expected = [
            (self._count[f] @ _row_major(m)) * scale for f, m in zip(self.factors, marginals, strict=True)
        ]
        return np.concatenate([e.ravel() for e in expected])

    def _table(self, rows_by_cells: NDArray[np.float64], factor: Attributes) -> Table:
        return np.ascontiguousarray(rows_by_cells.T).reshape(
            [*(self._sizes[a] for a in factor), len(rows_by_cells)]
        )

    def _stacked(self, scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        fixed = {
            k: t.with_row_sums(self._public.group_weights(k[1]) * scale) for k, t in self.targets.items()
        }
        return (
            self._flat({k: t.values for k, t in fixed.items()}),
            self._flat({k: t.variance for k, t in fixed.items()}),
        )

    def _flat(self, tables: dict[Key, NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.concatenate([tables[k].ravel() for f in self.factors for k in self._keys[f]])

    def _unflat(self, flat: NDArray[np.float64]) -> dict[Key, NDArray[np.float64]]:
        out, at = {}, 0
        for key in (k for f in self.factors for k in self._keys[f]):
            shape = self.targets[key].values.shape
            out[key] = flat[at : at + shape[0] * shape[1]].reshape(shape)
            at += shape[0] * shape[1]
        return out

    def _by_factor(self, flat: NDArray[np.float64]) -> dict[Attributes, NDArray[np.float64]]:
        out, at = {}, 0
        for f in self.factors:
            width = cells(f, self._sizes)
            height = self._count[f].shape[0]
            out[f] = flat[at : at + width * height].reshape(height, width)
            at += width * height
        return out


def _settled(trace: list[float], gain: float, window: int = 10) -> bool:
    return len(trace) > window and trace[-1 - window] - trace[-1] < gain


def _compact(matrix: sparse.csr_array) -> sparse.csr_array | NDArray[np.float64]:
    """Dense when small: sparse products have a fixed cost of their own."""
    return matrix.toarray() if math.prod(matrix.shape) <= 10_000 else matrix


def _row_major(table: Table) -> NDArray[np.float64]:
    """(cells..., rows) to (rows, cells)."""
    return np.ascontiguousarray(table.reshape(-1, table.shape[-1]).T)
