"""Runs to the rows that charts draw: values on 0..1, higher is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctxpriv.charts.theme import epsilon_text, number_text, ordered
from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.evaluate.report import AXES

MAX_SERIES = 4  # more than four overlaid series cannot be told apart on a radar


def latest_runs(
    comparison: Comparison, audience: str, epsilon: float | None, methods: Sequence[str] | None = None
) -> list[RunResult]:
    """One run per method, the last one made, in registry order. Methods without an ε
    (no formal guarantee) are shown at every ε."""
    last = {
        r.method: r
        for r in comparison.runs
        if r.audience == audience and (r.epsilon is None or r in comparison.of(audience, epsilon))
    }
    return [last[m] for m in ordered(last) if methods is None or m in methods]


def shown_rows(runs: Sequence[RunResult]) -> pd.DataFrame:
    """One row per run and axis: shown, low, high (NaN when missing) and `told`, the raw value
    with interval and n in words, or why there is none."""
    rows = []
    for run in runs:
        for axis in AXES:
            metric = run.report.metrics[axis.metric]
            shown, low, high = axis.place(metric) or (None, None, None)
            if metric.missing:
                told = f"not computed: {metric.missing}"
            else:
                span = "" if metric.low is None else f" [{number_text(metric.low)}, {number_text(metric.high)}]"
                told = f"{number_text(metric.value)}{span}, n = {metric.n}"
            rows.append((run.method, run.epsilon, epsilon_text(run.epsilon), axis.metric, axis.label, shown, low,
                         high, told, metric.missing))
    columns = ["method", "epsilon", "epsilon_text", "metric", "axis", "shown", "low", "high", "told", "missing"]
    numbers = dict.fromkeys(("epsilon", "shown", "low", "high"), "float64")
    return pd.DataFrame(rows, columns=columns).astype(numbers)


def reference_marks(runs: Sequence[RunResult]) -> pd.DataFrame:
    """What MAUVE and accuracy are to be read against: columns axis, shown, told."""
    found: dict[tuple[str, str], float] = {}
    for run in runs:
        for key, axis, told in (
            ("mauve_ceiling", "MAUVE", "real half against real half"),
            ("accuracy_real", "Acc", "trained on real records"),
            ("accuracy_majority", "Acc", "always the majority"),
        ):
            metric = run.report.references.get(key)
            if metric is not None and metric.value is not None:
                found[axis, told] = metric.value
    rows = [(axis, value, told) for (axis, told), value in found.items()]
    return pd.DataFrame(rows, columns=["axis", "shown", "told"]).astype({"shown": "float64"})


def missing_sentences(rows: pd.DataFrame) -> list[str]:
    """"MAUVE not computed for MAPLE: needs at least ...", equal reasons joined."""
    gaps = rows[rows["shown"].isna()]
    out = []
    for (axis, why), group in gaps.groupby(["axis", "missing"], sort=False):
        out.append(f"{axis} not computed for {', '.join(group['method'])}: {why}")
    return out


def farthest_apart(rows: pd.DataFrame) -> dict[str, str]:
    """Per method, the axis where it is best told from the others, each axis used once:
    the place for a direct label."""
    table = rows.pivot_table(index="method", columns="axis", values="shown", sort=False)
    free, chosen = [a.label for a in AXES if a.label in table.columns], {}
    for method in table.index:
        others = table.drop(index=method)

        def clearance(axis: str, method=method, others=others) -> float:
            own = table.loc[method, axis]
            if np.isnan(own):
                return -1.0
            distance = np.abs(others[axis] - own).min() if len(others) else 1.0
            # Near the rim a label would run into the axis name, near the centre into everything.
            return float(np.nan_to_num(distance, nan=1.0)) - 0.5 * max(0.0, own - 0.85) - max(0.0, 0.15 - own)

        best = max(free, key=clearance, default=None)
        if best is not None and clearance(best) >= 0:
            chosen[method] = best
            free.remove(best)
    return chosen
