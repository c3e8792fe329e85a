"""Insights on the command line: what a plan file tells beforehand, writes, and says when something fails."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from ctxpriv import cli
from ctxpriv.models.base import Answer, ModelIdentity
from ctxpriv.privatize.spin.template import TemplateDecoder
from ctxpriv.roles import Roles

THEMES = ("late fee", "rude staff", "lost card")


class SameVectorEmbedderDouble:
    identity = ModelIdentity("local", "same vector double")
    dimension = 2

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))


@pytest.fixture
def cast(monkeypatch):
    """Puts doubles on stage; roles by name."""

    def put(**roles) -> None:
        told = Roles(SameVectorEmbedderDouble(), None, decoder=TemplateDecoder(), **roles)
        for module in ("runner", "planning"):
            monkeypatch.setattr(f"ctxpriv.insights.{module}.study_roles", lambda choice, workspace: told)

    return put


@pytest.fixture
def plan(tmp_path: Path):
    """Writes a plan of sixty notes; keywords replace its keys."""
    rows = [
        {"text": f"SECRET{i}: a {THEMES[i % 3]} again and again.", "theme": THEMES[i % 3]} for i in range(60)
    ]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))

    def write(**changes) -> list[str]:
        data = {
            "kind": "insights",
            "corpus": {
                "path": "notes.jsonl",
                "columns": {"text": "text", "attributes": ["theme"]},
                "schema": {"attributes": [{"name": "theme", "values": list(THEMES)}]},
                "word_count": False,
            },
            "atoms": {"list": [*THEMES, "never heard of"]},
            "measure": {"size": 2, "denominator": 40, "delta": 1e-3},
            "audiences": [{"name": "A", "approved_by": {"name": "R", "date": "2026-11-30"}}],
            "methods": ["DP-SPIN", "Non-private top-L"],
            **changes,
        }
        (tmp_path / "plan.yaml").write_text(yaml.safe_dump(data))
        return [str(tmp_path / "plan.yaml"), "--workspace", str(tmp_path / "ws")]

    return write


def run(asked: list[str], tmp_path: Path, *more: str) -> int:
    return cli.main(["run", *asked, "--out", str(tmp_path / "out"), "--quiet", *more])


def test_a_plan_is_priced_before_anything_is_drawn_and_then_run(plan, cast, tmp_path, capsys) -> None:
    cast()
    asked = plan(experiments=[{"experiment": "m", "values": [3, 50], "repeats": 2}])
    assert cli.main(["plan", *asked]) == 0
    told = capsys.readouterr().out
    assert "DP-SPIN, Laplace, A" in told and "epsilon 1, delta 0, rho 0.5" in told
    assert "expected: Overlap@L" in told and "for the curator alone" in told
    assert "1 private runs, 0 of them drawn already; 1 references" in told

    assert run(asked, tmp_path, "--bundles") == 0
    shown = capsys.readouterr()
    assert "mass_retained" in shown.out and "figures in" in shown.out
    assert "Note: experiment m: m = 50 asks for more than the 4 atoms there are." in shown.err
    out = tmp_path / "out"
    data = json.loads((out / "insights.json").read_text("utf-8"))
    assert data["curator_only"] is True and data["kind"] == "insights" and not data["failures"]
    assert [r["title"] for r in data["runs"]] == ["DP-SPIN, Laplace", "Non-private top-L"]
    assert (out / "experiments" / "m.csv").exists() and len(list(out.glob("bundles/A/*.zip"))) == 1
    everything = "".join(
        p.read_text("utf-8") for p in out.rglob("*") if p.suffix in (".json", ".txt", ".csv")
    )
    assert "SECRET" not in everything + shown.out + shown.err
    cli.main(["plan", *asked])
    assert "DP-SPIN, Laplace, A  (drawn, would be reused)" in capsys.readouterr().out


def test_what_failed_and_what_counts_for_nothing_is_told(plan, cast, scripted, tmp_path, capsys) -> None:
    def reply(prompt):
        return Answer(failure="cut off") if "SECRET3:" in prompt.user else {"topics": []}

    cast(mapper=scripted(reply))
    asked = plan(
        measure={"size": 2, "denominator": 40, "delta": 1e-3, "assign": "model"},
        methods=["DP-SPIN", {"method": "DP category histogram", "column": "no such"}],
    )
    assert run(asked, tmp_path) == 1
    told = capsys.readouterr().err
    assert "Failed: DP category histogram, no such at epsilon 1, A: " in told
    assert "Note: A: records that count for nothing, as the mapper gave no usable answer: cut off (1)" in told


def test_labels_that_quote_records_are_refused_without_the_words(plan, cast, tmp_path, capsys) -> None:
    cast()
    quoting = [
        {"label": f"fees {i}", "description": f"SECRET{i}: a {THEMES[i % 3]} again and again"}
        for i in range(60)
    ]
    assert run(plan(atoms={"list": quoting}), tmp_path) == 2
    shown = capsys.readouterr()
    assert "in a protected record" in shown.err and "SECRET" not in shown.out + shown.err
    assert not list((tmp_path / "ws").glob("insights/*"))
