"""Many prompts to one HTTP server: bounded concurrency, immediate cancel, ordered answers.

The requests run on an event loop in a thread of their own (so that this works inside a
notebook, too); answers are handed over on the calling thread as they finish.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from ctxpriv.models.base import Answer, Prompt
from ctxpriv.progress import CancelToken, Progress

Ask = Callable[[Prompt], Awaitable[Answer]]
POLL_SECONDS = 0.05


def ignore(index: int, answer: Answer) -> None:
    """An `on_answer` that keeps nothing."""


def answer_all(
    open_session: Callable[[], AbstractAsyncContextManager[Ask]],
    prompts: Sequence[Prompt],
    on_answer: Callable[[int, Answer], None],
    *,
    parallel: int,
    progress: Progress,
    cancel: CancelToken,
    stage: str,
) -> list[Answer]:
    """One answer per prompt, in order, at most `parallel` at once.

    Raises Cancelled, or what an `Ask` raised (ModelFailed: the server is gone), after every
    answer that had finished was given to `on_answer`.
    """
    finished: queue.SimpleQueue[tuple[int, Answer]] = queue.SimpleQueue()
    answers: list[Answer | None] = [None] * len(prompts)
    done = 0

    def hand_over(wait: float) -> bool:
        nonlocal done
        try:
            index, answer = finished.get(timeout=wait) if wait else finished.get_nowait()
        except queue.Empty:
            return False
        answers[index] = answer
        done += 1
        on_answer(index, answer)
        progress(stage, done, len(prompts))
        return True

    async def work() -> None:
        async with open_session() as ask:
            await _share_out(ask, prompts, parallel, finished)

    cancel.check()
    progress(stage, 0, len(prompts))
    try:
        run_cancellable(work, cancel, lambda: hand_over(POLL_SECONDS))
    finally:
        while hand_over(0):
            pass
    return [answer for answer in answers if answer is not None]


async def _share_out(
    ask: Ask, prompts: Sequence[Prompt], parallel: int, finished: queue.SimpleQueue[tuple[int, Answer]]
) -> None:
    waiting = iter(enumerate(prompts))

    async def worker() -> None:
        for index, prompt in waiting:
            finished.put((index, await ask(prompt)))

    workers = [asyncio.create_task(worker()) for _ in range(min(parallel, len(prompts)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


def run_cancellable(
    work: Callable[[], Coroutine[Any, Any, Any]], cancel: CancelToken, tick: Callable[[], object]
) -> Any:
    """Runs `work()` on a loop in its own thread; calls `tick` here until it ends.

    `tick` should wait briefly. Raises Cancelled at once when cancelled (open requests are
    closed), else whatever `work` or `tick` raised; no request outlives this call.
    """
    loop = asyncio.new_event_loop()
    outcome: dict[str, Any] = {}
    task = loop.create_task(work())

    def run() -> None:
        try:
            outcome["value"] = loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # handed to the calling thread below
            outcome["error"] = error
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())

    thread = threading.Thread(target=run, name="model-requests", daemon=True)
    thread.start()
    try:
        while thread.is_alive() and not cancel.cancelled:
            tick()
    finally:
        if thread.is_alive():
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        loop.close()
    if "error" in outcome:
        raise outcome["error"]
    if "value" not in outcome:
        cancel.check()
    return outcome.get("value")
