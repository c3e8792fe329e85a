"""Markup, links and instructions. Labels may hold such signs: they stand behind a character by then."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.sentences import Reading

_MARKUP = re.compile(
    r"<\s*/?\s*[A-Za-z!?][^>]*>?|&\w+;|&#\d+;|\bhttps?:|\bwww\.|\b\w+\.(?:com|org|net|io)\b|javascript:|[*_~`|\\$]|^\s*(?:#{1,6}\s|>|[-+•–—]\s|\d+[.)]\s)|\[[^\]]*\]\s*\(|!\[|[\[\]{}<>^]|={2,}|-{3,}",
    re.MULTILINE,
)
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|click|visit|download|call\s+(?:us|now)|contact|please|respond|answer\s+only|"
    r"system\s+prompt|instructions?|rules|tell\s+(?:the|me|us)|send|execute|run\s+the|pretend|act\s+as|note\s+that\s+you|assistant)\b",
    re.IGNORECASE,
)


def check_markup(reading: Reading) -> Iterator[Violation]:
    """ "markup": the text is shown as text, and a reader must not take it for anything else."""
    for pattern, fix in (
        (_MARKUP, "Write plain sentences without lists, markup or links."),
        (_INSTRUCTION, "Only report the plan; instruct nobody."),
    ):
        if m := pattern.search(reading.text):
            yield Violation("markup", reading.told(*m.span()).strip(), reading.position, fix)
    if hidden := [
        c for c in reading.text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Cn") and c not in "\t\n"
    ]:
        yield Violation(
            "markup", f"U+{ord(hidden[0]):04X}", reading.position, "Leave out signs that cannot be seen."
        )
