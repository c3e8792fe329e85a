"""Records over twelve atoms, assigned at once."""

from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import Contributions, from_scores
from ctxpriv.privatize.spin.measurement import Measurement

M, N = 12, 240


class AssignDouble:
    """Public scores per record, fixed; `asked` holds the (m, K) that were wanted."""

    def __init__(self, users: bool = False) -> None:
        rng = np.random.default_rng(3)
        self.scores = rng.dirichlet(0.2 / np.arange(1, M + 1), size=N)
        self.users = rng.integers(0, 40, N) if users else None
        self.asked: list[tuple[int, int]] = []

    def __call__(self, atoms: AtomSet, k: int) -> Contributions:
        self.asked.append((len(atoms), k))
        scores = self.scores[:, : len(atoms)]
        each = np.broadcast_to(np.arange(len(atoms)), scores.shape)
        return from_scores(each, scores, k, floor=0.05, equal=False, users=self.users)


@pytest.fixture
def assign_double():
    return AssignDouble


@pytest.fixture
def measurement() -> Measurement:
    return Measurement(AtomSet(tuple(Atom(f"theme {i}") for i in range(M))), N, 1e-4, size=4)
