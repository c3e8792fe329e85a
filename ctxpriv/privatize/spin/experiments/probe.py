"""How many records a theme needs to show: the controlled probe (DP-SPIN §6.3, App. B.8, I).

PRIVATE SIDE, curator-only: see `results`. Synthetic records of one known public atom are put among the
protected ones, and the share of draws that admit it, and mention it, is measured. It says nothing of
themes that no atom stands for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from ctxpriv.errors import BadInput
from ctxpriv.evaluate.insights.plan_metrics import rank
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin.atoms import Atom, AtomSet, canonical
from ctxpriv.privatize.spin.contributions import NO_ATOM, Contributions, sketch
from ctxpriv.privatize.spin.experiments.results import NO_NOISE, ExperimentResult, rate
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, Mechanism, Spin
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

Insert = Literal["texts", "mass"]

Verbalise = Callable[[SemanticPlan], str]
"""A decoder's text for display, from the plan alone."""

PROBE = Atom(
    "lantern festival parking",
    "Where to leave a car while the lantern festival is on, and what that costs.",
    "typed",
)
"""A theme that a corpus hardly has: its mass then comes from the inserted records alone."""


@dataclass(frozen=True)
class Probe:
    """`supports`: how many records s are inserted; `repeats` draws per s, mechanism and ε.

    `insert` "texts": short texts on the probe, which are assigned as every record is and may match other
    atoms too; "mass": a mass of 1 on the probe each, whatever the assignment.
    """

    mechanisms: tuple[Mechanism, ...] = tuple(MECHANISMS)
    epsilons: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0)
    supports: tuple[int, ...] = (0, 2, 5, 10, 15, 20, 30, 40, 60, 80)
    repeats: int = 40
    insert: Insert = "texts"

    def __post_init__(self) -> None:
        if self.repeats < 1 or not self.mechanisms or not self.epsilons:
            raise BadInput("draws nothing.", where="probe", fix="Name a mechanism, an ε and a repeat.")
        if self.insert not in get_args(Insert):
            raise BadInput(
                f"{self.insert!r} cannot be inserted.", where="probe, insert",
                fix=f"Choose one of {', '.join(get_args(Insert))}.",
            )  # fmt: skip
        if not self.supports or min(self.supports) < 0:
            raise BadInput("needs numbers of records of at least 0.", where="probe, supports")
        for epsilon in self.epsilons:
            Spin(epsilon)


def with_probe(atoms: AtomSet, probe: Atom = PROBE) -> AtomSet:
    """The dictionary with the probe as its last atom. Raises BadInput where it has the label already."""
    return AtomSet((*atoms.atoms, probe))


def of_mass_one(contributions: Contributions, atom: int, s: int) -> Contributions:
    """s synthetic records, each of mass 1 on `atom` alone (the sketch makes that 1/K where weights are
    equal), of the shape of `contributions`."""
    width = contributions.atoms.shape[1]
    atoms = np.full((s, width), NO_ATOM, np.int32)
    mass = np.zeros((s, width), np.int64)
    atoms[:, 0], mass[:, 0] = atom, ONE
    return Contributions(atoms, mass)


def inserted(contributions: Contributions, synthetic: Contributions, s: int) -> Contributions:
    """The records with the first s of the synthetic ones behind; where users are known each is a new
    user's."""
    users = contributions.users
    if users is not None:
        users = np.arange(s, dtype=np.int64) + (int(users.max()) + 1 if len(users) else 0)
    return Contributions.joined(
        [contributions, Contributions(synthetic.atoms[:s], synthetic.mass[:s], users)]
    )


def probe_texts(probe: Atom, s: int) -> list[str]:
    """s synthetic records that express the probe, written from its label and description alone."""
    said = probe.description or probe.label
    return [_WRITTEN[i % len(_WRITTEN)].format(label=probe.label, said=said) for i in range(s)]


_WRITTEN = (
    "My question is about {label}. {said}",
    "{said} It is all about {label}.",
    "I am writing because of {label}. {said}",
)


def run_probe(
    probe: Probe,
    contributions: Contributions,
    measurement: Measurement,
    atom: int,
    *,
    noise: Noise,
    verbalise: Verbalise | None = None,
    synthetic: Contributions | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> ExperimentResult:
    """Admission and mention rates of `atom` against s, with Wilson intervals.

    `contributions`: the protected records' (n0 units), on the measurement's atoms. A setting has the public
    denominator `measurement.denominator` + s. `synthetic`: at least as many records as the largest s, by
    default `of_mass_one`.
    Without `verbalise` mentions are not measured. Rows with `method` `NO_NOISE` tell the probe's exact
    rank and mass. Raises BadInput for an atom that is none, and Cancelled.
    """
    if not 0 <= atom < len(measurement.atoms):
        raise BadInput(f"there is no atom {atom}.", where="probe")
    started = time.perf_counter()
    more = synthetic or of_mass_one(contributions, atom, max(probe.supports))
    configs = [Spin(e, mechanism) for e in probe.epsilons for mechanism in probe.mechanisms]
    rows: list[dict[str, Any]] = []
    for done, s in enumerate(probe.supports):
        measured = replace(measurement, denominator=measurement.denominator + s)
        exact = sketch(inserted(contributions, more, s), measured)
        rows += _offline(s, rank(atom, exact), int(exact[atom]) / ONE)
        for spin in configs:
            cancel.check()
            progress("probe", done, len(probe.supports))
            plans = [spin.release(exact, measured, noise) for _ in range(probe.repeats)]
            where = {"method": spin.title, "mechanism": spin.mechanism, "epsilon": spin.epsilon, "s": s}
            rows += [{**where, **row} for row in rates_of(plans, atom, verbalise)]
    progress("probe", len(probe.supports), len(probe.supports))
    notes = () if verbalise else ("Mentions were not measured: no decoder was given.",)
    told, seconds = _told(probe, measurement, atom, noise), time.perf_counter() - started
    return ExperimentResult("probe", "s", tuple(rows), probe.repeats, seconds, told, notes)


def rates_of(plans: Iterable[SemanticPlan], atom: int, verbalise: Verbalise | None) -> list[dict[str, Any]]:
    """How many of the plans admit the atom, and how many of their texts name it."""
    plans = list(plans)
    admitting = [p for p in plans if atom in p.admitted]
    found = [{"measure": "admitted", **rate(len(admitting), len(plans))}]
    if verbalise:
        # An atom that is not admitted is not in the plan, so no text of it can name the atom.
        label = admitting[0].atoms.labels[atom] if admitting else ""
        hits = sum(named(label, verbalise(p)) for p in admitting)
        found.append({"measure": "mentioned", **rate(hits, len(plans))})
    return found


def named(label: str, text: str) -> bool:
    """Whether the text holds the label as whole words, whatever the case and the signs between."""
    return f" {canonical(label)} " in f" {canonical(text)} "


def _offline(s: int, place: int, mass: float) -> list[dict[str, Any]]:
    about = {"method": NO_NOISE, "mechanism": "", "epsilon": None, "s": s}
    bare = {"low": None, "high": None, "repeats": 1}
    return [
        {**about, "measure": "rank", "mean": place, "largest": place, **bare},
        {**about, "measure": "mass", "mean": mass, "largest": mass, **bare},
    ]


def _told(probe: Probe, measurement: Measurement, atom: int, noise: Noise) -> dict[str, Any]:
    return {
        "probe": {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(probe).items()},
        "atom": measurement.atoms.labels[atom],
        "measurement": measurement.to_dict(),
        "noise": noise.name,
    }
