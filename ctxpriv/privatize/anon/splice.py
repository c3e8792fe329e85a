"""Putting phrases into a text so that it still reads: articles, capital letters, commas and spaces.

PRIVATE SIDE where the text is private. Nothing outside the edits changes but what they touch: an article
or comma before them, one space, and the capital letter of what follows a beginning that was taken out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_DETERMINER = re.compile(
    r"(?<![\w'’])(?:a|an|the|my|our|his|her|their|your|this|that|some|every|each|no)\s+$", re.IGNORECASE
)
_APART = re.compile(r"(?<![\w'’])(?:an?|my|our|his|her|their|your|this|that) [a-z]+\s+$", re.IGNORECASE)
_ARTICLE = re.compile(r"(?<![\w'’])an?\s+$", re.IGNORECASE)
_DETERMINED = frozenset(
    (
        "the",
        "another",
        "a",
        "an",
        "some",
        "someone",
        "somewhere",
        "something",
        "my",
        "our",
        "this",
        "these",
        "that",
        "many",
        "such",
        "people",
        "one",
        "at",
        "in",
        "for",
        "of",
        "us",
        "years",
    )
)
_SENTENCE_START = re.compile(r"(?:^|[.!?…][\"'”’)\]*]*\s+|\n\s*)[\"'“‘(*]*$")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]*]*$")
_JOINS = re.compile(r"(?:and|but|so|because|while|when|which|who|or|then)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Edit:
    """`text[start:end]` becomes `phrase`; "" takes it out. `key`: what it is about."""

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
    new, at = "", 0
    pieces: list[Piece] = []
    for edit in sorted(edits, key=lambda e: (e.start, -e.end)):
        if edit.start < at or edit.end <= edit.start:
            continue
        edit = _again(text, edit, pieces, new) or _widened(text, edit, at)
        new += _continued(text, new, text[at : edit.start], pieces)
        phrase = edit.phrase
        if phrase and text[edit.start].isupper() and _SENTENCE_START.search(new):
            phrase = phrase[0].upper() + phrase[1:]
        pieces.append(Piece(len(new), len(new) + len(phrase), edit.start, edit.end, edit.key))
        new, at = new + phrase, edit.end
    return new + _continued(text, new, text[at:], pieces), pieces


def _again(text: str, edit: Edit, pieces: Sequence[Piece], new: str) -> Edit | None:
    """The edit without the repetition where it follows its like ("food, food", "the city the flat"):
    taken out with what stands between, or without its article."""
    if not pieces or not edit.phrase:
        return None
    last = pieces[-1]
    between, before = text[last.old_end : edit.start], new[last.start : last.end]
    if edit.phrase.casefold() == before.casefold() and re.fullmatch(r",?\s(?:(?:and|or)\s)?|-", between):
        return replace(edit, start=last.old_end, phrase="")
    if between == " " and before and (article := re.match(r"(?:the|an?) ", edit.phrase)):
        return replace(edit, phrase=edit.phrase[article.end() :])
    return None


def _widened(text: str, edit: Edit, floor: int) -> Edit:
    """Takes in the article before a phrase that brings its own, or the space or comma that a gap
    would leave behind. Never begins before `floor`."""
    before = text[floor : edit.start]
    if not edit.phrase:
        return _gap(text, edit, before, floor)
    first = edit.phrase.split()[0].casefold()
    determiner = _DETERMINER.search(before)
    if determiner and first in _DETERMINED:
        return replace(edit, start=floor + determiner.start())
    if _APART.search(before) and (own := re.match(r"(?:the|an?) ", edit.phrase)):
        return replace(edit, phrase=edit.phrase[own.end() :])  # "a whole (the) shop"
    article = _ARTICLE.search(before)
    if article:
        phrase = ("an " if first[0] in "aeiou" else "a ") + edit.phrase
        return replace(edit, start=floor + article.start(), phrase=phrase)
    return edit


def _gap(text: str, edit: Edit, before: str, floor: int) -> Edit:
    if _SENTENCE_START.search(text[: edit.start]):
        tail = re.match(r"[,;:]?\s*", text[edit.end :])
        return replace(edit, end=edit.end + (tail.end() if tail else 0))
    # What ends a sentence stays there.
    stop = _SENTENCE_END.search(text[edit.start : edit.end])
    if stop and stop.start():
        edit = replace(edit, end=edit.start + stop.start())
    after = text[edit.end : edit.end + 1]
    if not after or after in ".,;:!?…)":
        lead = re.search(r"\s*[,;:–—-]*\s*$", before)
        return replace(edit, start=floor + lead.start()) if lead else edit
    article = _ARTICLE.search(before)  # "an Indian cook": the article of what follows
    if article and (follows := re.match(r"\s+(\w)", text[edit.end :])):
        new = "an" if follows.group(1).casefold() in "aeiou" else "a"
        new = new.capitalize() if before[article.start()].isupper() else new
        return replace(edit, start=floor + article.start(), phrase=new)
    if before[-1:].isspace() and after.isspace():
        return replace(edit, end=edit.end + 1)
    return edit


def _continued(text: str, new: str, rest: str, pieces: Sequence[Piece]) -> str:
    """What follows the last edit: after the beginning of a sentence that was taken out without its
    conjunction and with a capital letter."""
    if not pieces or pieces[-1].start != pieces[-1].end or not _SENTENCE_START.search(new):
        return rest
    gone = text[pieces[-1].old_start : pieces[-1].old_end].rstrip()
    join = None if _SENTENCE_END.search(gone) else _JOINS.match(rest)
    if join:
        rest = rest[join.end() :]
    return rest[:1].upper() + rest[1:] if rest[:1].islower() and gone[:1].isupper() else rest
