"""Ranks: "the most common", "second", "top three", "X, followed by Y" against the released ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.binding import Bound, Claim, bind, named_groups
from ctxpriv.privatize.spin.verifier.mentions import REFERENCE
from ctxpriv.privatize.spin.verifier.sentences import Reading
from ctxpriv.privatize.spin.verifier.subjects import NUMBER, Subject, number_of

_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_ORDINAL = r"(?P<ordinal>" + "|".join(_ORDINALS) + r"|\d+(?:st|nd|rd|th))"
_SAID = (
    r"(?:common\w*|frequent\w*|often|prevalent|popular|widespread|supported|support|mass|weight|mentions?|"
    r"\w+[^\W\d_]ed|seen|spoken|written|prominent|important)"
)
_MOST = (
    rf"(?:most[\s-]+{_SAID}\b|highest|greatest|largest|strongest|biggest|foremost|best[\s-]supported|commonest|"
    r"most(?=\s*(?:[.,;:)]|$|\b(?:in|across|among|by|of\s+all)\b)))"
)
_LEAST = (
    rf"(?:least(?:[\s-]+{_SAID}\b|(?=\s*(?:[.,;:)]|$|\b(?:in|across|among|by|of\s+all)\b)))|"
    r"lowest|smallest|weakest|rarest|fewest)"
)
_IT = r"(?:it|this|the\s+(?:\w+\s+)?(?:list|plan|rank\w*|order|report|set|collection|release))\b"
_RANK = re.compile(
    rf"\b(?:(?P<top>top|first|leading|highest)\s+(?P<top_n>{NUMBER})\b"
    rf"|(?P<bottom>bottom|last|lowest)\s+(?P<bottom_n>{NUMBER})\b"
    rf"|{_ORDINAL}[\s-]+(?:and\s+)?(?P<order_low>{_LEAST}|from\s+(?:the\s+)?(?:bottom|last|end))"
    rf"|{_ORDINAL.replace('ordinal', 'ordinal2')}(?!\s+to\s+none)(?:[\s-]+{_MOST})?"
    rf"|(?:rank(?:s|ed|ing)?|position|place|number|no\.?)\s*(?:is\s+|at\s+|as\s+|number\s+|no\.?\s+|#\s*)?(?P<figure>\d+)\b"
    r"|(?P<end>lower|bottom|upper|higher|top)\s+(?:end|half|part)\b"
    rf"|(?P<one_of>one\s+of\s+the\s+|among\s+the\s+)?(?P<most>{_MOST}|top(?:[\s-]ranked)?|leading|number\s+one|"
    rf"leads?\b(?!\s+to)|led\s+by|heads?\s+{_IT}|head\s+of\s+the|(?:start|begin|open)(?:s|ning|ing)?\s+(?:with|{_IT})|"
    rf"tops|topping|leader\b|at\s+the\s+head\b|second\s+to\s+none|headed\s+by|heading\s+{_IT}|(?:start|beginning)\s+of\s+{_IT})"
    rf"|(?P<least>{_LEAST}|(?:clos|end|conclud|complet|finish)(?:e|es|ed|ing|s)?\s+(?:{_IT}|off|out|with)|"
    rf"(?:very|at\s+the)\s+end\b|last|bottom(?:[\s-]ranked)?))"
    r"|#\s*(?P<hash>\d+)\b",
    re.IGNORECASE,
)  # fmt: skip
_NO_RANK = re.compile(
    r"\b(?:at\s+(?:the\s+)?(?:most|least|first|last)|for\s+the\s+most\s+part|first\s+of\s+all|at\s+the\s+top\s+of\s+the\s+range|"
    r"(?:two|one|\d)[\s-]thirds?|last\s+but|a\s+third\s+of|most\s+likely)\b",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"\b(?:followed\s+(?:closely\s+|in\s+turn\s+|next\s+)?by|(?:closely\s+)?followed\s+by|and\s+then|then|next(?:\s+(?:come|comes|is|are))?|"
    r"after\s+(?:it|that|them|these)(?:\s+(?:come|comes|is|are))?)\b",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    r"\b(?P<up>ascending|increasing|rising)\b|\b(?:descending|decreasing|in\s+(?:\w+\s+)?order|by\s+rank|by\s+support|ordered|sorted)\b",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\b(?:follow(?:s|ing)?|(?:com|rank|plac|stand|sit)(?:e|es|s|ing)\s+(?:next|after(?:wards)?|second\s+to)|(?:is|are)\s+next)\b"
    rf"(?!\s+(?:from|by|{REFERENCE}))",
    re.IGNORECASE,
)
"""Said of the themes before it: they come below those of the sentence or clause before."""
_ONE_OF = 3  # "one of the most common" is said of the three first


@dataclass(frozen=True)
class Places:
    """Ranks counted from the top, or from the bottom. `set_of`: the claim names the first n as a set."""

    n: int
    from_bottom: bool = False
    set_of: bool = False
    one_of: bool = False
    half: bool = False  # "at the lower end"

    def ranks(self, rows: int, asked: int) -> set[int]:
        if self.half:
            middle = (rows + 1) // 2
            return set(range(rows - middle + 1, rows + 1)) if self.from_bottom else set(range(1, middle + 1))
        if self.one_of:
            return set(range(1, min(_ONE_OF, rows) + 1))
        if self.set_of or (self.n == 1 and asked > 1):
            n = max(self.n, asked)
            return set(range(rows - n + 1, rows + 1)) if self.from_bottom else set(range(1, n + 1))
        return {rows - self.n + 1 if self.from_bottom else self.n}


def order_words(reading: Reading) -> bool:
    """Whether themes are said to follow one another, or to stand in order."""
    return bool(_THEN.search(reading.text) or _IN_ORDER.search(reading.text))


def rank_claims(reading: Reading) -> list[Claim]:
    skip = [m.span() for m in _NO_RANK.finditer(reading.text)]
    return [
        Claim(*m.span(), _places(m))
        for m in _RANK.finditer(reading.text)
        if not any(s < m.end() and m.start() < e for s, e in skip)
    ]


def _places(m: re.Match[str]) -> Places:
    g = m.groupdict()
    if g["top_n"] or g["bottom_n"]:
        return Places(number_of(g["top_n"] or g["bottom_n"]), bool(g["bottom_n"]), set_of=True)
    if g["end"]:
        return Places(1, from_bottom=g["end"].casefold() in ("lower", "bottom"), half=True)
    if g["ordinal"]:
        return Places(_ordinal(g["ordinal"]), from_bottom=True)
    if g["ordinal2"]:
        return Places(_ordinal(g["ordinal2"]))
    if g["figure"] or g["hash"]:
        return Places(int(g["figure"] or g["hash"]))
    return Places(1, from_bottom=bool(g["least"]), one_of=bool(g["one_of"]))


def _ordinal(word: str) -> int:
    return _ORDINALS.index(word.casefold()) + 1 if word.casefold() in _ORDINALS else int(word[:-2])


def check_ranks(
    reading: Reading, plan: SemanticPlan, unnamed: list[Subject], last: tuple[int, ...]
) -> Iterator[Violation]:
    """ "wrong rank" where the released ranks differ; ties are ranked as released."""
    for bound in bind(reading, rank_claims(reading), unnamed):
        yield from _check(reading, plan, bound)
    yield from _check_order(reading, plan, last)
    yield from _check_follows(reading, plan, last)
    if m := _IN_ORDER.search(reading.text):
        atoms = tuple(r.atom for _, r in reading.inside if r.atom is not None and plan.row(r.atom))
        ranks = [row.rank for a in atoms if (row := plan.row(a))]
        if ranks != sorted(ranks, reverse=bool(m.group("up"))):
            yield _wrong(reading, plan, *m.span(), atoms)


def _check(reading: Reading, plan: SemanticPlan, bound: Bound) -> Iterator[Violation]:
    places: Places = bound.claim.value
    for s in bound.subjects:
        ranks = {r.rank for a in s.atoms if (r := plan.row(a))}
        if not ranks or s.kind not in ("named", "pronoun"):
            continue
        wanted = places.ranks(len(plan.rows), len(s.atoms))
        fits = ranks <= wanted if places.one_of or places.half or places.set_of else ranks == wanted
        if not fits:
            yield _wrong(reading, plan, min(s.start, bound.claim.start), max(s.end, bound.claim.end), s.atoms)
    if places.set_of and places.n > max(len(plan.rows), plan.size):
        words = reading.told(bound.claim.start, bound.claim.end)
        yield Violation("unsupported number", words, reading.position,
                        f"The plan lists {len(plan.rows)} themes.")  # fmt: skip


def _check_order(reading: Reading, plan: SemanticPlan, last: tuple[int, ...]) -> Iterator[Violation]:
    """ "X, followed by Y": Y comes right after."""
    groups = named_groups(reading)
    for m in _THEN.finditer(reading.text):
        earlier = [g for g in groups if g.end <= m.start()]
        later = next((g for g in groups if g.start >= m.end()), None)
        before = _ranks(plan, earlier[-1].atoms if earlier else last)
        after = _ranks(plan, later.atoms if later else ())
        if "close" in m.group() and earlier and later and not _near(plan, earlier[-1].atoms, later.atoms):
            words = reading.told(earlier[-1].start, later.end)
            yield Violation("unsupported comparison", words, reading.position,
                            "Leave “closely” out: the two have different support.")  # fmt: skip
        if before and after and sorted(after) != list(range(max(before) + 1, max(before) + 1 + len(after))):
            start = earlier[-1].start if earlier else m.start()
            yield _wrong(reading, plan, start, later.end if later else m.end(), later.atoms if later else ())


def _check_follows(reading: Reading, plan: SemanticPlan, last: tuple[int, ...]) -> Iterator[Violation]:
    """ "Y follows": Y comes below what was named before it."""
    groups = named_groups(reading)
    for m in _FOLLOWS.finditer(reading.text):
        earlier = [g.atoms for g in groups if g.end <= m.start()]
        if not earlier:
            continue
        before = _ranks(plan, earlier[-2] if len(earlier) > 1 else last)
        after = _ranks(plan, earlier[-1])
        if before and after and min(after) < max(before):
            yield _wrong(reading, plan, *m.span(), earlier[-1])


def _near(plan: SemanticPlan, some: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Whether "closely" is borne out: the same bin, or intervals that overlap."""
    pairs = [(a, b) for i in some for j in others if (a := plan.row(i)) and (b := plan.row(j))]
    return all(a.bin == b.bin or (a.low <= b.high and b.low <= a.high) for a, b in pairs)


def _ranks(plan: SemanticPlan, atoms: tuple[int, ...]) -> set[int]:
    return {r.rank for a in atoms if (r := plan.row(a))}


def _wrong(reading: Reading, plan: SemanticPlan, start: int, end: int, atoms: tuple[int, ...]) -> Violation:
    right = "; ".join(
        f"“{r.label}” has rank {r.rank} of {len(plan.rows)}" for a in atoms if (r := plan.row(a))
    )
    return Violation("wrong rank", reading.told(start, end), reading.position, f"The plan says: {right}.")
