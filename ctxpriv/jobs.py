"""Studies in the background: a thread each, one at a time, watched and stopped by id.

Everything a job finishes is in the workspace at once, so a job that is cancelled or whose
process dies loses at most the stage it was in, and resuming it repeats nothing.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from ctxpriv.errors import BadInput, CtxprivError
from ctxpriv.failures import failures_told, where_it_broke
from ctxpriv.files import make_folder, read_json, write_json
from ctxpriv.kinds.kind import AnyStudy, Finished, run_any, study_from_dict
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.runner import RUNS
from ctxpriv.work_folder import now
from ctxpriv.workspace import Workspace

STATES = ("queued", "running", "done", "failed", "cancelled", "interrupted")
LIVE = ("queued", "running")
WRITE_EVERY = 1.0  # seconds between status files while nothing but progress changes


@dataclass(frozen=True)
class JobStatus:
    """What a page or a person needs to know of a job. `stage_total` is 0 while unknown;
    `remaining_s` is None until a run has finished to judge by. Holds no record text."""

    job_id: str
    state: str  # one of STATES
    stage: str = ""
    stage_done: int = 0
    stage_total: int = 0
    runs_done: int = 0
    runs_total: int = 0
    started: str = ""  # ISO time
    elapsed_s: float = 0.0
    remaining_s: float | None = None
    message: str = ""
    study: str = ""  # its name
    corpus_key: str = ""
    kind: str = "comparison"  # of the study

    @property
    def live(self) -> bool:
        return self.state in LIVE


class JobRegistry:
    """All jobs of one workspace, those of this process and those on disk."""

    def __init__(self, workspace: Workspace, run: Callable = run_any) -> None:
        self._workspace = workspace
        self._run = run
        self._folder = make_folder(workspace.root / "jobs")
        self._live: dict[str, _LiveJob] = {}
        self._line: list[str] = []  # job ids; the first one runs
        self._turn = threading.Condition()

    def start(self, study: AnyStudy, key: str) -> str:
        """Runs `study` on the corpus `key` of the workspace; returns the job's id at once."""
        job_id = f"{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:4]}"
        study = study.on_workspace_corpus(key)
        write_json(self._folder / job_id / "study.json", {"key": key, "study": study.to_dict()})
        self._launch(job_id, study, key)
        return job_id

    def resume(self, job_id: str) -> str:
        """Goes on with an interrupted, cancelled or failed job; finished runs are reused.

        Raises BadInput when it is running, or running in another process.
        """
        if self.status(job_id).live:
            raise BadInput("the job is running already.", where=f"job {job_id}")
        stored = read_json(self._path(job_id) / "study.json")
        self._launch(job_id, study_from_dict(stored["study"]), stored["key"])
        return job_id

    def cancel(self, job_id: str) -> None:
        """Asks the job to stop; what it finished stays. Not running: marks it cancelled."""
        if job_id in self._live and self._live[job_id].thread.is_alive():
            self._live[job_id].token.cancel()
            with self._turn:
                self._turn.notify_all()
            return
        status = self.status(job_id)
        if status.state == "interrupted":
            write_json(self._path(job_id) / "status.json", asdict(replace(status, state="cancelled")))

    def status(self, job_id: str) -> JobStatus:
        """Raises BadInput for an unknown id."""
        if job_id in self._live:
            return self._live[job_id].now()
        path = self._path(job_id) / "status.json"
        stored = JobStatus(**read_json(path)) if path.exists() else JobStatus(job_id, "interrupted")
        if stored.live and not self._held_elsewhere(job_id):
            return replace(
                stored,
                state="interrupted",
                remaining_s=None,
                message="The program that ran it has ended. Resume goes on where it stopped.",
            )
        return stored

    def jobs(self) -> list[JobStatus]:
        """Newest first."""
        found = [p.name for p in self._folder.iterdir() if (p / "study.json").exists()]
        return [self.status(job_id) for job_id in sorted(found, reverse=True)]

    def wait(self, job_id: str, timeout: float | None = None) -> JobStatus:
        """Blocks until the job has ended in this process (notebooks, tests)."""
        if job_id in self._live:
            self._live[job_id].thread.join(timeout)
        return self.status(job_id)

    def _launch(self, job_id: str, study: AnyStudy, key: str) -> None:
        job = _LiveJob(job_id, study, key, self._path(job_id))
        job.thread = threading.Thread(
            target=self._work, args=(job,), name=f"ctxpriv job {job_id}", daemon=True
        )
        with self._turn:
            self._live[job_id] = job
            self._line.append(job_id)
        job.show(state="queued")
        job.thread.start()

    def _work(self, job: _LiveJob) -> None:
        lock = FileLock(str(job.folder / "job.lock"), timeout=0)
        try:
            with lock:
                self._await_turn(job)
                job.begin()
                job.finish(self._run(job.study, self._workspace, progress=job.progress, cancel=job.token))
        except Timeout:
            job.show(state="failed", message="Another ctxpriv process is running this job.")
        except Cancelled:
            job.show(
                state="cancelled", message="Cancelled. Finished runs are kept; Resume goes on from here."
            )
        except CtxprivError as error:
            job.show(state="failed", message=str(error))
        except Exception as error:  # the thread's last resort: a job must never vanish without a word
            job.show(state="failed", message=where_it_broke(error))
        finally:
            with self._turn:
                self._line.remove(job.job_id)
                self._turn.notify_all()

    def _await_turn(self, job: _LiveJob) -> None:
        with self._turn:
            while self._line[0] != job.job_id:
                job.token.check()
                self._turn.wait()
        job.token.check()

    def _held_elsewhere(self, job_id: str) -> bool:
        try:
            with FileLock(str(self._path(job_id) / "job.lock"), timeout=0):
                return False
        except Timeout:
            return True

    def _path(self, job_id: str) -> Path:
        path = self._folder / job_id
        if "/" in job_id or "\\" in job_id or not (path / "study.json").exists():
            raise BadInput(f"there is no job {job_id!r}.", where="jobs")
        return path


class _LiveJob:
    """A job with a thread in this process: its newest status, in memory and on disk."""

    thread: threading.Thread

    def __init__(self, job_id: str, study: AnyStudy, key: str, folder: Path) -> None:
        self.job_id, self.study, self.folder, self.token = job_id, study, folder, CancelToken()
        self._status = JobStatus(
            job_id, "queued", started=now(), study=study.name, corpus_key=key, kind=study.kind
        )
        self._lock = threading.Lock()
        self._began: float | None = None
        self._run_began = 0.0
        self._run_seconds: list[float] = []  # of runs that were really run, not reused
        self._written = 0.0

    def begin(self) -> None:
        self._began = self._run_began = time.monotonic()
        self.show(state="running", started=now(), message="")

    def finish(self, finished: Finished) -> None:
        """Done, with the failures told; failed when nothing came out at all."""
        state = "done" if finished.runs else "failed"
        self.show(
            state=state,
            stage="",
            stage_done=0,
            stage_total=0,
            runs_done=self._status.runs_total,
            message=failures_told(finished),
        )

    def progress(self, stage: str, done: int, total: int) -> None:
        if stage == RUNS:
            clock = time.monotonic()
            if done > self._status.runs_done and clock - self._run_began > 0.5:
                self._run_seconds.append(clock - self._run_began)
            self._run_began = clock
            self.show(runs_done=done, runs_total=total)
        else:
            self.show(
                write=time.monotonic() - self._written > WRITE_EVERY,
                stage=stage,
                stage_done=done,
                stage_total=total,
            )

    def now(self) -> JobStatus:
        """The status with the clock read now."""
        with self._lock:
            status = self._status
        if self._began is None or not status.live:
            return status
        clock = time.monotonic()
        return replace(status, elapsed_s=clock - self._began, remaining_s=self._remaining(status, clock))

    def _remaining(self, status: JobStatus, clock: float) -> float | None:
        if not self._run_seconds or not status.runs_total:
            return None
        mean = sum(self._run_seconds) / len(self._run_seconds)
        later = max(0, status.runs_total - status.runs_done - 1) * mean
        return later + max(0.0, mean - (clock - self._run_began))

    def show(self, *, write: bool = True, **changes: object) -> None:
        status = replace(self.now(), **changes)
        if not status.live:
            status = replace(status, remaining_s=None)
        with self._lock:
            self._status = status
        if write:
            self._written = time.monotonic()
            self._keep(status)

    def _keep(self, status: JobStatus) -> None:
        try:
            write_json(self.folder / "status.json", asdict(status))
        except CtxprivError:
            # A full disk must not hide its own message: the status in memory still shows it, and
            # the file on disk then reads as interrupted, which can be resumed.
            if status.live:
                raise
