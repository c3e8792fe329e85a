"""What a headless run leaves of rewritten releases (of synthetic ones: see test_cli)."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.context import Approval, Partition
from ctxpriv.evaluate.attacks.attack import Attack
from ctxpriv.evaluate.report import METRICS, Metric, Report
from ctxpriv.outputs import run_name, survivors_sentence, write_outputs
from ctxpriv.privacy.guarantee import empirical
from ctxpriv.privatize.release import Release
from ctxpriv.run_store import RunFolder
from ctxpriv.workspace import Workspace

PARTITION = Partition("ML vendor", ("topic",), ("town",), Approval("A. Reviewer", "2026-11-30"))


def result(method: str, survivors: int = 0) -> RunResult:
    rows = {"town": {"accuracy": 0.4, "majority": 0.3, "unprotected": 0.9, "n": 3, "unknown": 0}}
    figures = (Metric(0.4), Metric(0.3), Metric(0.1), Metric(0.9), Metric.not_computed("none was useful"))
    attack = Attack("classifier", {"name": "double"}, *figures, n=3, per_attribute=rows)
    standing = [[i, "town"] for i in range(survivors)]
    rewriting = {
        "safe": Metric(1.0, n=3),
        "survivors": Metric(survivors / 3, n=3, detail={"records": survivors, "rows": standing}),
    }
    metrics = {name: Metric(0.5, 0.4, 0.6, 3) for name in METRICS}
    report = Report(method, "ML vendor", None, metrics, attacks=(attack,), rewriting=rewriting)
    return RunResult("ML vendor", {"n_released": 3}, report, method)


@pytest.fixture
def written(tmp_path) -> Path:
    workspace = Workspace(tmp_path / "workspace")
    runs = (result("ANON-CI"), result("RUPTA", survivors=2))
    for run in runs:
        records = pd.DataFrame({"text": ["Somewhere far away."] * 3, "topic": ["work"] * 3})
        release = Release(run.method, "ML vendor", PARTITION, {}, empirical(run.method), records, 3)
        RunFolder(workspace.run_folder(run.run_id)).save_release(release)
    write_outputs(Comparison({}, {"ML vendor": PARTITION}, runs), workspace, tmp_path / "out")
    return tmp_path / "out"


def test_tables_of_attacks_and_rewriting_and_charts_that_open_offline(written):
    attacks = pd.read_csv(written / "attacks.csv")
    assert attacks["attribute"].tolist() == ["mean", "town"] * 2
    assert attacks["unprotected"].tolist() == [0.9] * 4
    assert pd.read_csv(written / "rewriting.csv")["figure"].tolist() == ["safe", "survivors"] * 2
    charts = {p.name for p in (written / "charts").iterdir()}
    assert charts == {"radar-ML-vendor-rewritten.html", "attacks-ML-vendor-classifier.html"}
    for name in charts:
        assert 'src="http' not in (written / "charts" / name).read_text("utf-8")


def test_files_have_no_epsilon_in_their_names(written):
    assert {p.name for p in (written / "releases/ML-vendor").iterdir()} == {"ANON-CI.jsonl", "RUPTA.jsonl"}
    assert run_name(result("1-2-3 Check")) == "1-2-3-Check"


def test_the_file_holds_attacks(written):
    runs = json.loads((written / "comparison.json").read_text("utf-8"))["audiences"]["ML vendor"]["runs"]
    assert runs[0]["attacks"][0]["per_attribute"]["town"]["majority"] == 0.3
    assert runs[1]["rewriting"]["survivors"]["detail"]["records"] == 2


def test_values_that_survive_are_told_beside_the_texts(written):
    readme = (written / "README.md").read_text("utf-8")
    assert "releases/ML-vendor/ANON-CI.jsonl | may be exported |" in readme
    assert "RUPTA.jsonl | may be exported, but look at it first. In 2 released texts of 3" in readme


def test_survivors_in_words():
    assert survivors_sentence(result("ANON-CI")) == ""
    one = "In 1 released text of 3 a private value stands word for word: town (1)."
    assert survivors_sentence(result("ANON-CI", 1)) == one
