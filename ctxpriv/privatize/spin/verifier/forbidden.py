"""What no plan supports: importance, causes, trends, groups, single people, raw records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.mentions import REFERENCE
from ctxpriv.privatize.spin.verifier.sentences import Reading


def _any(words: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(words.split()).replace("_", r"\s+") + r")\b", re.IGNORECASE)


_IMPORTANCE = _any(
    r"important\w* importance critical\w* crucial\w* vital essential\w* severe\w* severity serious\w* "
    r"seriousness urgent\w* urgency emergency priorit\w+ alarming\w* worrying\w* worrisome troubling "
    r"concerning_(?=[.,]|and) significant\w* significance major key primary principal main pressing "
    r"dangerous\w* grave\w* harmful harm\w* damag\w+ risk\w* threat\w* unacceptable worst crisis "
    r"immediate\w* matters_(?:most|more|greatly) deserv\w+ should must_be needs?(?!\s+not) "
    r"ought requires? require_attention attention action recommend\w* "
    r"address\w* problematic impact\w* consequen\w+ essential a_(?:\w+_)?concern "
    r"(?:big|biggest|largest|greatest|main)_(?:concern|problem|worry|issue) dominant dominat\w+ "
    r"prominent\w* salient notewort\w+ worth_\w+ focus\w* interesting\w* surprising\w* unfortunate\w* "
    r"disappoint\w+ good bad best(?![\s-]+supported) poor\w* excellent"
)
_CAUSE = _any(
    r"because caus\w+ due_to leads?_to leading_to led_to results?_(?:in|from) resulting_(?:in|from) "
    r"driven drives? driver\w* stem\w*_from owing_to thanks_to reason\w* effects? affect\w* "
    r"influenc\w+ explain\w* consequence\w* attribut\w+ therefore_(?:they|customers|users) root "
    r"contribut\w+_to trigger\w* linked links? associat\w+ correlat\w+ connect\w+ stems? result_of "
    r"response_to since"
)
_RELATION = re.compile(
    REFERENCE + r"\s+(?:also\s+)?(?:includ|contain|compris|reflect|follow\w*\s+from|represent|mean|cover|"
    r"concern|relat|refer|point|"
    r"belong|stand\w*\s+for|accompan|surround|involv|describ|is\b|are\b)\w*\s+(?:to\s+|by\s+|a\s+form\s+of\s+|part\s+of\s+|the\s+)*"
    + REFERENCE
    + r"|"
    + REFERENCE
    + r"\s+(?:(?:is|are|was|were)\s+)?(?:com|go|belong|appear|occur|found|seen|mention|report|"
    r"rais|cit|pair|group|held|put)\w*"
    r"\s+(?:up\s+)?(?:with|within|under|inside|alongside|beside|in)\s+(?:the\s+|theme\s+)*"
    + REFERENCE
    + r"|\b(?:among|amongst|within|in|across)\s+(?:the\s+|all\s+)*"
    r"(?:records?|users?|customers?|consumers?|reviewers?|reviews?|complaints?|texts?|people|narratives?|those)\s+"
    r"(?:with|about|on|of|for|in|that\s+\w+|\w+ing|\w+ed)\s+(?:the\s+|theme\s+|themes\s+)*"
    + REFERENCE
    + r"(?!\s*,?\s*(?:and|or)\b)[^.;]*"
    + REFERENCE
    + r"|"
    + REFERENCE
    + r"\s+(?:users?|customers?|consumers?|reviewers?|people)\b"
    r"|\b(?:form|make|made|are|as)\s+a\s+(?:\w+\s+)?pair\b"
    r"|\b(?:when|where|if|once|wherever|whenever)\b[^.;,]{0,30}"
    + REFERENCE
    + r"|\b(?:appear|occur|mention|report|rais|found|com|go|seen)\w*\b[^.;]{0,20}"
    r"\btogether\b(?!\s+with\s+(?:high|low|moderate|very))"
    r"|\bthe\s+same\s+(?:records?|users?|customers?|consumers?|reviewers?|reviews?|complaints?|texts?|people)\b|\bwhom?\b",
    re.IGNORECASE,
)
"""How themes relate to one another, and who speaks of them."""
_TREND = _any(
    r"increas\w+ decreas\w+ growing grew grows growth rising rose rises trend\w* recent\w* lately "
    r"emerging spik\w+ surg\w+ declin\w+ dropp\w+ fell_(?:by|from|since) fallen worsen\w* improv\w+ "
    r"accelerat\w+ over_time years? months? weeks? days? today yesterday now nowadays season\w* "
    r"annual\w* monthly weekly daily previous\w* period quarter formerly persist\w+ continu\w+ ongoing "
    r"no_longer in_time earlier becom\w+ became remains remained stays "
    r"stayed began turned will going_to used_to "
    r"this_time each_time every_time all_the_time"
)
_GROUP = _any(
    r"women men woman man male\w* female\w* older younger elderly seniors? young old children teen\w* "
    r"students? parents? famil\w+ veterans? immigrants? low-income income wealthy rich race racial "
    r"black white asian hispanic latino\w* ethnic\w* religio\w+ gender\w* age aged regions? states? "
    r"cit(?:y|ies) countr\w+ rural urban demographic\w* minorit\w+ subgroups? "
    r"(?:new|existing|loyal|first-time)_(?:customers?|users?|buyers?) homeowners? employees? workers? "
    r"californi\w+ american\w*"
)
_ONE_OF_THEM = (
    "customer|user|consumer|person|reviewer|complainant|author|writer|woman|man|respondent|individual|client|"
    "patient|borrower|buyer|record|review|complaint|narrative|text|guest|diner|cardholder|veteran|student"
)
_PERSON = _any(
    rf"(?:one|a|an|another|single|this|that|each_of_the)_(?:\w+_)?(?:{_ONE_OF_THEM}) "
    r"someone somebody anyone he she him his her hers himself herself i me my mine myself we us our ours "
    r"you your yours mr mrs ms dr who_(?:said|wrote|told) named woman man"
)
_PRIVATE_FRAMING = re.compile(
    r"\b(?:noise|privacy|private|protect\w*|released|bounded|contribut\w+)\b", re.IGNORECASE
)
_JUDGED = re.compile(
    REFERENCE + r"\s+(?:is|are|was|were|seems?|appears?)\s+(?:\w+\s+)?"
    r"(?:weak|strong|great|short|brief|small|large|big|broad|clear|mixed|different|slow|complete|random|possible)\b"
    r"(?!\s+(?:in|by)\s+(?:support|mass|rank))"
    r"|" + REFERENCE + r"\s+(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?errors?\b"
    r"|" + REFERENCE + r"\s+(?:gives?\s+\w+|goes|go|turns?|starts?|begins?|"
    r"comes?\s+(?:and|off|(?:out|up)(?!\s+(?:on\s+top|ahead|first|above|most|next)))|"
    r"falls?(?!\s+(?:in|into|within|under|below|above|at|to|behind|on|just|between)\b))\b"
    r"|\brat(?:e|es|ed|ings?)\b"
    r"|\b(?:too|find|finds|found)\s+(?:it\s+|them\s+|" + REFERENCE + r"\s+)?(?:too\s+|very\s+|so\s+)?"
    r"(?:weak|strong|great|short|brief|small|large|big|broad|clear|mixed|different|slow|few|little|much|many|high|low)\b",
    re.IGNORECASE,
)
"""What a theme is like: the plan tells only how much support it has."""
_NOISE_IS_WHY = re.compile(
    r"\b(?:because|since|due\s+to|owing\s+to|reason|result\s+of)\b[^,.;]{0,25}\b(?:noise|privacy|protect\w*)\b",
    re.IGNORECASE,
)
_UNIT_FRAMING = re.compile(
    r"\b(?:one|a|an|each|single|another)\s+(?:single\s+)?(?:user|record|person|individual|reviewer|consumer|customer)(?:['’]s?)?\b"
    r"(?=.*\b(?:contribut|protect|bound|influence|change|privacy|noise|presence))|\bcontribution\s+of\s+(?:one|a|each)\s+\w+|"
    r"\bany\s+(?:one|single)\s+\w+", re.IGNORECASE)  # fmt: skip
_RAW = re.compile(
    r"[\w.+-]+@[\w-]+\.\w+"
    r"|(?<!\w)[$€£¥]\s?\d[\d,.]*|\b\d[\d,.]*\s?(?:dollars?|euros?|pounds?|usd|eur|gbp|cents)\b"
    r"|\b\d{1,4}[/-]\d{1,2}[/-]\d{2,4}\b"
    r"|\b(?:\d{1,2}(?:st|nd|rd|th)?\s+)?(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+\d{1,4}\b"
    r"|\b(?:19|20)\d\d\b(?=\s*(?:[,.)]|$))(?<=in\s\d{4})"
    r"|\+\d[\d\s()-]{6,}\d|\(?\b\d{2,4}\)?[\s-]\d{2,4}[\s.-]\d{2,6}\b|\b\d{3,4}[\s-]\d{3,4}\b|\b\d{3}\.\d{3}\.\d{2,4}\b"
    r"|\b\d{6,}\b|\bx{3,}\b"
    r"|\b\d{1,2}(?::\d{2})\s?(?:am|pm)?\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"«][^”\"»]*[”\"»]?|(?<![\w])['‘`][^'’`]{2,}['’`](?!\w)|[”»]")
_EXAMPLE = _any(
    r"for_example for_instance e\.g\. such_as_when one_example an_example quot\w+ verbatim wrote "
    r"writes said said_that stat(?:ed|es)_that"
)


def check_forbidden(reading: Reading) -> Iterator[Violation]:
    """Importance, causes and groups, individuals and raw records, each with the first words that tell."""
    text = reading.text
    yield from _first(
        reading,
        "claim of importance",
        [_IMPORTANCE, _JUDGED],
        "Say how much support there is, not what matters.",
    )
    framing = not reading.inside and _PRIVATE_FRAMING.search(text)
    if not framing:
        yield from _first(
            reading, "cause or group", [_CAUSE, _RELATION, _TREND, _GROUP],
            "The plan speaks of the whole collection at once: no causes, no change over time, no groups.",
            [m.span() for m in _NOISE_IS_WHY.finditer(text)],
        )  # fmt: skip
    allowed = [m.span() for m in _UNIT_FRAMING.finditer(text)] if not reading.inside else []
    yield from _first(
        reading,
        "individual",
        [_PERSON],
        "Speak of the collection as a whole, never of a person or a record.",
        allowed,
    )
    yield from _first(
        reading,
        "raw record",
        [_RAW, _QUOTED, _EXAMPLE],
        "No quotations, examples, dates, amounts, addresses or account numbers.",
    )


def _first(
    reading: Reading,
    kind: str,
    patterns: list[re.Pattern[str]],
    fix: str,
    allowed: list[tuple[int, int]] | None = None,
) -> Iterator[Violation]:
    for pattern in patterns:
        for m in pattern.finditer(reading.text):
            if m.group().strip() and not any(s <= m.start() < e for s, e in allowed or []):
                yield Violation(kind, reading.told(*m.span()).strip(), reading.position, fix)
                return
