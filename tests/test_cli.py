"""The command line: exit codes, messages without tracebacks, and what it writes."""

from __future__ import annotations

import hashlib
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml

from ctxpriv import cli
from ctxpriv.context import Judgement
from ctxpriv.errors import ModelFailed
from ctxpriv.models.base import ModelIdentity
from ctxpriv.roles import Roles, Written

ROOT = Path(__file__).resolve().parents[1]


class HashEmbedderDouble:
    identity = ModelIdentity("local", "hash embedder double")
    dimension = 8

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        seeds = [int.from_bytes(hashlib.sha256(t.encode()).digest()[:4]) for t in texts]
        vectors = np.stack([np.random.default_rng(s).normal(size=8) for s in seeds]).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class GeneratorDouble:
    """Numbered texts; `before` runs before each call and may raise."""

    identity = ModelIdentity("local", "generator double")

    def __init__(self, before=lambda call: None) -> None:
        self.before, self.calls = before, 0

    def _call(self, n: int) -> Written:
        self.before(self.calls)
        self.calls += 1
        return Written(tuple(f"made {self.calls} {i}" for i in range(n)))

    def write(self, rows, donated, *, seed, progress=None, cancel=None) -> Written:
        return self._call(len(rows))

    def vary(
        self, texts: Sequence[str], rows, donated, *, variations, seed, progress=None, cancel=None
    ) -> Written:
        return self._call(len(texts) * variations)

    def tokens_per_text(self, mean_words: float) -> tuple[int, int]:
        return 0, 0

    def calls_per_second(self) -> float:
        return 100.0


class ClassifierDouble:
    identity = ModelIdentity("local", "classifier double")

    def classify(self, schema, context, *, samples=3, progress=None, cancel=None) -> tuple[Judgement, ...]:
        return tuple(
            Judgement(n, "private" if n == "age" else "public", "because", 1.0, samples) for n in schema.names
        )


def double_models(monkeypatch, before=lambda call: None) -> None:
    roles = Roles(HashEmbedderDouble(), GeneratorDouble(before), None, ClassifierDouble())
    monkeypatch.setattr("ctxpriv.runner.study_roles", lambda choice, workspace: roles)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    rows = [
        {
            "text": f"SECRET{i} words here",
            "topic": "ab"[rng.integers(2)],
            "age": ["young", "old"][rng.integers(2)],
        }
        for i in range(60)
    ]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    data = {
        "corpus": {
            "path": "notes.jsonl",
            "columns": {"text": "text", "label": "topic", "attributes": ["topic", "age"]},
            "schema": {
                "attributes": [
                    {"name": "topic", "values": ["a", "b"]},
                    {"name": "age", "values": ["young", "old"]},
                ]
            },
            "word_count": False,
        },
        "audiences": [
            {
                "name": "ML vendor",
                "recipient": "a vendor",
                "purpose": "training",
                "public": ["topic"],
                "private": ["age"],
                "approved_by": {"name": "R. Viewer", "date": "2026-11-29"},
            },
            {"name": "Anyone", "recipient": "anyone", "purpose": "reading", "classify": True},
        ],
        "methods": [{"method": "SDG-CI", "evolution_rounds": 1}, {"method": "MAPLE", "evolution_rounds": 0}],
        "epsilon": [1, "inf"],
        "n_synthetic": 25,
        "evaluation": {"bootstrap": 10, "refits": 5, "mauve_resamples": 1},
    }
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


def command(plan: Path, *more: str) -> list[str]:
    out, workspace = plan.parent / "out", plan.parent / "ws"
    return ["run", str(plan), "--out", str(out), "--workspace", str(workspace), "--quiet", *more]


def test_a_run_writes_comparison_releases_table_and_charts(plan: Path, monkeypatch, capsys) -> None:
    double_models(monkeypatch)
    assert cli.main(command(plan)) == 0
    out = plan.parent / "out"
    data = json.loads((out / "comparison.json").read_text("utf-8"))
    assert data["curator_only"] is True and list(data["audiences"]) == ["ML vendor", "Anyone"]
    vendor = data["audiences"]["ML vendor"]
    assert vendor["partition"] == {"public": ["topic"], "private": ["age"]}
    assert [(r["method"], r["epsilon"]) for r in vendor["runs"]] == [
        ("SDG-CI", 1.0),
        ("SDG-CI", "inf"),
        ("MAPLE", 1.0),
        ("MAPLE", "inf"),
    ]
    for key in ("delta", "rho", "seed_free", "n_private", "n_released", "seconds", "model"):
        assert key in vendor["runs"][0]
    assert set(vendor["runs"][0]["metrics"]) == {
        "mauve",
        "kl",
        "tv",
        "jsd",
        "accuracy",
        "demographic_gap",
        "leak",
    }
    assert {p.relative_to(out / "releases").as_posix() for p in out.glob("releases/*/*")} == {
        f"{a}/{m}-eps{e}.jsonl"
        for a in ("ML-vendor", "Anyone")
        for m in ("SDG-CI", "MAPLE")
        for e in ("1", "inf")
    }
    lines = (out / "releases/ML-vendor/SDG-CI-eps1.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 25 and set(json.loads(lines[0])) == {"text", "topic", "age"}
    assert (out / "table.csv").read_text().startswith("audience,method,epsilon,metric,value")
    assert "plotly" in (out / "charts/radar-ML-vendor-eps1.html").read_text("utf-8")
    readme = (out / "README.md").read_text("utf-8")
    assert "curator" in readme and "releases/ML-vendor/SDG-CI-eps1.jsonl | may be exported" in readme
    assert "ε is infinite" in readme and "nobody has approved" in readme
    assert "SDG-CI" in capsys.readouterr().out
    everything = "".join(p.read_text("utf-8") for p in out.rglob("*") if p.is_file() and p.suffix != ".html")
    assert "SECRET" not in everything


def test_bundles_are_made_of_what_may_be_exported_only(plan: Path, monkeypatch) -> None:
    double_models(monkeypatch)
    assert cli.main(command(plan, "--bundles")) == 0
    made = {
        p.relative_to(plan.parent / "out/bundles").as_posix() for p in plan.parent.glob("out/bundles/*/*")
    }
    assert made == {"ML-vendor/SDG-CI-eps1.zip", "ML-vendor/MAPLE-eps1.zip"}


def test_files_of_names_that_look_alike_are_told_apart(plan: Path, monkeypatch) -> None:
    """Else one audience's release would overwrite another's and be handed to it."""
    double_models(monkeypatch)
    data = yaml.safe_load(plan.read_text())
    first = data["audiences"][0]
    names = ["A/B", "A B", "a-b", "x" * 300, "x" * 299 + "y", "../..", "\u202eevil\u0007"]
    data["audiences"] = [{**first, "name": n} for n in names]
    data["methods"] = [
        {"method": "SDG-CI", "evolution_rounds": 0},
        {"method": "SDG-CI", "evolution_rounds": 0, "n_synthetic": 26},
    ]
    data["epsilon"] = [1.0000001, 1.0000002]
    plan.write_text(yaml.safe_dump(data))
    assert cli.main(command(plan, "--bundles")) == 0
    out = plan.parent / "out"
    runs = len(names) * 4
    assert len(list(out.glob("releases/*/*.jsonl"))) == len(list(out.glob("bundles/*/*.zip"))) == runs
    assert len({p.parent.name.casefold() for p in out.glob("releases/*/*.jsonl")}) == len(names)
    assert len(list(out.glob("charts/*.html"))) == len(names) * 2


def test_plan_says_what_would_happen_and_does_nothing(plan: Path, monkeypatch, capsys) -> None:
    double_models(monkeypatch, before=lambda call: pytest.fail("the generator was called"))
    assert cli.main(["plan", str(plan), "--workspace", str(plan.parent / "ws")]) == 0
    told = capsys.readouterr().out
    assert "SDG-CI, ε = 1, ML vendor" in told and "sigma" in told and "6 runs, 0 of them finished" in told
    assert not (plan.parent / "ws" / "ledger.jsonl").exists()


def test_the_ledger_is_shown(plan: Path, monkeypatch, capsys) -> None:
    double_models(monkeypatch)
    show = ["ledger", "--workspace", str(plan.parent / "ws")]
    assert cli.main(show) == 0
    assert "Nothing has been spent" in capsys.readouterr().out
    cli.main(command(plan, "--bundles"))
    capsys.readouterr()
    assert cli.main(show) == 0
    told = capsys.readouterr().out
    assert told.startswith("notes (") and "ML vendor: epsilon 1" in told and "in 2 runs" in told


def test_a_failed_run_is_exit_code_1_and_the_rest_is_written(plan: Path, monkeypatch, capsys) -> None:
    def before(call: int) -> None:
        if call >= 3:
            raise ModelFailed("The model server is gone.")

    double_models(monkeypatch, before)
    assert cli.main(command(plan)) == 1
    data = json.loads((plan.parent / "out/comparison.json").read_text("utf-8"))
    assert len(data["audiences"]["ML vendor"]["runs"]) == 1 and data["audiences"]["Anyone"]["failures"]
    assert "The model server is gone." in capsys.readouterr().err
    double_models(monkeypatch)
    assert cli.main(command(plan)) == 0


@pytest.mark.parametrize(
    "change, told",
    [
        (lambda d: d.update(epsilons=1), "unknown key 'epsilons'. Did you mean 'epsilon'?"),
        (lambda d: d["corpus"].update(path="gone.jsonl"), "gone.jsonl: does not exist"),
        (lambda d: d["audiences"][0].update(private=[]), "says nothing about ['age']"),
        (lambda d: d["audiences"][0].update(private=["age", "height"]), "names ['height']"),
        (lambda d: d.update(epsilon=1e9), "epsilon is 1e+09, outside"),
        (lambda d: d.update(epsilon=1e-300), "epsilon is 1e-300, outside"),
        (lambda d: d["methods"][0].update(aim=3), "SDG-CI, aim: is not a set of settings"),
        (lambda d: d["methods"][0].update(aim={"alpha": "x"}), "alpha: is not a number above 0 and below 1"),
        # A price that is no exact fraction would overspend by a rounding error, after paying.
        (lambda d: d["methods"][0].update(aim={"rounds_per_attribute": 1.5}), "is not a whole number"),
        (lambda d: d["methods"][0].update(aim={"max_order": True}), "max_order: is not a whole number"),
        # Infinity and NaN would make comparison.json no JSON.
        (lambda d: d["methods"][0].update(aim={"max_model_mb": math.inf}), "max_model_mb: is not a number"),
        (
            lambda d: d["methods"][0].update(aim={"rare_threshold": math.nan}),
            "rare_threshold: is not a number",
        ),
        (
            lambda d: d["methods"][0].update(aim={"estimation": {"tolerance": "a"}}),
            "tolerance: is not a number",
        ),
        (lambda d: d["corpus"].update(splits={"seed": -1}), "corpus.splits.seed: is not a whole number"),
        (lambda d: d["corpus"].update(splits={"seed": 1.5}), "corpus.splits.seed: is not a whole number"),
        (
            lambda d: d["corpus"].update(splits={"private": math.nan}),
            "corpus.splits.private: is not a number",
        ),
        (lambda d: d["evaluation"].update(bootstrap=10.5), "evaluation.bootstrap: is not a whole number"),
        (lambda d: d["evaluation"].update(seed=-5), "evaluation.seed: is not a whole number"),
        (lambda d: d["evaluation"].update(groups="ab"), "groups must name two different values"),
        (lambda d: d["evaluation"].update(group_attribute=["a"]), "group_attribute: is a list, not text"),
        (lambda d: d["audiences"][0]["approved_by"].update(name=" "), "an approval needs the name"),
        (lambda d: d["corpus"]["schema"]["attributes"][0].update(values="ab"), "values: is text, not a list"),
        (lambda d: d["corpus"]["schema"]["attributes"][1].update(values=[True]), "values[0]: is yes or no"),
        (
            lambda d: d["corpus"]["schema"].update(
                coarsenings=[{"attribute": "age", "buckets": ["x"], "mapping": ["young"]}]
            ),
            "coarsenings[0].mapping: is not a set",
        ),
        (
            lambda d: d["corpus"]["schema"].update(
                coarsenings=[{"attribute": "age", "buckets": list("abcdef"), "mapping": {}}]
            ),
            "has 6 buckets; at most 5",
        ),
    ],
)
def test_bad_input_is_exit_code_2_and_a_message(plan: Path, monkeypatch, capsys, change, told: str) -> None:
    double_models(monkeypatch)
    data = yaml.safe_load(plan.read_text())
    change(data)
    plan.write_text(yaml.safe_dump(data))
    assert cli.main(command(plan)) == 2
    err = capsys.readouterr().err
    assert told in err and "Traceback" not in err
    assert not (plan.parent / "out").exists()


@pytest.mark.parametrize(
    "text, told",
    [
        ("epsilon: 1\nepsilon: 2\n", "line 2: is not valid YAML (the key 'epsilon' is given twice)"),
        ("a: \x07", "is not valid YAML"),
        ("[" * 3000, "is not valid YAML"),
        ("- 1", "is a list, not a set"),
        ("corpus: !!python/object/apply:os.system ['true']", "is not valid YAML"),
    ],
)
def test_a_plan_that_is_no_plan(plan: Path, capsys, text: str, told: str) -> None:
    plan.write_text(text)
    assert cli.main(command(plan)) == 2
    assert told in capsys.readouterr().err


def test_an_output_folder_that_is_a_file_is_told_before_anything_is_paid(
    plan: Path, monkeypatch, capsys
) -> None:
    double_models(monkeypatch)
    (plan.parent / "out").write_text("mine")
    assert cli.main(command(plan)) == 2
    assert "Name a folder for --out" in capsys.readouterr().err
    assert not (plan.parent / "ws").exists() and (plan.parent / "out").read_text() == "mine"


def test_a_partition_for_which_privacy_has_nothing_to_do_is_told(plan: Path, monkeypatch, capsys) -> None:
    double_models(monkeypatch)
    data = yaml.safe_load(plan.read_text())
    data["audiences"] = [{**data["audiences"][0], "public": ["topic", "age"], "private": []}]
    data["methods"], data["epsilon"] = data["methods"][:1], 1
    plan.write_text(yaml.safe_dump(data))
    assert cli.main(command(plan)) == 0
    assert "Nothing is private for ML vendor" in capsys.readouterr().err


def test_an_unforeseen_error_shows_no_text_unless_asked(plan: Path, monkeypatch, capsys) -> None:
    def broken(*args, **kwargs):
        raise RuntimeError("SECRET7")

    monkeypatch.setattr("ctxpriv.runner.study_roles", broken)
    assert cli.main(command(plan)) == 1
    err = capsys.readouterr().err
    assert "RuntimeError in test_cli.py" in err and "SECRET7" not in err
    with pytest.raises(RuntimeError):
        cli.main(command(plan, "--debug"))


def test_interrupt_keeps_what_is_finished(plan: Path, monkeypatch, capsys) -> None:
    def before(call: int) -> None:
        if call == 2:  # in the second run
            os.kill(os.getpid(), signal.SIGINT)

    double_models(monkeypatch, before)
    assert cli.main(command(plan)) == 130
    err = capsys.readouterr().err
    assert "Stopping after this step" in err and "same command goes on from here" in err
    from ctxpriv.workspace import Workspace

    workspace = Workspace(plan.parent / "ws")
    assert [r.status for r in workspace.runs(workspace.corpora()[0].key)] == ["done", "cancelled"]
    double_models(monkeypatch)
    assert cli.main(command(plan)) == 0


def test_no_command_and_help_do_not_fail_with_a_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ctxpriv"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and "usage" in done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "ctxpriv", "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "doctor" in done.stdout


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    """`ctxpriv ledger | head`: the pipe is closed before everything is written."""
    read, write = os.pipe()
    os.close(read)
    command_ = [sys.executable, "-u", "-m", "ctxpriv", "ledger", "--workspace", str(tmp_path)]
    done = subprocess.run(command_, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
