"""Numbers and ranges as people write them: "33", "thirty-three", "30–35", "mid-thirties", "over 60"."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from ctxpriv.extract.bands import parse_number
from ctxpriv.match_rules.rules import AGE_TOLERANCE, TENTH, WIDEST_AGE_RANGE, Matched, by
from ctxpriv.number_words import SMALL, TENS

_ONES_AND_TEENS = {word: number for number, word in enumerate(SMALL) if number}
_ONES = dict(list(_ONES_AND_TEENS.items())[:9])
_TENS = {word: 10 * number for number, word in enumerate(TENS, 2)}
_DECADES = {word[:-1] + "ies": value for word, value in _TENS.items()}
_WORDS = re.compile(
    rf"\b(?:(?P<decade>{'|'.join(_DECADES)})|(?P<tens>{'|'.join(_TENS)})(?:[\s-]+(?P<one>{'|'.join(_ONES)}))?"
    rf"|(?P<small>{'|'.join(_ONES_AND_TEENS)}))\b",
    re.IGNORECASE,
)
_NUMBER = (
    r"\d(?:[\d,.'\u202f]{0,20}\d)?(?:\s?(?:thousand|million|billion|lakh|crore|tsd|mio|bn|k|m)(?![a-z]))?"
)
_DECADE = re.compile(
    r"(?P<part>early|mid|middle|late)?[\s-]*(?:of )?(?:his|her|their|my|your|the)?\s*(?P<n>[1-9]0)['’]?s\b"
)
_RANGE = re.compile(
    rf"(?P<low>{_NUMBER})\W{{0,3}}(?:[a-z]{{1,4}}\s?)?(?:-|\bto\b|\band\b|\bor\b|\btill\b|\bbis\b)\W{{0,4}}(?P<high>{_NUMBER})"
)
_OVER = re.compile(
    rf"(?:over|above|past|older than|more than|at least|>=?|≥)\s*\D{{0,3}}(?P<a>{_NUMBER})"
    rf"|(?P<b>{_NUMBER})\s*(?:\+|plus\b|(?:years )?(?:or|and) (?:older|over|above|more))"
)
_UNDER = re.compile(
    rf"(?:under|below|younger than|less than|fewer than|at most|up to|<=?|≤)\s*\D{{0,3}}(?P<a>{_NUMBER})"
    rf"|(?P<b>{_NUMBER})\s*(?:years )?(?:or|and) (?:younger|under|below|less)"
)
_PARTS = {None: (0, 9), "early": (0, 3), "mid": (4, 6), "middle": (4, 6), "late": (7, 9)}
_FOREIGN_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.,]|\s?(?:million|m\b|k\b|lakh))")
_FOREIGN_SCALES = re.compile(
    r"\b(?P<thousand>tausend|mille|thousands|grand|tys)\b|\b(?:millones|millón|milhões|milhão|millionen|millions|mln)\b",
    re.IGNORECASE,
)
OLDEST = 120
"""Years; a larger number is no age (it may be a year)."""
_SCALE = re.compile(r"[a-z]+$")


@dataclass(frozen=True)
class Span:
    """The numbers from `low` to `high`; alike for one number; `high` may be inf, `low` may be 0."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def width(self) -> float:
        return self.high - self.low

    def holds(self, number: float) -> bool:
        return self.low <= number <= self.high


def in_figures(text: str) -> str:
    """`text` with number words up to 99 in figures: "thirty-three" as "33", "thirties" as "30s"; scales of
    other languages in English, and "23.000" as "23,000"."""
    text = _FOREIGN_THOUSANDS.sub(lambda m: m[0].replace(".", ","), _WORDS.sub(_figure, text))
    return _FOREIGN_SCALES.sub(lambda m: "thousand" if m["thousand"] else "million", text)


_STANDING = re.compile(rf"(?<![\w.,]){_NUMBER}(?!\d|[.,]\d)", re.IGNORECASE)


def numbers_in(text: str) -> list[tuple[float, int, int]]:
    """(number, start, end) for each number of `text`, in figures with or without a scale ("84k") or, from
    ten to 99, in words. "30s" and "5 %" are none."""
    found = []
    for match in _STANDING.finditer(text):
        number = parse_number(match[0])
        if number is not None and not re.match(r"\s?%|['’]?s\b", text[match.end() :]):
            found.append((number, match.start(), match.end()))
    for match in _WORDS.finditer(text):
        figure = _figure(match)
        if figure.isdigit() and int(figure) >= 10:
            found.append((float(figure), match.start(), match.end()))
    return found


def _figure(match: re.Match[str]) -> str:
    if match["decade"]:
        return f"{_DECADES[match['decade'].lower()]}s"
    if match["tens"]:
        return str(_TENS[match["tens"].lower()] + _ONES.get((match["one"] or "").lower(), 0))
    return str(_ONES_AND_TEENS[match["small"].lower()])


def span_of(text: str) -> Span | None:
    """The number or range that `text` tells, None where there is none."""
    plain = in_figures(re.sub(r"[‐-―−]", "-", unicodedata.normalize("NFKC", text)).casefold())
    if match := _DECADE.search(plain):
        low, high = _PARTS[match["part"]]
        return Span(int(match["n"]) + low, int(match["n"]) + high)
    if (match := _RANGE.search(plain)) and (span := _ordered(match["low"], match["high"])):
        return span
    if match := _OVER.search(plain):
        return _span(match["a"] or match["b"], math.inf)
    if match := _UNDER.search(plain):
        number = parse_number(match["a"] or match["b"])
        return None if number is None else Span(0.0, number)
    if re.search(r"\bteen(?:s|age[rd]?s?)?\b", plain):
        return Span(13, 19)
    number = parse_number(plain)
    return None if number is None else Span(number, number)


def _span(text: str, high: float) -> Span | None:
    number = parse_number(text)
    return None if number is None else Span(number, high)


def _ordered(low_text: str, high_text: str) -> Span | None:
    """ "50-60k": the first number has the second's scale where it has none."""
    scale = _SCALE.search(high_text)
    if scale and not _SCALE.search(low_text):
        low_text = f"{low_text} {scale[0]}"
    low, high = parse_number(low_text), parse_number(high_text)
    return Span(low, high) if low is not None and high is not None and low <= high else None


def match_age(guess: str, truth: str) -> Matched | None:
    """Ages within 5 years; None where no age can be read."""
    g, t = span_of(guess), span_of(truth)
    if g is None or t is None or g.low > OLDEST:
        return None
    g, t = _closed(g), _closed(t)
    if g.width > WIDEST_AGE_RANGE:
        return by("age range too wide")
    if t.width > 0:
        return by("number in the band" if t.holds(g.middle) else "age too far off")
    if abs(g.middle - t.middle) <= AGE_TOLERANCE:
        return by("age within 5 years")
    return by("age range holds it" if g.holds(t.middle) else "age too far off")


def _closed(age: Span) -> Span:
    """ "Over 60" as 60 to 75, "under 25" as 10 to 25: what is usually meant, and not too wide to count."""
    if age.high == math.inf:
        return Span(age.low, age.low + WIDEST_AGE_RANGE)
    if age.low == 0 and age.high > WIDEST_AGE_RANGE:
        return Span(age.high - WIDEST_AGE_RANGE, age.high)
    return age


def match_number(guess: str, truth: str) -> Matched | None:
    """Numbers within a tenth; None where no number can be read."""
    g, t = span_of(guess), span_of(truth)
    if g is None or t is None:
        return None
    if g == t:
        return by("same number")
    if t.width > 0:
        return by("number in the band" if t.holds(g.middle) else "another number")
    return by("number within a tenth" if within_a_tenth(g.middle, t.low) else "another number")


def within_a_tenth(a: float, b: float) -> bool:
    """Symmetric: the smaller is at least nine tenths of the larger."""
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= TENTH * max(abs(a), abs(b))
