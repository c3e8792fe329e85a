"""Promises of protection, held against what the plan says of its noise and its protected unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.sentences import Reading

_PEOPLE = (
    r"(?:users?|customers?|consumers?|people|persons?|reviewers?|individuals?|authors?|writers?|respondents?)"
)
_PROTECTION = re.compile(
    r"\b(?:differential\w*|(?<!no )noise\s+(?:was|is|has\s+been)\s+added|added\s+noise|noisy|guarantee\w*"
    r"|(?<!not )(?<!no )(?<!nothing )(?:private|protected)|privacy|protects?(?!\s+nobody))\b",
    re.IGNORECASE,
)
_NO_PROTECTION = re.compile(
    r"\b(?:without|no|not|never)\s+(?:\w+\s+)?(?:noise\b(?!\s+floor)|differential\w*|private|protect\w*)|\bprotects?\s+nobody\b",
    re.IGNORECASE,
)
_PROTECTS_PEOPLE = re.compile(
    r"\bprotect\w*\s+(?:the\s+(?:privacy|records?)\s+of\s+|all\s+(?:the\s+)?records\s+of\s+)?(?:each|every|any|all|individual)?\s*"
    rf"{_PEOPLE}\b"
    rf"|\bprotect\w*\s+(?:\w+\s+){{0,5}}?(?:of|for|from|by)\s+(?:\w+\s+){{0,2}}?{_PEOPLE}\b"
    rf"|\b{_PEOPLE}\b[^.;]{{0,40}}?\b(?:is|are|was|were|be|being|been|stays?|remains?|kept)\s+(?:\w+\s+)?(?:protected|private)\b"
    rf"|\b(?:privacy|private|protected)\b[^.;]{{0,30}}?\b(?:of|for)\s+(?:\w+\s+){{0,2}}?{_PEOPLE}\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"\b(?:complete\w*|entire\w*|full\w*|whole|exactly|perfect\w*|absolute\w*|total\w*|always|never|certainly|all)\s+"
    r"(?:\w+\s+)?(?:protect\w*|private|privacy|safe|secure|anonym\w+)\b"
    r"|\bprotect\w*\b[^.;]{0,40}?\b(?:complete\w*|entirely|fully|exactly|perfectly|absolutely|totally|always|against\s+(?:all|every|any))\b"
    r"|\bguarantee(?:s|d|ing)\b|\bguarantee\b(?!\s+of\s+(?:differential|privacy))(?<!privacy\sguarantee)(?<!private\sguarantee)",
    re.IGNORECASE,
)
_NOBODY_FOUND = re.compile(
    r"\b(?:no|not|nobody|no\s+one|none|nothing|never|cannot|without|impossible)\b[^.;]*?\b"
    r"(?:(?:re-?)?identif\w*|recogni\w+|traced?|infer\w*|recover\w*|reveal\w*|learn\w*|single\w*\s+out|"
    r"(?:be\s+)?(?:known|found|told|read|seen)\s+(?:of|about|in|from|out|by))\b",
    re.IGNORECASE,
)
_EXACT = re.compile(
    r"(?<!not )(?<!no )(?<!than )(?<!nor )(?<!never )(?<!not the )(?<!than the )\bexact\b"
    r"|\bno\s+(?:error|uncertainty)\b|\bwithout\s+(?:any\s+)?(?:error|uncertainty)\b",
    re.IGNORECASE,
)


def check_promises(reading: Reading, plan: SemanticPlan) -> Iterator[Violation]:
    """ "false promise" where the plan protects less than is said, or in another way."""
    rules: list[tuple[re.Pattern[str], str]] = [
        (_ABSOLUTE, "Differential privacy limits what one may learn; promise nothing beyond it."),
    ]
    if not reading.inside:
        rules.append(
            (_NOBODY_FOUND, "Differential privacy limits what one may learn; it does not rule it out.")
        )
    if plan.unit == "record":
        rules.append((_PROTECTS_PEOPLE, "The release protects each record, not all records of one user."))
    if plan.law == "none":
        rules.append((_PROTECTION, "This plan was made without noise."))
    else:
        rules += [
            (_NO_PROTECTION, "This plan was made with noise."),
            (_EXACT, "The values carry noise; none is exact."),
        ]
    for pattern, fix in rules:
        if m := pattern.search(reading.text):
            yield Violation("false promise", reading.told(*m.span()), reading.position, fix)
