"""What one run's evaluation says: seven metrics with intervals, or why one is missing.

CURATOR-ONLY (DESIGN section 4.7): metrics are computed against private records without
noise, so a report is never part of a release bundle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxpriv.evaluate.attacks.attack import Attack
from ctxpriv.evaluate.metric import Metric

METRICS = ("mauve", "kl", "tv", "jsd", "accuracy", "demographic_gap", "leak")
"""Every report holds exactly these, in this order (paper section 5)."""

REWRITING = {
    "public_kept": "public values still told, of those that the original told",
    "label_kept": "records whose label is still told, of those whose original told it",
    "added_facts": "facts per record that the original does not state",
    "share_changed": "share of the text changed",
    "readability": "how easily a person follows the changes, 0 to 1",
    "safe": "released records judged safe while rewriting",
    "withheld": "records withheld",
    "survivors": "released records in which a private value stands word for word",
}
"""What is told of a rewriting beside the seven metrics, in words for people."""


@dataclass(frozen=True)
class Axis:
    """How one metric is drawn: on 0..1, higher is better (paper Figure 2)."""

    metric: str
    label: str
    shown: Callable[[float], float]

    def place(self, metric: Metric) -> tuple[float, float | None, float | None] | None:
        """(value, low, high) on the axis, low ≤ value ≤ high; None when the metric is missing."""
        if metric.value is None:
            return None
        if metric.low is None or metric.high is None:
            return self.shown(metric.value), None, None
        ends = sorted((self.shown(metric.low), self.shown(metric.high)))
        return self.shown(metric.value), ends[0], ends[1]


AXES = (
    Axis("mauve", "MAUVE", lambda x: x),
    Axis("kl", "1/(1+KL)", lambda x: 1 / (1 + x)),
    Axis("tv", "1−TV", lambda x: 1 - x),
    Axis("jsd", "1−JSD", lambda x: 1 - x),
    Axis("accuracy", "Acc", lambda x: x),
    Axis("demographic_gap", "Fair", lambda x: 1 - abs(x)),
    Axis("leak", "Priv", lambda x: 1 - x),
)
"""The seven axes, clockwise from the top (paper Figure 2)."""


@dataclass(frozen=True)
class Report:
    """The evaluation of one release for one audience.

    `epsilon` is math.inf for research runs without noise and None for methods without a
    formal guarantee. `per_attribute["leak"][a]` and `per_attribute["jsd"][a]` are plain
    dicts behind the two averaged metrics. `references` holds what the figures are to be
    read against: `mauve_ceiling`, `accuracy_real`, `accuracy_majority`. Only a release of rewritten
    records has `attacks` (its metric "leak" is one of them, see `detail`) and `rewriting`, whose keys
    are among `REWRITING`.
    """

    method: str
    audience: str
    epsilon: float | None
    metrics: Mapping[str, Metric]
    embedder: str = ""
    classifier: str = ""
    extractor: str = ""
    per_attribute: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    references: Mapping[str, Metric] = field(default_factory=dict)
    seconds: float = 0.0
    attacks: tuple[Attack, ...] = ()
    rewriting: Mapping[str, Metric] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if tuple(self.metrics) != METRICS:
            raise ValueError(f"a report holds exactly {METRICS}")

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "audience": self.audience,
            "epsilon": epsilon_to_json(self.epsilon),
            "metrics": {k: m.to_dict() for k, m in self.metrics.items()},
            "embedder": self.embedder,
            "classifier": self.classifier,
            "extractor": self.extractor,
            "per_attribute": {
                kind: {name: dict(row) for name, row in rows.items()}
                for kind, rows in self.per_attribute.items()
            },
            "references": {k: m.to_dict() for k, m in self.references.items()},
            "seconds": self.seconds,
            **({"attacks": [a.to_dict() for a in self.attacks]} if self.attacks else {}),
            **({"rewriting": {k: m.to_dict() for k, m in self.rewriting.items()}} if self.rewriting else {}),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Report:
        return Report(
            data["method"],
            data["audience"],
            epsilon_from_json(data["epsilon"]),
            {k: Metric.from_dict(data["metrics"][k]) for k in METRICS},
            data.get("embedder", ""),
            data.get("classifier", ""),
            data.get("extractor", ""),
            data.get("per_attribute", {}),
            {k: Metric.from_dict(m) for k, m in data.get("references", {}).items()},
            data.get("seconds", 0.0),
            tuple(Attack.from_dict(a) for a in data.get("attacks", ())),
            {k: Metric.from_dict(m) for k, m in data.get("rewriting", {}).items()},
        )


def epsilon_to_json(epsilon: float | None) -> float | str | None:
    """JSON has no infinity: ε = ∞ is written as the string "inf"."""
    return "inf" if epsilon is not None and math.isinf(epsilon) else epsilon


def epsilon_from_json(value: float | str | None) -> float | None:
    return None if value is None else float(value)
