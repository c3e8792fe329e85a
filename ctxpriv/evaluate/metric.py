"""One figure with its interval, or the reason why there is none (CURATOR-ONLY, as reports are)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
