"""How a rewriting run gets on: records a minute, safe share so far, minutes left."""

from __future__ import annotations

import math
import time

from ctxpriv.privatize.anon.episode import Episode
from ctxpriv.progress import Progress

STAGE = "rewrite records"


class Pace:
    """Reports to `progress` after every record; counts only, never text."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._total, self._progress = total, progress
        self._found = self._done = self._safe = 0
        self._started = time.monotonic()

    def found(self, episode: Episode) -> None:
        """A record that an earlier go finished."""
        self._found += 1
        self._safe += episode.safe

    def begin(self) -> None:
        self._started = time.monotonic()
        self._progress(STAGE, self._found, self._total)

    def answers(self, stage: str, done: int, total: int) -> None:
        """Answers of the present batch: what moves while no record of a wave is finished yet."""
        told = self._told() if self._done else STAGE
        self._progress(
            f"{told} ({done} of {total} answers of this step)", self._found + self._done, self._total
        )

    def done(self, episode: Episode) -> None:
        self._done += 1
        self._safe += episode.safe
        self._progress(self._told(), self._found + self._done, self._total)

    def _told(self) -> str:
        minutes = (time.monotonic() - self._started) / 60
        ready = self._found + self._done
        told = f"{STAGE}: {self._safe / ready:.0%} safe so far"
        if minutes <= 0:
            return told
        pace = self._done / minutes
        left = math.ceil((self._total - ready) / pace)
        return (
            f"{told}, {pace:.0f} a minute, about {left} min left" if left else f"{told}, {pace:.0f} a minute"
        )
