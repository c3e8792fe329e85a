"""Sums of signed vectors in which no protected unit weighs more than a stated ℓ2 norm.

PRIVATE SIDE. Integers on the grid of `measurement.ONE` throughout, so that the bound is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import gaussian_rho, gaussian_sigma
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.sensitivity import Calibrated

_SLACK = 1e-9
"""Relative. What floating point may add to a norm; rows are bounded to that much less."""

_UNITS_AT_ONCE = 100_000


def bounded_sum(rows: csr_matrix, most: float, users: NDArray | None) -> NDArray[np.int64]:
    """Σ over units of their vectors, each scaled to ‖·‖₂ ≤ `most`: int64 of shape (width,).

    `rows` is int64 of shape (n, width). A unit is a row or, with `users` (codes of shape (n,)), the sum of
    a user's rows. Scaled coordinates are cut towards zero, so that no norm grows.
    """
    out = np.zeros(rows.shape[1], np.int64)
    for block in _units(rows, users):
        out += np.asarray(_bounded(block, most).sum(axis=0)).ravel().astype(np.int64)
    return out


def gaussian(measurement: Measurement, rho: Fraction, l2: float, what: str) -> Calibrated:
    """Noise for vectors that one unit moves by at most `l2` (in units of 1/`ONE`) under add/drop, and
    by √2 times that when one is replaced: true of vectors at an angle of at most 90° to each other."""
    scale = gaussian_sigma(rho if measurement.relation == "add/drop" else rho / 2, l2)
    return Calibrated(
        scale, Charge(what, "discrete Gaussian", Fraction(gaussian_rho(scale, l2)), l2 / ONE, scale / ONE)
    )


def _units(rows: csr_matrix, users: NDArray | None) -> Iterator[csr_matrix]:
    n = rows.shape[0]
    if users is None:
        for start in range(0, n, _UNITS_AT_ONCE):
            yield rows[start : start + _UNITS_AT_ONCE]
        return
    names, code = np.unique(users, return_inverse=True)
    member = csr_matrix((np.ones(n, np.int64), (code, np.arange(n))), shape=(len(names), n))
    for start in range(0, len(names), _UNITS_AT_ONCE):
        yield (member[start : start + _UNITS_AT_ONCE] @ rows).tocsr()


def _bounded(units: csr_matrix, most: float) -> csr_matrix:
    squares = csr_matrix((units.data.astype(float) ** 2, units.indices, units.indptr), units.shape)
    norms = np.sqrt(np.asarray(squares.sum(axis=1)).ravel()) * (1 + _SLACK)
    factor = np.minimum(1.0, np.divide(most, norms, out=np.ones_like(norms), where=norms > 0))
    each = np.repeat(factor, np.diff(units.indptr))
    data = np.where(each < 1, np.trunc(units.data * each), units.data).astype(np.int64)
    return csr_matrix((data, units.indices, units.indptr), units.shape)


def with_room(l2: float) -> float:
    """`l2` with room for floating point: a unit of exactly that norm is then left as it is."""
    return l2 * (1 + 4 * _SLACK)


def with_rounding(l2: float, width: int) -> float:
    """The sensitivity to declare for *signed* vectors of norm ≤ `l2` before they are cut to the grid.

    Cutting `width` coordinates by less than 1 each moves the distance of two vectors by at most
    2·√width. Under replacement that is to stay within √2 times what is declared, so √(2·width) is added.
    """
    return math.nextafter(l2 + math.sqrt(2 * width), math.inf)
