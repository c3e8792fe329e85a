"""Putting phrases into a text so that it still reads: articles, capital letters, commas and spaces.

PRIVATE SIDE where the text is private. Nothing outside the edits changes, but for the capital letter of
what follows when the beginning of a sentence is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_DETERMINER = re.compile(
    r"(?<![\w'’])(?:a|an|the|my|our|his|her|their|your|this|that|some|every|each|no)\s+$", re.IGNORECASE
)
_ARTICLE = re.compile(r"(?<![\w'’])an?\s+$", re.IGNORECASE)
_DETERMINED = frozenset(
    "the another a an some someone somewhere something my our this these many people one at in for of "
    "years money that such".split()
)
_SENTENCE_START = re.compile(r"(?:^|[.!?…][\"'”’)\]*]*\s+|\n\s*)[\"'“‘(*]*$")
_JOINS = re.compile(r"(?:and|but|so|because|while|when|which|who|or|then)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Edit:
    """`text[start:end]` becomes `phrase`; "" takes it out. `key`: what it is about, the same for
    mentions of the same thing."""

    start: int
    end: int
    phrase: str
    key: str = ""


@dataclass(frozen=True)
class Piece:
    """Where an edit went: `new[start:end]` stands for `old[old_start:old_end]`."""

    start: int
    end: int
    old_start: int
    old_end: int
    key: str


def splice(text: str, edits: Sequence[Edit]) -> tuple[str, list[Piece]]:
    """The text with all edits made, and where each went. Of edits that overlap, the one that begins
    first (of those the longest) stands."""
    out, at, pieces = [], 0, []
    length = 0
    for edit in sorted(edits, key=lambda e: (e.start, -e.end)):
        if edit.start < at:
            continue
        edit = _widened(text, edit, at)
        between = text[at : edit.start]
        if pieces and not pieces[-1].end - pieces[-1].start:
            between = _after_gap("".join(out), between)
        out.append(between)
        length += len(between)
        phrase = edit.phrase
        if phrase and phrase[0].islower() and _begins(text, edit.start, "".join(out)):
            phrase = phrase[0].upper() + phrase[1:]
        out.append(phrase)
        pieces.append(Piece(length, length + len(phrase), edit.start, edit.end, edit.key))
        length += len(phrase)
        at = edit.end
    rest = text[at:]
    if pieces and not pieces[-1].end - pieces[-1].start:
        rest = _after_gap("".join(out), rest)
    return "".join(out) + rest, pieces


def _begins(text: str, start: int, before: str) -> bool:
    return bool(_SENTENCE_START.search(before)) and text[start : start + 1] != text[start : start + 1].lower()


def _widened(text: str, edit: Edit, floor: int) -> Edit:
    """Takes in the article before a phrase that brings its own, or the space or comma that a gap
    would leave twice. Never begins before `floor`."""
    before = text[floor : edit.start]
    if edit.phrase:
        first = edit.phrase.split()[0].casefold()
        determiner = _DETERMINER.search(before)
        if determiner and first in _DETERMINED:
            return replace(edit, start=floor + determiner.start())
        article = _ARTICLE.search(before)
        if article:
            phrase = ("an " if first[0] in "aeiou" else "a ") + edit.phrase
            if before[article.start()].isupper():
                phrase = phrase[0].upper() + phrase[1:]
            return replace(edit, start=floor + article.start(), phrase=phrase)
        return edit
    after = text[edit.end : edit.end + 1]
    whole = not before or bool(_SENTENCE_START.search(text[: edit.start]))
    if whole:
        tail = re.match(r"[,;:]?\s*", text[edit.end :])
        return replace(edit, end=edit.end + (tail.end() if tail else 0))
    lead = re.search(r"[,;:]?\s*$", before)
    if lead and (not after or after in ".,;:!?…)"):
        return replace(edit, start=floor + lead.start())
    if before[-1:].isspace() and after.isspace():
        return replace(edit, end=edit.end + 1)
    return edit


def _after_gap(before: str, rest: str) -> str:
    """What follows a gap: without a leading conjunction and with a capital letter where the gap was the
    beginning of a sentence."""
    if not _SENTENCE_START.search(before):
        return rest
    join = _JOINS.match(rest)
    if join:
        rest = rest[join.end() :]
    return rest[:1].upper() + rest[1:] if rest[:1].islower() else rest
