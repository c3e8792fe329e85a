"""Rewrites as language models answer them: how long they may get, and what is no rewrite.

PRIVATE SIDE: reads private texts and rewrites of them; keeps none.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from ctxpriv.models.answer_forms import Form
from ctxpriv.models.base import Answer, LanguageModel
from ctxpriv.rewriting_roles import REFUSED, UNREADABLE, Rewritten

ROOM = 1.6  # a rewrite's tokens over the text's: vaguer wording and JSON's escapes take more
LEAST_ROOM = 80  # tokens

REWRITE_FORM: Form = {"type": "string"}
"""Without a greatest length: an engine that enforces one over hundreds of characters needs minutes to
prepare for it. The prompt's `max_tokens` is the bound, and the same form serves every text."""

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


def room_for(text: str, model: LanguageModel) -> int:
    """Tokens that a rewrite of `text` may take. What needs more is cut off, and so a failure."""
    return LEAST_ROOM + round(ROOM * model.count_tokens(text))


def seed_of(seed: int, number: int, text: str) -> int:
    """A seed of its own for each record and round, whatever stands beside it in a batch."""
    digest = hashlib.blake2b(f"{seed} {number} {text}".encode("utf-8", "surrogatepass"), digest_size=4)
    return int.from_bytes(digest.digest()) % 2**31


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
    if not text.strip('"\'.… '):  # the example of the prompt copied
        return Rewritten(failure=UNREADABLE)
    if is_refusal(text, original):
        return Rewritten(failure=REFUSED)
    return Rewritten(text)


def is_refusal(rewrite: str, original: str) -> bool:
    """Whether `rewrite` begins as models decline a task. A text that begins so itself is no refusal."""
    return bool(_REFUSAL.match(rewrite)) and not _REFUSAL.match(original)
