"""Files that survive a kill at any moment: written beside, flushed, then renamed.

Everything is private to the user who runs ctxpriv (folders 0700, files 0600), because a
workspace holds the private corpus.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ctxpriv.errors import CtxprivError


class WorkspaceFailed(CtxprivError):
    """A folder cannot be read or written, or a file in it is damaged."""


class DiskFull(WorkspaceFailed):
    """There is no room left. What was written before is intact."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns an OSError about `path` into a message: full disk, read-only, no permission."""
    try:
        yield
    except OSError as error:
        raise explain(error, path) from error


@contextmanager
def locked(path: Path, busy: str) -> Iterator[None]:
    """Holds the lock file `path`, between threads and processes. Raises WorkspaceFailed with the
    words `busy` when another has held it for half a minute."""
    lock = FileLock(str(path), timeout=30)
    with explained(path):
        make_folder(path.parent)
        try:
            lock.acquire()
        except Timeout:
            raise WorkspaceFailed(f"{busy} Close it and try again.") from None
    try:
        yield
    finally:
        lock.release()


def explain(error: OSError, path: Path) -> WorkspaceFailed:
    """The message for an OSError met while using `path`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{path}: the disk is full. Free some space and run again; finished work is kept.")
    if error.errno == errno.EROFS:
        return WorkspaceFailed(f"{path}: the folder is read-only. Choose a workspace that can be written.")
    if error.errno in (errno.EACCES, errno.EPERM):
        return WorkspaceFailed(f"{path}: no permission. Change the permissions or choose another workspace.")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return WorkspaceFailed(f"{path}: a file is where a folder must be. Choose another workspace.")
    return WorkspaceFailed(f"{path}: {error.strerror or type(error).__name__}.")


def make_folder(path: Path) -> Path:
    """`path` as a folder that only its owner can open; parents are made alike."""
    with explained(path):
        for folder in reversed([path, *path.parents]):
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "not a folder")
    return path


def write_bytes(path: Path, data: bytes) -> None:
    """Replace `path` in one step. Raises DiskFull or WorkspaceFailed; the old file then stays."""
    make_folder(path.parent)
    with explained(path):
        # mkstemp makes the file 0600; the rename keeps that.
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise


def append_line(path: Path, line: bytes) -> None:
    """Adds `line`, which holds no newline, to the end of `path` for good, or raises OSError and leaves
    the file as it was. What a kill cut in half before stays apart on its own line."""
    # Unbuffered: a buffer would try to write the rest again before the file can be cut back.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        data = line + b"\n"
        if size:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                data = b"\n" + data
        try:
            while data:
                data = data[file.write(data) :]
            os.fsync(handle)
        except OSError:
            file.truncate(size)
            raise


def write_text(path: Path, text: str) -> None:
    """In UTF-8; half a character, which a model's cut answer may hold and no file can, becomes "?"."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def read_text(path: Path) -> str:
    """The text of `path`. Raises WorkspaceFailed when it is missing, unreadable or not UTF-8."""
    with explained(path):
        data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise damaged(path) from None


def read_json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError:
        raise damaged(path) from None


def damaged(path: Path) -> WorkspaceFailed:
    return WorkspaceFailed(
        f"{path}: the file is damaged and cannot be read. Restore it from a backup, or delete it "
        "to lose only what it held."
    )


def place_folder(finished: Path, at: Path) -> None:
    """Move the completely written folder `finished` to `at`, replacing what is there."""
    with explained(at):
        for path in finished.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        if at.exists():
            remove_folder(at)
        os.replace(finished, at)


def remove_folder(path: Path) -> None:
    """Delete a folder; a kill half-way leaves a hidden remainder, never half a folder."""
    with explained(path):
        if not path.exists():
            return
        grave = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
        os.replace(path, grave / path.name)
        shutil.rmtree(grave)
