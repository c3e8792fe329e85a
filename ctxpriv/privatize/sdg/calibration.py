"""Exact inference in a log-linear model of the private attributes, for all public rows at once.

Tables have one axis per attribute and a last axis over public rows ("rows" below), so that
numpy's inner loops are long. Clique tables are built from small log-potentials and summed
back to small marginals along one binary plan, which touches the large tables few times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.sdg.junction import JunctionTree
from ctxpriv.privatize.sdg.workload import Attributes

Table = NDArray[np.float64]


class CliquePlan:
    """How tables over subsets of one clique add up to the clique's table, and its sums go back.

    `order` is the clique's axis order; `leaves` the subsets, any order inside each.
    """

    def __init__(self, order: Attributes, leaves: Sequence[Attributes], sizes: Mapping[int, int]) -> None:
        self.order, self.leaves, self._sizes = order, list(leaves), sizes
        self._axes = [self._sorted(leaf) for leaf in leaves]
        self._joins: list[tuple[int, int]] = []  # pairs of nodes; node len(leaves)+k is the k-th join
        open_nodes = list(range(len(leaves)))
        while len(open_nodes) > 1:
            i, j = min(
                ((i, j) for n, i in enumerate(open_nodes) for j in open_nodes[n + 1 :]), key=self._join_cost
            )
            self._joins.append((i, j))
            self._axes.append(self._sorted({*self._axes[i], *self._axes[j]}))
            open_nodes = [k for k in open_nodes if k not in (i, j)] + [len(self._axes) - 1]
        self._root = open_nodes[0] if open_nodes else None

    def add_up(self, tables: Sequence[Table], rows: int) -> Table:
        """The clique's table, newly allocated: Σ of the leaves' tables, broadcast."""
        nodes: list[Table | None] = [
            np.transpose(t, [*map(leaf.index, axes), len(leaf)])
            for t, leaf, axes in zip(tables, self.leaves, self._axes, strict=False)
        ]
        for k, (i, j) in enumerate(self._joins, len(self.leaves)):
            left, right = (self._spread(nodes[n], n, self._axes[k]) for n in (i, j))
            nodes.append(np.add(left, right, order="C"))
            nodes[i] = nodes[j] = None
        if self._joins and self._axes[self._root] == self.order:
            return nodes[self._root]
        out = np.zeros([*(self._sizes[a] for a in self.order), rows])
        if self._root is not None:
            out += self._spread(nodes[self._root], self._root, self.order)
        return out

    def sum_down(self, table: Table) -> list[Table]:
        """Marginals of a clique table on every leaf, axes in the leaf's own order."""
        if self._root is None:
            return []
        nodes: list[Table | None] = [None] * len(self._axes)
        nodes[self._root] = sum_to(table, self.order, self._axes[self._root])
        for k in range(len(self._axes) - 1, len(self.leaves) - 1, -1):
            for child in self._joins[k - len(self.leaves)]:
                nodes[child] = sum_to(nodes[k], self._axes[k], self._axes[child])
            nodes[k] = None
        return [
            np.transpose(t, [*map(axes.index, leaf), len(leaf)])
            for t, axes, leaf in zip(nodes, self._axes, self.leaves, strict=False)
        ]

    def _join_cost(self, pair: tuple[int, int]) -> tuple[int, int, int]:
        union = {*self._axes[pair[0]], *self._axes[pair[1]]}
        return math.prod(self._sizes[a] for a in union), *pair

    def _sorted(self, attributes: Iterable[int]) -> Attributes:
        return tuple(a for a in self.order if a in set(attributes))

    def _spread(self, table: Table, node: int, onto: Attributes) -> Table:
        return spread(table, self._axes[node], onto)


@dataclass(frozen=True)
class Calibrated:
    """A normalised model: p(clique | row) for every clique, from conditionals down the tree.

    `log_z` (rows,); `conditional[i]` is p(clique \\ separator | separator, row) as
    (residual cells, separator cells · rows); `joint[i]` is p(clique | row), axes as the clique's.
    """

    log_z: Table
    conditional: tuple[Table, ...]
    joint: tuple[Table, ...]


class Calibrator:
    """The plan for one tree and one list of factors; call it with log-potentials."""

    def __init__(
        self, tree: JunctionTree, factors: Sequence[Attributes], sizes: Mapping[int, int], rows: int
    ) -> None:
        self.tree, self.factors, self.sizes, self.rows = tree, list(factors), sizes, rows
        size = [math.prod(sizes[a] for a in c) for c in tree.cliques]
        self._home = [
            min((i for i, c in enumerate(tree.cliques) if set(f) <= set(c)), key=lambda i: (size[i], i))
            for f in factors
        ]
        self._children = [tree.children(i) for i in range(len(tree.cliques))]
        self._plans = []
        for i, clique in enumerate(tree.cliques):
            leaves = [f for f, h in zip(factors, self._home, strict=True) if h == i]
            self._plans.append(
                CliquePlan(clique, leaves + [tree.separator[c] for c in self._children[i]], sizes)
            )

    def __call__(self, potentials: Sequence[Table]) -> tuple[Calibrated, list[Table]]:
        """Potentials (factor's axes..., rows) to the calibrated model and each factor's p(· | row)."""
        log_z, conditional = self._collect(potentials)
        joints: list[Table] = []
        separators: dict[int, Table] = {}
        marginals: dict[int, Table] = {}
        for i, clique in enumerate(self.tree.cliques):
            joint = conditional[i]
            if i:
                joint = joint * separators.pop(i).reshape(1, -1)
            joints.append(joint.reshape([*(self.sizes[a] for a in clique), self.rows]))
            down = self._plans[i].sum_down(joints[i])
            own = [k for k, h in enumerate(self._home) if h == i]
            marginals |= dict(zip(own, down, strict=False))
            separators |= dict(zip(self._children[i], down[len(own) :], strict=True))
        return Calibrated(log_z, tuple(conditional), tuple(joints)), [
            marginals[k] for k in range(len(self.factors))
        ]

    def _collect(self, potentials: Sequence[Table]) -> tuple[Table, list[Table]]:
        """Leaves to root: conditionals given the separator, in the log domain until normalised."""
        n = len(self.tree.cliques)
        conditional: list[Table] = [np.empty(0)] * n
        message: list[Table] = [np.empty(0)] * n
        for i in range(n - 1, -1, -1):
            tables = [potentials[k] for k, h in enumerate(self._home) if h == i]
            table = self._plans[i].add_up(tables + [message[c] for c in self._children[i]], self.rows)
            separator = self.tree.separator[i]
            table = table.reshape(-1, math.prod(self.sizes[a] for a in separator) * self.rows)
            largest = table.max(axis=0)
            table -= largest
            np.exp(table, out=table)
            total = table.sum(axis=0)
            table /= total
            conditional[i] = table
            message[i] = (largest + np.log(total)).reshape([*(self.sizes[a] for a in separator), self.rows])
        return message[0], conditional


def sum_to(table: Table, axes: Attributes, onto: Attributes) -> Table:
    """Sums out the axes that `onto` lacks; the rows axis and the order of the others stay."""
    out = tuple(k for k, a in enumerate(axes) if a not in onto)
    return table.sum(axis=out) if out else table


def spread(table: Table, axes: Attributes, onto: Attributes) -> Table:
    """A view of `table` with length-1 axes where `onto` has more; both in the same order."""
    if axes == onto:
        return table
    shape = iter(table.shape)
    return table.reshape([next(shape) if a in axes else 1 for a in onto] + [table.shape[-1]])
