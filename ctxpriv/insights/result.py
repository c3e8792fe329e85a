"""All summaries of one corpus side by side: what the page Insights shows and `insights.json` holds.

CURATOR-ONLY as a whole: it holds references without noise and measures against private records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from ctxpriv.comparison import RunFailure
from ctxpriv.context import Approval
from ctxpriv.evaluate.insights.report import InsightReport
from ctxpriv.evaluate.report import epsilon_from_json, epsilon_to_json
from ctxpriv.privacy.guarantee import Guarantee
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.experiments.results import ExperimentResult
from ctxpriv.privatize.spin.insight import Outcome
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Summary


@dataclass(frozen=True)
class InsightResult:
    """One finished run. `guarantee` is None for references, which have none and stay with the curator.

    `corpus` names it: name, digest, key. `only` restricts the records. `report` is curator-only.
    `notes`: what happened in this run; what its method always says is in `outcome.notes`.
    """

    run_id: str
    audience: str
    title: str
    family: str
    config: Mapping[str, Any]
    measurement: Measurement
    outcome: Outcome
    summary: Summary
    guarantee: Guarantee | None
    corpus: Mapping[str, str]
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    report: InsightReport | None = None
    models: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unmapped: Mapping[str, int] = field(default_factory=dict)  # records without a usable answer; curator-only
    approval: Approval | None = None  # in the plan file: that these concepts may go to this audience
    when: str = ""  # ISO time
    seconds: float = 0.0

    @property
    def epsilon(self) -> float | None:
        """The ε that was asked for."""
        asked = self.config.get("epsilon")
        return None if asked is None else float(asked)

    @property
    def plan(self) -> SemanticPlan | None:
        return self.outcome.plan

    @property
    def measures_atoms(self) -> bool:
        """Whether the plan is about the study's own atoms, not a baseline's categories or keywords."""
        return self.plan is not None and self.plan.atoms.digest == self.measurement.atoms.digest

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; the reverse is `from_dict`."""
        return {
            "run_id": self.run_id,
            "audience": self.audience,
            "title": self.title,
            "family": self.family,
            "config": dict(self.config),
            "epsilon": epsilon_to_json(self.epsilon),
            "measurement": self.measurement.to_dict(),
            "atoms": self.measurement.atoms.to_list(),
            "outcome": outcome_dict(self.outcome),
            "summary": self.summary.to_dict(),
            "guarantee": self.guarantee and self.guarantee.to_dict(),
            "corpus": dict(self.corpus),
            "only": {k: list(v) for k, v in self.only.items()},
            "report": self.report and self.report.to_dict(),
            "models": {k: dict(v) for k, v in self.models.items()},
            "notes": list(self.notes),
            "unmapped": dict(self.unmapped),
            "approval": self.approval and asdict(self.approval),
            "when": self.when,
            "seconds": self.seconds,
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> InsightResult:
        return InsightResult(
            data["run_id"],
            data["audience"],
            data["title"],
            data["family"],
            data["config"],
            Measurement.from_dict(data["measurement"], AtomSet.from_list(data["atoms"])),
            outcome_from(data["outcome"]),
            Summary.from_dict(data["summary"]),
            Guarantee.from_dict(data["guarantee"]) if data["guarantee"] else None,
            data["corpus"],
            {k: tuple(v) for k, v in data["only"].items()},
            InsightReport.from_dict(data["report"]) if data["report"] else None,
            data["models"],
            tuple(data["notes"]),
            data["unmapped"],
            Approval(**data["approval"]) if data["approval"] else None,
            data["when"],
            data["seconds"],
        )


@dataclass(frozen=True)
class Insights:
    """What a study gave. `experiments` are simulations on the private sketch, never releases."""

    name: str
    corpus: Mapping[str, Any]
    runs: tuple[InsightResult, ...] = ()
    failures: tuple[RunFailure, ...] = ()
    experiments: tuple[ExperimentResult, ...] = ()

    def table(self) -> pd.DataFrame:
        """One row per audience, method, ε and metric."""
        columns = ["audience", "method", "epsilon", "metric", "value", "low", "high", "n", "missing"]
        rows = [
            (r.audience, r.title, r.epsilon, name, m.value, m.low, m.high, m.n, m.missing)
            for r in self.runs
            if r.report
            for name, m in r.report.metrics.items()
        ]
        numbers = dict.fromkeys(("epsilon", "value", "low", "high"), "float64")
        return pd.DataFrame(rows, columns=columns).astype(numbers)

    def wide(self) -> pd.DataFrame:
        """One row per run that was measured: audience, method, epsilon and a column per metric."""
        rows = [
            {"audience": r.audience, "method": r.title, "epsilon": r.epsilon}
            | {name: m.value for name, m in r.report.metrics.items()}
            for r in self.runs
            if r.report
        ]
        names = dict.fromkeys(name for row in rows for name in list(row)[3:])
        numbers = dict.fromkeys(("epsilon", *names), "float64")
        return pd.DataFrame(rows, columns=["audience", "method", "epsilon", *names]).astype(numbers)

    def to_json_dict(self) -> dict[str, Any]:
        return {
            "kind": "insights",
            "name": self.name,
            "corpus": dict(self.corpus),
            "runs": [r.to_dict() for r in self.runs],
            "failures": [{**vars(f), "epsilon": epsilon_to_json(f.epsilon)} for f in self.failures],
            "experiments": [e.to_dict() for e in self.experiments],
        }

    @staticmethod
    def from_json_dict(data: Mapping[str, Any]) -> Insights:
        return Insights(
            data["name"],
            data["corpus"],
            tuple(InsightResult.from_dict(r) for r in data["runs"]),
            tuple(
                RunFailure(f["audience"], f["method"], epsilon_from_json(f["epsilon"]), f["message"])
                for f in data["failures"]
            ),
            tuple(ExperimentResult.from_dict(e) for e in data["experiments"]),
        )


def outcome_dict(outcome: Outcome) -> dict[str, Any]:
    """JSON-able."""
    return {
        "plan": outcome.plan and outcome.plan.to_dict(),
        "atoms": list(outcome.atoms),
        "text": outcome.text,
        "details": dict(outcome.details),
        "notes": list(outcome.notes),
    }


def outcome_from(data: Mapping[str, Any]) -> Outcome:
    return Outcome(
        SemanticPlan.from_dict(data["plan"]) if data["plan"] else None,
        tuple(data["atoms"]),
        data["text"],
        data["details"],
        tuple(data["notes"]),
    )
