"""What a plan is expected to be worth before anything private is read: the slider's answer.

RELEASE SIDE: noise scales, public settings and donated records alone. Releases of a public stand-in for
the sketch are imagined with ordinary random numbers, always the same ones, so that moving ε moves the
answer smoothly and costs nothing. No protected record is touched, so no privacy noise is drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.contributions import Contributions, sketch
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import Spin, top
from ctxpriv.privatize.spin.noise_bounds import BETA, loss_bound, selection_gap, tau
from ctxpriv.privatize.spin.semantic_plan import Law, half_width
from ctxpriv.privatize.spin.sensitivity import Sensitivity

RUNS = 400
"""Imagined releases: the mean overlap is then within 0.01 of its limit."""

MIDDLE = 0.90
"""Share of the imagined releases between `overlap_low` and `overlap_high`."""

SHAPES = {
    "donated": "if the protected records are spread over the atoms as the donated ones are",
    "zipf": "if the atoms' masses fall as 1, 1/2, 1/3, ... and every record has mass 1: no donated records "
    "to go by",
}
"""What the expectation assumes, in words for pages."""


@dataclass(frozen=True)
class Expectation:
    """Of one release. Masses are in protected units (records or users).

    `overlap`, `mass_retained` and `loss`: means over `RUNS` imagined releases of the assumed `shape` (a key
    of `SHAPES`). `tau`: no released mass is further off with probability 1 − β; `loss_bound`: what Loss_L
    then stays below, whatever the records (App. A); `half_width`: of a row's interval in support.
    `draw_scale`: of one private draw of an atom, None for a full sketch.
    """

    overlap: float
    overlap_low: float
    overlap_high: float
    mass_retained: float
    loss: float
    tau: float
    loss_bound: float
    half_width: float
    noise_scale: float
    draw_scale: float | None
    shape: str
    beta: float = BETA

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Expectation:
        return Expectation(**data)


def expected_overlap(spin: Spin, measurement: Measurement, proxy: NDArray | None) -> Expectation:
    """`proxy`: assumed exact masses in protected units, shape (m,), from public material (`donated_proxy`),
    or None for a Zipf shape. Raises BadInput for a proxy of another shape, negative or not finite."""
    masses = zipf(measurement) if proxy is None else _checked(proxy, len(measurement.atoms))
    size, m = measurement.size, len(masses)
    law: Law = "Laplace" if spin.mechanism == "laplace" else "Gaussian"
    *choice, values = spin.calibrated(measurement)
    if choice:
        draw = Sensitivity.of(measurement).linf / choice[0].scale / ONE
        worst, noisy = size * selection_gap(draw, size, m), masses + draw * _standard("Gumbel", m)
    else:
        draw = None
        worst = loss_bound(size, tau(law, values.in_units, m))
        noisy = masses + values.in_units * _standard(law, m)
    shared, kept = _recovered(masses, noisy, size)
    most = float(masses[top(masses, size)].sum())
    mean = float(shared.mean())
    low, high = np.quantile(shared, [(1 - MIDDLE) / 2, (1 + MIDDLE) / 2])
    return Expectation(
        overlap=mean,
        overlap_low=min(float(low), mean),  # few bad releases may pull the mean out of the middle
        overlap_high=max(float(high), mean),
        mass_retained=float(kept.mean()) / most if most > 0 else 0.0,
        loss=max(0.0, most - float(kept.mean())),
        tau=tau(law, values.in_units, size if choice else m),
        loss_bound=worst,
        half_width=half_width(law, values.in_units) / measurement.denominator,
        noise_scale=values.in_units,
        draw_scale=draw,
        shape="zipf" if proxy is None else "donated",
    )


def donated_proxy(donated: Contributions, measurement: Measurement) -> NDArray[np.float64] | None:
    """The donated records' sketch, scaled from as many units to the public denominator: float (m,), in
    protected units. None where no donated record has a mass.

    Atoms that were made from the donated records spread these more evenly than others: with many atoms for
    few donated records it promises less than a release gives (complaints sample, Laplace, ε = 1: Overlap@10
    of 0.78 for 0.81 with 50 atoms, but 0.33 for 0.75 with 200). At user level donated records without users
    count as one user each, which understates what users with many records bring.
    """
    if measurement.unit == "user" and donated.users is None:
        donated = Contributions(donated.atoms, donated.mass, np.arange(len(donated)))
    if not len(donated) or not (masses := sketch(donated, measurement)).any():
        return None
    units = donated.n_units if measurement.unit == "user" else len(donated)
    return masses / ONE * (measurement.denominator / units)


def zipf(measurement: Measurement) -> NDArray[np.float64]:
    """Masses ∝ 1/rank that add up to the denominator: one unit's mass of 1 each."""
    share = 1 / np.arange(1, len(measurement.atoms) + 1)
    return measurement.denominator * share / share.sum()


def _recovered(
    masses: NDArray[np.float64], noisy: NDArray[np.float64], size: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Overlap@L and C(S) of every imagined release, both float (RUNS,)."""
    m = len(masses)
    admitted = (
        np.argpartition(-noisy, size - 1, axis=1)[:, :size] if size < m else np.tile(range(m), (RUNS, 1))
    )
    best = np.zeros(m, bool)
    best[top(masses, size)] = True
    return best[admitted].mean(axis=1), masses[admitted].sum(axis=1)


@lru_cache(maxsize=12)
def _standard(law: str, m: int) -> NDArray[np.float64]:
    """Draws of scale 1, float (RUNS, m): adding Gumbel noise and taking the L largest is the same as L
    peeled draws of the exponential mechanism."""
    rng = np.random.default_rng(20260916)
    draw = {"Laplace": rng.laplace, "Gaussian": rng.normal, "Gumbel": rng.gumbel}[law]
    out = draw(size=(RUNS, m))
    out.flags.writeable = False
    return out


def _checked(proxy: NDArray, m: int) -> NDArray[np.float64]:
    masses = np.asarray(proxy, float)
    if masses.shape != (m,) or not np.isfinite(masses).all() or (masses < 0).any():
        raise BadInput(
            f"is not one finite mass of at least 0 for each of the {m} atoms.",
            where="expectation, proxy",
            fix="Use donated_proxy, or None.",
        )
    return masses
