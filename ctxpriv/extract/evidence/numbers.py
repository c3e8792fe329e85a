"""Ages and years in a text, as digits or words, with what they say about the author's age."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxpriv.extract.evidence.span import AGE, Clue, Span
from ctxpriv.number_words import SMALL, TENS

_DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties")
_WORD = rf"(?:(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(SMALL[1:10])}))?|{'|'.join(reversed(SMALL))})"
_NUMBER = rf"(\d{{1,3}}|{_WORD})"
NUMBER = re.compile(rf"(?<!\w)(?:\d{{1,3}}|{_WORD})(?!\w)", re.IGNORECASE)
"""A whole number, as digits or in words."""

_NOT_YEARS = (
    "minutes|hours|days|weeks|months|km|miles|percent|%|kilos|kg|per|stops|floors|pages|men|people|o['’]clock"
)
_MY_AGE = (
    r"(?:I['’]?m|I am|I['’]?ve just turned|I turn(?:ed)?|just turned|turning|aged?|me at) "
    rf"(?:only |just |now |almost |nearly )?{_NUMBER}(?! (?:{_NOT_YEARS}))(?:[- ]?years?[- ]?old)?",
    rf"{_NUMBER}[- ]years?[- ]old|{_NUMBER} years of age",
    rf"(?:at|since I was|when I was|until I was|before I was) (?:the age of )?{_NUMBER}"
    r"(?= (?:I|my|and|you|with|he|she|it|to)\b|[,.;:!?)])",
    rf"at ((?:{'|'.join(TENS[:7])})(?:-(?:{'|'.join(SMALL[1:10])}))?)(?![- ](?:{_NOT_YEARS}|\w+-))",
    rf"at (1[6-9]|[2-7]\d)(?! ?(?:{_NOT_YEARS}|degrees|am|pm|a\.m|p\.m|past|to|euros?|[:.,]\d|[°%€$£]))",
)
_THEN = rf"(?:I was (?:\w+ ){{0,4}}?{_NUMBER}|{_NUMBER} years (?:old|of age)|(?:at|aged) {_NUMBER})"
_DECADE = rf"(?:in )?my (early |mid[- ]?|late )?({'|'.join(_DECADES)}|[2-8]0['’]?s)"
_YEAR = (
    r"(?<![\d,.$€£])(19[3-9]\d|20[0-3]\d)"
    r"(?!\d|[.,]\d| ?(?:pesos|rupees|euros?|dollars?|won|yen|watts?|km|reais))"
)
_SPANS = (
    r"(?:for|after|in|these|been|past|last|almost|nearly|over) (?:the (?:last|past|best part of) )?"
    rf"{_NUMBER} years\b|"
    rf"{_NUMBER} years (?:ago|of|in|on|at|with|as|now|later|I|doing|driving|teaching)\b|"
    rf"{_NUMBER} years?(?![- ]old)"
)
NOW = 2025
"""The year the comments of the samples are set in; a text's years say how old its author is at least."""


def number(word: str) -> float:
    """ "33", "thirty-three" → 33. Raises ValueError for anything else."""
    word = word.casefold().replace("-", " ")
    if word.isdigit():
        return float(word)
    total = 0
    for part in word.split():
        if part in SMALL:
            total += SMALL.index(part)
        elif part in TENS:
            total += 20 + 10 * TENS.index(part)
        else:
            raise ValueError("not a number")
    return float(total)


def find_ages(text: str) -> list[Span]:
    """Ages of the author, decades of life, years and stretches of years; they may overlap."""
    return [*_ages(text), *_decades(text), *_years(text), *_stretches(text), *_then(text)]


def _ages(text: str) -> Iterator[Span]:
    for i, pattern in enumerate(_MY_AGE):
        for m in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE):
            group = next(g for g in range(1, m.re.groups + 1) if m.group(g))
            years = number(m.group(group))
            if not 5 <= years <= 100:
                continue
            stated = i == 0 and years >= 16
            low, high = (years, years) if stated else (max(years, 18), 100)
            yield Span(m.start(), m.end(), "age", (Clue(AGE, "", low, high, not stated),))


def _decades(text: str) -> Iterator[Span]:
    for m in re.finditer(rf"(?<!\w){_DECADE}(?!\w)", text, re.IGNORECASE):
        name = m.group(2).casefold()
        low = 20 + 10 * _DECADES.index(name) if name in _DECADES else int(name[:2])
        part = (m.group(1) or "").strip("- ").casefold()
        a, b = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}.get(part, (0, 9))
        yield Span(m.start(), m.end(), "decade", (Clue(AGE, "", low + a, low + b),))


def _years(text: str) -> Iterator[Span]:
    for m in re.finditer(_YEAR, text):
        since = NOW - int(m.group(1))
        born = re.search(r"\bborn (?:\w+ ){0,4}$", text[: m.start()], re.IGNORECASE)
        if born:
            yield Span(m.start(), m.end(), "year", (Clue(AGE, "", since - 1, since + 1),))
        elif since >= 8:
            yield Span(m.start(), m.end(), "year", (Clue(AGE, "", max(18, since + 5), 100, True),))


def _then(text: str) -> Iterator[Span]:
    """An age and a year in one sentence: "I was seventeen in December 1981" is as good as an age."""
    year = re.search(_YEAR, text)
    age = re.search(rf"(?<!\w){_THEN}(?!\w)", text, re.IGNORECASE)
    if year and age:
        years = number(next(g for g in age.groups() if g))
        now = NOW - int(year.group(1)) + years
        if 5 <= years <= 60 and 18 <= now <= 100:
            yield Span(age.start(), age.end(), "age", (Clue(AGE, "", now - 1, now + 1),))


def _stretches(text: str) -> Iterator[Span]:
    for m in re.finditer(rf"(?<!\w)(?:{_SPANS})", text, re.IGNORECASE):
        group = next(g for g in range(1, m.re.groups + 1) if m.group(g))
        years = number(m.group(group))
        if 12 <= years <= 80:
            yield Span(m.start(), m.end(), "years", (Clue(AGE, "", max(18.0, years + 16), 100, True),))
