"""The two adversaries that ask a language model (paper App. I, "Anonymization methods").

PRIVATE SIDE: they read rewrites, and originals to compare with, so the model must run where these may
go. They are told the schema, never what is true of a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ctxpriv.asking import together
from ctxpriv.extract.answers import value_of
from ctxpriv.extract.guess_by_model import ModelGuesser
from ctxpriv.models.answer_forms import choice_form, object_form
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.rewriting_roles import UNREADABLE, Brief, Guessed
from ctxpriv.schema import SAYS_NOTHING

OPEN_GUESSES = 3  # paper Table 3, p_threshold; the top-3 of llmprivacy's open-ended adversary


@dataclass(frozen=True)
class ClassifyAdversary:
    """The paper's adversary: chooses every attribute among its values, or its buckets where it is
    coarsened. One prompt per text and attribute, so that no answer leans on another."""

    model: LanguageModel = field(repr=False)

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def answers(
        self,
        texts: Sequence[str],
        brief: Brief,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> list[Guessed]:
        """One guess per attribute in `brief.private`; an answer outside the values is unknown.

        That nothing is stated cannot be chosen: the records that count have a value.
        """
        options = {
            n: tuple(v for v in brief.schema.coarse_values(n) if v not in SAYS_NOTHING) for n in brief.private
        }
        asked = [(i, name) for i in range(len(texts)) for name, values in options.items() if values]
        prompts = [_classify(texts[i], name, options[name], brief) for i, name in asked]
        answers = self.model.complete(prompts, progress=progress, cancel=cancel, stage="attack by choosing")
        guesses: list[dict[str, tuple[str, ...]]] = [{} for _ in texts]
        failures = [""] * len(texts)
        for (i, name), answer in zip(asked, answers, strict=True):
            if (chosen := _chosen(answer, options[name])) is None:
                failures[i] = failures[i] or answer.failure or UNREADABLE
            else:
                guesses[i][name] = (chosen,)
        return [Guessed(found, failure=failure) for found, failure in zip(guesses, failures, strict=True)]


@dataclass(frozen=True)
class OpenAdversary:
    """Guesses every attribute freely, three times, and must give all of its guesses."""

    model: LanguageModel = field(repr=False)
    fields_per_call: int | None = None

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def answers(
        self,
        texts: Sequence[str],
        brief: Brief,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> list[Guessed]:
        """Up to three guesses per attribute in `brief.private`, the likeliest first."""
        guesser = ModelGuesser(self.model, self.fields_per_call, forced=True).prepared(brief, 0)
        asking = guesser.guess(texts, dict.fromkeys(brief.private, OPEN_GUESSES), seed=0)
        return together(asking, cancel=cancel, progress=progress, stage="attack by guessing")[0]


def _classify(text: str, name: str, values: Sequence[str], brief: Brief) -> Prompt:
    user = render(
        "attack_classify",
        name=name.replace("_", " "),
        domain=brief.domain,
        about=brief.schema[name].description or "no description",
        text=text,
        values="; ".join(values),
    )
    form = object_form(answer=choice_form(values))
    return Prompt(user, schema=form, max_tokens=24 + max(len(v) for v in values))


def _chosen(answer: Answer, values: Sequence[str]) -> str | None:
    """The value an answer names; None where it names none."""
    given = value_of(answer)
    if not isinstance(given, Mapping):
        return None
    said = " ".join(str(given.get("answer", "")).split()).casefold()
    return next((v for v in values if v.casefold() == said), None)
