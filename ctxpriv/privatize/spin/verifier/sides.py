"""Which themes are compared: "X is more common than Y", "more of X than of Y", "compared with Y, X"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.verifier.binding import named_groups
from ctxpriv.privatize.spin.verifier.sentences import Reading
from ctxpriv.privatize.spin.verifier.subjects import Subject

Sides = tuple[tuple[int, ...], tuple[int, ...]]

_OBJECT_FIRST = re.compile(
    r"\b(?:compared\s+(?:with|to)|relative\s+to|in\s+comparison\s+(?:with|to)|against|next\s+to|than)\s+[^"
    + "\U000f0000-\U000ffffd"
    + r"]*$",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"\s+(?:(?:that|those)\s+(?:for|of)\s+)?(?:any|all|every|each|the)\s+(?:of\s+)?(?:the\s+)?(?:others?|rest|remaining)\b",
    re.IGNORECASE,
)
_EACH_OTHER = re.compile(r"\b(?:each\s+other|one\s+another)\b", re.IGNORECASE)
_WHICH = re.compile(r"\bwhich\s+(?:is|has)\s+(?:[\d.,]+\s+)?$", re.IGNORECASE)
_FIGURE = re.compile(r"\s*[-−]?\d")
_THAN = re.compile(r"\b(?:than|compared\s+(?:with|to)|as)\b")


_TURNED = re.compile(
    r"^(?:[^"
    + "\U000f0000-\U000ffffd"
    + r"]*[,;])?\s*(?:(?:just|next|further|well|far|slightly|somewhat|then|and|a\s+little)\s+)*$",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\s+(?:it|them|this|that|these|those|(?:this|that)\s+theme|these\s+themes)\b", re.IGNORECASE
)
_PLACE = re.compile(
    r"\s*(?:down|up|on)?(?:\s+(?:in|on)\s+the\s+(?:list|plan|ranking))?\s*,?\s*(?:there\s+)?"
    r"(?:is|are|comes?|follows?|lies?|sits?|stands?|ranks?)\b",
    re.IGNORECASE,
)


def sides(
    reading: Reading,
    plan: SemanticPlan,
    start: int,
    end: int,
    unnamed: Sequence[Subject],
    last: tuple[int, ...],
) -> Sides:
    """(what is compared, with what) of the comparison whose words stand at `start` to `end`; () where the
    sentence does not say. `last`: the atoms of the sentence before."""
    groups = named_groups(reading)
    before = [g for g in groups if g.end <= start]
    after = [g for g in groups if g.start >= end]
    than = next(
        (m for m in _THAN.finditer(reading.text, end) if not _FIGURE.match(reading.text, m.end())), None
    )
    pronoun = _PRONOUN.match(reading.text, end)
    opens = _TURNED.search(reading.text[:start]) is not None
    if not after and before and _WHICH.search(reading.text[:start]):
        return before[-1].atoms, (before[-2].atoms if len(before) > 1 else last)
    if pronoun and after and (opens or before):
        return after[0].atoms, (before[-1].atoms if before else last)
    if opens and not than and after and not before and _PLACE.match(reading.text, end):
        return after[0].atoms, last
    if _EACH_OTHER.search(reading.text, end) and before:
        return before[-1].atoms, before[-1].atoms
    if _EVERYTHING.match(reading.text, than.end() if than else end):
        left = before[-1].atoms if before else last
        return left, tuple(a for a in plan.admitted if a not in left)
    if than and (middle := [g for g in after if g.start < than.start()]):
        return middle[-1].atoms, next((g.atoms for g in after if g.start >= than.end()), ())
    if before and _OBJECT_FIRST.search(reading.text[: before[0].start]):
        if len(before) == 1 and not after and len(before[0].atoms) == 2:  # "compared with X, Y is ..."
            return before[0].atoms[1:], before[0].atoms[:1]
        subjects = [*before[1:], *after]
        return (subjects[0].atoms if subjects else ()), before[0].atoms
    if before and after:
        return before[-1].atoms, after[0].atoms
    if after and last:
        return last, after[0].atoms
    return _without_object([g.atoms for g in before], groups, unnamed, last)


def _without_object(
    before: list[tuple[int, ...]], groups: list[Subject], unnamed: Sequence[Subject], last: tuple[int, ...]
) -> Sides:
    """Both sides in one list ("X and Y are alike"), or the other side in the sentence before."""
    rest = next((s.atoms for s in unnamed if s.kind == "rest"), ())
    if rest:
        return rest, (before[-1] if before else last)
    if len(before) >= 2:
        return before[-2], before[-1]
    if before and len(before[0]) >= 2:
        return before[0], before[0]
    if not groups and len(last) >= 2:
        return last, last
    return (before[-1] if before else ()), ()
