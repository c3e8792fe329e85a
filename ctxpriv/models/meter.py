"""Measured generation speed: completion tokens over wall-clock seconds of the calls so far."""

from __future__ import annotations

import threading

from ctxpriv.models.base import LanguageModel, Prompt, Speed

WARM_UP_TOKENS = 48
"""Completion tokens per prompt of a warm-up batch."""


class Meter:
    """Thread-safe totals over `complete` calls of one adapter."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens, self._seconds, self._calls, self._batch = 0, 0.0, 0, 0

    def add(self, *, tokens: int, seconds: float, calls: int, batch: int) -> None:
        """One `complete`: `batch` is how many prompts could run at once."""
        with self._lock:
            self._tokens += tokens
            self._seconds += seconds
            self._calls += calls
            self._batch = max(self._batch, min(batch, calls))

    @property
    def calls(self) -> int:
        return self._calls

    def speed(self, measured_on: str = "") -> Speed:
        """0 tokens per second while nothing was measured."""
        with self._lock:
            rate = self._tokens / self._seconds if self._seconds > 0 else 0.0
            return Speed(rate, self._batch, measured_on or f"{self._calls} calls")


def warm_up(model: LanguageModel, meter: Meter, batch: int) -> Speed:
    """Runs one short batch of `batch` prompts on an unused adapter, which fills its `meter`.

    Raises ModelFailed when the model is gone.
    """
    model.complete(
        [
            Prompt(
                user=f"Write a short story about a walk in a park, number {number}.",
                temperature=0.8,
                max_tokens=WARM_UP_TOKENS,
                seed=number,
                allow_cut=True,
            )
            for number in range(batch)
        ],
        stage="measure speed",
    )
    return meter.speed(f"warm-up of {batch} prompts")
