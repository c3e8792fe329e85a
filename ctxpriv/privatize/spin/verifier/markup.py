"""Markup, links and instructions. Labels may hold such signs: they stand behind a character by then."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.mentions import REFERENCE
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


_SIGNS = frozenset(".,;:!?'\"“”‘’«»()-–—−‐‑/%&+±≈~=#…\n\t ")
_LINKED = re.compile(REFERENCE + r"\(")


def check_markup(reading: Reading, plan: SemanticPlan) -> Iterator[Violation]:
    """ "markup": the text is shown as text, and a reader must not take it for anything else."""
    for pattern, fix in (
        (_MARKUP, "Write plain sentences without lists, markup or links."),
        (_INSTRUCTION, "Only report the plan; instruct nobody."),
    ):
        if m := pattern.search(reading.text):
            yield Violation("markup", reading.told(*m.span()).strip(), reading.position, fix)
    if any(reading.at(m.group()[0]).surface.endswith("]") for m in _LINKED.finditer(reading.text)):
        yield Violation("markup", "](", reading.position, "Put a space after a marker.")
    strange = [c for c in reading.text if not _plain(c) and not re.match(REFERENCE, c)]
    for _, r in reading.inside:
        label = "" if r.atom is None else plan.atoms.labels[r.atom] + plan.atoms.atoms[r.atom].description
        strange += [c for c in r.surface if not _plain(c) and c not in "[]" and c not in label]
    if strange:
        yield Violation(
            "markup", f"U+{ord(strange[0]):04X}", reading.position,
            "Write with plain letters, figures and punctuation; leave out signs that cannot be seen.",
        )  # fmt: skip


def _plain(c: str) -> bool:
    """A letter that is no other letter's look (as “ﬁ” is), a figure, or a sign of plain sentences."""
    if c in _SIGNS or c == "\u00a0":
        return True
    return (c.isalpha() or c in "0123456789") and unicodedata.normalize("NFKC", c) == c
