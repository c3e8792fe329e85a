"""Which atoms a release stands for, beside those it would without noise (DP-SPIN App. B.2).

CURATOR-ONLY: `exact` is the sketch without noise, int64 of shape (m,) in units of 1/`ONE`. S are the
admitted atoms, S* the L largest of `exact` (ties: the earlier atom, as releases break them), and C(S)
their summed mass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.spin.measurement import ONE
from ctxpriv.privatize.spin.mechanisms import top


def overlap(admitted: Sequence[int], exact: NDArray[np.int64], size: int) -> float:
    """Overlap@L = |S ∩ S*| / L. Raises ValueError for more than L admitted atoms, here and below."""
    return len(_distinct(admitted, size) & set(top(exact, size))) / size


def mass_retained(admitted: Sequence[int], exact: NDArray[np.int64], size: int) -> float:
    """C(S) / C(S*); 0 where nothing has mass."""
    most = _mass(top(exact, size), exact)
    return _mass(_distinct(admitted, size), exact) / most if most else 0.0


def loss(admitted: Sequence[int], exact: NDArray[np.int64], size: int) -> float:
    """Loss_L = C(S*) − C(S), in protected units (records or users)."""
    return (_mass(top(exact, size), exact) - _mass(_distinct(admitted, size), exact)) / ONE


def rank(atom: int, exact: NDArray[np.int64]) -> int:
    """The atom's place without noise, from 1; ties: the earlier atom first."""
    return top(exact, len(exact)).index(atom) + 1


def _mass(atoms: Sequence[int] | set[int], exact: NDArray[np.int64]) -> int:
    return int(exact[list(atoms)].sum()) if atoms else 0


def _distinct(admitted: Sequence[int], size: int) -> set[int]:
    atoms = {int(a) for a in admitted}
    if len(atoms) > size:
        raise ValueError(f"{len(atoms)} atoms were admitted where at most {size} may be")
    return atoms
