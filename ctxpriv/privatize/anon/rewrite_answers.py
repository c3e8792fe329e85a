"""Rewrites as language models answer them: how long they may get, and what is no rewrite.

PRIVATE SIDE: reads private texts and rewrites of them; keeps none.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxpriv.extract.answers import value_of
from ctxpriv.models.answer_forms import Form
from ctxpriv.models.base import Answer, LanguageModel
from ctxpriv.rewriting_roles import REFUSED, UNREADABLE, Rewritten

ROOM = 1.6  # a rewrite's tokens over the text's: vaguer wording and JSON's escapes take more
LEAST_ROOM = 80  # tokens

REWRITE_FORM: Form = {"type": "string"}
"""Without a greatest length: an engine that enforces one over hundreds of characters needs minutes to
prepare for it. The prompt's `max_tokens` is the bound, and the same form serves every text."""

_SENTENCE_START = re.compile(r"(?:\A|[.!?…\n])[\s\"'“‘«(]*\Z")
BARE = "\"'.… "
"""An answer of nothing else is the prompt's example of a form, copied."""

_REFUSALS = (
    r"(?:i['’]?m|i am|we are|we['’]re)?\s*(?:very |so |really )?sorry\b[^.!?\n]{0,40}?\b(?:i|we)\s+"
    r"(?:can['’]?t|can ?not|could not|am unable|are unable|am not able|won['’]?t|will not|must decline)\b",
    r"(?:i|we)\s+(?:can['’]?t|can ?not|am unable to|am not able to|won['’]?t|will not|must decline to)\s+"
    r"(?:\w+\s+)?(?:assist|help (?:you|with (?:that|this))|comply|rewrite|anonymi[sz]e|process|fulfil+"
    r"|provide|complete|generate|do (?:that|this))",
    r"(?:as|being) an? (?:ai|artificial intelligence|(?:large )?language model|assistant)\b",
    r"(?:es )?tut mir leid[^.!?\n]{0,30}\b(?:ich|das)\b[^.!?\n]{0,20}\b(?:kann|darf|nicht)",
    r"ich kann (?:ihnen |dir )?(?:dabei|damit|hierbei|bei dieser)[^.!?\n]{0,30}nicht",
    r"(?:je suis )?désolée?[^.!?\n]{0,20}\bje ne (?:peux|suis)",
    r"lo siento[^.!?\n]{0,20}\bno (?:puedo|es posible)",
    r"(?:desculpe|lamento|sinto muito)[^.!?\n]{0,20}\bnão (?:posso|é possível)",
    r"mi dispiace[^.!?\n]{0,20}\bnon posso",
    r"(?:przepraszam|przykro mi)[^.!?\n]{0,20}\bnie mogę",
    r"üzgünüm[^.!?\n]{0,60}\b(?:edemem|yapamam|olamam|yardımcı)",
    r"(?:很?抱歉|对不起)[^。！？\n]{0,12}(?:无法|不能)",
    r"(?:申し訳|すみません)[^。！？\n]{0,20}(?:できません|いたしかねます)",
    r"죄송[^.!?\n]{0,20}(?:수 없|어렵)",
)
_REFUSAL = re.compile(r"\A\W*(?:" + "|".join(_REFUSALS) + ")", re.IGNORECASE)


LEAST_WORDS, LEAST_KEPT = 20, 0.4
"""A rewrite of a text of so many words keeps at least this share of them, or it was cut off: models
that generalise spans leave the rest as it is, and an unescaped quote ends a JSON string early."""


def room_for(text: str, model: LanguageModel) -> int:
    """Tokens that a rewrite of `text` may take. What needs more is cut off, and so a failure."""
    return LEAST_ROOM + round(ROOM * model.count_tokens(text))


def seed_of(seed: int, number: int, text: str) -> int:
    """A seed of its own for each record and round, whatever stands beside it in a batch."""
    digest = hashlib.blake2b(f"{seed} {number} {text}".encode("utf-8", "surrogatepass"), digest_size=4)
    return int.from_bytes(digest.digest()) % 2**31


def quoted(text: str) -> str:
    """`text` with “ and ” for its straight quotes: a small model that copies a straight one into its
    JSON ends the string there, and the rest of the text is gone."""
    parts = text.split('"')
    return parts[0] + "".join(("“", "”")[i % 2] + part for i, part in enumerate(parts[1:]))


def as_written(answer: Answer, original: str) -> Answer:
    """The answer with the straight quotes of `original` back (see `quoted`)."""
    if '"' not in original or "“" in original or "”" in original:
        return answer
    return replace(answer, parsed=_straight(answer.parsed))


def _straight(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("“", '"').replace("”", '"')
    if isinstance(value, Mapping):
        return {key: _straight(v) for key, v in value.items()}
    return [_straight(v) for v in value] if isinstance(value, list) else value


def is_cut(rewrite: str, original: str) -> bool:
    """Whether most of a text is missing: it was cut off, whatever the model says."""
    words = len(original.split())
    return words >= LEAST_WORDS and len(rewrite.split()) < LEAST_KEPT * words


def read_rewrite(answer: Answer, original: str, key: str = "rewrite") -> Rewritten:
    """The rewrite in an answer, or why there is none: an answer that broke its form, a refusal,
    nothing but white space."""
    if answer.failure:
        return Rewritten(failure=answer.failure)
    text = answer.parsed.get(key) if isinstance(answer.parsed, Mapping) else None
    if not isinstance(text, str):
        return Rewritten(failure=UNREADABLE)
    text = text.strip()
    if not text:
        return Rewritten(failure="empty")
    if not text.strip("\"'.… "):  # the example of the prompt copied
        return Rewritten(failure=UNREADABLE)
    if is_refusal(text, original):
        return Rewritten(failure=REFUSED)
    if is_cut(text, original):
        return Rewritten(failure="cut off")
    return Rewritten(text)


def read_changes(answer: Answer, no_words: Sequence[str] = ()) -> tuple[tuple[str, str], ...] | None:
    """(words, what stands instead) in the order of the answer; None where there is no list to read, or
    nothing in it that could be done.

    Dropped are changes that hide nothing (the words stand in what comes instead), words too short to
    be told from others, and what was copied from the prompt: its example of the form and `no_words`,
    the names of attributes.
    """
    given = value_of(answer)
    listed = given.get("changes") if isinstance(given, Mapping) else None
    if not isinstance(listed, list):
        return None
    pairs = [(c.get("words"), c.get("instead")) for c in listed if isinstance(c, Mapping)]
    texts = [(a.strip(BARE), b.strip()) for a, b in pairs if isinstance(a, str) and isinstance(b, str)]
    copied = {form for name in no_words for form in (name.casefold(), name.replace("_", " ").casefold())}
    usable = tuple(
        (a, b)
        for a, b in texts
        if _names_something(a)
        and b.strip(BARE)
        and not _holds(b, a)
        and not {a.casefold(), b.casefold()} & copied
    )
    return usable if usable or not listed else None


def with_changes(text: str, changes: Sequence[tuple[str, str]]) -> str:
    """`text` with every change made wherever its words stand as whole words, in any case.

    Longer words go first, what one change put in is not changed by another, and a sentence that
    began with a capital still does.
    """
    pairs = {words.casefold(): instead for words, instead in changes}
    if not pairs:
        return text
    longest = sorted((words for words, _ in changes), key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest)) + r")(?!\w)", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        instead = pairs.get(match[0].casefold(), match[0])
        begins = not match[0][:1].islower() and _SENTENCE_START.search(text, 0, match.start())
        return instead[:1].upper() + instead[1:] if begins else instead

    return pattern.sub(put, text)


def _names_something(words: str) -> bool:
    return len(words) > 2 or any(c.isdigit() for c in words)


def _holds(text: str, words: str) -> bool:
    return words.casefold() in text.casefold()


def is_refusal(rewrite: str, original: str) -> bool:
    """Whether `rewrite` begins as models decline a task. A text that begins so itself is no refusal."""
    return bool(_REFUSAL.match(rewrite)) and not _REFUSAL.match(original)
