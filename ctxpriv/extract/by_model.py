"""Extraction by a language model: a text and a form with enumerated fields (paper 4.1).

PRIVATE SIDE: reads private text, so the model must run where the text may go.

Long domains. A list of more than 50 values neither fits a small model's attention nor
its context. An attribute with more is asked in two steps: first its bucket (the coarse
values, at most 5), then the value among the bucket's members; without a coarsening, or
with a bucket of more than 50 members, the members are asked in groups of 49 with a
"none of these", and the first group that names a value wins.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ctxpriv.extract.answers import value_of
from ctxpriv.extract.word_count import counted_values
from ctxpriv.models.answer_forms import Form, choice_form, object_form
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Extraction, Failure
from ctxpriv.schema import NOT_APPLICABLE, NOT_STATED, OTHER, Attribute, Schema

LONG_DOMAIN = 50
NONE_OF_THESE = "None of these"


@dataclass(frozen=True)
class ModelExtractor:
    """Plays the extractor role with a language model.

    `fields_per_call`: how many attributes one prompt asks for. Small models do better
    with few; each group costs another call per text. None asks for all at once.
    `shuffled`: fields and their values stand in another order for every text. A second reading
    by the same model is then a reading of its own: a model that picks by place, not by what the
    text says, contradicts itself.
    """

    model: LanguageModel
    fields_per_call: int | None = None
    seed: int = 0
    shuffled: bool = False

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def extract(
        self,
        texts: Sequence[str],
        schema: Schema,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Extraction:
        """Values of shape (len(texts), |A|) inside the schema's domains.

        A text for which any field got no usable answer is in `failures`, its unanswered
        fields hold `Not stated`, else `Other`, else the first value. `word_count` is counted,
        not asked. Raises ModelFailed when the model is gone, and Cancelled.
        """
        start = time.perf_counter()
        sheet = _Sheet.blank(len(texts), schema)
        first = [
            _Field(a.name, a.description, options)
            for a in schema.attributes
            if not sheet.count_words(texts, a) and (options := _first_options(a, schema))
        ]
        size = self.fields_per_call or max(1, len(first))
        groups = [first[i : i + size] for i in range(0, len(first), size)]
        asked = [(row, group) for row in range(len(texts)) for group in groups]
        self._ask(asked, texts, sheet, progress, cancel, "extract values")
        for attribute in schema.attributes:
            if len(attribute.values) > LONG_DOMAIN:
                self._narrow(attribute, schema, texts, sheet, progress, cancel)
        return sheet.extraction(time.perf_counter() - start)

    def _narrow(
        self, attribute: Attribute, schema: Schema, texts: Sequence[str], sheet: _Sheet,
        progress: Progress, cancel: CancelToken,
    ) -> None:  # fmt: skip
        """The second step for a long domain: from the bucket, or from nothing, to a value."""
        coarsening = schema.coarsenings.get(attribute.name)
        column = sheet.cells[attribute.name]
        waiting: dict[int, list[tuple[str, ...]]] = {}
        for row in range(len(texts)):
            if coarsening is None:
                waiting[row] = _groups_of(attribute.values)
            elif column[row] is not None:
                # Only declared values: a mapping may hold more than the domain.
                members = [v for v in coarsening.members(column[row]) if v in attribute.values]
                column[row] = members[0] if len(members) == 1 else None
                waiting[row] = _groups_of(members) if len(members) > 1 else []
        while any(waiting.values()):
            asked = [
                (row, [_Field(attribute.name, attribute.description, groups.pop(0))])
                for row, groups in waiting.items()
                if groups
            ]
            self._ask(asked, texts, sheet, progress, cancel, "extract values of long lists")
            for row, _ in asked:
                if column[row] == NONE_OF_THESE:
                    column[row] = None
                    if not waiting[row]:
                        # Every group was declined: that is an answer, not a failure.
                        column[row] = unknown_value(attribute)
                elif column[row] is not None:
                    waiting[row] = []

    def _ask(
        self, asked: Sequence[tuple[int, Sequence[_Field]]], texts: Sequence[str], sheet: _Sheet,
        progress: Progress, cancel: CancelToken, stage: str,
    ) -> None:  # fmt: skip
        """One prompt per (row, fields), answers written into the sheet."""
        prompts = [self._prompt(texts[row], fields, i) for i, (row, fields) in enumerate(asked)]
        progress(stage, 0, len(prompts))  # a first batch may take a while
        answers = self.model.complete(prompts, progress=progress, cancel=cancel, stage=stage)
        for (row, fields), answer in zip(asked, answers, strict=True):
            sheet.write(row, fields, answer)

    def _prompt(self, text: str, fields: Sequence[_Field], number: int) -> Prompt:
        if self.shuffled:
            fields = _in_other_order(fields, np.random.default_rng([self.seed, number]))
        listed = "\n".join(
            render("extract_field", name=f.name, about=_sentence(f.description), values="; ".join(f.options))
            for f in fields
        )
        longest = max(len(o) for f in fields for o in f.options)
        return Prompt(
            render("extract_values", fields=listed, text=text, names=", ".join(f.name for f in fields)),
            render("extract_system"),
            _form(fields),
            max_tokens=32 + len(fields) * (16 + longest // 2),
            seed=self.seed + number,
        )


@dataclass(frozen=True)
class _Field:
    name: str
    description: str
    options: tuple[str, ...]


@dataclass
class _Sheet:
    """The table while it is being filled; None in a cell means no usable answer yet."""

    n: int
    schema: Schema
    cells: dict[str, list[str | None]]
    why: dict[int, str] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    calls: int = 0
    cached: int = 0

    @staticmethod
    def blank(n: int, schema: Schema) -> _Sheet:
        return _Sheet(n, schema, {name: [None] * n for name in schema.names})

    def count_words(self, texts: Sequence[str], attribute: Attribute) -> bool:
        """Fill the column of `word_count` by counting; False for any other attribute."""
        counted = counted_values(texts, attribute)
        if counted is not None:
            self.cells[attribute.name] = list(counted)
        return counted is not None

    def write(self, row: int, fields: Sequence[_Field], answer: Answer) -> None:
        self.calls += 1
        self.cached += answer.cached
        self.retries += answer.attempts - 1
        given = value_of(answer)
        if not isinstance(given, Mapping):
            self.why.setdefault(row, answer.failure or "not an object")
            return
        for f in fields:
            if f.name not in given:
                self.why.setdefault(row, f"no answer for {f.name}")
                continue
            value, foreign = _into(given[f.name], f.options)
            if foreign:
                self.outside[f.name] = self.outside.get(f.name, 0) + 1
            if value is None:
                self.why.setdefault(row, f"a value outside the list of {f.name}")
            self.cells[f.name][row] = value

    def extraction(self, seconds: float) -> Extraction:
        columns = {}
        for attribute in self.schema.attributes:
            fill = unknown_value(attribute)
            known = set(attribute.values)
            column = self.cells[attribute.name]
            for row, value in enumerate(column):
                if value not in known:
                    self.why.setdefault(row, f"no value for {attribute.name}")
            columns[attribute.name] = np.array([v if v in known else fill for v in column], object)
        failures = tuple(Failure(row, self.why[row]) for row in sorted(self.why))
        table = pd.DataFrame(columns, index=range(self.n))
        return Extraction(table, failures, self.outside, self.retries, seconds, self.calls, self.cached)


def _in_other_order(fields: Sequence[_Field], rng: np.random.Generator) -> list[_Field]:
    return [
        replace(
            fields[i], options=tuple(fields[i].options[j] for j in rng.permutation(len(fields[i].options)))
        )
        for i in rng.permutation(len(fields))
    ]


def unknown_value(attribute: Attribute) -> str:
    """What stands in a cell that nobody could fill: `Not stated`, else `Other`, else the
    first value (the row is then in `failures`, and its cells are not to be read)."""
    return next((v for v in (NOT_STATED, OTHER) if v in attribute.values), attribute.values[0])


def _first_options(attribute: Attribute, schema: Schema) -> tuple[str, ...]:
    """The values, the buckets of a long domain, or nothing for a long domain without any."""
    if len(attribute.values) <= LONG_DOMAIN:
        return attribute.values
    if attribute.name not in schema.coarsenings:
        return ()
    coarsening = schema.coarsenings[attribute.name]
    inhabited = {coarsening.mapping[v] for v in attribute.values}
    return tuple(b for b in coarsening.buckets if b in inhabited)


def _groups_of(values: Sequence[str]) -> list[tuple[str, ...]]:
    if len(values) <= LONG_DOMAIN:
        return [tuple(values)]
    size = LONG_DOMAIN - 1
    return [(*values[i : i + size], NONE_OF_THESE) for i in range(0, len(values), size)]


def _form(fields: Sequence[_Field]) -> Form:
    return object_form(**{f.name: choice_form(f.options) for f in fields})


def _into(value: Any, options: Sequence[str]) -> tuple[str | None, bool]:
    """A model's value as one of the options, and whether it was foreign to them."""
    folded = {o.strip().casefold(): o for o in options}
    text = "" if value is None else str(value).strip().strip("\"'.").casefold()
    if text in folded:
        return folded[text], False
    if text in ("n/a", "na") and NOT_APPLICABLE in options:
        return NOT_APPLICABLE, False
    if text in ("", "none", "null", "n/a", "unknown") and NOT_STATED in options:
        return NOT_STATED, False
    for stand_in in (OTHER, NONE_OF_THESE, NOT_STATED):
        if stand_in in options:
            return stand_in, True
    return None, True


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".?!" else f"{text}."
