"""Sentences that relate themes, or deny some, in words that no other rule can check."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.binding import named_groups
from ctxpriv.privatize.spin.verifier.bins import bin_claims
from ctxpriv.privatize.spin.verifier.comparisons import Comparison
from ctxpriv.privatize.spin.verifier.noise_claims import noise_spans
from ctxpriv.privatize.spin.verifier.ranks import order_words, rank_claims
from ctxpriv.privatize.spin.verifier.sentences import Reading
from ctxpriv.privatize.spin.verifier.subjects import Subject

_FIGURE = re.compile(r"\d")
_WHOLE = re.compile(
    r"\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:themes?|topics?|concepts?|subjects?|issues?|problems?)\s+"
    r"(?:\w+\s+){0,3}?(?:of|in|from|across|by)\s+(?:the\s+|this\s+)?(?:whole\s+|entire\s+)?"
    r"(?:collection|corpus|data\w*|records?|reviews?|complaints?|texts?|users?|people|customers?|consumers?)\b",
    re.IGNORECASE,
)
"""A plan lists the themes with most support, never all."""
_DENIED = ("none", "rest")


def check_relations(
    reading: Reading, plan: SemanticPlan, unnamed: list[Subject], compared: list[Comparison]
) -> Iterator[Violation]:
    """ "unsupported comparison" for two themes that are not just listed, or for "no other themes", where no
    bin, rank, number, comparison or word on the noise could be held against the plan."""
    if m := _WHOLE.search(reading.text):
        yield Violation(
            "unsupported comparison", reading.told(*m.span()), reading.position,
            "The plan lists some themes; it does not say that these are all.",
        )  # fmt: skip
    checked = (
        bin_claims(reading)
        or rank_claims(reading)
        or noise_spans(reading)
        or compared
        or order_words(reading)
        or _FIGURE.search(reading.text)
    )
    if checked or not plan.rows:
        return
    if len(named_groups(reading)) > 1:
        yield Violation(
            "unsupported comparison", reading.written, reading.position,
            "Say the bin of each theme; the plan does not relate one to the other.",
        )  # fmt: skip
    for s in unnamed:
        if s.kind in _DENIED:
            yield Violation(
                "unsupported comparison", reading.told(s.start, s.end), reading.position,
                "The plan says nothing of themes that it does not list.",
            )  # fmt: skip
