"""Runs to the rows that charts draw: values on 0..1, higher is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctxpriv.charts.theme import epsilon_text, number_text, ordered
from ctxpriv.comparison import REWRITTEN, Comparison, RunResult
from ctxpriv.evaluate.attacks.attack import TITLES
from ctxpriv.evaluate.report import AXES

MAX_SERIES = 4  # more than four overlaid series cannot be told apart on a radar


def latest_runs(
    comparison: Comparison, audience: str, epsilon: float | None, methods: Sequence[str] | None = None
) -> list[RunResult]:
    """One run per method, the last one made, in registry order: at one ε, or with None those that
    rewrite records and have none. The two are never drawn together: their leak is not the same thing."""
    last = {r.method: r for r in comparison.beside(audience, epsilon)}
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
                span = (
                    "" if metric.low is None else f" [{number_text(metric.low)}, {number_text(metric.high)}]"
                )
                told = f"{number_text(metric.value)}{span}, n = {metric.n}"
            rows.append(
                (
                    run.method,
                    run.epsilon,
                    epsilon_text(run.epsilon),
                    axis.metric,
                    axis.label,
                    shown,
                    low,
                    high,
                    told,
                    metric.missing,
                )
            )
    columns = [
        "method",
        "epsilon",
        "epsilon_text",
        "metric",
        "axis",
        "shown",
        "low",
        "high",
        "told",
        "missing",
    ]
    numbers = dict.fromkeys(("epsilon", "shown", "low", "high"), "float64")
    return pd.DataFrame(rows, columns=columns).astype(numbers)


def reference_marks(runs: Sequence[RunResult]) -> pd.DataFrame:
    """What MAUVE, accuracy and the privacy of rewrites are to be read against: columns axis, shown, told
    (in full), word."""
    found: dict[tuple[str, str, str], float] = {}
    for run in runs:
        for key, axis, told, word in (
            ("mauve_ceiling", "MAUVE", "real half against real half", "real halves"),
            ("accuracy_real", "Acc", "trained on real records", "real"),
            ("accuracy_majority", "Acc", "always the majority", "majority"),
        ):
            metric = run.report.references.get(key)
            if metric is not None and metric.value is not None:
                found[axis, told, word] = metric.value
        found |= _privacy_marks(run)
    rows = [(axis, value, told, word) for (axis, told, word), value in found.items()]
    return pd.DataFrame(rows, columns=["axis", "shown", "told", "word"]).astype({"shown": "float64"})


def _privacy_marks(run: RunResult) -> dict[tuple[str, str, str], float]:
    """Of a rewritten release: where the same adversary stands on the originals, and who never reads."""
    detail = run.report.metrics["leak"].detail
    words = {
        "unprotected": ("the same adversary on the original texts", "originals"),
        "majority": ("always the most common value", "majority"),
    }
    return {
        ("Priv", told, word): 1 - detail[key]
        for key, (told, word) in words.items()
        if run.family == REWRITTEN and detail.get(key) is not None
    }


def leak_sentences(runs: Sequence[RunResult]) -> list[str]:
    """What Priv means for rewritten releases, which depends on the adversary; short lines."""
    names = dict.fromkeys(
        str(run.report.metrics["leak"].detail["attack"])
        for run in runs
        if run.family == REWRITTEN and "attack" in run.report.metrics["leak"].detail
    )
    players = [_in_sentence(TITLES.get(n, n)) for n in names]
    return ["Priv: 1 − share of private values named, by the", *players] if players else []


def _in_sentence(title: str) -> str:
    return title[:1].lower() + title[1:]


def missing_sentences(rows: pd.DataFrame) -> list[str]:
    """ "MAUVE not computed for MAPLE: needs at least ...", equal reasons joined."""
    gaps = rows[rows["shown"].isna()]
    out = []
    for (axis, why), group in gaps.groupby(["axis", "missing"], sort=False):
        out.append(f"{axis} not computed for {', '.join(group['method'])}: {why}")
    return out


def farthest_apart(rows: pd.DataFrame, room: float = 0.3) -> dict[str, tuple[str, str]]:
    """Where on a radar a method's name can stand beside its point: method -> (axis, "left" or
    "right"). `room`: what a name needs on the 0..1 scale. Each axis is used once; methods
    without a free place are left out (the legend has them).
    """
    table = rows.pivot_table(index="method", columns="axis", values="shown", sort=False)
    angle = {a.label: 2 * np.pi * i / len(AXES) for i, a in enumerate(AXES)}
    # Names are horizontal, so only axes that run sideways leave them clear of other points.
    sideways = [label for label in table.columns if abs(np.sin(angle[label])) > 0.7]
    places = []
    for method in table.index:
        for axis in sideways:
            own, others = table.loc[method, axis], table[axis].drop(index=method).dropna().to_numpy()
            if np.isnan(own) or (np.abs(others - own) < 0.04).any():
                continue  # a name beside several coinciding points would belong to none
            outward = min((v - own for v in others if v >= own), default=1.02 - own)
            inward = min((own - v for v in others if v <= own), default=own)
            right = np.sin(angle[axis]) > 0
            places += [
                (outward, method, axis, "right" if right else "left"),
                (inward, method, axis, "left" if right else "right"),
            ]
    chosen: dict[str, tuple[str, str]] = {}
    for clear, method, axis, side in sorted(places, key=lambda p: -p[0]):
        if clear >= room and method not in chosen and axis not in [c[0] for c in chosen.values()]:
            chosen[method] = (axis, side)
    return chosen
