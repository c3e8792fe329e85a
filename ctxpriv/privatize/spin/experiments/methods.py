"""Every method at every ε by repeated draws: DP-SPIN beside its baselines (DP-SPIN §6, Table 3).

PRIVATE SIDE, curator-only: see `results`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin.contributions import sketch
from ctxpriv.privatize.spin.experiments.grid import of_choices
from ctxpriv.privatize.spin.experiments.results import ALL_ADMITTED, ExperimentResult
from ctxpriv.privatize.spin.insight import InsightMethod, Protected, Task
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles


def run_methods(
    methods: Sequence[InsightMethod],
    protected: Protected,
    measurement: Measurement,
    donated: DonatedExamples,
    roles: Roles,
    *,
    repeats: int = 20,
    noise: Noise,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> ExperimentResult:
    """Overlap@L, MassRetained and Loss_L of the atoms that each draw stands for, mean and interval.

    Draw i of a method has the seed `seed` + i, so public choices vary with the noise. Raises BadInput
    without a method, and as their `charges` and `draw` do, and Cancelled.
    """
    if not methods or repeats < 1:
        raise BadInput("draws nothing.", where="experiment methods", fix="Name a method and a repeat.")
    started = time.perf_counter()
    exact = sketch(protected.contributions, measurement)
    rows: list[dict[str, Any]] = []
    for done, method in enumerate(methods):
        method.charges(measurement)
        chosen = []
        for i in range(repeats):
            cancel.check()
            progress("draws", done * repeats + i, len(methods) * repeats)
            task = Task(protected, measurement, donated, roles, noise, seed + i, cancel=cancel)
            chosen.append(method.draw(task).atoms)
        where = {"method": method.title, "epsilon": getattr(method, "epsilon", None)}
        rows += [{**where, **row} for row in of_choices(chosen, exact, measurement.size)]
    progress("draws", len(methods) * repeats, len(methods) * repeats)
    told = {"measurement": measurement.to_dict(), "noise": noise.name}
    seconds = time.perf_counter() - started
    notes = (ALL_ADMITTED,) if measurement.size == len(measurement.atoms) else ()
    return ExperimentResult("methods", "", tuple(rows), repeats, seconds, told, notes)
