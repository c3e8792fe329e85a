"""What the curator sees without any noise, to compare private summaries with (DP-SPIN §6.1, App. H.3–H.5).

PRIVATE SIDE, curator-only: a reference has no charge, no ε, and may not be exported.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin.contributions import sketch
from ctxpriv.privatize.spin.insight import Family, Outcome, Protected
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import top
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of
from ctxpriv.progress import CancelToken, Progress
from ctxpriv.roles import Roles

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

    def draw(
        self,
        protected: Protected,
        measurement: Measurement,
        donated: DonatedExamples,
        roles: Roles,
        *,
        noise: Noise,
        seed: int,
        progress: Progress,
        cancel: CancelToken,
    ) -> Outcome:
        plan = exact_plan(protected, measurement)
        return Outcome(plan, plan.admitted)

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}


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
