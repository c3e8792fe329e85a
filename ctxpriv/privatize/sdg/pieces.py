"""Texts cut into pieces that can be recombined: sentences, or exchanges of a conversation.

RELEASE SIDE: reads donated texts and candidates only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_TURN = re.compile(r"^\s*([^\W\d_][\w .'\-]{0,30}):\s+\S")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？]+|\n+")
_ABBREVIATIONS = {
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "st",
    "vs",
    "etc",
    "e.g",
    "i.e",
    "fig",
    "approx",
    "al",
    "inc",
    "ltd",
    "jr",
    "sr",
    "ca",
    "spp",
    "sp",
}


@dataclass(frozen=True)
class Shape:
    """How the texts of a corpus are built: `lead` is the speaker who opens most conversations,
    and every exchange in them, or "" where the texts are prose."""

    lead: str

    @staticmethod
    def of(texts: Sequence[str]) -> Shape:
        """Conversations when most texts have most lines in the form "Speaker: ..."."""
        speakers = [_speakers(text) for text in texts]
        if sum(bool(s) for s in speakers) * 2 <= len(texts):
            return Shape("")
        names = Counter(turns[0] for turns in speakers if turns)
        return Shape(min(names, key=lambda name: (-names[name], name)))

    def cut(self, text: str) -> list[str]:
        """The pieces in order, none empty. An exchange is a turn of `lead` with the answers
        to it, so that pieces of several conversations in a row keep the speakers in turn."""
        return _exchanges(text, self.lead) if self.lead else sentences(text)

    def join(self, pieces: Sequence[str]) -> str:
        return ("\n" if self.lead else " ").join(pieces)

    def in_order(self, pieces: Sequence[str]) -> list[str]:
        """Without the exchanges that break the turns: one without the lead's turn can only
        stand first, one without an answer only last."""
        if not self.lead:
            return list(pieces)
        out = []
        for i, piece in enumerate(pieces):
            led, answered = piece.startswith(f"{self.lead}:"), "\n" in piece
            if i == 0 and not led or led and (answered or i == len(pieces) - 1):
                out.append(piece)
        return out


def sentences(text: str) -> list[str]:
    """Split after sentence ends and line breaks, not after common abbreviations or initials."""
    out, start = [], 0
    for match in _END.finditer(text):
        before = text[start : match.start()].rsplit(None, 1)[-1:] or [""]
        word = before[0].strip("(\"'“‘").casefold()
        abbreviated = match.group().startswith(".") and (
            word in _ABBREVIATIONS or len(word) == 1 and word.isalpha() and word != "i"
        )
        if abbreviated and "\n" not in match.group():
            continue
        out.append(text[start : match.end()].strip())
        start = match.end()
    out.append(text[start:].strip())
    return [s for s in out if s]


def _speakers(text: str) -> list[str]:
    """The speaker of each turn, or nothing when the text is prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    turns = [match.group(1) for line in lines if (match := _TURN.match(line))]
    return turns if len(lines) >= 2 and len(turns) * 5 >= len(lines) * 4 else []


def _exchanges(text: str, lead: str) -> list[str]:
    pieces: list[list[str]] = []
    for line in (line.strip() for line in text.splitlines()):
        if not line:
            continue
        if not pieces or line.startswith(f"{lead}:"):
            pieces.append([])
        pieces[-1].append(line)
    return ["\n".join(piece) for piece in pieces]
