"""Passes 1 and 2 of the DP schema construction: attribute strings per text, and how many hold each.

PRIVATE SIDE: reads every private text, so the model must run where they may go. What is computed
here is exact and must meet noise before anybody sees it.

One record's strings depend on that record alone: its question, order of choices and seed come from
its own text, never from its place among the others. Else dropping one record could change the
strings of many, and the sensitivity would be unknown.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ctxpriv.errors import ModelFailed
from ctxpriv.extract.cut import cut_to_tokens
from ctxpriv.extract.features import normalise_name
from ctxpriv.extract.menu import catalogue, listed_strings, menu_prompt
from ctxpriv.models.answer_forms import list_form, object_form, text_form
from ctxpriv.models.base import LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

# The same for all texts, so that their strings meet: with none shown, each text gets words of its own.
# In a fixed order: a small model goes through the list and skips what does not fit; shuffled, it copied.
EXAMPLES = (
    "age, occupation, family, home, location, price, budget, health, education, problem, request, decision, "
    "deadline, outcome, purpose, topic, tone"
)
LONGEST_WORDS = 4  # more is a sentence about one text, not a kind of fact
STRING_TOKENS = 20  # of an answer, per string
OVERHEAD_TOKENS = 512  # the question around the text, with the longest menu and chat markers


@dataclass(frozen=True)
class RecordStrings:
    """`strings`: the distinct strings of each text, in order; () where the model gave no usable
    answer. `failures`: how many texts that was. Both are private and exact."""

    strings: tuple[tuple[str, ...], ...]
    failures: int


def strings_per_record(
    texts: Sequence[str],
    model: LanguageModel,
    *,
    description: str,
    at_most: int,
    guided: bool,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> RecordStrings:
    """Pass 1. Up to `at_most` names of kinds of facts per text, from a menu when `guided`.

    Raises ModelFailed when no text at all got a usable answer.
    """
    tokens = model.context_tokens - OVERHEAD_TOKENS - STRING_TOKENS * at_most
    prompts = [
        _prompt(cut_to_tokens(model, text, tokens), description, at_most, guided, _own_seed(text, seed))
        for text in texts
    ]
    answers = model.complete(prompts, progress=progress, cancel=cancel, stage="name kinds of facts")
    named = [listed_strings(answer) for answer in answers]
    failures = sum(names is None for names in named)
    if failures == len(texts):
        raise ModelFailed(f"{model.identity.name} named no kinds of facts for any of {len(texts)} texts.")
    read = _on_menu if guided else kind_of_fact
    strings = tuple(_distinct(map(read, names or ()))[:at_most] for names in named)
    return RecordStrings(strings, failures)


def document_frequencies(strings: Iterable[Sequence[str]], at_most: int) -> dict[str, int]:
    """Pass 2. How many records hold each string.

    A record counts once for each of its first `at_most` distinct strings, whatever else it holds:
    the sensitivity rests on this line and not on the model's obedience.
    """
    return dict(Counter(name for own in strings for name in _distinct(own)[:at_most]))


def kind_of_fact(raw: str) -> str:
    """ "The Home Prices" -> "home_price"; "" for what is no short name."""
    words = [w for w in normalise_name(raw).split("_") if w not in ("", "a", "an", "the", "of")]
    if not 1 <= len(words) <= LONGEST_WORDS:
        return ""
    last = words[-1]
    if len(last) > 3 and re.search(r"[^siu]s$", last):  # not: status, loss, analysis
        words[-1] = f"{last[:-3]}y" if last.endswith("ies") else last[:-1]
    return "_".join(words)


def _on_menu(raw: str) -> str:
    return raw if raw in catalogue() else ""


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _own_seed(text: str, seed: int) -> int:
    data = f"{seed}:".encode() + text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:4], "big") >> 1


def _prompt(text: str, description: str, at_most: int, guided: bool, seed: int) -> Prompt:
    if guided:
        return menu_prompt("schema_kinds_menu", text, at_most, seed)
    return Prompt(
        render("schema_kinds", description=description, text=text, at_most=at_most, examples=EXAMPLES),
        schema=object_form(kinds=list_form(text_form(40), 1, at_most)),
        max_tokens=16 + STRING_TOKENS * at_most,
        seed=seed,
    )
