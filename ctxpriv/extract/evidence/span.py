"""A span of text that tells something about its author, and the clues it gives.

The objects of this package hold pieces of private text. PRIVATE SIDE where the text is private.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

AGE, SEX, PLACE, ORIGIN, MONEY = "age", "sex", "place", "origin", "money"
RELATIONSHIP, EDUCATION, OCCUPATION, WORD = "relationship", "education", "occupation", "word"
FACETS = (AGE, SEX, PLACE, ORIGIN, MONEY, RELATIONSHIP, EDUCATION, OCCUPATION)
"""What a span can be about. ORIGIN is a place where somebody comes from, PLACE where somebody lives;
`WORD` is a phrase of a value that stands in the text as it is, whatever the attribute is about."""


@dataclass(frozen=True)
class Clue:
    """What a span tells of one facet.

    `what`: a concept of `cues.yaml`, "city|COUNTRY CODE" (either may be empty), a word of an occupation, an
    attribute's name (for WORD); `low` and `high`: years of age, or dollars a year. `hint`: it points there
    without saying so.
    """

    facet: str
    what: str = ""
    low: float = 0.0
    high: float = 0.0
    hint: bool = False


@dataclass(frozen=True)
class Span:
    """`text[start:end]` of the text it was found in; `less`: phrases that tell less, in its place."""

    start: int
    end: int
    kind: str  # which detector found it
    clues: tuple[Clue, ...] = ()
    less: tuple[str, ...] = field(default=())


def without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """In order of place. Of spans that overlap the longest stays, with the clues of those inside it."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-(s.end - s.start), s.start, s.kind)):
        over = [i for i, k in enumerate(kept) if span.start < k.end and k.start < span.end]
        if not over:
            kept.append(span)
            continue
        k = kept[over[0]]
        if k.start <= span.start and span.end <= k.end:
            clues = tuple(dict.fromkeys((*k.clues, *span.clues)))
            kept[over[0]] = Span(k.start, k.end, k.kind, clues, k.less or span.less)
    return sorted(kept, key=lambda s: s.start)
