"""Another method of insight is its own file and one line in the registry: a toy one goes all the way."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ctxpriv.insights.planning import plan_insights
from ctxpriv.insights.runner import run_insights
from ctxpriv.privatize.method import MethodEntry
from ctxpriv.privatize.spin import sensitivity
from ctxpriv.privatize.spin.contributions import sketch
from ctxpriv.privatize.spin.insight import Outcome
from ctxpriv.privatize.spin.measurement import ONE
from ctxpriv.privatize.spin.registry import INSIGHTS


@dataclass(frozen=True)
class HeaviestDouble:
    """A toy: the heaviest atom alone, by one private draw."""

    epsilon: float = 1.0

    name, family = "Heaviest", "baseline"
    title = name

    def _stage(self, measurement):
        return sensitivity.selection(
            measurement, sensitivity.budget(measurement, self.epsilon), 1, "one atom"
        )

    def charges(self, measurement):
        return (self._stage(measurement).charge,)

    def check(self, measurement, donated):
        pass

    def draw(self, task):
        exact = sketch(task.protected.contributions, task.measurement)
        (best,) = task.noise.noisy_top_k(exact, 1, self._stage(task.measurement).scale, ONE)
        return Outcome(None, (int(best),), text=f"Most is about {task.measurement.atoms.labels[best]}.")

    def to_dict(self):
        return {"method": self.name, **asdict(self)}


def test_a_toy_method_goes_from_plan_file_to_result(study, workspace, roles, monkeypatch) -> None:
    monkeypatch.setitem(
        INSIGHTS, "Heaviest", MethodEntry.of(HeaviestDouble, "#000000", "A toy for this test.")
    )
    asked = study(methods=["Heaviest"], epsilon=[1, 30])
    assert [p.guarantee.epsilon > 0.9 for p in plan_insights(asked, workspace, roles=roles)] == [True, True]
    found = run_insights(asked, workspace, roles=roles)
    assert found.failures == ()
    assert found.runs[1].summary.text == "Most is about late fee."
    assert found.runs[1].report.metrics["mass_retained"].value > 0
    assert len(workspace.ledger.lines()) == 2
