"""Several roles ask their models at once: prompts for one model go into one batch.

A role's step is an `Asking` (see `rewriting_roles`): a generator that yields (model, prompts) and is
sent the answers. `together` runs any number of them side by side until all have returned.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxpriv.models.base import Answer, LanguageModel, Prompt
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.rewriting_roles import Asking


@dataclass
class Meter:
    """What the models took of a run: seconds inside `complete`, calls, answers from the cache, tokens."""

    model_seconds: float = 0.0
    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: dict[str, int] = field(default_factory=dict)

    def note(self, answers: Sequence[Answer], seconds: float) -> None:
        self.model_seconds += seconds
        self.calls += len(answers)
        for answer in answers:
            self.cached += answer.cached
            self.prompt_tokens += answer.prompt_tokens
            self.completion_tokens += answer.completion_tokens
            if answer.failure:
                self.failures[answer.failure] = self.failures.get(answer.failure, 0) + 1


@dataclass
class _Waiting:
    place: int
    asking: Asking[Any]
    model: LanguageModel
    prompts: list[Prompt]


def together(
    *askings: Asking[Any],
    cancel: CancelToken = NEVER,
    meter: Meter | None = None,
    progress: Progress = silent,
    stage: str = "model calls",
) -> list[Any]:
    """What each asking returns, in order.

    Prompts that wait at the same time for the same model object are one `complete` call, which
    reports to `progress`. Raises
    whatever an asking or a model raises: Cancelled, ModelFailed.
    """
    cancel.check()
    results: list[Any] = [None] * len(askings)
    waiting = [w for i, asking in enumerate(askings) if (w := _step(i, asking, None, results))]
    while waiting:
        cancel.check()
        answers = _answer(waiting, cancel, meter, progress, stage)
        waiting = [
            w
            for old, got in zip(waiting, answers, strict=True)
            if (w := _step(old.place, old.asking, got, results))
        ]
    cancel.check()  # local counterparts never ask, and take their time as well
    return results


def _step(
    place: int, asking: Asking[Any], answers: list[Answer] | None, results: list[Any]
) -> _Waiting | None:
    try:
        model, prompts = next(asking) if answers is None else asking.send(answers)
    except StopIteration as end:
        results[place] = end.value
        return None
    return _Waiting(place, asking, model, list(prompts))


def _answer(
    waiting: Sequence[_Waiting], cancel: CancelToken, meter: Meter | None, progress: Progress, stage: str
) -> list[list[Answer]]:
    by_model: dict[int, list[int]] = {}
    for i, w in enumerate(waiting):
        by_model.setdefault(id(w.model), []).append(i)
    out: list[list[Answer]] = [[] for _ in waiting]
    for members in by_model.values():
        prompts = [p for i in members for p in waiting[i].prompts]
        started = time.perf_counter()
        model = waiting[members[0]].model
        answers = model.complete(prompts, progress=progress, cancel=cancel, stage=stage) if prompts else []
        if meter is not None:
            meter.note(answers, time.perf_counter() - started)
        at = 0
        for i in members:
            out[i] = answers[at : at + len(waiting[i].prompts)]
            at += len(waiting[i].prompts)
    return out
