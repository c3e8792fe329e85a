"""Comparisons of two themes, held against the released masses.

Our rule. "More" and "less": by the released masses, in both modes (a rank is nothing else). "Clearly",
"far" and the like: the noise intervals must not overlap. "Slightly" and the like: they overlap, or the
bin is the same. "As common as", "close to": the intervals overlap; "the same bin": the bins are the
same. "Twice" and other ratios: only in audit mode, as display texts hold no masses; the ratio may be
off by one eighth ("more than twice" and "nearly twice" on their side only).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ctxpriv.privatize.spin.semantic_plan import PlanRow, SemanticPlan
from ctxpriv.privatize.spin.summary import Mode, Violation
from ctxpriv.privatize.spin.verifier.mentions import REFERENCE
from ctxpriv.privatize.spin.verifier.noise_claims import DIFFERENCE, noise_spans
from ctxpriv.privatize.spin.verifier.sentences import Reading, before_of
from ctxpriv.privatize.spin.verifier.sides import sides
from ctxpriv.privatize.spin.verifier.subjects import NUMBER, Subject, number_of

RATIO_TOLERANCE = 1 / 8

Sign = Literal["more", "less", "equal", "same bin", "ratio", "differ", "other bin"]

_MORE = r"(?:more|greater|higher|larger|bigger|stronger|commoner|better)"
_LESS = r"(?:less|fewer|lower|smaller|weaker|rarer)"
_VERB_MORE = (
    r"(?:exceed\w*|preced\w+|(?:comes?|ranks?|ranked|placed|listed)\s+before|outnumber\w*|outweigh\w*|surpass\w*|outrank\w*|outpac\w+|outstrip\w*|overtak\w+|tops?\s+(?="
    + REFERENCE
    + r")|(?:ranks?\s+|is\s+|comes?\s+|sits?\s+|stands?\s+|places?\s+)?(?:ahead\s+of|above|over(?=\s+"
    + REFERENCE
    + r")))"
)
_VERB_LESS = (
    r"(?:(?:comes?|ranks?|ranked|placed|listed)\s+after|follows?(?=\s+"
    + REFERENCE
    + r")|trail\w*|lag\w*(?:\s+behind)?|behind|below|under(?=\s+"
    + REFERENCE
    + r"))"
)
_EQUAL = (
    r"(?:as\s+(?:\w+\s+){1,3}as|equal(?:s|ly)?|(?:the\s+)?same\s+(?:\w+\s+)?(?:as|mass|rank)|similar\w*|comparabl[ey]|"
    r"on\s+(?:a\s+)?par|tied?\b|alike|level\s+with|close\s+to|near(?:ly)?\s+(?:equal|identical)|identical|matche?s?|match(?:ed|ing))"
)
_SAME_BIN = r"(?:the\s+)?same\s+(?:\w+\s+)?(?:support|bin|level|band|range|class|tier)"
_OTHER_BIN = r"different\s+(?:\w+\s+)?(?:support|levels?|bins?|mass|masses|ranges?|bands?)"
_RATIO = (
    rf"(?:(?P<times>{NUMBER}(?:\.\d+)?)\s*(?:times|x|-fold|fold)|"
    r"(?P<word>twice|double\w*|doubling|half(?=\s+(?:as|the|of|that))|triple\w*|thrice|twofold|threefold))"
)
_COMPARISON = re.compile(
    rf"\b(?P<ratio>{_RATIO})(?:\s+(?:as\s+\w+(?:\s+\w+)?\s+as|more|the\s+\w+(?:\s+\w+)?\s+of|that\s+of|higher|larger))?"
    rf"|\b(?P<more>{_MORE}|{_VERB_MORE})|\b(?P<less>{_LESS}|{_VERB_LESS})|\b(?P<same>{_SAME_BIN})|\b(?P<other>{_OTHER_BIN})|\b(?P<equal>{_EQUAL})",
    re.IGNORECASE,
)  # fmt: skip
_STRONG = re.compile(
    r"\b(?:clearly|far|much|significantly|considerably|substantially|markedly|well|way|distinctly|noticeably)\s+$",
    re.IGNORECASE,
)
_OVER = re.compile(r"\b(?:more\s+than|over|above|at\s+least)\s+$", re.IGNORECASE)
_UNDER = re.compile(r"\b(?:nearly|almost|less\s+than|under|just\s+under|not\s+quite)\s+$", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|n't|never|no|neither)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_NOT_OF_THEMES = re.compile(
    r"\b(?:values?|figures?|themes?|masses|rows|listed|shown|given|reported)\s+(?:above|below)\b"
    rf"(?!\s+(?:it|them|this|that|these|those|the|all|every|any|{REFERENCE}))|"
    r"\b(?:lower|higher|upper)\s+(?:end|half|part)\b|\babove\s+all\b(?!\s+other)|\b(?:more|less|fewer)\s+than\s+(?=[\d~])|\bmore\s+or\s+less\b|\bno\s+more\b|\bnot\s+(?:be\s+)?(?:compared|ranked)\b|\bno\s+larger\s+than\b|"
    r"\bonce\s+more\b|\bor\s+(?:more|less|fewer|higher|lower)\b|\bone\s+or\s+more\b",
    re.IGNORECASE,
)
_SLIGHT = re.compile(
    r"\b(?:slightly|just|marginally|narrowly|a\s+little|a\s+bit|somewhat|closely)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_NEITHER = re.compile(
    r"\bneither\b[^.;]{0,60}?\b(?:above|ahead\s+of|over|more|higher|larger|exceeds?|below|behind)\b"
    r"[^.;]{0,30}?\bthe\s+other\b",
    re.IGNORECASE,
)
_OVERLAP = re.compile(
    r"\b(?P<no>(?:do|does)\s+not\s+|n't\s+)?overlap\w*|\b(?P<tell>cannot\s+be\s+(?:told\s+apart|ordered|separated|ranked)(?!\s+from\s+(?:the\s+)?(?:noise|zero)))\b"
    r"|\btoo\s+(?:close|similar|near)\b[^.;]{0,30}?\bto\s+(?:tell|call|rank|order|separate|distinguish)\b[^.;]*"
    r"|\bcannot\s+(?:tell|say)\s+which\b[^.;]*"
    rf"|{DIFFERENCE.pattern}",
    re.IGNORECASE,
)
_WORDS = {
    "twice": 2.0,
    "double": 2.0,
    "doubling": 2.0,
    "twofold": 2.0,
    "half": 0.5,
    "triple": 3.0,
    "thrice": 3.0,
    "threefold": 3.0,
}


@dataclass(frozen=True)
class Comparison:
    """`left` is said to be `sign` than `right`; `factor` and `side` are for ratios."""

    start: int
    end: int
    sign: Sign
    left: tuple[int, ...]
    right: tuple[int, ...]
    factor: float = 1.0
    side: Literal["", "over", "under"] = ""
    strong: bool = False  # "far", "clearly"
    slight: bool = False  # "slightly", "just"
    negated: bool = False


def comparisons(
    reading: Reading, plan: SemanticPlan, unnamed: list[Subject], last: tuple[int, ...]
) -> list[Comparison]:
    """All that the sentence holds, whether they are borne out or not."""
    skip = [m.span() for m in _NOT_OF_THEMES.finditer(reading.text)] + [
        (c.start, c.end) for c in noise_spans(reading)
    ]
    overlapping = list(_OVERLAP.finditer(reading.text))
    skip += [m.span() for m in overlapping]
    found = []
    for m in _NEITHER.finditer(reading.text):
        left, right = sides(reading, plan, *m.span(), unnamed, last)
        found.append(Comparison(*m.span(), "equal", left, right))
        skip.append(m.span())
    for m in _COMPARISON.finditer(reading.text):
        if not any(s < m.end() and m.start() < e for s, e in skip):
            found.append(_comparison(reading, plan, m, unnamed, last))
    for m in overlapping:
        inner = tuple(r.atom for at, r in reading.inside if m.start() <= at < m.end() and r.atom is not None)
        left, right = (inner, inner) if inner else sides(reading, plan, m.start(), m.end(), unnamed, last)
        found.append(Comparison(*m.span(), "differ" if m.group("no") else "equal", left, right))
    return found


def _comparison(
    reading: Reading, plan: SemanticPlan, m: re.Match[str], unnamed: list[Subject], last: tuple[int, ...]
) -> Comparison:
    before = before_of(reading.text, m.start())
    left, right = sides(reading, plan, m.start(), m.end(), unnamed, last)
    signs: dict[str, Sign] = {
        "ratio": "ratio",
        "more": "more",
        "less": "less",
        "same": "same bin",
        "other": "other bin",
        "equal": "equal",
    }
    sign = next(s for group, s in signs.items() if m.group(group))
    factor = 1.0
    if sign == "ratio":
        word = (m.group("word") or "").casefold()
        factor = _WORDS.get(word) or next(
            (f for w, f in _WORDS.items() if word and word.startswith(w[:5])), 0.0
        )
        factor = factor or float(
            number_of(m.group("times")) if "." not in m.group("times") else m.group("times")
        )
    return Comparison(
        *m.span(), sign, left, right, factor,
        "over" if _OVER.search(before) else "under" if _UNDER.search(before) else "",
        bool(_STRONG.search(before)), bool(_SLIGHT.search(before)), bool(_NEGATED.search(before)),
    )  # fmt: skip


def check_comparison(c: Comparison, plan: SemanticPlan, mode: Mode) -> bool:
    """Whether the released values bear it out."""
    if c.negated or not c.left or not c.right or (c.sign == "ratio" and mode == "display"):
        return False
    rows = [(plan.row(a), plan.row(b)) for a in c.left for b in c.right if a != b]
    return bool(rows) and all(a is not None and b is not None and _borne_out(c, a, b) for a, b in rows)


def _borne_out(c: Comparison, a: PlanRow, b: PlanRow) -> bool:
    overlap = a.low <= b.high and b.low <= a.high
    match c.sign:
        case "more" | "less":
            more = a.mass > b.mass if c.sign == "more" else a.mass < b.mass
            return more and not (c.strong and overlap) and not (c.slight and a.bin != b.bin and not overlap)
        case "equal":
            return overlap
        case "same bin":
            return a.bin == b.bin
        case "other bin":
            return a.bin != b.bin
        case "differ":
            return not overlap
    if a.mass <= 0 or b.mass <= 0:
        return False
    ratio = a.mass / b.mass / c.factor
    low, high = (
        (1.0 if c.side == "over" else 1 - RATIO_TOLERANCE),
        (1.0 if c.side == "under" else 1 + RATIO_TOLERANCE),
    )
    return low <= ratio <= high


def violation(c: Comparison, reading: Reading, plan: SemanticPlan, mode: Mode) -> Violation:
    rows = [r for a in (*c.left, *c.right) if (r := plan.row(a))]
    if not c.left or not c.right:
        fix = "Compare two listed themes by their labels, or leave the comparison out."
    elif c.sign == "ratio" and mode == "display":
        fix = "A text for display tells no masses, so no ratios."
    else:
        fix = (
            "By rank, highest first: "
            + ", ".join(f"“{r.label}” ({r.rank})" for r in sorted(rows, key=lambda r: r.rank))
            + "."
        )
    return Violation("unsupported comparison", reading.written, reading.position, fix)


def check_comparisons(
    reading: Reading, plan: SemanticPlan, mode: Mode, found: list[Comparison]
) -> Iterator[Violation]:
    """ "unsupported comparison" for each of `found` that the plan does not bear out."""
    for c in found:
        if not check_comparison(c, plan, mode):
            yield violation(c, reading, plan, mode)
