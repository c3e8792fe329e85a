"""All runs of one corpus side by side: what Compare shows and `comparison.json` holds.

CURATOR-ONLY: it holds metrics computed on private records (DESIGN section 4.7).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ctxpriv.context import Partition
from ctxpriv.evaluate.attacks.attack import Attack
from ctxpriv.evaluate.report import METRICS, Metric, Report, epsilon_from_json, epsilon_to_json
from ctxpriv.privacy.noise import NoNoise, OpenDPNoise

SYNTHETIC, REWRITTEN = "synthetic", "rewritten"
FAMILIES = (SYNTHETIC, REWRITTEN)


@dataclass(frozen=True)
class RunResult:
    """One finished run as seen for one audience.

    `release` is `Release.to_dict()`: everything but the records. An audience-agnostic
    release appears once per audience, with the report for that audience's partition.
    """

    audience: str
    release: Mapping[str, Any]
    report: Report
    run_id: str = ""

    @property
    def method(self) -> str:
        return self.report.method

    @property
    def epsilon(self) -> float | None:
        """The ε that was asked for; math.inf for research runs."""
        return self.report.epsilon

    @property
    def family(self) -> str:
        """What is released: "rewritten" records (no ε), or "synthetic" ones. Their leak means different
        things: an adversary on the very record, or an attack on people who are not in the data."""
        return SYNTHETIC if self.epsilon is not None else REWRITTEN

    @property
    def n_released(self) -> int:
        return int(self.release.get("n_released", 0))


@dataclass(frozen=True)
class RunFailure:
    """A run that ended without a release; `message` is for people and holds no text."""

    audience: str
    method: str
    epsilon: float | None
    message: str


@dataclass(frozen=True)
class Comparison:
    """`corpus`: name, digest, record counts, label, attributes; JSON-able, no text."""

    corpus: Mapping[str, Any]
    audiences: Mapping[str, Partition]
    runs: tuple[RunResult, ...] = ()
    failures: tuple[RunFailure, ...] = field(default=())

    def of(self, audience: str, epsilon: float | None = None) -> tuple[RunResult, ...]:
        """The runs for one audience, at one ε where given (None: all of them)."""
        return tuple(
            r for r in self.runs if r.audience == audience and (epsilon is None or _same(r.epsilon, epsilon))
        )

    def rewritten(self, audience: str) -> tuple[RunResult, ...]:
        """The runs for one audience whose method has no ε."""
        return tuple(r for r in self.of(audience) if r.family == REWRITTEN)

    def beside(self, audience: str, epsilon: float | None) -> tuple[RunResult, ...]:
        """The runs that are drawn side by side: at one ε, or with None those that have none."""
        return self.rewritten(audience) if epsilon is None else self.of(audience, epsilon)

    def families(self, audience: str) -> tuple[str, ...]:
        """Those of which there is a run, in the order of `FAMILIES`."""
        return tuple(f for f in FAMILIES if any(r.family == f for r in self.of(audience)))

    def epsilons(self, audience: str) -> tuple[float, ...]:
        """Every ε run so far for one audience, ascending, ∞ last."""
        return tuple(sorted({r.epsilon for r in self.of(audience) if r.epsilon is not None}))

    def table(self) -> pd.DataFrame:
        """One row per audience, method, ε and metric; `value` is NaN where `missing` says why."""
        columns = ["audience", "method", "epsilon", "metric", "value", "low", "high", "n", "missing"]
        rows = [
            (r.audience, r.method, r.epsilon, name, m.value, m.low, m.high, m.n, m.missing)
            for r in self.runs
            for name, m in r.report.metrics.items()
        ]
        numbers = dict.fromkeys(("epsilon", "value", "low", "high"), "float64")
        return pd.DataFrame(rows, columns=columns).astype(numbers)

    def attacks(self) -> pd.DataFrame:
        """One row per audience, method, attack and private attribute of rewritten releases; the rows
        whose attribute is "mean" hold the figures of the attack as a whole. NaN: not computed."""
        columns = ["audience", "method", "attack", "adversary", "attribute", *ATTACK_FIGURES, "n", "unknown"]
        rows = [
            {"audience": r.audience, "method": r.method, "attack": a.name, "adversary": a.who.get("name", "")}
            | row
            for r in self.runs
            for a in r.report.attacks
            for row in _attack_rows(a)
        ]
        return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(ATTACK_FIGURES, "float64"))

    def rewriting(self) -> pd.DataFrame:
        """One row per audience, method and rewriting figure; `value` is NaN where `missing` says why."""
        columns = ["audience", "method", "figure", "value", "low", "high", "n", "missing"]
        rows = [
            (r.audience, r.method, name, m.value, m.low, m.high, m.n, m.missing)
            for r in self.runs
            for name, m in r.report.rewriting.items()
        ]
        return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(("value", "low", "high"), "float64"))

    def wide(self) -> pd.DataFrame:
        """One row per run: audience, method, epsilon, n_released and the seven metrics."""
        rows = [
            {"audience": r.audience, "method": r.method, "epsilon": r.epsilon, "n_released": r.n_released}
            | {name: m.value for name, m in r.report.metrics.items()}
            for r in self.runs
        ]
        columns = ["audience", "method", "epsilon", "n_released", *METRICS]
        return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(("epsilon", *METRICS), "float64"))

    def to_json_dict(self) -> dict[str, Any]:
        """The content of `comparison.json`; strict JSON (no NaN, ε = ∞ as "inf")."""
        return {
            "corpus": dict(self.corpus),
            "audiences": {name: self._audience_json(name, p) for name, p in self.audiences.items()},
        }

    def _audience_json(self, name: str, partition: Partition) -> dict[str, Any]:
        sides = partition.to_dict()
        approval = sides.pop("approval", None)
        failures = [
            {"method": f.method, "epsilon": epsilon_to_json(f.epsilon), "message": f.message}
            for f in self.failures
            if f.audience == name
        ]
        return {
            "partition": sides,
            "reviewed": approval,  # null: nobody has approved this partition
            "runs": [_run_json(r) for r in self.of(name)],
            "failures": failures,
        }

    @staticmethod
    def from_json_dict(data: Mapping[str, Any]) -> Comparison:
        audiences, runs, failures = {}, [], []
        for name, block in data["audiences"].items():
            stored = dict(block["partition"]) | {"approval": block.get("reviewed")}
            audiences[name] = Partition.from_dict(name, stored)
            runs += [_run_from_json(name, run) for run in block["runs"]]
            failures += [
                RunFailure(name, f["method"], epsilon_from_json(f["epsilon"]), f["message"])
                for f in block.get("failures", [])
            ]
        return Comparison(data.get("corpus", {}), audiences, tuple(runs), tuple(failures))


ATTACK_FIGURES = ("leak", "majority", "unprotected", "advantage", "leak_when_useful")


def _attack_rows(attack: Attack) -> list[dict[str, Any]]:
    mean = {name: getattr(attack, name).value for name in ATTACK_FIGURES}
    rows = [{"attribute": "mean", **mean, "n": attack.n, "unknown": attack.unknown}]
    for attribute, told in attack.per_attribute.items():
        rows.append({"attribute": attribute, "leak": told.get("accuracy"), **told})
    return rows


def _run_json(run: RunResult) -> dict[str, Any]:
    # A method without a formal guarantee has no number to tell: its δ and ρ are null, as its ε.
    guarantee = run.release.get("guarantee", {}) if run.epsilon is not None else {}
    report = run.report.to_dict()
    return {
        "method": run.method,
        "epsilon": report["epsilon"],
        "delta": guarantee.get("delta"),
        "rho": guarantee.get("rho"),
        # True: no noise that a seed could repeat. OpenDP's samplers have none; ε = ∞ and rewriting draw none.
        "seed_free": run.epsilon is None or guarantee.get("noise") in (OpenDPNoise.name, NoNoise.name),
        "n_private": run.release.get("n_private", 0),
        "n_released": run.n_released,
        "metrics": report.pop("metrics"),
        # Only rewritten releases have these two.
        **{name: report.pop(name) for name in ("attacks", "rewriting") if name in report},
        "seconds": dict(run.release.get("seconds", {})),
        "model": {role: dict(who) for role, who in run.release.get("models", {}).items()},
        "run_id": run.run_id,
        "report": report,
        "release": dict(run.release),
    }


def _run_from_json(audience: str, data: Mapping[str, Any]) -> RunResult:
    metrics = {name: Metric.from_dict(data["metrics"][name]).to_dict() for name in METRICS}
    more = {name: data[name] for name in ("attacks", "rewriting") if name in data}
    report = Report.from_dict({**data["report"], "metrics": metrics, **more})
    return RunResult(audience, data["release"], report, data.get("run_id", ""))


def _same(a: float | None, b: float) -> bool:
    return a is not None and (a == b or math.isclose(a, b, rel_tol=1e-9))
