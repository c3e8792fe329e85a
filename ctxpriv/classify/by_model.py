"""The CI classifier by language model (paper 4.2): S and c_j in, a judgement each out.

It sees attribute names, descriptions and the release context, never a record and never a
list of values (which may have been read off private records).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctxpriv.context import Judgement, ReleaseContext
from ctxpriv.errors import BadInput
from ctxpriv.extract.answers import value_of
from ctxpriv.models.base import LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Attribute, Schema

UNSAID = "not stated"
_SENTENCE = {"type": "string", "minLength": 1, "maxLength": 240}
_JUDGEMENT = {
    "type": "object",
    # The reason comes first, so that the decision can follow from it.
    "properties": {"reason": _SENTENCE, "decision": {"type": "string", "enum": ["private", "public"]}},
    "required": ["reason", "decision"],
    "additionalProperties": False,
}


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
        """One judgement per attribute, in schema order, by majority over `samples` askings.

        Each asking shows the attributes in another order. Ties are private. An attribute
        without any usable answer is private with samples = 0, and the reason says so.
        Raises ModelFailed when the model is gone.
        """
        if samples < 1:
            raise BadInput(f"needs at least one sample, not {samples}.", where="CI classifier")
        rng = np.random.default_rng(self.seed)
        prompts: list[Prompt] = []
        asked: list[list[Attribute]] = []
        for _ in range(samples):
            order = [schema.attributes[i] for i in rng.permutation(len(schema.attributes))]
            asked += [[a] for a in order] if self.one_by_one else [order]
        for number, attributes in enumerate(asked):
            prompts.append(self._prompt(attributes, context, number))
        answers = self.model.complete(prompts, progress=progress, cancel=cancel, stage="classify attributes")
        votes: dict[str, list[tuple[bool, str]]] = {name: [] for name in schema.names}
        failures: Counter[str] = Counter()
        for attributes, answer in zip(asked, answers, strict=True):
            value = value_of(answer)
            parsed = {attributes[0].name: value} if self.one_by_one else value
            usable = read_judgements(parsed, [a.name for a in attributes])
            if not usable:
                failures[answer.failure or "no attribute judged"] += 1
            for name, vote in usable.items():
                votes[name].append(vote)
        why = ", ".join(f"{count} × {failure}" for failure, count in failures.most_common())
        return tuple(majority(name, votes[name], why) for name in schema.names)

    def _prompt(self, attributes: Sequence[Attribute], context: ReleaseContext, number: int) -> Prompt:
        flow = context_text(context)
        if self.one_by_one:
            attribute = attributes[0]
            about = attribute.description or "(no description)"
            user = render("classify_each", context=flow, name=attribute.name, about=about)
            form: dict[str, Any] = _JUDGEMENT
        else:
            listed = "\n".join(f"- {a.name}: {a.description or '(no description)'}" for a in attributes)
            user = render("classify_together", context=flow, attributes=listed)
            form = {
                "type": "object",
                "properties": {a.name: _JUDGEMENT for a in attributes},
                "required": [a.name for a in attributes],
                "additionalProperties": False,
            }
        return Prompt(
            user,
            render("classify_system"),
            form,
            max_tokens=32 + 90 * len(attributes),
            temperature=self.temperature,
            seed=self.seed + number,
        )


def context_text(context: ReleaseContext) -> str:
    """The flow as the prompts tell it; what nobody filled in is "not stated"."""
    return render(
        "classify_context",
        subject=context.corpus.subject.strip() or UNSAID,
        sender=context.corpus.sender.strip() or UNSAID,
        recipient=context.audience.recipient.strip() or context.audience.name,
        purpose=context.audience.purpose.strip() or UNSAID,
        principle=context.corpus.transmission_principle.strip() or UNSAID,
    )


def read_judgements(parsed: Any, names: Sequence[str]) -> dict[str, tuple[bool, str]]:
    """Usable (private, reason) per attribute from a parsed answer; the rest is left out.

    Reads an object keyed by attribute, or a list of objects that name their attribute.
    Two different answers for one attribute cancel each other: neither is used.
    """
    found: dict[str, list[tuple[bool, str]]] = {}
    folded = {_fold(n): n for n in names}
    for key, item in _items(parsed):
        name = folded.get(_fold(key))
        decision = item.get("decision", item.get("judgement", item.get("label", "")))
        private = {"private": True, "public": False}.get(str(decision).strip().casefold().rstrip("."))
        if name is not None and private is not None:
            reason = " ".join(str(item.get("reason") or "").split())
            found.setdefault(name, []).append((private, reason))
    return {n: v[0] for n, v in found.items() if len({private for private, _ in v}) == 1}


def majority(name: str, votes: Sequence[tuple[bool, str]], why_none: str = "") -> Judgement:
    """The vote of the usable samples: ties are private, no vote at all is private."""
    if not votes:
        said = f" ({why_none})" if why_none else ""
        return Judgement(name, True, f"The model gave no usable answer{said}; private to be safe.", 0.0, 0)
    against = sum(private for private, _ in votes)
    private = 2 * against >= len(votes)
    agreeing = against if private else len(votes) - against
    reason = next((r for p, r in votes if p == private and r), "The model gave no reason.")
    if 2 * against == len(votes):
        reason = f"The samples are split evenly; private to be safe. {reason}"
    return Judgement(name, private, reason, agreeing / len(votes), len(votes))


def _items(parsed: Any) -> list[tuple[str, Mapping[str, Any]]]:
    if isinstance(parsed, Mapping):
        lists = [v for v in parsed.values() if isinstance(v, list)]
        if len(parsed) == 1 and lists:
            return _items(lists[0])
        return [(str(k), v if isinstance(v, Mapping) else {"decision": v}) for k, v in parsed.items()]
    if isinstance(parsed, list):
        return [(str(i.get("attribute", i.get("name", ""))), i) for i in parsed if isinstance(i, Mapping)]
    return []


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()
