"""How long one Conditional AIM fit takes at the paper's defaults (ε = 1, δ = 1/n, ρ_AIM = 0.1 ρ).

On the synthetic Reddit table (525 records, 11 attributes) where `../shared/data` has it. For
timing, attributes with many values are cut into five groups of neighbouring values; which
values share a group does not matter for the time. The peer is timed in the same run.
"""

from __future__ import annotations

import math
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxpriv.privacy.accounting import RHO_AIM_UNLIMITED, rho_from
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.sdg.aim import AIMConfig, fit

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT.parent / "shared" / "data" / "reddit_synthetic.jsonl"
PEER_PYTHON = "SMARTNOISE_PYTHON"
"""Environment variable: a Python that has smartnoise-synth (it does not install beside mbi 2)."""

NAMES = (
    "age",
    "sex",
    "city_country",
    "birth_city_country",
    "income",
    "income_level",
    "relationship_status",
    "education",
    "occupation",
    "topic",
    "word_count",
)
AGE_STARTS = (25, 35, 45, 55)
MANY_VALUES = ("city_country", "birth_city_country", "income", "education", "occupation")
AUDIENCES = {
    "ml_vendor": ("age", "city_country", "birth_city_country", "income", "relationship_status"),
    "advertiser": tuple(n for n in NAMES if n not in ("topic", "word_count")),
    "maple": NAMES,
}


def fit_seconds(
    codes: NDArray[np.int64],
    sizes: Sequence[int],
    private: Sequence[int],
    epsilon: float = 1.0,
    config: AIMConfig = AIMConfig(),
) -> dict[str, float]:
    """Seconds of one fit and one draw of as many rows, with the phases of the fit."""
    rho = 0.1 * rho_from(epsilon, 1 / len(codes)) if math.isfinite(epsilon) else RHO_AIM_UNLIMITED
    names = [f"a{i}" for i in range(len(sizes))]
    started = time.perf_counter()
    fitted = fit(codes, sizes, names, private, rho, config, noise=OpenDPNoise())
    done = time.perf_counter()
    fitted.sample() if fitted.public else fitted.sample(n_rows=len(codes))
    sampled = time.perf_counter()
    return {
        "fit": done - started,
        "sample": sampled - done,
        "rounds": float(len(fitted.rounds)),
        **fitted.seconds,
    }


def measure() -> Iterator[tuple[str, float | None, str]]:
    """Figures for `make bench`: name, value (None when not measurable), remark."""
    if not TABLE.exists():
        for name in (*AUDIENCES, "vs_smartnoise"):
            yield (
                f"aim.{name}" + ("_seconds" if name in AUDIENCES else ""),
                None,
                "the Reddit table is not here",
            )
        return
    codes, sizes = reddit_codes(TABLE)
    seconds = {}
    for audience, private in AUDIENCES.items():
        took = fit_seconds(codes, sizes, [NAMES.index(n) for n in private])
        seconds[audience] = took["fit"]
        phases = ", ".join(f"{k} {v:.2f}" for k, v in took.items() if k != "fit")
        yield f"aim.{audience}_seconds", took["fit"], f"{len(private)} private attributes; {phases}"
    peer, remark = _peer_seconds(codes)
    yield "aim.vs_smartnoise", None if peer is None else peer / seconds["maple"], remark


def reddit_codes(path: Path) -> tuple[NDArray[np.int64], list[int]]:
    """(525, 11) codes and domain sizes, coarsened for timing."""
    table = pd.read_json(path, lines=True)
    columns = [_codes(table, name) for name in NAMES]
    return np.stack(columns, axis=1), [int(c.max()) + 1 for c in columns]


def _codes(table: pd.DataFrame, name: str) -> NDArray[np.int64]:
    if name == "word_count":
        words = table["text"].str.split().str.len().to_numpy()
        return np.searchsorted(np.quantile(words, [0.2, 0.4, 0.6, 0.8]), words).astype(np.int64)
    if name == "age":
        return np.searchsorted(AGE_STARTS, table["age"].astype(int).to_numpy(), side="right").astype(np.int64)
    values, code = np.unique(table[name].astype(str).to_numpy(object), return_inverse=True)
    return (code * 5 // len(values) if name in MANY_VALUES else code).astype(np.int64)


def _peer_seconds(codes: NDArray[np.int64]) -> tuple[float | None, str]:
    python = os.environ.get(PEER_PYTHON)
    if not python:
        return None, f"peer not measured: {PEER_PYTHON} names no Python that has smartnoise-synth"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codes.npz"
        np.savez(path, codes=codes, names=np.array(NAMES))
        ran = subprocess.run(
            [python, str(Path(__file__).with_name("peer_smartnoise.py")), str(path)],
            capture_output=True,
            text=True,
            timeout=1800,
        )
    if ran.returncode:
        return None, "peer failed: " + (ran.stderr.strip().splitlines() or ["no message"])[-1][:80]
    seconds = float(ran.stdout.split()[-1])
    return seconds, f"smartnoise-synth's AIM took {seconds:.0f} s on the same table (all private)"
