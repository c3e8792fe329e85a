"""p̂(private | public rows): independent components that grow together as marginals are measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.sdg.calibration import Table, spread
from ctxpriv.privatize.sdg.estimator import Component, Estimation, Target
from ctxpriv.privatize.sdg.junction import cells, junction_tree
from ctxpriv.privatize.sdg.measured import NoisyMarginal
from ctxpriv.privatize.sdg.public_rows import PublicRows
from ctxpriv.privatize.sdg.queries import Marginals
from ctxpriv.privatize.sdg.workload import Attributes, Candidate


class ConditionalModel:
    """Built from released objects only: public rows, bin counts, noisy marginals."""

    def __init__(self, public: PublicRows, sizes: dict[int, int], settings: Estimation) -> None:
        self.public, self.sizes, self._settings = public, sizes, settings
        self.components: list[Component] = []
        self._measured: list[NoisyMarginal] = []
        self._total = float(public.known_total or 0)
        self._cells_memo: dict[tuple[Attributes, ...], int] = {}

    @property
    def total(self) -> float:
        """Records: exact when anything is public, else estimated from the noisy marginals."""
        return self._total

    @property
    def evaluations(self) -> int:
        """Model evaluations of the latest fits of the present components."""
        return sum(c.evaluations for c in self.components)

    def add(self, marginals: Sequence[NoisyMarginal]) -> None:
        """Takes new measurements in and re-estimates the components they touch.

        When the total is estimated, it moves with every measurement, and so does every component.
        """
        self._measured += marginals
        stale: set[int] = set()
        for marginal in marginals:
            stale.add(id(self._absorb(marginal)))
        if self.public.known_total is None:
            self._total = estimated_total(self._measured)
            stale = {id(c) for c in self.components}
        for component in self.components:
            if id(component) in stale:
                component.fit(self._scale, self._settings.tolerance, self._settings.max_evaluations)

    def finish(self) -> None:
        """The last estimate, closer to the minimum: nothing will be measured any more."""
        for component in self.components:
            component.fit(self._scale, self._settings.final_tolerance, self._settings.final_evaluations)

    def expected(self, candidates: Sequence[Candidate]) -> list[NDArray[np.float64]]:
        """M_r(p̂) of each candidate, (occurring public combinations, private cells), in records."""
        asked: dict[Attributes, list[int]] = {}
        for i, candidate in enumerate(candidates):
            asked.setdefault(candidate.private, []).append(i)
        marginals = {id(c): Marginals(c.tree, c.model) for c in self.components if c.model is not None}
        out: list[NDArray[np.float64]] = [np.empty(0)] * len(candidates)
        for private, places in asked.items():
            rows, table = self._conditional(private, marginals)
            flat = np.ascontiguousarray(table.reshape(-1, table.shape[-1]).T)
            subsets = tuple(candidates[i].public for i in places)
            counts = (self.public.counts(subsets, rows) @ flat) * self._scale
            at = 0
            for i, subset in zip(places, subsets, strict=True):
                height = self.public.groups(subset)[1]
                out[i] = counts[at : at + height]
                at += height
        return out

    def bytes(self) -> int:
        return sum(self._component_bytes(c.factors, c.rows) for c in self.components)

    def bytes_with(self, candidates: Sequence[Candidate]) -> list[int]:
        """Model size if one candidate were measured, for each of them."""
        own = {id(c): self._component_bytes(c.factors, c.rows) for c in self.components}
        whole = sum(own.values())
        joined: dict[Attributes, tuple[int, tuple[Attributes, ...], frozenset[int]]] = {}
        out = []
        for candidate in candidates:
            if candidate.private not in joined:
                touched = [c for c in self.components if set(c.attributes) & set(candidate.private)]
                factors = {f for c in touched for f in c.factors} | {candidate.private}
                joined[candidate.private] = (
                    whole - sum(own[id(c)] for c in touched),
                    _maximal(factors),
                    frozenset(a for c in touched for a in c.rows),
                )
            rest, factors, rows = joined[candidate.private]
            out.append(rest + self._tree_bytes(factors, tuple(sorted(rows.union(candidate.public)))))
        return out

    @property
    def _scale(self) -> float:
        return 1.0 if self.public.known_total is not None else self._total

    def _component_bytes(self, factors: Sequence[Attributes], rows: Attributes) -> int:
        return self._tree_bytes(_maximal(factors), rows)

    def _tree_bytes(self, maximal: tuple[Attributes, ...], rows: Attributes) -> int:
        if maximal not in self._cells_memo:
            tree = junction_tree(maximal, self.sizes)
            self._cells_memo[maximal] = sum(cells(c, self.sizes) for c in tree.cliques)
        return 8 * self.public.groups(rows)[1] * self._cells_memo[maximal]

    def _absorb(self, marginal: NoisyMarginal) -> Component:
        touched = [c for c in self.components if set(c.attributes) & set(marginal.private)]
        targets = {k: t for c in touched for k, t in c.targets.items()}
        theta = {k: t for c in touched for k, t in c.theta.items()}
        key, new = (marginal.private, marginal.public), Target(marginal.values, marginal.variance)
        targets[key] = targets[key].combined(new) if key in targets else new
        theta.setdefault(key, np.zeros_like(new.values))
        step = min((c.step for c in touched if c.step), default=None)
        component = Component(targets, theta, self.public, self.sizes, step)
        self.components = [c for c in self.components if c not in touched] + [component]
        return component

    def _conditional(self, private: Attributes, marginals: dict[int, Marginals]) -> tuple[Attributes, Table]:
        """p(private | row) over the rows of the components involved: a product over components."""
        parts = [
            (c, tuple(a for a in private if a in c.attributes))
            for c in self.components
            if set(c.attributes) & set(private)
        ]
        if len(parts) == 1:
            return parts[0][0].rows, marginals[id(parts[0][0])](private)
        rows = tuple(sorted({a for c, _ in parts for a in c.rows}))
        table = np.ones([1] * len(private) + [self.public.groups(rows)[1]])
        for component, query in parts:
            part = marginals[id(component)](query)[..., self.public.project(rows, component.rows)]
            table = table * spread(part, query, private)
        return rows, table


def estimated_total(marginals: Sequence[NoisyMarginal]) -> float:
    """Inverse-variance mean of the sums of all noisy marginals, at least 1 (as in Private-PGM)."""
    variance = np.array([m.variance.sum() for m in marginals])
    sums = np.array([m.values.sum() for m in marginals])
    return max(1.0, float((sums / variance).sum() / (1 / variance).sum()))


def _maximal(factors: Iterable[Attributes]) -> tuple[Attributes, ...]:
    """Drops factors inside others: they do not change the junction tree."""
    kept: list[frozenset[int]] = []
    for f in map(frozenset, sorted(set(factors), key=lambda f: (-len(f), f))):
        if not any(f <= k for k in kept):
            kept.append(f)
    return tuple(sorted(tuple(sorted(k)) for k in kept))
