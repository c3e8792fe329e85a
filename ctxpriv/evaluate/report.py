"""What one run's evaluation says: seven metrics with intervals, or why one is missing.

CURATOR-ONLY (DESIGN section 4.7): metrics are computed against private records without
noise, so a report is never part of a release bundle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

METRICS = ("mauve", "kl", "tv", "jsd", "accuracy", "demographic_gap", "leak")
"""Every report holds exactly these, in this order (paper section 5)."""


@dataclass(frozen=True)
class Metric:
    """One figure with its interval, or the reason why there is none.

    `value` is None exactly when `missing` says why; it is never 0 in its place.
    `low`, `high`: 95 % interval; what was resampled is in `detail["interval"]`. They are
    None when only the interval could not be computed. `n`: records the figure rests on.
    `detail` is JSON-able and holds no text.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    missing: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.missing):
            raise ValueError("a metric has either a value or a reason why it is missing")
        for number in (self.value, self.low, self.high):
            if number is not None and not math.isfinite(number):
                raise ValueError("a metric's numbers are finite; a figure that is not has to be missing")

    @staticmethod
    def not_computed(why: str, n: int = 0, **detail: Any) -> Metric:
        return Metric(None, n=n, missing=why, detail=detail)

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"value": self.value, "low": self.low, "high": self.high, "n": self.n}
        if self.missing:
            out["missing"] = self.missing
        if self.detail:
            out["detail"] = dict(self.detail)
        return out

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Metric:
        return Metric(
            data["value"],
            data["low"],
            data["high"],
            data.get("n", 0),
            data.get("missing", ""),
            data.get("detail", {}),
        )


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
    read against: `mauve_ceiling`, `accuracy_real`, `accuracy_majority`.
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
        )


def epsilon_to_json(epsilon: float | None) -> float | str | None:
    """JSON has no infinity: ε = ∞ is written as the string "inf"."""
    return "inf" if epsilon is not None and math.isinf(epsilon) else epsilon


def epsilon_from_json(value: float | str | None) -> float | None:
    return None if value is None else float(value)
