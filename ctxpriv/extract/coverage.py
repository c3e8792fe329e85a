"""How much of a text its extracted row keeps, judged by a language model (paper App. A.4).

PRIVATE SIDE: the judge reads private text, so the model must run where the text may go; the
scores are computed without noise, so curator-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.evaluate.intervals import interval, record_weights
from ctxpriv.extract.answers import value_of
from ctxpriv.extract.word_count import is_counted
from ctxpriv.models.answer_forms import object_form
from ctxpriv.models.base import LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import reasons_told
from ctxpriv.schema import Schema

LOWEST, HIGHEST = 1, 5
MOST_TEXTS = 100  # the paper's number; more texts narrow the interval and cost a call each
DRAWS = 1000

_FORM = object_form(score={"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))})


@dataclass(frozen=True)
class Coverage:
    """Mean score from 1 (almost nothing kept) to 5 (nearly everything) over n judged texts.

    `low`, `high`: 95 % bootstrap interval over texts, None below two texts. `failures`: how often
    each kind of unusable answer came. `judge` is the identity of the model.
    """

    mean: float
    low: float | None
    high: float | None
    n: int
    failures: Mapping[str, int] = field(default_factory=dict)
    judge: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Coverage:
        return Coverage(**data)


def judge_coverage(
    texts: Sequence[str],
    values: pd.DataFrame,
    schema: Schema,
    judge: LanguageModel,
    *,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Coverage:
    """`values`: one row a text, with the schema's columns.

    One call a text. Raises BadInput with more than 100 texts or none, ModelFailed when not one
    answer was a score.
    """
    if not 1 <= len(texts) <= MOST_TEXTS or len(values) != len(texts):
        raise BadInput(
            f"needs 1 to {MOST_TEXTS} texts with a row each, not {len(texts)} and {len(values)}.",
            where="coverage",
        )
    shown = [a.name for a in schema.attributes if not is_counted(a)]
    prompts = [
        Prompt(
            render("judge_coverage", text=text, row=_row(shown, values.iloc[i])),
            render("judge_coverage_system"),
            _FORM,
            max_tokens=24,
            seed=seed + i,
        )
        for i, text in enumerate(texts)
    ]
    progress("judge coverage", 0, len(prompts))
    answers = judge.complete(prompts, progress=progress, cancel=cancel, stage="judge coverage")
    scores, failures = [], {}
    for answer in answers:
        score = score_of(value_of(answer))
        if score is None:
            why = answer.failure or "no score from 1 to 5"
            failures[why] = failures.get(why, 0) + 1
        else:
            scores.append(score)
    if not scores:
        told = reasons_told(failures)
        raise ModelFailed(f"{judge.identity.name} gave no usable score of coverage: {told}.")
    low, high = _interval(scores, seed)
    return Coverage(float(np.mean(scores)), low, high, len(scores), failures, judge.identity.to_dict())


def score_of(value: Any) -> int | None:
    """A model's JSON value as a score from 1 to 5: {"score": 4}, "4", 4.0; None for anything else."""
    if isinstance(value, Mapping):
        value = value.get("score")
    if isinstance(value, bool):
        return None
    try:
        number = float(str(value).strip())
    except ValueError:
        return None
    return int(number) if number in range(LOWEST, HIGHEST + 1) else None


def _row(names: Sequence[str], row: pd.Series) -> str:
    return "\n".join(f"- {name}: {row[name]}" for name in names)


def _interval(scores: Sequence[int], seed: int) -> tuple[float | None, float | None]:
    if len(scores) < 2:
        return None, None
    weights = record_weights(len(scores), DRAWS, np.random.default_rng(seed))
    draws = weights @ np.asarray(scores, float) / len(scores)
    return interval(float(np.mean(scores)), draws, LOWEST, HIGHEST)
