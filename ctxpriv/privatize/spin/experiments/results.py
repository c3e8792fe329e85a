"""What an experiment measured, as rows (DP-SPIN App. C.9, K). CURATOR-ONLY.

Experiments repeat a mechanism on the exact sketch and hold every draw against it. No draw is shown as a
release and none is charged: nothing here may leave the curator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

LEVEL = 0.95
NO_NOISE = "no noise"
"""`method` of rows that are facts of the exact sketch."""

ALL_ADMITTED = "Where there are no more atoms than L every plan admits them all, whatever the noise."

RATES = ("admitted", "mentioned")
DRAWN = ("overlap", "mass_retained")


@dataclass(frozen=True)
class ExperimentResult:
    """`rows`: one per setting and measure, with the settings (`method` is a config's title; `epsilon` ...),
    `measure`, `mean`, its 95 % interval `low` to `high` over `repeats` draws (None below two), and
    `largest` of them. `factor`: the setting that was varied beside method and ε, "" for none.
    """

    name: str
    factor: str
    rows: tuple[Mapping[str, Any], ...]
    repeats: int
    seconds: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def frame(self) -> pd.DataFrame:
        """One row a setting and measure, as `rows`."""
        return pd.DataFrame([dict(r) for r in self.rows])

    def some(self, **settings: Any) -> list[Mapping[str, Any]]:
        """The rows with these settings: some(measure="overlap", m=100)."""
        return [r for r in self.rows if all(r.get(k) == v for k, v in settings.items())]

    def lines(self, factor: str, **settings: Any) -> list[dict[str, Any]]:
        """Rows for `charts.insight_experiments.ablation_lines`; `settings` fix what else varied."""
        return [{**r, "value": r[factor]} for r in self.some(**settings) if r["measure"] in DRAWN]

    def curves(self) -> list[dict[str, Any]]:
        """Rows for `charts.insight_experiments.probe_curves`."""
        return [{**r, "rate": r["mean"]} for r in self.rows if r["measure"] in RATES]

    def losses(self, **settings: Any) -> list[dict[str, Any]]:
        """Rows for `charts.insight_experiments.loss_and_bound`, with the bound where there is one."""
        bounds = {_setting(r): r["mean"] for r in self.some(measure="loss_bound", **settings)}
        return [
            {**r, "loss": r["mean"], "bound": bounds.get(_setting(r))}
            for r in self.some(measure="loss", **settings)
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "factor": self.factor,
            "rows": [dict(r) for r in self.rows],
            "repeats": self.repeats,
            "seconds": self.seconds,
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ExperimentResult:
        return ExperimentResult(
            data["name"],
            data["factor"],
            tuple(data["rows"]),
            data["repeats"],
            data.get("seconds", 0.0),
            data.get("settings", {}),
            tuple(data.get("notes", ())),
        )


def over_repeats(
    values: Sequence[float], least: float = -np.inf, most: float = np.inf
) -> dict[str, float | int | None]:
    """Mean of independent draws with its Student interval, cut to what the measure can be."""
    drawn = np.asarray(values, float)
    mean, low, high = float(drawn.mean()), None, None
    if len(drawn) > 1:
        around = float(stats.t.ppf((1 + LEVEL) / 2, len(drawn) - 1) * stats.sem(drawn))
        low, high = max(least, mean - around), min(most, mean + around)
    return {"mean": mean, "low": low, "high": high, "largest": float(drawn.max()), "repeats": len(drawn)}


def rate(hits: int, repeats: int) -> dict[str, float | int]:
    """A share of draws with its Wilson interval."""
    ends = stats.binomtest(hits, repeats).proportion_ci(LEVEL, "wilson")
    share = hits / repeats
    # Rounding may put an end a hair on the wrong side of a share of 0 or 1.
    low, high = min(float(ends.low), share), max(float(ends.high), share)
    return {"mean": share, "low": low, "high": high, "largest": float(hits > 0), "repeats": repeats}


_MEASURED = ("measure", "mean", "low", "high", "largest", "repeats")


def _setting(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple((k, v) for k, v in row.items() if k not in _MEASURED)
