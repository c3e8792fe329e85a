"""Background jobs: progress, one at a time, cancel, and resumption by another registry."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxpriv.comparison import Comparison, RunFailure, RunResult
from ctxpriv.context import Approval, Audience, Partition
from ctxpriv.corpus_source import WorkspaceCorpus
from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.evaluate.report import METRICS, Metric, Report
from ctxpriv.jobs import JobRegistry
from ctxpriv.privatize.sdg.methods import SDGCI
from ctxpriv.runner import RUNS
from ctxpriv.study import Study, StudyAudience
from ctxpriv.workspace import Workspace

PARTITION = Partition("Vendor", ("topic",), ("age",), Approval("R. Viewer", "2026-11-29", "Made up."))
STUDY = Study(
    "Test", WorkspaceCorpus("k"), (StudyAudience(Audience("Vendor", "r", "p"), PARTITION),), (SDGCI(),)
)
REPORT = Report("SDG-CI", "Vendor", 1.0, {m: Metric.not_computed("test") for m in METRICS})
FINE = Comparison({}, {"Vendor": PARTITION}, (RunResult("Vendor", {}, REPORT),))


class RunDouble:
    """Plays `run_study`: reports `runs` runs, waits at the gate before each, then ends."""

    def __init__(self, runs: int = 3, result: Comparison = FINE, error: Exception | None = None) -> None:
        self.runs, self.result, self.error = runs, result, error
        self.gate, self.reached = threading.Semaphore(0), threading.Semaphore(0)
        self.studies: list[Study] = []

    def __call__(self, study: Study, workspace: Workspace, *, progress: Callable, cancel) -> Comparison:
        self.studies.append(study)
        for done in range(self.runs):
            progress(RUNS, done, self.runs)
            progress("write texts", done, 10)
            self.reached.release()
            assert self.gate.acquire(timeout=20)
            cancel.check()
        if self.error:
            raise self.error
        progress(RUNS, self.runs, self.runs)
        return self.result

    def let(self, n: int = 1) -> None:
        for _ in range(n):
            self.gate.release()

    def await_run(self) -> None:
        assert self.reached.acquire(timeout=20)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def test_a_job_reports_runs_and_stage_and_ends_done(workspace: Workspace) -> None:
    run = RunDouble()
    jobs = JobRegistry(workspace, run)
    job = jobs.start(STUDY, "key-1")
    run.await_run()
    run.let()
    run.await_run()
    status = jobs.status(job)
    assert (status.state, status.runs_done, status.runs_total) == ("running", 1, 3)
    assert (status.stage, status.stage_done, status.stage_total) == ("write texts", 1, 10)
    assert (status.study, status.corpus_key) == ("Test", "key-1") and status.elapsed_s >= 0
    run.let(2)
    status = jobs.wait(job, 20)
    assert (status.state, status.runs_done, status.message) == ("done", 3, "")
    assert run.studies[0].corpus == WorkspaceCorpus("key-1")
    # Another registry, as after a restart, reads the same from disk.
    assert JobRegistry(workspace, run).status(job).state == "done"


def test_remaining_time_comes_from_finished_work(workspace: Workspace, monkeypatch) -> None:
    clock = {"now": 100.0}
    monkeypatch.setattr("ctxpriv.jobs.time.monotonic", lambda: clock["now"])
    run = RunDouble(runs=3)
    jobs = JobRegistry(workspace, run)
    job = jobs.start(STUDY, "k")
    run.await_run()
    assert jobs.status(job).remaining_s is None
    clock["now"] += 60
    run.let()
    run.await_run()
    clock["now"] += 15
    status = jobs.status(job)
    assert status.elapsed_s == 75 and status.remaining_s == 45 + 60
    run.let(2)
    assert jobs.wait(job, 20).remaining_s is None


def test_one_job_at_a_time_in_the_order_of_their_start(workspace: Workspace) -> None:
    run = RunDouble(runs=1)
    jobs = JobRegistry(workspace, run)
    first = jobs.start(STUDY, "k1")
    run.await_run()
    second, third = jobs.start(STUDY, "k2"), jobs.start(STUDY, "k3")
    assert [jobs.status(j).state for j in (first, second, third)] == ["running", "queued", "queued"]
    jobs.cancel(second)
    assert jobs.wait(second, 20).state == "cancelled"
    run.let(2)
    assert jobs.wait(third, 20).state == "done" and jobs.status(first).state == "done"
    assert [s.corpus.key for s in run.studies] == ["k1", "k3"]


def test_cancel_is_not_failure_and_can_be_resumed(workspace: Workspace) -> None:
    run = RunDouble(runs=2)
    jobs = JobRegistry(workspace, run)
    job = jobs.start(STUDY, "k")
    run.await_run()
    jobs.cancel(job)
    run.let()
    status = jobs.wait(job, 20)
    assert status.state == "cancelled" and "kept" in status.message
    jobs.resume(job)
    run.await_run()
    with pytest.raises(BadInput, match="running already"):
        jobs.resume(job)
    run.let(2)
    assert jobs.wait(job, 20).state == "done"
    assert run.studies[0] == run.studies[1]


def test_a_job_whose_process_died_is_interrupted_and_resumed_by_another(workspace: Workspace) -> None:
    """A dead process: its status file says running, nobody holds its lock."""
    run = RunDouble(runs=2)
    before = JobRegistry(workspace, run)
    job = before.start(STUDY, "k")
    run.await_run()
    path = workspace.root / "jobs" / job / "status.json"
    frozen = path.read_text("utf-8")
    assert JobRegistry(workspace, run).status(job).state == "running"  # held by the other one
    run.let(2)
    before.wait(job, 20)
    path.write_text(frozen, "utf-8")

    after = JobRegistry(workspace, run)
    (status,) = after.jobs()
    assert status.state == "interrupted" and "Resume" in status.message and status.runs_total == 2
    after.resume(job)
    run.let(2)
    assert after.wait(job, 20).state == "done"


def test_an_interrupted_job_can_be_given_up(workspace: Workspace) -> None:
    run = RunDouble(runs=1)
    jobs = JobRegistry(workspace, run)
    job = jobs.start(STUDY, "k")
    run.let()
    jobs.wait(job, 20)
    path = workspace.root / "jobs" / job / "status.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "state": "running"}), "utf-8")
    after = JobRegistry(workspace, run)
    after.cancel(job)
    assert after.status(job).state == "cancelled"


@pytest.mark.parametrize(
    "error, told",
    [
        (ModelFailed("The model server is gone."), "The model server is gone."),
        (ValueError("SECRET record text"), "Internal error: ValueError in test_jobs.py"),
    ],
)
def test_errors_become_messages_without_record_text(
    workspace: Workspace, error: Exception, told: str
) -> None:
    run = RunDouble(runs=1, error=error)
    jobs = JobRegistry(workspace, run)
    job = jobs.start(STUDY, "k")
    run.let()
    status = jobs.wait(job, 20)
    assert status.state == "failed" and told in status.message and "SECRET" not in status.message
    assert JobRegistry(workspace, run).status(job).message == status.message


@pytest.mark.parametrize("kept, state", [(FINE.runs, "done"), ((), "failed")])
def test_failed_runs_are_told(workspace: Workspace, kept: tuple, state: str) -> None:
    failure = RunFailure("Vendor", "MAPLE", 1.0, "Something went wrong.")
    run = RunDouble(runs=1, result=Comparison({}, {"Vendor": PARTITION}, kept, (failure,)))
    jobs = JobRegistry(workspace, run)
    job = jobs.start(STUDY, "k")
    run.let()
    status = jobs.wait(job, 20)
    assert status.state == state
    assert status.message.startswith("1 of ") and "MAPLE for Vendor: Something went wrong." in status.message


def test_unknown_jobs_are_messages(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="no job"):
        JobRegistry(workspace, RunDouble()).status("../corpora")
