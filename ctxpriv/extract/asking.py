"""Asking a language model for features: all at once, or names first and then values.

Shared by the constructions of App. A. What may be shown is decided by the caller: the
questions hold a description, a workload and whatever `shown` says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.extract.answers import value_of
from ctxpriv.extract.features import MAX_VALUES, attributes_from, features_in
from ctxpriv.extract.menu import catalogue, menu_prompt, most_chosen, needs_menu
from ctxpriv.models.answer_forms import Form, list_form, object_form, text_form
from ctxpriv.models.base import LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Attribute

ASKED_VALUES = 15  # what a question for one attribute's values asks for: longer lists ramble
MOST_ATTRIBUTES = 40  # of one proposal: a person has to look through them
VALUE_LENGTH = 60  # characters
MENU_QUESTIONS, MENU_CHOICES = 10, 5
NAME_TOKENS, FEATURE_TOKENS = 140, 320  # of an answer, per feature: with two sentences; and with ~50 values


@dataclass(frozen=True)
class Task:
    """What to ask for: `k` features (at least `at_least`), with at most `max_values` values each
    where all is asked at once. `whole` names the prompt file for that, `shown` is the text of
    examples in it."""

    whole: str
    description: str
    workload: str
    shown: str
    k: int
    at_least: int
    max_values: int = MAX_VALUES
    provenance: str = "prompted"
    seed: int = 0
    texts: tuple[str, ...] = ()  # those in `shown`, for questions on one text

    def common(self) -> dict[str, Any]:
        return {
            "description": self.description,
            "workload": self.workload,
            "examples": self.shown,
            "how_many": f"exactly {self.k}" if self.at_least == self.k else f"up to {self.k}",
        }


def require_described(description: str, workload: str) -> None:
    """Raises BadInput unless both say something."""
    if not description.strip() or not workload.strip():
        raise BadInput(
            "needs a description of the texts and a workload.",
            where="schema proposal",
            fix="Say what the texts are and what the table is for.",
        )


def ask_features(
    model: LanguageModel,
    task: Task,
    stepwise: bool | None,
    guided: bool | None,
    progress: Progress,
    cancel: CancelToken,
) -> tuple[list[Attribute], list[str]]:
    """At least one attribute, and a sentence per problem.

    `stepwise` asks for names first and then for the values of each name: more calls, each
    a smaller task. None means: at once, and stepwise where that gives nothing usable.
    `guided` lets the model only choose from the public list of `menu`, whatever `stepwise` says;
    None means: for the embedded stand-in. Raises ModelFailed when no usable feature came back.
    """
    problems: list[str] = []
    ways = {None: (_at_once, _stepwise), True: (_stepwise,), False: (_at_once,)}[stepwise]
    for ask in (_from_menu,) if guided or (guided is None and needs_menu(model.identity)) else ways:
        answer, said = ask(model, task, progress, cancel)
        # `Not stated` is added by rule and was not asked for.
        limit = min(task.max_values + 1, MAX_VALUES)
        found, more = attributes_from(answer, task.k, task.provenance, limit)
        problems += [*said, *more]
        if found:
            return found, problems
    raise ModelFailed(f"{model.identity.name} proposed no usable feature. " + " ".join(problems))


def answer_tokens(model: LanguageModel, task: Task) -> int:
    """The longest answer that either way of asking leaves room for: at most half of the context."""
    return min(FEATURE_TOKENS * task.k, model.context_tokens // 2)


def _at_once(
    model: LanguageModel, task: Task, progress: Progress, cancel: CancelToken
) -> tuple[Any, list[str]]:
    feature = object_form(
        name=text_form(60),
        description=text_form(300),
        values=list_form(text_form(VALUE_LENGTH), 1, task.max_values),
        rationale=text_form(300),
    )
    prompt = Prompt(
        render(task.whole, max_values=task.max_values, **task.common()),
        schema=_features(feature, task),
        max_tokens=answer_tokens(model, task),
        seed=task.seed,
    )
    answer = model.complete([prompt], progress=progress, cancel=cancel, stage="propose features")[0]
    value = value_of(answer)
    if value is None:
        return [], [f"Asking for everything at once failed: {answer.failure}."]
    return value, []


def _stepwise(
    model: LanguageModel, task: Task, progress: Progress, cancel: CancelToken
) -> tuple[Any, list[str]]:
    feature = object_form(name=text_form(40), description=text_form(200), rationale=text_form(200))
    prompt = Prompt(
        render("schema_names", **task.common()),
        schema=_features(feature, task),
        max_tokens=min(NAME_TOKENS * task.k, answer_tokens(model, task)),
        seed=task.seed,
    )
    answer = model.complete([prompt], progress=progress, cancel=cancel, stage="propose names")[0]
    named = value_of(answer)
    if named is None:
        return [], [f"Asking for names failed: {answer.failure}."]
    features = [f for f in features_in(named) if isinstance(f, Mapping) and str(f.get("name", "")).strip()]
    return ask_values(model, task.description, features, seed=task.seed + 1, progress=progress, cancel=cancel)


def _from_menu(
    model: LanguageModel, task: Task, progress: Progress, cancel: CancelToken
) -> tuple[Any, list[str]]:
    """The most chosen of several questions: on each shown text, or else on the description."""
    about = f"What the texts are:\n{task.description}\n\nWhat the table is for:\n{task.workload}"
    file, materials = ("schema_kinds_menu", task.texts) if task.texts else ("schema_menu", (about,))
    times = math.ceil(MENU_QUESTIONS / len(materials))
    prompts = [
        menu_prompt(file, material, MENU_CHOICES, task.seed + i * times + j)
        for i, material in enumerate(materials)
        for j in range(times)
    ]
    answers = model.complete(prompts, progress=progress, cancel=cancel, stage="choose features")
    names = most_chosen(answers, task.k)
    said = f"{model.identity.name} chose from the list of common attributes; it invented none."
    return [catalogue()[name] for name in names], [said]


def ask_values(
    model: LanguageModel,
    description: str,
    features: Sequence[Mapping[str, Any]],
    *,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> tuple[list[dict[str, Any]], list[str]]:
    """The features (each with "name" and perhaps "description") with their "values", one question
    each, and a sentence for each that failed and was left out."""
    prompts = [
        Prompt(
            render(
                "schema_values",
                description=description,
                name=f["name"],
                about=f.get("description", ""),
                max_values=ASKED_VALUES,
            ),
            schema=object_form(values=list_form(text_form(VALUE_LENGTH), 2, ASKED_VALUES)),
            max_tokens=32 * ASKED_VALUES,
            seed=seed + i,
        )
        for i, f in enumerate(features)
    ]
    answers = model.complete(prompts, progress=progress, cancel=cancel, stage="propose values")
    whole, said = [], []
    for feature, answer in zip(features, answers, strict=True):
        value = value_of(answer)
        if value is None:
            said.append(f"Asking for the values of {feature['name']!r} failed: {answer.failure}.")
        else:
            whole.append({**feature, "values": value.get("values") if isinstance(value, Mapping) else value})
    return whole, said


def _features(feature: Form, task: Task) -> Form:
    return object_form(features=list_form(feature, task.at_least, task.k))
