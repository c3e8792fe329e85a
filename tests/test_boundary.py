"""The trust boundary, and the line between library and app, proved from the imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

RELEASE_SIDE_PACKAGES = ("ctxpriv.models", "ctxpriv.privacy")

RELEASE_SIDE_MODULES = (
    "ctxpriv.insights.bundle",
    "ctxpriv.insights.first_columns",
    "ctxpriv.release_files",
    "ctxpriv.privatize.spin.sensitivity",
    "ctxpriv.privatize.spin.statement",
    "ctxpriv.schema",
    "ctxpriv.context",
    "ctxpriv.examples",
    "ctxpriv.roles",
    "ctxpriv.schema_proposal",
    "ctxpriv.extract.dp_schema_finish",
    "ctxpriv.extract.dp_schema_plan",
    "ctxpriv.privatize.plan",
    "ctxpriv.privatize.release",
    "ctxpriv.privatize.sdg.aim_fit",
    "ctxpriv.privatize.sdg.conditional_model",
    "ctxpriv.privatize.sdg.estimator",
    "ctxpriv.privatize.sdg.sampler",
    "ctxpriv.privatize.sdg.rows",
    "ctxpriv.privatize.sdg.evolution",
    "ctxpriv.privatize.sdg.write_local",
    "ctxpriv.privatize.sdg.write_by_model",
    "ctxpriv.privatize.spin.atom_files",
    "ctxpriv.privatize.spin.atom_phrases",
    "ctxpriv.privatize.spin.atom_sources",
    "ctxpriv.privatize.spin.atoms",
    "ctxpriv.privatize.spin.atoms_by_model",
    "ctxpriv.privatize.spin.baselines.atom_relevance",
    "ctxpriv.privatize.spin.baselines.cluster_text",
    "ctxpriv.privatize.spin.compare_plans",
    "ctxpriv.privatize.spin.decode_by_model",
    "ctxpriv.privatize.spin.decoder",
    "ctxpriv.privatize.spin.expectation",
    "ctxpriv.privatize.spin.measurement",
    "ctxpriv.privatize.spin.noise_bounds",
    "ctxpriv.privatize.spin.semantic_plan",
    "ctxpriv.privatize.spin.summary",
    "ctxpriv.privatize.spin.template",
    "ctxpriv.privatize.spin.verbalise",
    "ctxpriv.privatize.spin.verifier.check",
    "ctxpriv.privatize.spin.words",
    "ctxpriv.release_bundle",
)


def modules() -> dict[str, Path]:
    out = {}
    for path in (ROOT / "ctxpriv").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        out[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return out


def imports_of(name: str, known: dict[str, Path]) -> set[str]:
    """The ctxpriv modules that `name` imports anywhere in its text, lazily or not, with
    the packages that Python runs on the way."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(known[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level > 0:
            raise AssertionError(f"{name} uses a relative import, which this test does not follow")
    parents = {".".join(f.split(".")[:i]) for f in found for i in range(1, len(f.split(".")))}
    return {m for m in found | parents if m in known and m != "ctxpriv"}


def reachable(name: str, known: dict[str, Path]) -> dict[str, str]:
    """Every module reached from `name`, with the module that imports it."""
    via, todo = {name: ""}, [name]
    while todo:
        here = todo.pop()
        for there in imports_of(here, known):
            if there not in via:
                via[there] = here
                todo.append(there)
    return via


def release_side() -> list[str]:
    inside = [m for m in modules() if m.startswith(tuple(p + "." for p in RELEASE_SIDE_PACKAGES))]
    return [*RELEASE_SIDE_MODULES, *inside]


@pytest.mark.parametrize("name", release_side())
def test_release_side_cannot_reach_a_corpus(name: str) -> None:
    via = reachable(name, modules())
    path, here = [], "ctxpriv.corpus"
    while here and here in via:
        path.append(here)
        here = via[here]
    assert "ctxpriv.corpus" not in via, " <- ".join(path)


def test_the_walk_finds_a_reach_when_there_is_one() -> None:
    assert "ctxpriv.corpus" in reachable("ctxpriv.runner", modules())


def test_ctxpriv_imports_with_streamlit_blocked() -> None:
    code = """
import importlib, pkgutil, sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "streamlit":
            raise ImportError("streamlit is blocked: " + name)
sys.meta_path.insert(0, Block())
import ctxpriv
for module in pkgutil.walk_packages(ctxpriv.__path__, "ctxpriv."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print("imported")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip().endswith("imported")
