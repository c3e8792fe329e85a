"""Plan utility over a grid of settings, by repeated draws (DP-SPIN §6.1, §6.4, Figures 3 and 7 to 9).

PRIVATE SIDE, curator-only: see `results`. It needs no language model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.evaluate.insights.bounds import most_lost
from ctxpriv.evaluate.insights.plan_metrics import loss, mass_retained, overlap
from ctxpriv.evaluate.insights.values import value_errors
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.contributions import Contributions, sketch
from ctxpriv.privatize.spin.experiments.results import ALL_ADMITTED, ExperimentResult, over_repeats
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, Mechanism, Spin
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

Assign = Callable[[AtomSet, int], Contributions]
"""The protected records' contributions to these atoms, at most K a record. A record's best K depend on the
dictionary, so each pair is assigned anew."""

FACTORS = ("m", "k", "size", "n", "bound")


@dataclass(frozen=True)
class Grid:
    """Every combination of the values. A factor without values stays as in the measurement; `n` counts
    protected units (a random part of them), and is then the denominator too.

    `repeats` draws per setting. `seed` decides which units are in a part, never noise.
    """

    mechanisms: tuple[Mechanism, ...] = tuple(MECHANISMS)
    epsilons: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    m: tuple[int, ...] = ()
    k: tuple[int, ...] = ()
    size: tuple[int, ...] = ()
    n: tuple[int, ...] = ()
    bound: tuple[int, ...] = ()
    repeats: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.repeats < 1 or not self.mechanisms or not self.epsilons:
            raise BadInput("draws nothing.", where="experiment", fix="Name a mechanism, an ε and a repeat.")
        for epsilon in self.epsilons:
            for mechanism in self.mechanisms:
                Spin(epsilon, mechanism)

    @property
    def configs(self) -> tuple[Spin, ...]:
        return tuple(Spin(e, mechanism) for mechanism in self.mechanisms for e in self.epsilons)


FIGURE_3 = Grid(m=(50, 100, 200))
"""3 mechanisms × 5 ε × 3 m × 20 repeats, K = 3 and L = 10 from the measurement."""


def run_grid(
    grid: Grid,
    measurement: Measurement,
    assign: Assign,
    *,
    noise: Noise,
    name: str = "mechanisms",
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> ExperimentResult:
    """Overlap@L, MassRetained, Loss_L with its bound, and the value errors of every setting.

    `measurement` holds the whole dictionary (smaller m are its first atoms) and all that the grid does not
    vary. Values that the corpus or the dictionary cannot have (m or n too large) are left out and noted.
    Raises BadInput where nothing is left, as `Measurement` does for settings that do not fit each other,
    and Cancelled.
    """
    started = time.perf_counter()
    notes: list[str] = []
    settings = _settings(grid, measurement, notes)
    sketches = list(_sketches(settings, grid, assign, notes, progress, cancel))
    rows: list[dict[str, Any]] = []
    total = len(sketches) * len(grid.configs) * grid.repeats
    for measured, n, exact in sketches:
        about = {"m": len(measured.atoms), "k": measured.k, "size": measured.size, "n": n}
        for spin in grid.configs:
            cancel.check()
            progress("draws", len(rows) // len(MEASURES) * grid.repeats, total)
            where = {"method": spin.title, "mechanism": spin.mechanism, "epsilon": spin.epsilon, **about}
            where["bound"] = measured.bound
            rows += [{**where, **row} for row in drawn(spin, exact, measured, grid.repeats, noise)]
    if not rows:
        raise BadInput("no setting can be measured.", where=f"experiment {name}", fix=" ".join(notes))
    progress("draws", total, total)
    seconds = time.perf_counter() - started
    told = _told(grid, measurement, noise)
    return ExperimentResult(name, _varied(rows), tuple(rows), grid.repeats, seconds, told, tuple(notes))


MEASURES = ("overlap", "mass_retained", "loss", "value_l1", "value_linf", "loss_bound")


def drawn(
    spin: Spin, exact: NDArray[np.int64], measurement: Measurement, repeats: int, noise: Noise
) -> list[dict[str, Any]]:
    """`repeats` draws of one mechanism beside the exact sketch: a row for each of `MEASURES`."""
    plans = [spin.release(exact, measurement, noise) for _ in range(repeats)]
    errors = [value_errors(p, exact) for p in plans]
    amounts = {"value_l1": [e.l1 for e in errors], "value_linf": [e.linf for e in errors]}
    bound = most_lost(plans[0], measurement, spin)
    fixed = {"mean": bound, "low": None, "high": None, "largest": bound, "repeats": repeats}
    return [
        *of_choices([p.admitted for p in plans], exact, measurement.size),
        *({"measure": name, **over_repeats(v, 0.0)} for name, v in amounts.items()),
        {"measure": "loss_bound", **fixed},
    ]


def of_choices(
    chosen: Sequence[tuple[int, ...]], exact: NDArray[np.int64], size: int
) -> list[dict[str, Any]]:
    """Rows of Overlap@L, MassRetained and Loss_L over the atoms that each draw stands for."""
    shared = [overlap(atoms, exact, size) for atoms in chosen]
    kept = [mass_retained(atoms, exact, size) for atoms in chosen]
    lost = [loss(atoms, exact, size) for atoms in chosen]
    return [
        {"measure": "overlap", **over_repeats(shared, 0.0, 1.0)},
        {"measure": "mass_retained", **over_repeats(kept, 0.0, 1.0)},
        {"measure": "loss", **over_repeats(lost, 0.0)},
    ]


def part_of(contributions: Contributions, n: int, unit: str, seed: int) -> Contributions:
    """n protected units, the same first ones for every n of a seed."""
    rng = np.random.default_rng(seed)
    if unit == "record" or contributions.users is None:
        return contributions.of(np.sort(rng.permutation(len(contributions))[:n]))
    names = rng.permutation(np.unique(contributions.users))[:n]
    return contributions.of(np.flatnonzero(np.isin(contributions.users, names)))


def units_in(contributions: Contributions, unit: str) -> int:
    return len(contributions) if unit == "record" else contributions.n_units


def _settings(grid: Grid, measurement: Measurement, notes: list[str]) -> list[Measurement]:
    known = len(measurement.atoms)
    sizes = dict.fromkeys(min(m, known) for m in grid.m) if grid.m else [known]
    if short := [m for m in grid.m if m > known]:
        notes.append(f"m = {', '.join(map(str, short))} asks for more than the {known} atoms there are.")
    wanted = [
        (m, k, size, bound)
        for m in sizes
        for k in grid.k or (measurement.k,)
        for size in grid.size or (measurement.size,)
        for bound in grid.bound or (measurement.bound,)
    ]
    if any(size == m for m, _, size, _ in wanted):
        notes.append(ALL_ADMITTED)
    if large := sorted({(size, m) for m, _, size, _ in wanted if size > m}):
        notes.append("; ".join(f"L = {size} asks for more than {m} atoms" for size, m in large) + ".")
    return [
        replace(measurement, atoms=measurement.atoms.top(m), k=k, size=size, bound=bound)
        for m, k, size, bound in wanted
        if size <= m
    ]


def _sketches(
    settings: list[Measurement],
    grid: Grid,
    assign: Assign,
    notes: list[str],
    progress: Progress,
    cancel: CancelToken,
) -> Iterator[tuple[Measurement, int, NDArray[np.int64]]]:
    """Each setting with its number of units and its exact sketch; one assignment per m and K."""
    last: tuple[tuple[int, int], Contributions] | None = None
    for done, measured in enumerate(settings):
        cancel.check()
        progress("assign records to atoms", done, len(settings))
        pair = (len(measured.atoms), measured.k)
        if last is None or last[0] != pair:
            last = pair, assign(measured.atoms, measured.k)
        whole = last[1]
        there = units_in(whole, measured.unit)
        if done == 0 and (many := [n for n in grid.n if n > there]):
            notes.append(f"n = {', '.join(map(str, many))} asks for more than the {there} {measured.unit}s.")
        if not grid.n:
            yield measured, there, sketch(whole, measured)
        for n in (n for n in grid.n if n <= there):
            part = part_of(whole, n, measured.unit, grid.seed)
            yield replace(measured, denominator=n), n, sketch(part, measured)


def _varied(rows: list[dict[str, Any]]) -> str:
    """The first factor of which more than one value was measured, or ""."""
    return next((f for f in FACTORS if len({r[f] for r in rows}) > 1), "")


def _told(grid: Grid, measurement: Measurement, noise: Noise) -> dict[str, Any]:
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(grid).items()}
    return {"grid": values, "measurement": measurement.to_dict(), "noise": noise.name}
