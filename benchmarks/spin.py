"""DP-SPIN: the grid of the paper's Figure 3 on the complaints sample, and a release from a million records.

`python -m benchmarks.spin` prints the grid's means as well; `python -m benchmarks.spin million user` is the
child process whose peak memory is measured.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.spin_assign import assign_records_per_second
from ctxpriv.loaders.samples import load_sample
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.spin.assign.tfidf import TfidfAssigner
from ctxpriv.privatize.spin.atom_phrases import from_phrases
from ctxpriv.privatize.spin.atom_sources import combined, from_taxonomy
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import Contributions, sketch
from ctxpriv.privatize.spin.experiments.grid import FIGURE_3, run_grid
from ctxpriv.privatize.spin.experiments.results import ExperimentResult
from ctxpriv.privatize.spin.measurement import ONE, Measurement, Unit
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, Spin

GRID_TARGET, MILLION_TARGET, MEMORY_TARGET = 60.0, 10.0, 1024.0
ASSIGN_TARGET = 20_000
UNITS: tuple[Unit, ...] = ("record", "user")


def measure() -> Iterator[tuple[str, float | None, str]]:
    """Figures for `make bench`: name, value, remark."""
    result = complaints_grid()
    draws = len(result.some(measure="overlap")) * result.repeats
    yield (
        "spin.grid_seconds",
        result.seconds,
        f"{draws} draws and an assignment per m; target {GRID_TARGET:.0f}",
    )
    told = [_in_a_child(unit) for unit in UNITS]
    peaks = ", ".join(f"{t['unit']} level {t['seconds']:.2f} s and {t['peak_mb']:.0f} MB" for t in told)
    yield (
        "spin.million_seconds",
        max(t["seconds"] for t in told),
        f"{peaks} at most; targets {MILLION_TARGET:.0f} s and {MEMORY_TARGET:.0f} MB",
    )
    yield (
        "spin.assign_records_per_second",
        assign_records_per_second(),
        f"TF-IDF, 200 atoms; target {ASSIGN_TARGET}",
    )


def complaints_grid() -> ExperimentResult:
    """Private records of the complaints sample; atoms from the donated ones: the taxonomy, then phrases."""
    corpus = load_sample("complaints")
    donated = corpus.donated()
    texts = [t for t, split in zip(corpus.texts, corpus.splits, strict=True) if split == "private"]
    most = max(FIGURE_3.m)
    taxonomy = from_taxonomy(donated, ("product", "issue", "sub_issue"), most)
    atoms = combined(taxonomy, from_phrases(donated.texts, most, least_support=1), most)
    measurement = Measurement(atoms, denominator=len(texts), delta=1 / len(texts))

    def assign(some: AtomSet, k: int) -> Contributions:
        return TfidfAssigner.fitted(replace(measurement, atoms=some, k=k), donated.texts).assign(texts)

    return run_grid(FIGURE_3, measurement, assign, noise=OpenDPNoise())


def million(unit: Unit, n: int = 1_000_000, m: int = 100) -> dict[str, float | str]:
    """Aggregates n records of up to 3 atoms (200,000 users) and releases them by all three mechanisms."""
    rng = np.random.default_rng(0)
    atoms = AtomSet(tuple(Atom(f"theme {i}") for i in range(m)))
    bound = 2 if unit == "user" else 1
    measurement = Measurement(atoms, n, 1 / n, unit=unit, bound=bound)
    contributions = Contributions(
        rng.integers(0, m, (n, 3), dtype=np.int32),
        np.full((n, 3), ONE // 3, np.int64),
        rng.integers(0, n // 5, n),
    )
    started = time.perf_counter()
    exact = sketch(contributions, measurement)
    for mechanism in MECHANISMS:
        Spin(1.0, mechanism).release(exact, measurement, OpenDPNoise())
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux counts in KB
    return {"unit": unit, "seconds": seconds, "peak_mb": peak}


def _in_a_child(unit: Unit) -> dict:
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.spin", "million", unit],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return json.loads(ran.stdout.splitlines()[-1])


def main() -> None:
    if sys.argv[1:2] == ["million"]:
        print(json.dumps(million("user" if sys.argv[2] == "user" else "record")))
        return
    result = complaints_grid()
    frame = result.frame()
    for note in result.notes:
        print(note)
    for name in ("overlap", "mass_retained", "loss"):
        part = frame[frame["measure"] == name]
        print(
            name,
            part.pivot_table(index=["mechanism", "m"], columns="epsilon", values="mean").round(3),
            sep="\n",
        )
    print(f"{result.seconds:.1f} s")


if __name__ == "__main__":
    main()
