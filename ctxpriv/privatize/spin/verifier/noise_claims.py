"""Statements on the noise: that a theme stands above it, or may be nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.binding import Claim, bind
from ctxpriv.privatize.spin.verifier.mentions import REFERENCE
from ctxpriv.privatize.spin.verifier.sentences import Reading, before_of
from ctxpriv.privatize.spin.verifier.subjects import Subject, holds

_WITHIN = re.compile(
    r"\b(?:(?:within|inside|lost\s+in|below|under|buried\s+in|no\s+(?:larger|greater|more)\s+than|mere(?:ly)?|nothing\s+but|only|just|as\s+much\s+as)"
    r"\s+(?:the\s+|its\s+|their\s+)?(?:range\s+of\s+(?:the\s+)?|level\s+of\s+(?:the\s+)?|reach\s+of\s+(?:the\s+)?)?(?:added\s+)?noise"
    r"|(?:not|n't|cannot|never|hardly|barely)\s+(?:\w+\s+){0,2}?(?:distinguish\w*|told|tell|separat\w+|stand\w*|clear|above|exceed\w*|set)"
    r"(?:\s+\w+){0,4}?\s+(?:noise|zero|chance|nothing)"
    r"|(?:mere|pure|by|due\s+to)\s+chance"
    r"|indistinguishable\s+from\s+(?:the\s+)?(?:noise|zero)"
    r"|(?:may|might|could)\s+(?:well\s+)?(?:not|be\s+absent|be\s+due\s+to\s+(?:the\s+)?noise|be\s+noise|reflect\s+\w*\s*noise)(?:\s+(?:be\s+)?(?:occur|appear|exist|present)\w*)?(?:\s+at\s+all)?)",
    re.IGNORECASE,
)  # fmt: skip
_ABOVE = re.compile(
    r"\b(?:above|beyond|over|outside|clear\s+of|exceed\w*|distinguishable\s+from|distinguished\s+from|distinct\s+from|"
    r"stands?\s+out\s+(?:from|of|against)|told\s+apart\s+from|larger\s+than|greater\s+than|rises?\s+above)"
    r"\s+(?:the\s+|its\s+|their\s+)?(?:level\s+of\s+(?:the\s+)?)?(?:added\s+)?noise",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"\b(?:not|n't|never)\s+(?:\w+\s+)?(?:occur|appear|exist|present|mention\w*|raised|found|reported|released|listed|"
    r"admitted|included|selected|shown|named)\b|\babsent\b"
    r"|\b(?:no|(?:cannot|n't)\s+\w+)\s+(?:the\s+|theme\s+)*"
    + REFERENCE
    + r"|\b(?:not|never|nor|except|excepting|excluding|without|beyond|besides|apart\s+from|"
    r"other\s+than)\s+(?:for\s+|in\s+|of\s+|the\s+|theme\s+)*" + REFERENCE,
    re.IGNORECASE,
)
_MAY = re.compile(r"\b(?:may|might|could|cannot)\b(?:\s+\w+){0,2}\s*$", re.IGNORECASE)


_NOISE_ITSELF = re.compile(
    r"\bnoise\s+(?:alone|itself|only|puts?|ma(?:k|d)es?|gives?|gave|brings?|has\s+(?:no|little|hardly)|(?:is|was)\s+(?:\w+\s+)?"
    r"(?:small|large|little|great|low|high|moderate|weak|strong|big|nothing))\b",
    re.IGNORECASE,
)
_ALL_CLEAR = re.compile(r"\b(?:clear|free|out)\s+of\s+(?:any\s+|all\s+|the\s+)?noise\b", re.IGNORECASE)
DIFFERENCE = re.compile(
    r"\b(?:differences?|gap)\b[^.;]{0,40}?\b(?:is|are|lies?|falls?)\s+(?:well\s+)?(?:within|inside|below|smaller\s+than|no\s+larger\s+than)"
    r"\s+(?:the\s+|their\s+)?(?:(?:range|level|reach)\s+of\s+(?:the\s+)?)?(?:added\s+)?noise\b",
    re.IGNORECASE,
)
"""Said of two themes, not of one: their intervals overlap."""


def noise_spans(reading: Reading) -> list[Claim]:
    """What is said of the noise; the value is whether it is said to lie below."""
    compared = [m.span() for m in DIFFERENCE.finditer(reading.text)]
    within = [
        Claim(*m.span(), False)
        for m in _WITHIN.finditer(reading.text)
        if not any(s <= m.start() < e for s, e in compared)
    ]
    above = [
        Claim(*m.span(), True)
        for m in _ABOVE.finditer(reading.text)
        if not any(c.start < m.end() and m.start() < c.end for c in within)
    ]
    return sorted([*within, *above], key=lambda c: c.start)


def check_noise(reading: Reading, plan: SemanticPlan, unnamed: list[Subject]) -> Iterator[Violation]:
    """ "unsupported comparison" where a row's interval says otherwise, or something is said not to occur."""
    spans = noise_spans(reading)
    for bound in bind(reading, spans, unnamed):
        above = bound.claim.value
        everywhere = [r.above_noise == above for r in plan.rows]
        for s in bound.subjects:
            rows = [r for a in s.atoms if (r := plan.row(a))]
            if (rows or s.kind != "named") and not holds(
                s, [r.above_noise == above for r in rows], everywhere
            ):
                words = reading.told(bound.claim.start, bound.claim.end)
                yield Violation(
                    "unsupported comparison", words, reading.position,
                    "The interval of a theme says whether it is within the noise; leave this out.",
                )  # fmt: skip
    itself = _NOISE_ITSELF.search(reading.text) or (not reading.inside and _ALL_CLEAR.search(reading.text))
    if itself:
        yield Violation(
            "unsupported comparison", reading.told(*itself.span()), reading.position,
            "Only say of a theme whether it is within the noise.",
        )  # fmt: skip
    for m in _ABSENT.finditer(reading.text):
        if reading.inside and not _MAY.search(before_of(reading.text, m.start())):
            yield Violation(
                "unsupported comparison", reading.told(m.start(), m.end()), reading.position,
                "The plan cannot show that something does not occur.",
            )  # fmt: skip
