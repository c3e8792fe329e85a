"""Steps that take longer than a click, run beside the page.

A `Step` is one function in one thread, with counters that the page reads and a token to
stop it. It belongs to the process, not to the browser tab: a reload finds it again. What
the models answered is cached in the workspace, so a step that is stopped or lost with
the server repeats little when it is started again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from ctxpriv.errors import CtxprivError
from ctxpriv.progress import Cancelled, CancelToken
from pages.parts import text
from pages.parts.shell import guard, log
from pages.parts.text import duration, plain


@dataclass
class Step:
    """`state` is running, done, failed or cancelled; `result` is what the function returned."""

    what: str
    cancel: CancelToken = field(default_factory=CancelToken)
    started: float = field(default_factory=time.monotonic)
    stage: str = "starting"
    stage_began: float = field(default_factory=time.monotonic)
    done: int = 0
    total: int = 0
    state: str = "running"
    message: str = ""
    result: Any = None

    def progress(self, stage: str, done: int, total: int) -> None:
        if stage != self.stage:
            self.stage_began = time.monotonic()
        self.stage, self.done, self.total = stage, done, total

    def pace(self) -> float | None:
        """Items a second in this stage; None before the first one is done."""
        passed = time.monotonic() - self.stage_began
        return self.done / passed if self.done and passed > 0 else None

    def run(self, work: Callable[..., Any]) -> None:
        try:
            self.result = work(progress=self.progress, cancel=self.cancel)
            self.state = "done"
        except Cancelled:
            self.state = "cancelled"
        except CtxprivError as error:
            self.message, self.state = str(error), "failed"
        except Exception as error:  # noqa: BLE001 - a thread has nobody above it
            log.error("unforeseen %s while: %s", type(error).__name__, self.what)
            self.message, self.state = f"something unforeseen went wrong ({type(error).__name__}).", "failed"


@st.cache_resource(show_spinner=False)
def _steps() -> dict[tuple[str, str], Step]:
    return {}


def start(key: str, name: str, what: str, work: Callable[..., Any]) -> None:
    """Begin `work(progress=, cancel=)`; nothing happens where the same step already runs."""
    running = _steps().get((key, name))
    if running and running.state == "running":
        return
    step = _steps()[key, name] = Step(what)
    threading.Thread(target=step.run, args=(work,), name=f"step-{name}", daemon=True).start()


def take(key: str, name: str) -> Any | None:
    """Draws the step where it runs or failed; gives its result once, when it is done.

    Why it failed stays to be read until the step is started again or the message is dismissed.
    """
    step = _steps().get((key, name))
    if step is None:
        return None
    if step.state == "running":
        _watch(key, name)
        return None
    if step.state == "failed":
        _failure(key, name, step)
        return None
    del _steps()[key, name]
    if step.state == "cancelled":
        st.info(f"{plain(step.what)} was cancelled. What was answered so far is kept for the next try.")
    return step.result


def _failure(key: str, name: str, step: Step) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    row.error(f"{plain(step.what)} failed: {plain(step.message)}")
    row.button("Dismiss", key=f"dismiss_{name}", on_click=_steps().pop, args=((key, name), None))


def running(key: str, name: str) -> bool:
    step = _steps().get((key, name))
    return step is not None and step.state == "running"


@st.fragment(run_every="1s")
def _watch(key: str, name: str) -> None:
    """One line of progress with Cancel; redraws the whole page once, at the end."""
    with guard():
        step = _steps().get((key, name))
        if step is None or step.state != "running":
            st.rerun()
        pace = step.pace()
        left = (step.total - step.done) / pace if pace and step.total else None
        draw_progress(
            step.what, step.stage, step.done, step.total, time.monotonic() - step.started, left, pace=pace
        )
        if st.button("Cancel", key=f"cancel_step_{name}", disabled=step.cancel.cancelled):
            step.cancel.cancel()


def draw_progress(
    what: str,
    stage: str,
    done: int,
    total: int,
    elapsed: float,
    remaining: float | None = None,
    *,
    whole: bool = False,
    pace: float | None = None,
) -> None:
    """A bar with the stage, the count and the time. `remaining` (seconds) is of the whole job
    when `whole`, else of this stage; `pace` is items a second."""
    share = min(1.0, done / total) if total else 0.0
    left_in = "left" if whole else "left in this stage"
    counted = f" {plain(f'({done:,} of {total:,})')}" if total else ""
    st.progress(share, text=f"{plain(what)}: {plain(stage)}{counted}")
    told = f"{duration(elapsed)} elapsed" + (f", {text.pace(pace)} a second" if pace else "")
    st.caption(f"{told}, about {duration(remaining)} {left_in}" if remaining is not None else told)
