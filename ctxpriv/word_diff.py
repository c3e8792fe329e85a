"""Two texts word by word: what the rewrite took out, put in and left, and how well a person can follow it.

PRIVATE SIDE: sees private texts, keeps the last few pairs in memory. The pieces of a diff concatenate back to both texts exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from difflib import SequenceMatcher
from statistics import median
from typing import Literal

Kind = Literal["same", "removed", "added"]

_PIECE = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]")


@dataclass(frozen=True)
class Segment:
    """A stretch of text that both have ("same"), only the first ("removed") or only the second ("added")."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Readability:
    """How well a person can follow a diff [ours].

    `runs`: how many separate places changed; `runs_per_100_words` of the longer text; `median_run`: words
    in the middle changed place, removed and added together; `score`: 1 − the share of the words that are
    changed or stand alone between two changed places, so 1 for equal texts and 0 for a text written anew.
    """

    runs: int
    runs_per_100_words: float
    median_run: float
    score: float


@lru_cache(maxsize=8)  # share and readability are asked for one after the other
def word_diff(original: str, rewrite: str) -> tuple[Segment, ...]:
    """Segments in order of reading, a removed one before the added one that replaces it.

    The texts of "same" and "removed" concatenate to `original`, of "same" and "added" to `rewrite`.
    """
    a, b = _PIECE.findall(original), _PIECE.findall(rewrite)
    segments: list[Segment] = []
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            segments.append(Segment("same", "".join(a[a1:a2])))
            continue
        if a1 < a2:
            segments.append(Segment("removed", "".join(a[a1:a2])))
        if b1 < b2:
            segments.append(Segment("added", "".join(b[b1:b2])))
    return _joined(segments)


def _joined(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """Changes with nothing but spaces between them become one, as "in Berlin" to "near Bonn" is read."""
    out: list[Segment] = []
    removed = added = gap = ""
    for segment in segments:
        if segment.kind == "removed":
            removed, added, gap = removed + gap + segment.text, added + gap, ""
        elif segment.kind == "added":
            removed, added, gap = removed + gap, added + gap + segment.text, ""
        elif (removed or added) and not segment.text.strip() and not gap:
            gap = segment.text
        else:
            out += _change(removed, added)
            out.append(Segment("same", gap + segment.text))
            removed = added = gap = ""
    return (*out, *_change(removed, added), *([Segment("same", gap)] if gap else []))


def _change(removed: str, added: str) -> list[Segment]:
    both: tuple[tuple[Kind, str], ...] = (("removed", removed), ("added", added))
    return [Segment(kind, text) for kind, text in both if text]


def words_in(text: str) -> int:
    """The number of words; punctuation and spaces are none."""
    return len(re.findall(r"\w+(?:['’]\w+)*", text))


def share_changed(original: str, rewrite: str) -> float:
    """Words removed or added over the words of both texts, 0 (the same words) to 1 (no word kept).

    Symmetric: 1 − 2·(words kept) / (words of both). Two texts without words are unchanged.
    """
    segments = word_diff(original, rewrite)
    kept = sum(words_in(s.text) for s in segments if s.kind == "same")
    both = words_in(original) + words_in(rewrite)
    return 1 - 2 * kept / both if both else 0.0


def readability(original: str, rewrite: str) -> Readability:
    """How well the diff of two texts can be followed."""
    segments = word_diff(original, rewrite)
    runs = _runs(segments)
    longer = max(words_in(original), words_in(rewrite), 1)
    lonely = sum(words_in(s.text) for i, s in enumerate(segments) if 0 < i < len(segments) - 1 and _alone(s))
    changed = max(sum(words_in(s.text) for s in segments if s.kind == kind) for kind in ("removed", "added"))
    return Readability(
        len(runs),
        100 * len(runs) / longer,
        float(median(runs)) if runs else 0.0,
        max(0.0, 1 - (changed + lonely) / longer),
    )


def _alone(segment: Segment) -> bool:
    return segment.kind == "same" and words_in(segment.text) <= 1


def _runs(segments: Iterable[Segment]) -> list[int]:
    """Words of each changed place: neighbouring removed and added segments are one."""
    runs: list[int] = []
    inside = False
    for segment in segments:
        if segment.kind == "same":
            inside = False
            continue
        if not inside:
            runs.append(0)
        runs[-1] += words_in(segment.text)
        inside = True
    return runs
