"""The CI classifier by language model (paper 4.2): S and c_j in, a judgement each out.

It sees attribute names, descriptions, whether an attribute has buckets, and the release
context; never a record, a list of values or the names of buckets (which may have been read off
private records).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctxpriv.classify.votes import Vote, judgement_from, read_votes
from ctxpriv.context import SIDES, Flow, Judgement, ReleaseContext
from ctxpriv.errors import BadInput
from ctxpriv.extract.answers import value_of
from ctxpriv.models.answer_forms import Form, choice_form, object_form, text_form
from ctxpriv.models.base import LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Attribute, Schema

UNSAID = "not stated"
TOKENS_OF_A_JUDGEMENT = 120
"""Enough for three short texts of the lengths below, a decision, and the JSON around them."""


@dataclass(frozen=True)
class ModelClassifier:
    """Plays the CI classifier role with a language model.

    `one_by_one` asks about each attribute in a prompt of its own: sturdier with small
    models, |A| times the calls. `temperature` makes the samples differ.
    """

    model: LanguageModel
    one_by_one: bool = False
    temperature: float = 0.7
    seed: int = 0

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def classify(
        self,
        schema: Schema,
        context: ReleaseContext,
        *,
        samples: int = 3,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> tuple[Judgement, ...]:
        """One judgement per attribute, in schema order, from `samples` askings (see `judgement_from`).

        Each asking shows the attributes in another order. Attributes with buckets may also be
        judged public when coarsened. An attribute without any usable answer is private with
        samples = 0, and the reason says so. Raises ModelFailed when the model is gone.
        """
        flows = [(schema, context)]
        return self.classify_flows(flows, samples=samples, progress=progress, cancel=cancel)[0]

    def classify_flows(
        self,
        flows: Sequence[tuple[Schema, ReleaseContext]],
        *,
        samples: int = 3,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> list[tuple[Judgement, ...]]:
        """As `classify`, for many schemas and contexts in one batch of the model."""
        if samples < 1:
            raise BadInput(f"needs at least one sample, not {samples}.", where="CI classifier")
        asked = [self._askings(schema, samples) for schema, _ in flows]
        prompts = [
            self._prompt(attributes, schema, context, number)
            for (schema, context), askings in zip(flows, asked, strict=True)
            for number, attributes in enumerate(askings)
        ]
        answers = iter(
            self.model.complete(prompts, progress=progress, cancel=cancel, stage="classify attributes")
        )
        return [
            self._judgements(schema, context, [(attributes, next(answers)) for attributes in askings])
            for (schema, context), askings in zip(flows, asked, strict=True)
        ]

    def _askings(self, schema: Schema, samples: int) -> list[list[Attribute]]:
        """The attributes of each prompt; alike for alike schemas, so that answers can be cached."""
        rng = np.random.default_rng(self.seed)
        asked: list[list[Attribute]] = []
        for _ in range(samples):
            order = [schema.attributes[i] for i in rng.permutation(len(schema.attributes))]
            asked += [[a] for a in order] if self.one_by_one else [order]
        return asked

    def _judgements(
        self, schema: Schema, context: ReleaseContext, answered: Sequence[tuple[Sequence[Attribute], Any]]
    ) -> tuple[Judgement, ...]:
        votes: dict[str, list[Vote]] = {name: [] for name in schema.names}
        failures: Counter[str] = Counter()
        for attributes, answer in answered:
            parsed, names = value_of(answer), [a.name for a in attributes]
            usable = read_votes(parsed, names, schema.coarsenings)
            if self.one_by_one and not usable:  # as asked for: the answer itself, without a name
                usable = read_votes({names[0]: parsed}, names, schema.coarsenings)
            if not usable:
                failures[answer.failure or "no attribute judged"] += 1
            for name, vote in usable.items():
                votes[name].append(vote)
        why = ", ".join(f"{count} × {failure}" for failure, count in failures.most_common())
        return tuple(judgement_from(name, votes[name], told(context), why) for name in schema.names)

    def _prompt(
        self, attributes: Sequence[Attribute], schema: Schema, context: ReleaseContext, number: int
    ) -> Prompt:
        offered = {a.name: a.name in schema.coarsenings for a in attributes}
        general = f" {render('classify_general')}" if any(offered.values()) else ""
        flow = context_text(context)
        if self.one_by_one:
            attribute = attributes[0]
            user = render(
                "classify_each",
                context=flow,
                name=attribute.name,
                about=attribute.description or "(no description)",
                general=general,
            )
            form = _judgement_form(offered[attribute.name])
        else:
            listed = "\n".join(
                f"- {a.name}: {a.description or '(no description)'}"
                + (" (has a general form)" if offered[a.name] else "")
                for a in attributes
            )
            user = render("classify_together", context=flow, attributes=listed, general=general)
            form = object_form(**{name: _judgement_form(has) for name, has in offered.items()})
        return Prompt(
            user,
            render("classify_system"),
            form,
            max_tokens=32 + TOKENS_OF_A_JUDGEMENT * len(attributes),
            temperature=self.temperature,
            seed=self.seed + number,
        )


def context_text(context: ReleaseContext) -> str:
    """The flow as the prompts tell it; what nobody filled in is "not stated"."""
    flow = told(context)
    return render(
        "classify_context",
        subject=flow.subject or UNSAID,
        sender=flow.sender or UNSAID,
        recipient=flow.recipient,
        purpose=flow.purpose or UNSAID,
        principle=flow.principle or UNSAID,
    )


def told(context: ReleaseContext) -> Flow:
    """The CI parameters that the model is told; the kind of information is for it to name."""
    return Flow(
        subject=context.corpus.subject.strip(),
        sender=context.corpus.sender.strip(),
        recipient=context.audience.recipient.strip() or context.audience.name,
        principle=context.corpus.transmission_principle.strip(),
        purpose=context.audience.purpose.strip(),
    )


def _judgement_form(has_buckets: bool) -> Form:
    """What is said first comes first, so that the decision can follow from it. Texts are short,
    because small models lose their way in long ones."""
    return object_form(
        information_type=text_form(40),
        transmission_principle=text_form(60),
        reason=text_form(200),
        decision=choice_form(s for s in reversed(SIDES) if has_buckets or s != "coarsened"),
    )
