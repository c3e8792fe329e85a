"""Amounts of money: "4.5 million naira", "NGN 4,500,000", "₦4.5m", "8,500 EGP a month".

Exchange rates are the fixed, rounded ones of `ctxpriv.loaders.people`; they decide buckets and amounts
in different currencies, never amounts in one currency.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from ctxpriv.gazetteer import country_currency
from ctxpriv.gazetteer_index import fold, index
from ctxpriv.loaders.people import yearly_dollars
from ctxpriv.match_rules.numbers import Span, span_of, within_a_tenth
from ctxpriv.match_rules.rules import Matched, by
from ctxpriv.schema import Coarsening

_PERIODS = (  # (words, how often a year)
    (
        r"\b(?:a|per|each|every|pro|al|por|par)\s*(?:good )?(?:month|monat|mes|mois)\b"
        r"|\bmonthly\b|/\s?mo(?:nth)?\b",
        12,
    ),
    (r"\b(?:a|per|each|every)\s*week\b|\bweekly\b|/\s?w(?:ee)?k\b", 52),
    (r"\b(?:an?|per|each|every)\s*hour\b|\bhourly\b|/\s?h(?:ou)?r\b", 2_000),
)


@dataclass(frozen=True)
class Amount:
    """`span` as written, `times` how often a year, `currency` an ISO 4217 code or None where unsaid."""

    span: Span
    times: int
    currency: str | None

    @property
    def yearly(self) -> float:
        return self.span.middle * self.times

    def dollars(self) -> float | None:
        """A year's amount in dollars; None where the currency has no rate."""
        return None if self.currency is None else yearly_dollars(f"{self.yearly:.2f} {self.currency}")


@lru_cache(maxsize=20_000)
def amount_of(text: str) -> Amount | None:
    """The amount that `text` tells, None where there is no number."""
    lowered = text.casefold()
    times = next((n for words, n in _PERIODS if re.search(words, lowered)), 1)
    code = currency_of(text)
    span = span_of(re.sub(r"[^\W\d_]*[^\w\s.,'()+<>≤≥/-]", " ", text) if code else text)
    return None if span is None else Amount(_finite(span), times, code)


def _finite(span: Span) -> Span:
    return span if span.high != float("inf") else Span(span.low, span.low)


@lru_cache(maxsize=20_000)
def currency_of(text: str) -> str | None:
    """The currency that `text` names: by code, sign, name, or adjective and name ("Egyptian pounds")."""
    codes, signs, names = _currencies()
    for code in re.findall(r"(?<![A-Za-z])[A-Za-z]{3}(?![a-z])", text):
        if code.upper() in codes and (code.isupper() or code.upper() in _COMMON):
            return code.upper()
    key = fold(text)
    words = key.split()
    for n in (3, 2, 1):  # "new zealand dollars" before "dollars"
        for i in range(len(words) - n + 1):
            if found := names.get(" ".join(words[i : i + n])):
                return _of_country(key, found)
    return next((signs[sign] for sign in sorted(signs, key=len, reverse=True) if sign in text), None)


_COMMON = frozenset({"USD", "EUR", "GBP", "INR", "JPY", "CAD", "AUD", "CHF", "NGN", "KRW"})
"""Codes that people also write in small letters and that are no words."""

_USUAL = {
    "dollar": "USD", "pound": "GBP", "rupee": "INR", "peso": "MXN", "franc": "CHF", "won": "KRW", "krona":
    "SEK", "krone": "NOK", "yen": "JPY", "lira": "TRY", "rand": "ZAR", "real": "BRL", "dinar": "KWD",
    "ruble": "RUB", "riyal": "SAR", "dirham": "AED", "shilling": "KES", "yuan": "CNY", "lakh": "INR",
    "rupiah": "IDR", "sterling": "GBP", "buck": "USD", "quid": "GBP", "renminbi": "CNY", "rouble": "RUB",
    "reais": "BRL", "koruna": "CZK", "kroner": "NOK", "kronor": "SEK", "crore": "INR",
}  # fmt: skip
"""What a bare name of several currencies usually means."""


def _of_country(key: str, code: str) -> str:
    """The currency of the country whose adjective stands beside an ambiguous name."""
    known = index()
    for adjective, place in known.adjectives.items():
        if re.search(rf"\b{re.escape(adjective)}\b", key) and (own := country_currency(place.country)):
            return own
    return code


@cache
def _currencies() -> tuple[frozenset[str], dict[str, str], dict[str, str]]:
    """ISO codes in use, signs, and folded English names to codes (Unicode CLDR)."""
    from babel import Locale
    from babel.numbers import get_currency_name, get_currency_symbol

    codes = frozenset(index().currencies.values())
    signs = {"£": "GBP", "€": "EUR", "₹": "INR", "¥": "JPY", "₦": "NGN", "₱": "PHP", "₺": "TRY", "₽": "RUB",
             "₴": "UAH", "₩": "KRW", "₫": "VND", "₪": "ILS", "฿": "THB", "₵": "GHS", "zł": "PLN"}  # fmt: skip
    names: dict[str, str] = {}
    english = Locale("en")
    for code in sorted(codes & set(english.currencies)):
        sign = get_currency_symbol(code, english)
        if len(sign) > 1 and not sign.isalnum():
            signs[sign] = code  # "CA$", "R$"
        for count in (1, 2):
            words = fold(get_currency_name(code, count, english)).split()
            names[" ".join(words)] = code
            names.setdefault(words[-1], _USUAL.get(words[-1].rstrip("s"), code))
    for word, code in _USUAL.items():
        names[word] = names[word + "s"] = code
    return codes, {**signs, "$": "USD"}, names


def match_money(guess: str, truth: str, coarsening: Coarsening | None) -> Matched | None:
    """None where a side holds no number."""
    g, t = amount_of(guess), amount_of(truth)
    if g is None or t is None:
        return None
    if _close(g, t):
        return by("amount within a tenth")
    same = coarsening is not None and _bucket(g, t, coarsening) == coarsening.mapping.get(truth)
    return by("amount in the same bucket" if same else "another amount")


def _close(g: Amount, t: Amount) -> bool:
    if g.currency and t.currency and g.currency != t.currency:
        a, b = g.dollars(), t.dollars()
        return a is not None and b is not None and within_a_tenth(a, b)
    # A guess without a currency is taken in the truth's; one without a period also as the truth's.
    wide = g.span.width > 0 and g.times == t.times and g.span.holds(t.span.middle)
    narrow = g.span.width <= 0.5 * max(g.span.middle, 1e-9)
    return (wide and narrow) or within_a_tenth(g.yearly, t.yearly) or _same_figure(g, t)


def _same_figure(g: Amount, t: Amount) -> bool:
    return 1 in (g.times, t.times) and within_a_tenth(g.span.middle, t.span.middle)


def _bucket(g: Amount, t: Amount, coarsening: Coarsening) -> str | None:
    """The bucket whose amounts lie around the guess, in dollars a year; None between two buckets."""
    dollars = Amount(g.span, g.times, g.currency or t.currency).dollars()
    if dollars is None:
        return None
    around = [
        b for b, (low, high) in _edges(tuple(coarsening.mapping.items())).items() if low <= dollars <= high
    ]
    return around[0] if len(around) == 1 else None


@lru_cache(maxsize=32)
def _edges(mapping: tuple[tuple[str, str], ...]) -> dict[str, tuple[float, float]]:
    """The least and the largest of each bucket's amounts in dollars a year."""
    out: dict[str, tuple[float, float]] = {}
    for value, bucket in mapping:
        amount = amount_of(value)
        dollars = amount.dollars() if amount else None
        if dollars is not None:
            low, high = out.get(bucket, (dollars, dollars))
            out[bucket] = (min(low, dollars), max(high, dollars))
    return out
