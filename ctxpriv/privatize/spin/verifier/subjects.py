"""What a claim is about where no atom is named: "both", "the remaining themes", "three themes"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ctxpriv.number_words import SMALL, TENS
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.verifier.mentions import REFERENCE
from ctxpriv.privatize.spin.verifier.sentences import Reading, before_of

NUMBER_WORDS = {word: number for number, word in enumerate((*SMALL, TENS[0]))}
NUMBER = r"(?:\d[\d,]*|" + "|".join(NUMBER_WORDS) + ")"
_OF_THE = r"(?:of\s+)?(?:the\s+|these\s+)?"
_KIND = (
    r"(?:listed|admitted|released|reported|selected|named|shown|chosen|given|top|public|fixed|other|further|"
    r"semantic)"
)
_THEMES = r"(?:themes?|topics?|concepts?|atoms?|subjects?|entries|categories|rows)"
_AFTER = r"(?:listed|admitted|released|reported|shown|here|in\s+(?:the|this)\s+(?:plan|release|list))"
_NOUN = rf"(?:(?:{_KIND}\s+)*{_THEMES}(?:\s+{_AFTER})?)"
_REST = rf"(?:remaining|remainder|rest|others|other(?=\s+(?:{NUMBER}|\w*\s?{_THEMES})))"
_VERB = r"(?:is|are|has|have|also|each|was|were)\b|rank|sit|fall|show|reach|stand|lie"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "rest",
            rf"\b(?:the\s+{_REST}\b(?:\s+{NUMBER})?(?:\s+(?:of\s+(?:the|these)\s+)?{_NOUN})?"
            rf"|(?:all|every|any)\s+(?:the\s+)?others?\b(?:\s+{_NOUN})?)",
        ),
        (
            "none",
            rf"\b(?:no\s+(?:other\s+)?{_NOUN}|none(?:\s+{_OF_THE}(?:other\s+)?{_NOUN})?|no\s+others?\b)",
        ),
        ("all", rf"\b(?:all|every|each)\s+(?:one\s+)?{_OF_THE}(?:{NUMBER}\s+)?(?:of\s+the\s+)?{_NOUN}"),
        ("most", rf"\bmost\s+{_OF_THE}{_NOUN}"),
        ("some", rf"\b(?:some|several|many|a\s+few|few)\s+{_OF_THE}{_NOUN}"),
        ("count", rf"\b(?P<n>{NUMBER})\s+(?:of\s+(?:the|these)\s+)?(?:{NUMBER}\s+)?{_NOUN}"),
        (
            "pronoun",
            r"\b(?:both(?:\s+of\s+(?:them|these))?|they|these(?:\s+(?:two|three|four|five|themes))*|it|"
            r"this|this\s+theme|those|the\s+(?:two|three)|all\s+(?:of\s+them|three|four|two))\s+"
            rf"(?={_VERB})|\b(?:for|of)\s+(?:both|it|them|each)\b(?!\s+(?:of\s+)?(?:the\s+)?{REFERENCE})",
        ),
    )
)

_SCOPE = re.compile(r"\b(?:of|among|amongst|across|from|in)\s+(?:the\s+|these\s+|all\s+)*$", re.IGNORECASE)
"""Before a number of themes: they are what the sentence looks at, not what it speaks of."""
_IT_IS_FOR = re.compile(rf"it\s+is\s+(?:\w+\s+){{1,3}}for\s+(?:the\s+|theme\s+)*{REFERENCE}", re.IGNORECASE)
""" "It" is the support that is spoken of, and the themes are named."""
Quantifier = Literal["named", "rest", "none", "all", "most", "some", "count", "scope", "pronoun"]


@dataclass(frozen=True)
class Subject:
    """Atoms that a claim may be about; "scope" is only a number of themes that is told. `n`: how many are
    told of, for "count" and "scope"."""

    kind: Quantifier
    start: int
    end: int
    atoms: tuple[int, ...]
    n: int = 0


def number_of(word: str) -> int:
    folded = word.casefold().replace(",", "")
    return NUMBER_WORDS[folded] if folded in NUMBER_WORDS else int(folded)


def quantified(
    reading: Reading, plan: SemanticPlan, before: tuple[int, ...], last: tuple[int, ...]
) -> list[Subject]:
    """Subjects without a name, by position. `before`: atoms named earlier in the text or this sentence's
    start; `last`: those of the sentence before, which pronouns point at."""
    found: list[Subject] = []
    for kind, pattern in _PATTERNS:
        for m in pattern.finditer(reading.text):
            taken = any(s.start < m.end() and m.start() < s.end for s in found)
            if not taken and (subject := _subject(kind, m, reading, plan, before, last)):
                found.append(subject)
    return sorted(found, key=lambda s: s.start)


def _subject(
    kind: str,
    m: re.Match[str],
    reading: Reading,
    plan: SemanticPlan,
    before: tuple[int, ...],
    last: tuple[int, ...],
) -> Subject | None:
    named = [r.atom for at, r in reading.inside if at < m.start() and r.atom is not None]
    if kind == "rest":
        told = {*before, *named}
        atoms = tuple(a for a in plan.admitted if a not in told)
        return Subject("rest", *m.span(), atoms)
    if kind == "pronoun" and _IT_IS_FOR.match(reading.text, m.start()):
        return None
    if kind == "all" and re.fullmatch(r"(?:of|among)\s+", reading.text[: m.start()], re.IGNORECASE):
        return Subject("scope", *m.span(), (), len(plan.rows))
    if kind == "pronoun":
        return None if named or not last else Subject("pronoun", *m.span(), last)
    if kind == "count":
        follows = re.match(rf"\W*(?:(?:are|is|namely)\W+)?{REFERENCE}", reading.text[m.end() :])
        n = number_of(m.group("n"))
        if _SCOPE.search(before_of(reading.text, m.start())):
            return Subject("scope", *m.span(), (), n)
        if n == 1 and m.group("n").isalpha() and follows:
            return None
        return Subject("count", *m.span(), (), n)
    return Subject(kind, *m.span(), plan.admitted)  # type: ignore[arg-type]


def holds(subject: Subject, satisfied: Iterator[bool] | list[bool], everywhere: list[bool]) -> bool:
    """Whether the claim holds of the subject. `satisfied`: per atom of the subject; `everywhere`: per row."""
    those = list(satisfied)
    match subject.kind:
        case "none":
            return not any(everywhere)
        case "most":
            return sum(everywhere) * 2 > len(everywhere)
        case "some":
            return sum(everywhere) >= 2
        case "count":
            return sum(everywhere) == subject.n
        case _:
            return bool(those) and all(those)
