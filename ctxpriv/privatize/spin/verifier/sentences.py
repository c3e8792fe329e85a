"""A text with its references put behind one character each, parted into sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctxpriv.privatize.spin.verifier.mentions import FIRST, REFERENCE, Reference

_END = re.compile(r"(?<=[.!?])[”’\"')\]]*\s+|\s*\n\s*")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|approx|incl|no|cf|ca)\.$", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """One sentence. In `text` each reference is one character; `told` turns it back into words."""

    position: int
    text: str
    references: tuple[Reference, ...]  # of the whole text: a character's number is its index

    def at(self, character: str) -> Reference:
        return self.references[ord(character) - FIRST]

    @property
    def inside(self) -> list[tuple[int, Reference]]:
        """(position in `text`, reference), in order."""
        return [(m.start(), self.at(m.group())) for m in re.finditer(REFERENCE, self.text)]

    def told(self, start: int = 0, end: int | None = None) -> str:
        """The words of a stretch, as they were written."""
        return re.sub(REFERENCE, lambda m: self.at(m.group()).surface, self.text[start:end])

    @property
    def written(self) -> str:
        return self.told()


NEAR = 80
"""Signs before a word that may change what it says; no rule looks further back."""


def before_of(text: str, at: int) -> str:
    return text[max(0, at - NEAR) : at]


def masked(text: str, references: list[Reference]) -> str:
    parts, at = [], 0
    for i, r in enumerate(references):
        parts += [text[at : r.start], chr(FIRST + i)]
        at = r.end
    return "".join([*parts, text[at:]])


def readings(text: str, references: list[Reference]) -> list[Reading]:
    """The sentences of a text, empty ones left out."""
    whole, kept, start = masked(text, references), [], 0
    for m in _END.finditer(whole):
        if "\n" not in m.group() and _ABBREVIATION.search(whole[max(0, m.start() - 8) : m.start()]):
            continue
        kept.append(whole[start : m.end()].strip())
        start = m.end()
    kept.append(whole[start:].strip())
    every = tuple(references)
    return [Reading(i, s, every) for i, s in enumerate(s for s in kept if s)]
