"""Progress and cancellation: the two things every long step accepts.

Both are plain values passed as keyword arguments, so that the app, the command
line, notebooks and tests use one way to watch and to stop a run.
"""

from __future__ import annotations

import threading
from typing import Protocol


class Cancelled(Exception):
    """The user asked to stop. Finished work is kept; this is not a failure."""


class Progress(Protocol):
    """Called as `progress(stage, done, total)`; `total` is 0 while unknown.

    `stage` is a short phrase ("measure marginals"), perhaps with counts, never record text.
    """

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def silent(stage: str, done: int, total: int) -> None:
    """A `Progress` that shows nothing."""


class CancelToken:
    """Shared between the one who may cancel and the step that must stop."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raises Cancelled once `cancel` was called."""
        if self._event.is_set():
            raise Cancelled("cancelled by the user; finished work is kept")


NEVER = CancelToken()
"""A token nobody cancels: the default of every `cancel=` argument."""
