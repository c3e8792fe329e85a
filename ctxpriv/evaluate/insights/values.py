"""How far released masses are from the exact ones (DP-SPIN App. B.3). CURATOR-ONLY."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxpriv.privatize.spin.measurement import ONE
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan


@dataclass(frozen=True)
class ValueErrors:
    """In protected units, over `n` released masses: all atoms, or the admitted ones alone (`whole`)."""

    l1: float
    l2: float
    linf: float
    n: int
    whole: bool


def value_errors(plan: SemanticPlan, exact: NDArray[np.int64]) -> ValueErrors:
    """From the raw noisy masses, before any clipping or binning.

    `exact`: int64 (m,), units of 1/`ONE`, on the atoms of the plan; raises ValueError for another m.
    """
    if len(exact) != len(plan.atoms):
        raise ValueError("the plan is on other atoms than the sketch")
    true = np.asarray(exact, float) / ONE
    if plan.sketch is not None:
        off = np.abs(np.asarray(plan.sketch) - true)
    else:
        off = np.abs([row.mass - true[row.atom] for row in plan.rows])
    if not len(off):
        return ValueErrors(0.0, 0.0, 0.0, 0, False)
    l2 = float(np.sqrt((off**2).sum()))
    return ValueErrors(float(off.sum()), l2, float(off.max()), len(off), plan.sketch is not None)
