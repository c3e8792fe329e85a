"""Heuristic redaction: what the detectors find becomes [kind] (a reference of DP-SPIN App. H.5).

PRIVATE SIDE: a redacted text is still private. The detectors miss things, and what is left may be
enough to know somebody; that is what this reference is there to show.
"""

from __future__ import annotations

import re

from ctxpriv.extract.evidence.find import find_spans

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("e-mail", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
        ("link", r"\b(?:https?://|www\.)[^\s<>\"']+"),
        ("phone", r"(?<![\w.])(?:\+?\d{1,3}[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]?\d{4}(?!\w)"),
        (
            "date",
            r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?\b"
            r"(?:,? \d{4}\b)?|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b",
        ),
        ("money", r"[$€£]\s?\d[\d,]*(?:\.\d+)?k?\b|\b\d[\d,]*(?:\.\d+)? ?(?:dollars|euros|pounds|usd)\b"),
        ("name", r"\b(?-i:Mr|Mrs|Ms|Miss|Dr)\.? (?-i:[A-Z])[\w'’-]+"),
        ("name", r"\b(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)+"),  # persons, companies, products
        ("number", r"(?<!\w)(?:[x*]{2,}[ -]?)?\d(?:[ -]?\d){5,}(?!\w)"),  # accounts, cards, references
    )
)


_SHOWN = {"cue": "personal detail", "local word": "place", "adjective": "origin", "job named": "job"}


def redacted(text: str) -> str:
    """The text with every find in brackets by its kind; finds that overlap become one."""
    found = [(span.start, span.end, _SHOWN.get(span.kind, span.kind)) for span in find_spans(text)]
    found += [(*m.span(), kind) for kind, pattern in _PATTERNS for m in pattern.finditer(text)]
    out, at = [], 0
    for start, end, kind in _merged(found):
        end -= len(text[start:end]) - len(text[start:end].rstrip(" .,;:"))
        out += [text[at:start], f"[{kind}]"]
        at = end
    return "".join([*out, text[at:]])


def _merged(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """In order of place without overlaps; the longest find of an overlap gives the kind, the first of two."""
    out: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(found, key=lambda f: (f[0], -f[1])):
        if out and start < out[-1][1]:
            before = out.pop()
            longer = kind if end - start > before[1] - before[0] else before[2]
            out.append((before[0], max(before[1], end), longer))
        else:
            out.append((start, end, kind))
    return out
