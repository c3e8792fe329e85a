"""Sums of money in a text: how much a year where it is pay, and whose currency it is."""

from __future__ import annotations

import re

from ctxpriv.extract.evidence.span import MONEY, PLACE, Clue, Span
from ctxpriv.loaders.people import yearly_dollars

_CURRENCIES = (  # words or codes, and the countries that use them
    (r"egyptian pounds?|EGP|LE", "EG"),
    (r"kenyan shillings?|KES|Ksh|KSh|bob", "KE"),
    (r"colombian pesos?|COP", "CO"),
    (r"argentin\w+ pesos?|ARS", "AR"),
    (r"mexican pesos?|MXN", "MX"),
    (r"philippine pesos?|PHP", "PH"),
    (r"pesos?", "MX AR CO CL PH UY"),
    (r"australian dollars?|AUD|A\$", "AU"),
    (r"canadian dollars?|CAD|C\$|loonies?|toonies?", "CA"),
    (r"new zealand dollars?|NZD|NZ\$", "NZ"),
    (r"singapore dollars?|SGD|S\$", "SG"),
    (r"swiss francs?|francs?|CHF", "CH"),
    (r"kwacha|ZMW", "ZM"),
    (r"cedis?|GHS", "GH"),
    (r"naira|NGN|₦", "NG"),
    (r"rand|ZAR", "ZA"),
    (r"reais|real|BRL|R\$", "BR"),
    (r"yen|JPY|¥", "JP"),
    (r"won|KRW|₩", "KR"),
    (r"yuan|renminbi|CNY|RMB|kuai", "CN"),
    (r"zloty|złoty|złotych|zlotys|zł|PLN", "PL"),
    (r"lira|TRY|TL|₺", "TR"),
    (r"rupiah|IDR|Rp", "ID"),
    (r"taka|tk|BDT|৳", "BD"),
    (r"baht|THB|฿", "TH"),
    (r"dong|VND", "VN"),
    (r"lakhs?|crores?|rupees?|INR|Rs\.?|rs|₹", "IN"),
    (r"euros?|EUR|€", "DE PT FR ES IT NL AT IE GR FI BE"),
    (r"quid|pence|pounds?|GBP|£", "GB"),
    (r"dollars?|bucks|USD|cents|\$", "US CA AU NZ SG"),
    (r"kronor|SEK", "SE"),
    (r"kroner|NOK|DKK", "NO DK"),
    (r"koruna|CZK", "CZ"),
    (r"forint|HUF", "HU"),
)
_AMOUNT = r"\d[\d.,]*(?: ?(?:k|m|thousand|million|billion|lakhs?|crores?))?"
_ANY = "|".join(words for words, _ in _CURRENCIES)
_SUM = re.compile(
    rf"(?<![\w.])(?:(?:{_ANY}) ?{_AMOUNT}|{_AMOUNT} ?(?:{_ANY})|"
    rf"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-)?(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|"
    rf"hundred|thousand|million|few|many|several) (?:hundred |thousand |million )?"
    rf"(?:pesos|reais|rand|pounds|euros|dollars|bucks|rupees|lakhs?|shillings|naira|lira|yen|won|cedis|taka|"
    rf"quid|pence|zloty))"
    rf"(?:[ -](?:notes?|coins?))?"
    rf"(?:,? (?:a|per|each|every) (?:month|year|week|hour|day)| (?:before|after) tax)*(?!\w)"
)
_PAY = re.compile(
    r"\b(earn\w*|salary|wages?|income|paid|pays? me|make about|i make|pension|stipend|gross|net|before tax|"
    r"a year|per year|a month|take home|bring home)\b",
    re.IGNORECASE,
)


def find_money(text: str) -> list[Span]:
    """Every sum with a currency. It is read as yearly pay where its surroundings (40 characters on
    both sides) speak of pay; the currency hints at the country."""
    spans = []
    for m in _SUM.finditer(text):
        where = next(
            (c for w, c in _CURRENCIES if re.search(rf"(?<![^\W\d_])(?:{w})(?![^\W\d_])", m.group())), ""
        )
        clues = [Clue(PLACE, "|" + where, hint=True)] if where else []
        around = text[max(0, m.start() - 40) : m.end() + 40]
        dollars = yearly_dollars(m.group()) if _PAY.search(around) else None
        if dollars:
            clues.append(Clue(MONEY, "", dollars, dollars))
        spans.append(Span(m.start(), m.end(), "money", tuple(clues), ()))
    return spans
