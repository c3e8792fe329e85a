"""From a model's raw text to an `Answer`: what every adapter checks in the same way.

A server may ignore the schema, answer nothing, stop at the token limit or put everything
into a thinking block. None of that may reach a caller as a usable answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ctxpriv.models.base import Answer, Prompt

ATTEMPTS = 3
"""Tries per prompt, the first included, when an answer is empty or breaks its schema."""

RETRYABLE = frozenset({"empty", "not JSON", "schema violated"})
"""Failures that another seed may mend; a cut-off or over-long prompt would only repeat."""

_SENTENCE_END = re.compile(r"[.!?…。！？][\"')\]”’»]*(?=\s|$)")
_THINKING = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


def judge(
    prompt: Prompt,
    text: str,
    *,
    cut: bool,
    prompt_tokens: int = 0,
    completion_tokens: int = 0,
    attempts: int = 1,
) -> Answer:
    """The `Answer` for a raw `text`; `cut` says that the token limit stopped it.

    A leading `<think>` block is dropped; JSON is parsed and validated with jsonschema
    whatever the server promised. On failure `text` keeps what came, for the curator.
    """
    text = _THINKING.sub("", well_formed(text)).strip()
    answer = Answer(
        text=text, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, attempts=attempts
    )
    if not text:
        return replace(answer, failure="cut off" if cut else "empty")
    if prompt.schema is not None:
        return _judge_json(answer, prompt.schema, cut)
    if not cut:
        return answer
    whole = whole_sentences(text) if prompt.allow_cut else ""
    return replace(answer, text=whole) if whole else replace(answer, failure="cut off")


def _judge_json(answer: Answer, schema: Mapping[str, Any], cut: bool) -> Answer:
    import jsonschema

    fenced = _FENCE.match(answer.text)
    try:
        parsed = json.loads(fenced.group(1) if fenced else answer.text)
    except (json.JSONDecodeError, RecursionError):
        return replace(answer, failure="cut off" if cut else "not JSON")
    if not jsonschema.validators.validator_for(schema)(schema).is_valid(parsed):
        return replace(answer, failure="schema violated")
    # An escape such as "\\ud800" only becomes half a character here.
    return replace(answer, parsed=json.loads(well_formed(json.dumps(parsed, ensure_ascii=False))))


def well_formed(text: str) -> str:
    """`text` without half characters (lone surrogates), which no file can hold: each becomes �."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole_sentences(text: str) -> str:
    """`text` up to the end of its last whole sentence; "" when it has none."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else ""


def varied(prompt: Prompt, attempt: int) -> Prompt:
    """The prompt for try number `attempt` (1 is the first and unchanged).

    The seed moves; a greedy prompt gets a little temperature, as a seed alone would
    change nothing.
    """
    if attempt == 1:
        return prompt
    return replace(
        prompt, seed=(prompt.seed + 7919 * (attempt - 1)) % 2**31, temperature=max(prompt.temperature, 0.4)
    )


def estimated_tokens(text: str) -> int:
    """An upper guess without a tokenizer: one token per 3 UTF-8 bytes (English needs ~4.2)."""
    return math.ceil(len(text.encode("utf-8")) / 3)


def least_tokens(text: str) -> int:
    """A floor on the tokens of `text`: vocabularies split at white space, so one per word."""
    return len(text.split())


def estimated_prompt_tokens(prompt: Prompt) -> int:
    """`estimated_tokens` of both messages plus what a chat template adds."""
    return estimated_tokens(prompt.system) + estimated_tokens(prompt.user) + 24


def was_truncated(prompt: Prompt, reported_tokens: int) -> bool:
    """Whether a server that read `reported_tokens` tokens cannot have read the whole prompt.

    Servers drop the front of a long prompt silently. 0 means that nothing was reported.
    """
    words = least_tokens(prompt.system) + least_tokens(prompt.user)
    return 0 < reported_tokens < words
