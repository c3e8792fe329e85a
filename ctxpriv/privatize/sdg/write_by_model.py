"""The text generator that asks a language model (paper Alg. 2, lines 7 and 9).

RELEASE SIDE. Prompts hold a synthetic row, earlier candidates and donated examples only.
They are short on purpose: small models ignore the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ctxpriv.examples import DonatedExamples
from ctxpriv.extract import word_count
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.sdg.donors import ranked_donors, require_donated
from ctxpriv.privatize.sdg.pieces import Shape
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Failure, Written
from ctxpriv.schema import NOT_STATED

TOKENS_A_WORD = 1.5  # English with names and numbers, measured on the samples with a 49k vocabulary
TYPICAL_WORDS = 100
"""Length of the texts that `calls_per_second` refers to."""

_HEADER = re.compile(
    r"^\s*(?:(?:assistant|answer|text|new text|rewritten text|output|response)\s*:|"
    r"(?:sure|certainly|of course|here(?:'s| is| are))\b[^\n]{0,120}:)\s*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "`": "`"}


class ModelGenerator:
    """A `TextGenerator`. `examples` donated texts go into a prompt (fewer when they would
    not fit the model's context); `temperature` near 1 keeps candidates apart. `most_words` caps
    the length of the texts, for models that lose the thread (their lengths are then not the rows')."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        examples: int = 3,
        temperature: float = 1.0,
        most_words: int | None = None,
    ) -> None:
        self._model = model
        self._examples = examples
        self._temperature = temperature
        self._most_words = most_words

    @property
    def identity(self) -> ModelIdentity:
        return self._model.identity

    def write(
        self,
        rows: pd.DataFrame,
        donated: DonatedExamples,
        *,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Written:
        """See `TextGenerator`. Raises BadInput when there are no donated texts."""
        require_donated(donated)
        ranked = ranked_donors(rows, donated, seed=seed)
        words = self._words(donated)
        conversation = bool(Shape.of(donated.texts).lead)
        seeds = _seeds(seed, len(rows))
        prompts = [
            self._writing_prompt(row, order, donated, list(rows.columns), words, conversation, seeds[i])
            for i, (row, order) in enumerate(zip(rows.to_dict("records"), ranked, strict=True))
        ]
        return self._ask(prompts, "write candidates", progress, cancel)

    def vary(
        self,
        texts: Sequence[str],
        rows: pd.DataFrame,
        donated: DonatedExamples,
        *,
        variations: int,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Written:
        """See `TextGenerator`. The variations of one text follow different instructions."""
        instructions = render("vary_instructions").splitlines()
        words = self._words(donated)
        seeds = _seeds(seed, len(texts) * variations)
        prompts = []
        for i, (text, row) in enumerate(zip(texts, rows.to_dict("records"), strict=True)):
            for j in range(variations):
                user = render(
                    "vary_text",
                    instruction=instructions[(i + j) % len(instructions)],
                    attributes=_lines(row),
                    text=text,
                    length=self._length(row, words),
                )
                prompts.append(self._prompt(user, words, seeds[i * variations + j]))
        return self._ask(prompts, "vary candidates", progress, cancel)

    def tokens_per_text(self, mean_words: float) -> tuple[int, int]:
        """The prompt holds the examples (or the text to vary), the row and the instruction."""
        text = min(mean_words, self._most_words or mean_words) * TOKENS_A_WORD
        return round((self._examples + 1) / 2 * text + 150), round(text)

    def calls_per_second(self) -> float:
        """From the model's measured speed, for texts of `TYPICAL_WORDS` words."""
        return self._model.speed().tokens_per_second / (TYPICAL_WORDS * TOKENS_A_WORD)

    def _words(self, donated: DonatedExamples) -> int:
        """How long the texts are to be: as the donated ones are, within `most_words`."""
        mean = _mean_words(donated)
        return mean if self._most_words is None else min(mean, self._most_words)

    # ---- prompts and answers

    def _length(self, row: Mapping[str, str], words: int) -> str:
        """The row's own length where it says one ("50-99 words"), else that of the donated texts."""
        own = str(row.get(word_count.NAME, NOT_STATED))
        if own == NOT_STATED or self._most_words is not None:
            return f"about {words} words"
        return own if not own.isdigit() else f"about {own} words"

    def _writing_prompt(
        self,
        row: Mapping[str, str],
        order: Sequence[int],
        donated: DonatedExamples,
        names: Sequence[str],
        words: int,
        conversation: bool,
        seed: int,
    ) -> Prompt:
        """With as many examples as fit, the nearest last: models follow what stands near the end."""
        room = self._model.context_tokens - _max_tokens(words)
        for count in range(min(self._examples, len(order)), 0, -1):
            shown = [
                f"{_lines(donated.values.iloc[d][names])}\nText:\n{donated.texts[d]}"
                for d in reversed(list(order[:count]))
            ]
            user = render(
                "write_text",
                examples="\n\n".join(shown),
                attributes=_lines(row),
                length=self._length(row, words),
                kind="conversations" if conversation else "texts",
                singular="conversation, one turn a line," if conversation else "text",
            )
            if count == 1 or self._model.count_tokens(user) <= room:
                break
        return self._prompt(user, words, seed)

    def _prompt(self, user: str, words: int, seed: int) -> Prompt:
        return Prompt(
            user,
            system=render("write_text_system"),
            max_tokens=_max_tokens(words),
            temperature=self._temperature,
            seed=seed,
            allow_cut=True,  # a text that only ran out of tokens is fine up to its last sentence
        )

    def _ask(self, prompts: Sequence[Prompt], stage: str, progress: Progress, cancel: CancelToken) -> Written:
        answers = self._model.complete(prompts, progress=progress, cancel=cancel, stage=stage)
        read = [_read(answer) for answer in answers]
        return Written(
            tuple(text for text, _ in read), tuple(Failure(i, why) for i, (_, why) in enumerate(read) if why)
        )


def clean(text: str) -> str:
    """Without role headers, introductions and quotes around the whole."""
    text = _HEADER.sub("", text.strip()).strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text


def _read(answer: Answer) -> tuple[str, str]:
    """(text, failure), exactly one of them empty."""
    text = clean(answer.text) if answer.ok else ""
    return (text, "") if text else ("", answer.failure or "empty")


def _lines(row: Mapping[str, str] | pd.Series) -> str:
    """The row as "name: value" lines, unstated values left out."""
    lines = [
        f"{str(name).replace('_', ' ')}: {str(value).replace('_', ' ')}"
        for name, value in row.items()
        if str(value) != NOT_STATED and name != word_count.NAME
    ]
    return "\n".join(lines) or "(any)"


def _mean_words(donated: DonatedExamples) -> int:
    if not len(donated):
        return TYPICAL_WORDS
    mean = float(np.mean([len(text.split()) for text in donated.texts]))
    return max(10, int(round(mean / 10) * 10))


def _max_tokens(words: int) -> int:
    """Room for texts half again as long as usual."""
    return int(words * TOKENS_A_WORD * 1.5) + 40


def _seeds(seed: int, count: int) -> list[int]:
    """A seed per prompt, or the answers of a batch would be alike."""
    return [int(s) for s in np.random.SeedSequence(seed).generate_state(count)] if count else []
