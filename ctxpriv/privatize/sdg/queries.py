"""p(q | row) for many small sets q of attributes of one calibrated model, sharing work."""

from __future__ import annotations

import numpy as np

from ctxpriv.privatize.sdg.calibration import Calibrated, Table, spread, sum_to
from ctxpriv.privatize.sdg.junction import JunctionTree
from ctxpriv.privatize.sdg.workload import Attributes


class Marginals:
    """Answers for one calibrated model; every intermediate table is kept while this object lives."""

    def __init__(self, tree: JunctionTree, model: Calibrated) -> None:
        self._tree, self._model = tree, model
        self._inside: dict[tuple[int, frozenset[int]], Table] = {}
        self._below: dict[tuple[int, frozenset[int]], tuple[Attributes, Table]] = {}
        self._top: dict[int, int] = {}  # attribute -> the clique nearest the root that has it
        for i, clique in enumerate(tree.cliques):
            for a in clique:
                self._top.setdefault(a, i)
        self._ancestors = [self._path(i) for i in range(len(tree.cliques))]

    def __call__(self, query: Attributes) -> Table:
        """(query's axes..., rows), in the order of `query`."""
        wanted = frozenset(query)
        whole = [i for i, c in enumerate(self._tree.cliques) if wanted <= set(c)]
        if whole:
            i = min(whole, key=lambda i: self._model.joint[i].size)
            axes, table = self._axes(i, wanted), self._sum_inside(i, wanted)
        else:
            axes, table = self._join(self._lowest_common(wanted), wanted, as_root=True)
        return np.ascontiguousarray(np.transpose(table, [*map(axes.index, query), len(query)]))

    def _join(self, i: int, wanted: frozenset[int], *, as_root: bool) -> tuple[Attributes, Table]:
        """p(wanted below clique i, given its separator), or p(wanted) when i tops the query.

        Clique i is first summed down to what matters, so tables hold query and separators only.
        """
        clique, separator = set(self._tree.cliques[i]), frozenset(self._tree.separator[i])
        keep = wanted & clique if as_root else (wanted & clique) | separator
        branches = [(c, below) for c in self._tree.children(i) if (below := self._wanted_below(c, wanted))]
        needed = frozenset(keep.union(*(self._tree.separator[c] for c, _ in branches)))
        axes, table = self._axes(i, needed), self._sum_inside(i, needed)
        if not as_root and separator:
            table = _divide(table, spread(self._sum_inside(i, separator), self._axes(i, separator), axes))
        for c, below in branches:
            key = c, below
            if key not in self._below:
                self._below[key] = self._join(c, below, as_root=False)
            axes, table = _multiply(axes, table, *self._below[key])
        final = tuple(a for a in axes if a in wanted or (not as_root and a in separator))
        return final, sum_to(table, axes, final)

    def _sum_inside(self, i: int, wanted: frozenset[int]) -> Table:
        """Sums clique i to `wanted`, one attribute at a time, through tables that other queries share."""
        if len(wanted) == len(self._tree.cliques[i]):
            return self._model.joint[i]
        key = i, wanted
        if key not in self._inside:
            extra = next(a for a in self._tree.cliques[i] if a not in wanted)
            wider = wanted | {extra}
            self._inside[key] = sum_to(
                self._sum_inside(i, wider), self._axes(i, wider), self._axes(i, wanted)
            )
        return self._inside[key]

    def _axes(self, i: int, subset: frozenset[int]) -> Attributes:
        return tuple(a for a in self._tree.cliques[i] if a in subset)

    def _wanted_below(self, i: int, wanted: frozenset[int]) -> frozenset[int]:
        return frozenset(a for a in wanted if i in self._ancestors[self._top[a]])

    def _lowest_common(self, wanted: frozenset[int]) -> int:
        common = set.intersection(*(set(self._ancestors[self._top[a]]) for a in wanted))
        return max(common)  # parents come first, so the deepest has the largest number on a path

    def _path(self, i: int) -> list[int]:
        path = [i]
        while (i := self._tree.parent[i]) >= 0:
            path.append(i)
        return path


def _multiply(
    left_axes: Attributes, left: Table, right_axes: Attributes, right: Table
) -> tuple[Attributes, Table]:
    axes = left_axes + tuple(a for a in right_axes if a not in left_axes)
    order = [right_axes.index(a) for a in axes if a in right_axes]
    moved = np.transpose(right, [*order, len(right_axes)])
    moved_axes = tuple(right_axes[k] for k in order)
    return axes, spread(left, left_axes, axes) * spread(moved, moved_axes, axes)


def _divide(table: Table, by: Table) -> Table:
    """table / by with 0 / 0 = 0: a value that cannot occur contributes nothing."""
    return np.divide(table, by, out=np.zeros_like(table), where=by > 0)
