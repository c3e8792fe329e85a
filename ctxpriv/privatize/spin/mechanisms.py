"""DP-SPIN's three releases of a sketch (paper §4.2): one config, three mechanisms.

PRIVATE SIDE: it sums the protected contributions.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.accounting import check_epsilon_delta
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin import sensitivity
from ctxpriv.privatize.spin.contributions import sketch
from ctxpriv.privatize.spin.insight import Family, Outcome, Task
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of
from ctxpriv.strict import a_number

Mechanism = Literal["laplace", "gaussian", "admission"]

MECHANISMS: dict[str, str] = {
    "laplace": "Laplace noise on every atom, then the top L",
    "gaussian": "Gaussian noise on every atom, then the top L",
    "admission": "L atoms admitted privately, then Gaussian noise on their masses",
}

TITLES = {"laplace": "Laplace", "gaussian": "Gaussian", "admission": "admission"}

SELECTION_SHARE = 0.5
"""Share of ρ that private admission spends on choosing atoms [ours: the paper leaves the split open]."""


@dataclass(frozen=True)
class Spin:
    """DP-SPIN at `epsilon` by one of `MECHANISMS`. The Laplace release is pure ε-DP; the others are
    (ε, δ)-DP with the measurement's δ. `selection_share` is used by "admission" alone."""

    epsilon: float = 1.0
    mechanism: Mechanism = "laplace"
    selection_share: float = SELECTION_SHARE

    name: ClassVar[str] = "DP-SPIN"
    family: ClassVar[Family] = "plan"

    def __post_init__(self) -> None:
        check_finite(self.epsilon)
        if self.mechanism not in get_args(Mechanism):
            raise BadInput(
                f"there is no mechanism {self.mechanism!r}.",
                where=f"{self.name}, mechanism",
                fix=f"Choose one of {', '.join(MECHANISMS)}.",
            )
        a_number(self.selection_share, f"{self.name}, selection_share", above=0, below=1)

    @property
    def title(self) -> str:
        return f"{self.name}, {TITLES[self.mechanism]}"

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        return tuple(part.charge for part in self.calibrated(measurement))

    def calibrated(self, measurement: Measurement) -> tuple[sensitivity.Calibrated, ...]:
        """The noise of each stage: one for a full sketch, (selection, values) for admission."""
        if self.mechanism == "laplace":
            return (sensitivity.laplace(measurement, self.epsilon, "the whole sketch"),)
        rho = sensitivity.budget(measurement, self.epsilon)
        if self.mechanism == "gaussian":
            return (sensitivity.gaussian(measurement, rho, "the whole sketch"),)
        choosing = Fraction(self.selection_share) * rho
        picked = sensitivity.selection(
            measurement, choosing, measurement.size, f"admission of {measurement.size} atoms"
        )
        return picked, sensitivity.gaussian(measurement, rho - choosing, "masses of the admitted atoms")

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """A sketch needs nothing but its atoms."""

    def draw(self, task: Task) -> Outcome:
        plan = self.release(
            sketch(task.protected.contributions, task.measurement), task.measurement, task.noise
        )
        return Outcome(plan, plan.admitted)

    def release(self, exact: NDArray[np.int64], measurement: Measurement, noise: Noise) -> SemanticPlan:
        """A plan from the exact sketch (`contributions.sketch`); spends `charges`."""
        if self.mechanism == "admission":
            return self._admitted(exact, measurement, noise)
        (stage,) = self.calibrated(measurement)
        moved = sensitivity.Sensitivity.of(measurement)
        if self.mechanism == "laplace":
            noisy = noise.laplace(exact, stage.scale, moved.l1)
        else:
            noisy = noise.gaussian(exact, stage.scale, moved.l2)
        best = top(noisy, measurement.size)
        return self._plan(measurement, {a: noisy[a] / ONE for a in best}, stage.in_units, noisy / ONE)

    def _admitted(self, exact: NDArray[np.int64], measurement: Measurement, noise: Noise) -> SemanticPlan:
        choice, values = self.calibrated(measurement)
        moved = sensitivity.Sensitivity.of(measurement)
        admitted = noise.noisy_top_k(exact, measurement.size, choice.scale, moved.linf)
        noisy = noise.gaussian(exact[admitted], values.scale, moved.l2)
        masses = {int(a): v / ONE for a, v in zip(admitted, noisy, strict=True)}
        return self._plan(measurement, masses, values.in_units, None)

    def _plan(
        self, measurement: Measurement, masses: dict[int, float], scale: float, released: NDArray | None
    ) -> SemanticPlan:
        return plan_of(
            measurement.atoms,
            masses,
            sketch=released,
            unit=measurement.unit,
            bound=measurement.bound,
            denominator=measurement.denominator,
            law="Laplace" if self.mechanism == "laplace" else "Gaussian",
            noise_scale=scale,
            mechanism=MECHANISMS[self.mechanism],
            size=measurement.size,
        )

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}


def top(masses: NDArray, size: int) -> list[int]:
    """The `size` largest; ties go to the earlier atom."""
    return np.argsort(-np.asarray(masses), kind="stable")[:size].tolist()


def check_finite(epsilon: float) -> None:
    """Raises BadInput unless ε is a finite budget: what has no noise is a reference, and is named so."""
    check_epsilon_delta(epsilon, 0.5)
    if epsilon == float("inf"):
        raise BadInput(
            "epsilon is infinite.", where="epsilon", fix="Use the reference “Non-private top-L” instead."
        )
