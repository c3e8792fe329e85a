"""The folder in which one run is worked on: who holds it, what it was asked, how it ended, its checkpoints.

PRIVATE SIDE (curator-only).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ctxpriv.errors import CtxprivError
from ctxpriv.failures import message_of, understood
from ctxpriv.files import WorkspaceFailed, make_folder, read_json, write_json
from ctxpriv.progress import Cancelled

STATUSES = ("running", "done", "failed", "cancelled", "interrupted")


@dataclass(frozen=True)
class WorkFolder:
    """`run.json` holds what the run was asked, with its status, and `checkpoints/` what it finished."""

    path: Path

    @property
    def exists(self) -> bool:
        return (self.path / "run.json").exists()

    def lock(self) -> FileLock:
        """Held while the run is worked on. Fails at once when another process holds it."""
        make_folder(self.path)
        return FileLock(str(self.path / "run.lock"), timeout=0)

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lock; raises CtxprivError when another process works on the run."""
        lock = self.lock()
        try:
            lock.acquire()
        except Timeout:
            raise CtxprivError(
                "Another ctxpriv process is working on this run. Wait for it, then run again."
            ) from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def recorded(self, meta: Mapping[str, Any]) -> Iterator[None]:
        """Writes down that the work inside runs, and then whether it is done, was cancelled, or failed and
        why. Errors go on."""
        self.begin(meta)
        try:
            yield
        except Cancelled:
            self.end("cancelled")
            raise
        except Exception as error:
            # On a full disk there is no writing it down.
            if not isinstance(understood(error, self.path), WorkspaceFailed):
                self.end("failed", message_of(error))
            raise
        self.end("done")

    def begin(self, meta: Mapping[str, Any]) -> None:
        started = self.meta().get("started", now()) if self.exists else now()
        write_json(self.path / "run.json", {**meta, "started": started, "status": "running", "message": ""})

    def end(self, status: str, message: str = "") -> None:
        write_json(
            self.path / "run.json", {**self.meta(), "status": status, "message": message, "ended": now()}
        )

    def meta(self) -> dict[str, Any]:
        return read_json(self.path / "run.json")

    @property
    def status(self) -> str:
        """One of `STATUSES`; what says that it runs and is held by nobody was interrupted."""
        status = self.meta()["status"]
        return "interrupted" if status == "running" and not self._is_locked() else status

    def checkpoint(self, files: Path | None = None) -> FolderCheckpoint:
        return FolderCheckpoint(self.path / "checkpoints", files)

    def _is_locked(self) -> bool:
        try:
            with self.lock():
                return False
        except Timeout:
            return True


class FolderCheckpoint:
    """Keeps finished stages as files (`privatize.release.Checkpoint`)."""

    def __init__(self, folder: Path, files: Path | None = None) -> None:
        self._folder, self._files = folder, files or folder

    def load(self, stage: str) -> Any | None:
        path = self._path(stage)
        return read_json(path)["value"] if path.exists() else None

    def save(self, stage: str, value: Any) -> None:
        write_json(self._path(stage), {"stage": stage, "value": value})

    def file(self, name: str) -> Path:
        return self._files / name

    def _path(self, stage: str) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", stage.lower()).strip("-")
        return self._folder / f"{slug}-{digest_of(stage)[:6]}.json"


def now() -> str:
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def digest_of(value: Any) -> str:
    """SHA-256 of a JSON-able value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
