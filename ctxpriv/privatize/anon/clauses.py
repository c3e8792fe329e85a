"""A text cut into the clauses that can be taken out of it whole."""

from __future__ import annotations

import re

from ctxpriv.extract.evidence.sentences import cut_sentences

LEAST_WORDS = 3
"""A piece of fewer words stays with what stands before it."""
_CUT = re.compile(
    r"[,;:](?=\s)|\s[-–—]+\s|(?<=\w)[—–](?=\w)|"
    r"\s(?=(?:and|but|because|so|when|while|although|which|who|until|where|whose)\s)"
)


def cut_clauses(text: str) -> list[tuple[int, int]]:
    """Offsets that cover every sentence without gaps: a clause reaches up to the next one, and the
    last one to the end of the sentence. White space between sentences is in none."""
    out: list[tuple[int, int]] = []
    for start, end in cut_sentences(text):
        edges = [start]
        for m in _CUT.finditer(text, start, end):
            # A comma stays with what it ends, white space goes with what it leads to.
            edge = m.end() if m.group() in ",;:" else m.start()
            piece, rest = text[edges[-1] : edge], text[edge:end]
            if len(piece.split()) >= LEAST_WORDS and len(rest.split()) >= LEAST_WORDS:
                edges.append(edge)
        out += list(zip(edges, [*edges[1:], end], strict=True))
    return out


def clause_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The clauses that `text[start:end]` lies in, from the first to the last; the span itself where
    it is in none (white space)."""
    touched = [(a, b) for a, b in cut_clauses(text) if a < end and start < b]
    return (touched[0][0], touched[-1][1]) if touched else (start, end)
