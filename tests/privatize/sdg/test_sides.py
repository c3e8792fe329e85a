"""The tabular half of SDG: what sees only released objects cannot reach private values or draw noise."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
RELEASE_SIDE = [
    "workload",
    "public_rows",
    "measured",
    "junction",
    "calibration",
    "queries",
    "estimator",
    "conditional_model",
    "sampler",
    "aim_fit",
]


def _imports(module: str) -> set[str]:
    tree = ast.parse((ROOT / (module.replace(".", "/") + ".py")).read_text("utf-8"))
    found = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
    return {m for m in found if m.startswith("ctxpriv")}


@pytest.mark.parametrize("name", RELEASE_SIDE)
def test_release_side_reaches_neither_private_values_nor_noise(name):
    seen, todo = set(), [f"ctxpriv.privatize.sdg.{name}"]
    while todo:
        here = todo.pop()
        seen.add(here)
        todo += _imports(here) - seen
    assert not seen & {
        "ctxpriv.privatize.sdg.private_table",
        "ctxpriv.privatize.sdg.aim",
        "ctxpriv.privacy.noise",
        "ctxpriv.corpus",
    }


def test_only_the_private_table_draws_noise():
    """`aim.fit` hands the noise on; the calls that draw are in one file."""
    calls = ("gaussian", "laplace", "noisy_max")
    for path in (ROOT / "ctxpriv/privatize/sdg").glob("*.py"):
        if path.stem not in (*RELEASE_SIDE, "aim"):
            continue
        used = {
            n.func.attr
            for n in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
        }
        assert not used & set(calls), path.stem
