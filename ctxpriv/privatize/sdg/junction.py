"""Junction trees over a handful of discrete attributes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ctxpriv.privatize.sdg.workload import Attributes


@dataclass(frozen=True)
class JunctionTree:
    """Rooted; parents come before children.

    `cliques[i]` lists its attributes with those it shares with `parent[i]` (the separator,
    `separator[i]`, empty for the root whose parent is -1) last.
    """

    cliques: tuple[Attributes, ...]
    separator: tuple[Attributes, ...]
    parent: tuple[int, ...]

    def children(self, i: int) -> list[int]:
        return [j for j, p in enumerate(self.parent) if p == i]


def maximal_cliques(factors: Iterable[Attributes], sizes: Mapping[int, int]) -> list[frozenset[int]]:
    """Cliques of a triangulation that covers every factor.

    Greedy elimination of the attribute that makes the smallest table; ties by position, so
    that the same factors always give the same tree.
    """
    neighbours: dict[int, set[int]] = {}
    for factor in factors:
        for a in factor:
            neighbours.setdefault(a, set()).update(factor)
    found: list[frozenset[int]] = []
    while neighbours:
        a = min(neighbours, key=lambda v: (math.prod(sizes[b] for b in neighbours[v]), v))
        clique = neighbours.pop(a)
        if not any(clique <= other for other in found):
            found.append(frozenset(clique))
        for b in clique - {a}:
            neighbours[b] |= clique
            neighbours[b].discard(a)
    return found


def junction_tree(factors: Iterable[Attributes], sizes: Mapping[int, int]) -> JunctionTree:
    """The tree of one connected set of factors: largest clique as root, widest separators first."""
    cliques = sorted(maximal_cliques(factors, sizes), key=lambda c: (-cells(c, sizes), sorted(c)))
    order, parent = [cliques[0]], [-1]
    left = cliques[1:]
    while left:
        best = max(((len(c & o), -k, -i) for k, c in enumerate(left) for i, o in enumerate(order)))
        width, k, i = best[0], -best[1], -best[2]
        if width == 0:
            raise ValueError("the factors are not connected")
        order.append(left.pop(k))
        parent.append(i)
    separators = [()] + [tuple(sorted(c & order[p])) for c, p in zip(order[1:], parent[1:], strict=True)]
    ordered = [tuple(sorted(c - set(s))) + s for c, s in zip(order, separators, strict=True)]
    return JunctionTree(tuple(ordered), tuple(separators), tuple(parent))


def cells(clique: Iterable[int], sizes: Mapping[int, int]) -> int:
    return math.prod(sizes[a] for a in clique)
