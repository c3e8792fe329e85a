"""Baseline: a differentially private histogram of public keywords (DP-SPIN §6.1).

PRIVATE SIDE: it counts words of the protected texts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.budget import Charge
from ctxpriv.privatize.spin.baselines.atom_relevance import by_words, stood_for
from ctxpriv.privatize.spin.baselines.public_keywords import PublicKeywords
from ctxpriv.privatize.spin.contributions import NO_ATOM, Contributions, sketch
from ctxpriv.privatize.spin.insight import Family, Outcome, Task
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import Spin, check_finite
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of
from ctxpriv.strict import whole_number

Mechanism = Literal["laplace", "gaussian"]


@dataclass(frozen=True)
class KeywordHistogram:
    """How many records hold each of `keywords` public words, at most t = `per_record` words a record.

    In counts Δ1 = t and Δ2 = √t; a record's mass is 1/t a word, which is the same. "laplace" is pure
    ε-DP, "gaussian" (ε, δ)-DP with the measurement's δ.
    """

    epsilon: float = 1.0
    keywords: int = 200
    per_record: int = 5
    mechanism: Mechanism = "laplace"

    name: ClassVar[str] = "DP keyword histogram"
    family: ClassVar[Family] = "baseline"

    def __post_init__(self) -> None:
        check_finite(self.epsilon)
        whole_number(self.keywords, f"{self.name}, keywords", 1)
        whole_number(self.per_record, f"{self.name}, per_record", 1)
        if self.mechanism not in get_args(Mechanism):
            raise BadInput(
                f"there is no mechanism {self.mechanism!r}.",
                where=f"{self.name}, mechanism",
                fix=f"Choose one of {', '.join(get_args(Mechanism))}.",
            )

    @property
    def title(self) -> str:
        return self.name if self.mechanism == "laplace" else f"{self.name}, Gaussian"

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        (charge,) = self._noise.charges(self._counted(measurement))
        return (replace(charge, what="the whole keyword histogram"),)

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """Raises BadInput where the donated texts give no vocabulary."""
        PublicKeywords.of(donated, self.keywords, self.name)

    def draw(self, task: Task) -> Outcome:
        """Raises BadInput where the donated texts give no vocabulary."""
        words = PublicKeywords.of(task.donated, self.keywords, self.name)
        counted = replace(
            self._counted(task.measurement), atoms=words.atoms, size=min(task.measurement.size, len(words))
        )
        chosen = words.chosen(task.protected.texts, self.per_record, task.cancel)
        mass = np.where(chosen == NO_ATOM, 0, ONE // self.per_record)
        exact = sketch(Contributions(chosen, mass, task.protected.contributions.users), counted)
        plan = self._in_records(self._noise.release(exact, counted, task.noise))
        shares = by_words(words.words, task.measurement.atoms)
        atoms = stood_for(np.array(plan.sketch), shares, task.measurement.size)
        return Outcome(plan, atoms, details={"vocabulary": len(words)}, notes=(self._how(),))

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}

    @property
    def _noise(self) -> Spin:
        return Spin(self.epsilon, self.mechanism)

    def _counted(self, measurement: Measurement) -> Measurement:
        return replace(measurement, k=self.per_record, weights="equal")

    def _in_records(self, plan: SemanticPlan) -> SemanticPlan:
        """Masses of 1/t a word told as numbers of records: post-processing."""
        t = self.per_record
        return plan_of(
            plan.atoms,
            {row.atom: row.mass * t for row in plan.rows},
            sketch=[v * t for v in plan.sketch or ()],
            unit=plan.unit,
            bound=plan.bound,
            denominator=plan.denominator,
            law=plan.law,
            noise_scale=plan.noise_scale * t,
            mechanism=plan.mechanism.replace("atom", "keyword"),
            size=plan.size,
        )

    def _how(self) -> str:
        return (
            f"Numbers of records that hold a keyword, at most {self.per_record} keywords a record. For the "
            "metrics a keyword stands for the atoms whose meaning holds it in some form."
        )
