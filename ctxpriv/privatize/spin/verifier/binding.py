"""Which atoms a claim is about: "high for X and Y, low for Z" or "X and Y are high, Z is low".

A sentence is read as a row of subjects and claims. Where it opens with a claim, claims go before their
subjects, else after; two claims in a row turn the order. Where a reading stays open, the claim is bound
to every subject that it may be about, so that a doubtful sentence is refused rather than accepted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ctxpriv.privatize.spin.verifier.mentions import REFERENCE
from ctxpriv.privatize.spin.verifier.sentences import Reading
from ctxpriv.privatize.spin.verifier.subjects import Subject

_GLUE = re.compile(
    r"[\s,]*(?:and\s+also|and|or|as\s+well\s+as|along\s+with|together\s+with|both|&|plus|also)?"
    r"[\s,]*(?:(?:the|of|for|by|theme|themes|concept|concepts)\s*)*",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\([^()]*\)")
PARTS = re.compile(
    r";|\b(?:than|followed|ahead|behind|above|below|after|before|then|while|whereas|but|although|though|unlike|"
    r"compared|relative|exceeds?|exceeding|outpac\w+|trail\w*|surpass\w*|outrank\w*|next)\b",
    re.IGNORECASE,
)
"""Words between two subjects that keep what is said of one from being said of the other."""
LIKEWISE = re.compile(
    r"\b(?:(?:as|so|nor|neither)\s+(?:does|do|is|are|has|have|did|was|were)|too(?!\s+\w+\s+(?:together\s+)?to)|likewise|similarly|as\s+well(?!\s+as)|"
    r"(?:the\s+)?same\s+(?:for|with|of)|the\s+same\s+(?:is|goes|holds|applies|can))\b",
    re.IGNORECASE,
)
"""Words that say again of another subject what was said before."""
_VERB_WORD = r"\s+(?:is|are|has|have|ranks?|comes?|stands?|sits?|leads?|shows?|reach\w*)\b"
_VERB = re.compile(_VERB_WORD, re.IGNORECASE)
_CLAUSE = re.compile(
    _VERB_WORD + r"[^;]*\d[^;]*,\s+(?:and|while|whereas|but)\s+(?:the\s+|theme\s+)*", re.IGNORECASE
)
_TOGETHER = re.compile(r"\b(?:both|each|all|respectively|these|they)\b", re.IGNORECASE)
_AGAINST = re.compile(
    r"\s*,?\s*(?:against|versus|vs\.?|as\s+against|(?:as\s+)?(?:compared|opposed)\s+(?:with|to))\s+",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"\s*(?:(?:levels?|amounts?|of|support|range|bin|band|mass|place|rank|theme|in|the|list|plan|release)\b\s*)*"
    r"[\s,]*(?:and|with|plus|or|&)?[\s,]*(?:also|the|theme)?\s*",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r":|\b(?:namely|including|includes?|such\s+as|are|is|for|belongs?|goes)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Claim:
    """Something said: a bin, a number, a rank. `start` and `end` are positions in the sentence."""

    start: int
    end: int
    value: Any


@dataclass(frozen=True)
class Bound:
    claim: Claim
    subjects: tuple[Subject, ...]


def named_groups(reading: Reading, claims: Sequence[Claim] = ()) -> list[Subject]:
    """References that are listed together are one subject: "X, Y and Z"."""
    groups: list[Subject] = []
    for at, r in reading.inside:
        if r.atom is None:
            continue
        if groups and is_list(reading.text, groups[-1].end, at, claims):
            groups[-1] = Subject("named", groups[-1].start, at + 1, (*groups[-1].atoms, r.atom))
        else:
            groups.append(Subject("named", at, at + 1, (r.atom,)))
    return groups


def is_list(text: str, start: int, end: int, claims: Sequence[Claim] = ()) -> bool:
    """Whether what is between two things only lists them; a bracket without a claim does not part them."""
    if any(start <= c.start < end for c in claims):
        return False
    return _GLUE.fullmatch(_PARENTHESIS.sub("", text[start:end])) is not None


def bind(reading: Reading, claims: Sequence[Claim], unnamed: Sequence[Subject] = ()) -> list[Bound]:
    """Every claim with its subjects; none where the sentence names nothing that it may be about."""
    groups = named_groups(reading, claims)
    if paired := _pairwise(reading.text, groups, claims):
        return paired
    quantifiers = [
        q
        for q in unnamed
        if q.kind != "scope"
        and not _compared_with(reading.text, q)
        and not any(c.start < q.end and q.start < c.end for c in claims)
        and not _apposed(reading.text, q, groups, claims)
    ]
    things = sorted([*groups, *quantifiers, *claims], key=lambda x: x.start)
    return _Binder(reading.text).run(things)


def _compared_with(text: str, q: Subject) -> bool:
    """ "more than any other theme, and its support is high": what follows is said of the first."""
    return (
        q.kind == "rest"
        and re.search(r"\bthan\s+(?:that\s+of\s+)?$", text[: q.start], re.IGNORECASE) is not None
        and re.match(r",?\s+and\s+its\b", text[q.end :], re.IGNORECASE) is not None
    )


def _apposed(text: str, q: Subject, groups: Sequence[Subject], claims: Sequence[Claim]) -> bool:
    """ "the two themes X and Y", "the remaining themes are X (low) and Y (very low)": it only repeats what
    is listed."""
    if q.kind == "rest" and re.match(r"\s+(?:are|is)\s+" + REFERENCE, text[q.end :]):
        return set(q.atoms) == {a for g in groups if g.start >= q.end for a in g.atoms}
    if (head := re.match(r"[^:.]*:\s*" + f"(?={REFERENCE})", text[q.end :])) and not any(
        q.end <= x.start < q.end + head.end() for x in (*claims, *groups)
    ):
        return True  # "the six themes differ: X has ..."
    near = next((g for g in groups if g.start >= q.end), None)
    return (
        q.kind == "count"
        and near is not None
        and q.n == len(near.atoms)
        and not text[q.end : near.start].strip(" ,:—–-")
    )


def _pairwise(text: str, groups: list[Subject], claims: Sequence[Claim]) -> list[Bound]:
    """ "X and Y have 3 and 2": as many claims in a row as the one subject has atoms, two or more."""
    if len(groups) == len(claims) == 2 and all(len(g.atoms) == 1 for g in groups):
        a, b = claims
        if groups[1].end <= a.start and _AGAINST.fullmatch(text[a.end : b.start]):
            return [Bound(a, (groups[0],)), Bound(b, (groups[1],))]
    if len(groups) != 1 or len(claims) < 2 or len(claims) != len(groups[0].atoms):
        return []
    group = groups[0]
    if any(group.start <= c.start < group.end for c in claims):
        return []
    if not all(_GLUE.fullmatch(text[a.end : b.start]) for a, b in zip(claims, claims[1:], strict=False)):
        return []
    return [
        Bound(c, (Subject("named", group.start, group.end, (a,)),))
        for c, a in zip(claims, group.atoms, strict=True)
    ]


class _Binder:
    """One walk over a sentence. Waiting are claims before their subjects, pending the reverse."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._subjects: dict[int, list[Subject]] = {}
        self._claims: list[Claim] = []
        self._from = False  # "from high for X to low for Y"
        self._waiting: list[int] = []
        self._forward: list[int] = []  # claims that came before their subject, which may go on
        self._pending: list[Subject] = []
        self._last: list[Subject] = []
        self._end = 0

    def run(self, things: Sequence[Subject | Claim]) -> list[Bound]:
        first = next((t.start for t in things if isinstance(t, Claim)), 0)
        self._from = re.search(r"\bfrom\s+(?:a\s+\w*\s*)?$", self._text[:first], re.IGNORECASE) is not None
        for i, thing in enumerate(things):
            if isinstance(thing, Subject):
                self._subject(thing)
            else:
                self._claim(thing, i + 1 < len(things) and isinstance(things[i + 1], Subject))
            self._end = thing.end
        self._finish()
        return [Bound(c, tuple(self._subjects[i])) for i, c in enumerate(self._claims)]

    def _between(self, start: int) -> str:
        return self._text[self._end : start]

    def _subject(self, s: Subject) -> None:
        if self._waiting:
            for i in self._waiting:
                self._subjects[i].append(s)
            self._forward, self._waiting, self._last, self._pending = self._waiting, [], [s], []
            return
        if PARTS.search(self._between(s.start)) or self._opens_clause(s):
            self._pending, self._forward = [], []
        self._pending.append(s)

    def _opens_clause(self, s: Subject) -> bool:
        """ "X has a mass of 5, and Y has ...": what follows is said of Y alone."""
        return (
            _CLAUSE.fullmatch(self._between(s.start)) is not None
            and _VERB.match(self._text, s.end) is not None
            and not _TOGETHER.search(self._text)
            and "which" not in self._between(s.start)
        )

    def _claim(self, c: Claim, before_subject: bool) -> None:
        i = len(self._claims)
        self._claims.append(c)
        self._subjects[i] = []
        if self._pending:
            self._subjects[i] += self._pending
            self._last, self._pending, self._forward = self._pending, [], []
        elif self._waiting or (before_subject and (i == 0 or self._goes_forward(c))):
            self._waiting.append(i)
        elif self._last:
            self._subjects[i] += self._last
        else:
            self._waiting.append(i)

    def _goes_forward(self, c: Claim) -> bool:
        """Whether a claim after a bound claim opens a new pair; "high to very high" does not."""
        to = "to" if not self._from else "or"
        return not re.fullmatch(
            rf"\s*(?:{to}|or|rather\s+than|and\s+even|even|not|instead\s+of)\s*", self._between(c.start)
        )

    def _finish(self) -> None:
        for i in self._waiting:
            self._subjects[i] += self._last
        if self._pending and self._claims and not self._waiting:
            gap = self._text[self._claims[-1].end : self._pending[0].start]
            likewise = LIKEWISE.search(self._text, self._claims[-1].end) or _ADDED.fullmatch(gap)
            if self._forward or likewise or (not PARTS.search(gap) and _LISTED.search(gap)):
                for i in self._forward or [len(self._claims) - 1]:
                    self._subjects[i] += self._pending
