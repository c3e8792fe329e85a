"""What each record adds to the sketch, and the sketch itself (DP-SPIN §3.3, §4.1).

PRIVATE SIDE: rows here are per-record vectors. They never leave the curator; only noisy sums do.
Everything is integer arithmetic on the grid of `measurement.ONE`, so that the declared sensitivity
is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.measurement import ONE, Measurement

NO_ATOM = -1
_USERS_AT_ONCE = 2_000_000  # cells of the dense block in which users are summed and clipped


@dataclass(frozen=True)
class Contributions:
    """n records with at most K atoms each.

    `atoms`: int32 of shape (n, K), `NO_ATOM` where a record has fewer. `mass`: int64 of the same shape,
    in units of 1/`ONE`; a row sums to at most `ONE`. `users`: int64 codes of shape (n,), or None.
    """

    atoms: NDArray[np.int32]
    mass: NDArray[np.int64]
    users: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if self.atoms.shape != self.mass.shape or self.atoms.ndim != 2:
            raise BadInput("atoms and masses differ in shape.", where="contributions")
        if not np.issubdtype(self.mass.dtype, np.integer):
            raise BadInput("masses are not whole numbers on the grid.", where="contributions")
        if self.users is not None and len(self.users) != len(self.atoms):
            raise BadInput("there is not one user per record.", where="contributions")

    def __len__(self) -> int:
        return len(self.atoms)

    @property
    def n_units(self) -> int:
        """Users where they are known, else records. Private: compare `Measurement.denominator`."""
        return len(self) if self.users is None else len(np.unique(self.users))

    def of(self, rows: NDArray) -> Contributions:
        """Those records alone."""
        return Contributions(
            self.atoms[rows], self.mass[rows], None if self.users is None else self.users[rows]
        )

    @staticmethod
    def joined(parts: list[Contributions]) -> Contributions:
        users = [p.users for p in parts]
        return Contributions(
            np.concatenate([p.atoms for p in parts]),
            np.concatenate([p.mass for p in parts]),
            None if any(u is None for u in users) else np.concatenate(users),
        )


def from_scores(
    atoms: NDArray, scores: NDArray, k: int, *, floor: float, equal: bool, users: NDArray | None = None
) -> Contributions:
    """Contributions from each record's best-scoring atoms.

    `atoms` and `scores` have shape (n, ≥1), best first or not; scores at or below `floor` and those of
    `NO_ATOM` count as none. The K best stay (ties: the earlier atom), and share a mass of at most 1 by
    score, or 1/K each when `equal`. A record with no match has mass 0.
    """
    scores = np.where((atoms == NO_ATOM) | ~(scores > floor), 0.0, scores)
    order = np.lexsort((atoms, -scores), axis=1)[:, :k]
    atoms = np.take_along_axis(np.asarray(atoms, np.int32), order, 1)
    scores = np.take_along_axis(scores, order, 1)
    if equal:
        mass = np.where(scores > 0, ONE // k, 0).astype(np.int64)
    else:
        total = scores.sum(axis=1, keepdims=True)
        share = np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)
        mass = np.floor(share * ONE).astype(np.int64)
    return Contributions(
        np.where(mass > 0, atoms, NO_ATOM).astype(np.int32), clipped_rows(mass, ONE),
        None if users is None else np.asarray(users, np.int64),
    )  # fmt: skip


def clipped_rows(mass: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Non-negative rows scaled down to a sum of at most `most`, by exact integer division.

    A row's sum must not wrap around 64 bits, or it would pass for small: no cell counts for more than
    its part of 2^62.
    """
    mass = np.clip(np.asarray(mass, np.int64), 0, 2**62 // max(mass.shape[1], 1))
    total = mass.sum(axis=1, keepdims=True)
    over = np.flatnonzero(total[:, 0] > most)
    if not len(over):
        return mass
    long, sums = mass[over], total[over]
    if int(long.max()) * most >= 2**63:  # beyond 64 bits: whole numbers of Python, slow and as exact
        long, sums = long.astype(object), sums.astype(object)
    mass[over] = (long * most // sums).astype(np.int64)
    return mass


def sketch(contributions: Contributions, measurement: Measurement) -> NDArray[np.int64]:
    """C = Σ v over the protected units: int64 of shape (m,), in units of 1/`ONE`.

    Record level: the sum of the rows. User level: each user's sum, clipped to ‖·‖₁ ≤ B; raises BadInput
    where the corpus knows no users. Sensitivity: `sensitivity.Sensitivity`.
    """
    m = len(measurement.atoms)
    atoms, rows = contributions.atoms, clipped_rows(contributions.mass, ONE)  # whoever made them
    if measurement.weights == "equal" and measurement.unit == "record":
        atoms, rows = _equal(atoms, rows, measurement.k)
    keep = (atoms >= 0) & (atoms < m)
    if measurement.unit == "record":
        return _summed(atoms[keep], rows[keep], m)
    atoms, rows = np.where(keep, atoms, 0), np.where(keep, rows, 0)
    return _of_users(users_of(contributions), atoms, rows, m, measurement.bound * ONE)


def users_of(contributions: Contributions) -> NDArray[np.int64]:
    """The user of every record. Raises BadInput where they are not known."""
    if contributions.users is None:
        raise BadInput(
            "the records have no users, so users cannot be protected.",
            where="measurement, unit",
            fix="Name the author column, or use unit: record.",
        )
    return contributions.users


def _equal(
    atoms: NDArray[np.int32], rows: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """At most k different atoms a row with at most 1/k each: what the ℓ2 norm of 1/√k rests on."""
    atoms, rows = atoms[:, :k], np.minimum(rows[:, :k], ONE // k)
    for place in range(1, atoms.shape[1]):
        again = (atoms[:, :place] == atoms[:, place : place + 1]).any(axis=1)
        rows[again, place] = 0
    return atoms, rows


def _summed(cells: NDArray, mass: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    out = np.zeros(size, np.int64)
    # bincount sums in floating point, exact below 2^53; 2^31 masses of at most 2^20 stay below.
    step = 2**31
    for start in range(0, len(cells), step):
        part = np.bincount(cells[start : start + step], mass[start : start + step], size)
        out += part.astype(np.int64)
    return out


def _of_users(
    users: NDArray, atoms: NDArray, mass: NDArray[np.int64], m: int, most: int
) -> NDArray[np.int64]:
    """The sum over users of their clipped sums. Those within the bound need no sum of their own; the
    others get one, a block of users at a time."""
    names, code = np.unique(users, return_inverse=True)
    over = _summed(code, mass.sum(axis=1), len(names))[code] > most
    out = _summed(atoms[~over].ravel(), mass[~over].ravel(), m)
    atoms, mass = atoms[over], mass[over]
    names, code = np.unique(code[over], return_inverse=True)
    order = np.argsort(code, kind="stable")
    code, atoms, mass = code[order], atoms[order], mass[order]
    at_once = max(1, _USERS_AT_ONCE // m)
    for first in range(0, len(names), at_once):
        lo, hi = np.searchsorted(code, [first, first + at_once])
        cells = (code[lo:hi, None] - first) * m + atoms[lo:hi]
        count = min(at_once, len(names) - first)
        block = _summed(cells.ravel(), mass[lo:hi].ravel(), count * m).reshape(count, m)
        out += clipped_rows(block, most).sum(axis=0)
    return out
