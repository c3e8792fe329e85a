"""Two texts word by word: what the rewrite took out, put in and left, and how well a person can follow it.

PRIVATE SIDE: sees private texts, keeps the last few pairs in memory. The pieces of a diff concatenate
back to both texts exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from os.path import commonprefix
from statistics import median
from typing import Literal

Kind = Literal["same", "removed", "added"]

# A word or a sign, with the white space behind it; at the start of a text there may be white space alone.
_PIECE = re.compile(r"(\w+(?:['’]\w+)*|[^\w\s]|^(?=\s))(\s*)")


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
    # Words alone are compared: spaces, which stand everywhere, would make it slow and the changes ragged.
    matcher = SequenceMatcher(None, [w for w, _ in a], [w for w, _ in b], autojunk=False)
    out: list[Segment] = []
    removed = added = ""
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "equal":
            removed += "".join(w + gap for w, gap in a[a1:a2])
            added += "".join(w + gap for w, gap in b[b1:b2])
            continue
        for (word, gap), (_, other) in zip(a[a1:a2], b[b1:b2], strict=True):
            out += _change(removed, added) + [Segment("same", word)]
            removed, added = gap, other
    return _joined(out + _change(removed, added))


def _change(removed: str, added: str) -> list[Segment]:
    """One change; the space that both begin or end with is no part of it."""
    head = _shared_space(removed, added)
    removed, added = removed[len(head) :], added[len(head) :]
    tail = _shared_space(removed[::-1], added[::-1])[::-1]
    removed, added = removed[: len(removed) - len(tail)], added[: len(added) - len(tail)]
    parts: tuple[tuple[Kind, str], ...] = (
        ("same", head), ("removed", removed), ("added", added), ("same", tail),
    )  # fmt: skip
    return [Segment(kind, text) for kind, text in parts if text]


def _shared_space(a: str, b: str) -> str:
    """The white space that both begin with."""
    both = commonprefix([a, b])
    return both[: len(both) - len(both.lstrip())]


def _joined(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """Neighbours of one kind as one."""
    out: list[Segment] = []
    for segment in segments:
        if not segment.text:
            continue
        if out and out[-1].kind == segment.kind:
            out[-1] = Segment(segment.kind, out[-1].text + segment.text)
        else:
            out.append(segment)
    return tuple(out)


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
