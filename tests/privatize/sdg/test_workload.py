from __future__ import annotations

from itertools import combinations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privatize.sdg.workload import build_workload


def test_against_the_definition():
    sizes, private = [3, 4, 2, 5], {1, 3}
    w = [set(r) for k in (1, 2, 3) for r in combinations(range(4), k) if private & set(r)]
    w = [r for r in w if _cells(r, sizes) <= 40]
    closure = {
        s for r in w for k in range(1, len(r) + 1) for s in combinations(sorted(r), k) if private & set(s)
    }
    got = {
        tuple(sorted(c.private + c.public)): c.weight
        for c in build_workload(sizes, private, max_order=3, max_cells=40).candidates
    }
    assert got == {r: sum(len(set(r) & s) for s in w) for r in closure}


def _cells(r, sizes):
    out = 1
    for a in r:
        out *= sizes[a]
    return out


def test_refuses_nothing_private_and_a_huge_attribute():
    with pytest.raises(BadInput, match="private"):
        build_workload([2, 2], [], max_order=3, max_cells=10)
    with pytest.raises(BadInput, match="more than 10 values"):
        build_workload([11, 2], [0], max_order=3, max_cells=10)
