"""What the curator sees without any noise, to compare private summaries with (DP-SPIN §6.1, App. H.3–H.5).

PRIVATE SIDE, curator-only: a reference has no charge, no ε, and may not be exported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privacy.budget import Charge
from ctxpriv.privatize.spin.assign.assigner import assigner_for
from ctxpriv.privatize.spin.contributions import sketch
from ctxpriv.privatize.spin.extract_summary import central_sentences
from ctxpriv.privatize.spin.insight import Family, Outcome, Protected, Task
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import top
from ctxpriv.privatize.spin.redaction import redacted
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of
from ctxpriv.progress import CancelToken, Progress
from ctxpriv.roles import Roles
from ctxpriv.strict import whole_number

NO_NOISE = "no noise: exact masses, for the curator alone"


@dataclass(frozen=True)
class NonPrivateTopL:
    """The top L of the exact sketch: what the metrics compare every plan with."""

    name: ClassVar[str] = "Non-private top-L"
    family: ClassVar[Family] = "reference"

    @property
    def title(self) -> str:
        return self.name

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        return ()

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """A reference needs nothing of the donated records."""

    def draw(self, task: Task) -> Outcome:
        plan = exact_plan(task.protected, task.measurement)
        return Outcome(plan, plan.admitted)

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}


@dataclass(frozen=True)
class DonatedOrder:
    """The top L of the donated records, which costs nothing: what every private release should beat.

    It reads no protected record; it is a reference because it says nothing about them.
    """

    name: ClassVar[str] = "Donated order"
    family: ClassVar[Family] = "reference"

    @property
    def title(self) -> str:
        return self.name

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        return ()

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """Raises BadInput where nothing is donated."""
        if not len(donated):
            raise BadInput(
                "there is no donated record to go by.", where=self.name, fix="Donate some, or leave it out."
            )

    def draw(self, task: Task) -> Outcome:
        # Donated records come without their users.
        by_record = replace(task.measurement, unit="record", bound=1)
        assigner = assigner_for(by_record, task.donated.texts, task.roles)
        given = assigner.assign(task.donated.texts, progress=task.progress, cancel=task.cancel)
        masses = sketch(given, by_record)
        best = tuple(top(masses, task.measurement.size))
        named = ", ".join(task.measurement.atoms.labels[a] for a in best)
        return Outcome(None, best, f"The donated records are mostly about: {named}.", notes=(_GUESS,))

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}


@dataclass(frozen=True)
class SampledRecords:
    """A summary of `records` protected records drawn by `seed`: raw private material throughout.

    By the language model that judges (or maps) where one plays, else by their most central sentences.
    """

    records: int = 12

    name: ClassVar[str] = "Sampled records"
    family: ClassVar[Family] = "reference"

    def __post_init__(self) -> None:
        whole_number(self.records, f"{self.name}, records", 1)

    @property
    def title(self) -> str:
        return self.name

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        return ()

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """A reference needs nothing of the donated records."""

    def draw(self, task: Task) -> Outcome:
        return _from_sample(task, self.records, str, _RAW)

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}


@dataclass(frozen=True)
class RedactedSample:
    """The same after heuristic redaction (`redaction.redacted`), with no formal protection at all."""

    records: int = 12

    name: ClassVar[str] = "Redacted sample"
    family: ClassVar[Family] = "reference"

    def __post_init__(self) -> None:
        whole_number(self.records, f"{self.name}, records", 1)

    @property
    def title(self) -> str:
        return self.name

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        return ()

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """A reference needs nothing of the donated records."""

    def draw(self, task: Task) -> Outcome:
        return _from_sample(task, self.records, redacted, _REDACTED)

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}


_RAW = "Written from raw protected records, for the curator alone. Its atoms are those of the sample."
_REDACTED = (
    "Written from protected records after heuristic redaction, for the curator alone: redaction misses "
    "things, and protects nothing formally. Its atoms are those of the sample before redaction."
)
_GUESS = "No protected record was read for this: it is what one would have guessed."
_LONGEST = 1200  # characters of one record in a prompt
_TOKENS = 300


def exact_plan(protected: Protected, measurement: Measurement) -> SemanticPlan:
    """The plan without noise. Raises BadInput as `contributions.sketch`."""
    exact = sketch(protected.contributions, measurement)
    return plan_of(
        measurement.atoms,
        {a: exact[a] / ONE for a in top(exact, measurement.size)},
        sketch=exact / ONE,
        unit=measurement.unit,
        bound=measurement.bound,
        denominator=measurement.denominator,
        law="none",
        noise_scale=0.0,
        mechanism=NO_NOISE,
        size=measurement.size,
    )


def sampled(n: int, size: int, seed: int) -> np.ndarray:
    """Positions of at most `size` of n records, in order: the same sample for every reference."""
    return np.sort(np.random.default_rng(seed).choice(n, min(n, size), replace=False))


def _from_sample(task: Task, records: int, shown: Callable[[str], str], note: str) -> Outcome:
    """A summary of the sample, each text as `shown` leaves it."""
    rows = sampled(len(task.protected.texts), records, task.seed)
    texts = [shown(task.protected.texts[i]) for i in rows]
    text, how = _summarised(texts, task.roles, task.progress, task.cancel)
    atoms = _atoms_of(task.protected, rows, task.measurement)
    return Outcome(None, atoms, text, {"records": len(rows)}, (note, how))


def _atoms_of(protected: Protected, rows: np.ndarray, measurement: Measurement) -> tuple[int, ...]:
    """The top atoms of the sample's own sketch, without those that it does not hold."""
    mass = sketch(protected.contributions.of(rows), measurement)
    return tuple(a for a in top(mass, measurement.size) if mass[a] > 0)


def _summarised(
    texts: Sequence[str], roles: Roles, progress: Progress, cancel: CancelToken
) -> tuple[str, str]:
    """(text, how it was written)."""
    model = roles.judge or roles.mapper
    extract = "Its most central sentences by TF–IDF"
    if model is not None:
        text, failure = _by_model(model, texts, progress, cancel)
        if text:
            return text, f"Summarised by {model.identity.name} on {model.identity.place}."
        extract += f", as {model.identity.name} gave no summary ({failure})"
    return " ".join(central_sentences(texts)), f"{extract}."


def _by_model(
    model: LanguageModel, texts: Sequence[str], progress: Progress, cancel: CancelToken
) -> tuple[str, str]:
    """(text, failure): one of them is ""."""
    records = "\n".join(f"-----\n{' '.join(t.split())[:_LONGEST]}" for t in texts) + "\n-----"
    prompt = Prompt(
        render("summarise_sample", count=len(texts), records=records), max_tokens=_TOKENS, allow_cut=True
    )
    (answer,) = model.complete([prompt], progress=progress, cancel=cancel, stage="summarise the sample")
    return (answer.text.strip(), "") if answer.ok else ("", answer.failure)
