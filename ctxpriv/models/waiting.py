"""How long to wait for a model server, and how often to try again."""

from __future__ import annotations

from collections.abc import Iterator

import httpx

BUSY = frozenset({429, 503})
"""HTTP statuses that mean: the queue is full, ask again later."""

DELAYS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Seconds between tries of one request; their number bounds the tries."""

CONNECT_SECONDS = 5.0


def backoff() -> Iterator[float]:
    """The waits after each failed try, in seconds."""
    return iter(DELAYS)


def connect_timeouts(read_seconds: float) -> httpx.Timeout:
    """Finite time-outs for httpx: quick to connect, patient while a model loads."""
    return httpx.Timeout(read_seconds, connect=CONNECT_SECONDS, pool=None)
