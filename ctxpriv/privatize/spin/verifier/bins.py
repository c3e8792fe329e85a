"""Support bins: the five words, and whether the plan's rows have them.

Other words of amount ("strong support", "widespread", "often") are refused: the bins are the only
language of size that a reader can hold against the plan (paper H.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxpriv.privatize.spin.semantic_plan import BINS, SemanticPlan
from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.binding import LIKEWISE, Bound, Claim, bind
from ctxpriv.privatize.spin.verifier.sentences import Reading, before_of
from ctxpriv.privatize.spin.verifier.subjects import Subject, holds

_NAMES = [name for name, _ in BINS]
_BIN = re.compile(
    r"\b(?:very[\s-]+)?(?:high|low)\b(?!-level|\s+level\s+(?:summary|overview))|\bmoderate(?:ly(?=\s+supported))?\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|without|hardly|barely|far\s+from|less\s+than|more\s+than|at\s+least|at\s+most|"
    r"extremely|fairly|quite|rather|unusually|exceptionally|relatively|somewhat|too|so|very\s+very)\b|n't\b",
    re.IGNORECASE,
)
_ANOTHER_SIZE = re.compile(
    r"\b(?:strong|substantial|heavy|heavily|broad|wide|widely|weak|modest|medium|considerable|extensive|"
    r"overwhelming|limited|negligible|minimal|marginal|great|large|small|big|solid|robust|mixed|average|"
    r"elevated|middling|intermediate|little|scant|ample|much|moderately(?!\s+supported)|highly)\s+"
    r"(?:\w+\s+)?(?:support\w*|backing|presence|mass|share|band|bin|range|mention\w*|represented|discussed|"
    r"reported|cited|common|frequent|prevalent|interest|attention|epsilon|delta|guarantees?|privacy|protection)\b"
    r"|\b(?:widespread|rampant|ubiquitous|prevalent|pervasive|rare|rarely|seldom|infrequent\w*|frequently|often|"
    r"regularly|usually|typically|occasionally|sometimes|commonly|popular|numerous|plentiful|scarce)\b"
    r"|\b(?:almost\s+no|no|hardly\s+any|little|barely\s+any|some|much|enough|plenty\s+of|a\s+lot\s+of)\s+support\b"
    r"|\b(?:hardly|barely|scarcely|widely|everywhere|a\s+lot|far\s+and\s+wide)\b"
    r"|\b(?:common|frequent)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|sole|alone|no\s+others?)\b", re.IGNORECASE)
_IN_COMPARISON = re.compile(r"\b(?:most|least|more|less|as|equally|how|so)\s+$", re.IGNORECASE)


_RANGE = re.compile(
    rf"\b(?:from|between)\s+(?P<a>{_BIN.pattern})\s+(?:to|and|down\s+to|up\s+to)\s+(?P<b>{_BIN.pattern})",
    re.IGNORECASE,
)


_SEVERAL = {
    joined: re.compile(
        rf"(?:{_BIN.pattern})(?:\s*,\s*(?:{_BIN.pattern}))*\s*,?\s*(?:{joined})\s+(?:{_BIN.pattern})",
        re.IGNORECASE,
    )
    for joined in ("or|to", "or|to|and")
}


def bin_claims(reading: Reading) -> list[Claim]:
    """Each with the set of its bins: "moderate or low" is one claim; so is "moderate and low" where no
    theme is named that each bin could belong to."""
    ranges = [m.span() for m in _ranges(reading)]
    several = list(_SEVERAL["or|to" if reading.inside else "or|to|and"].finditer(reading.text))
    spans = [*ranges, *(m.span() for m in several)]
    single = [m for m in _BIN.finditer(reading.text) if not any(s <= m.start() < e for s, e in spans)]
    several = [
        m for m in several if m.span() not in ranges and not any(s <= m.start() < e for s, e in ranges)
    ]
    words = list(_BIN.finditer(reading.text))
    claims = [
        Claim(*m.span(), frozenset(_name(x.group()) for x in words if m.start() <= x.start() < m.end()))
        for m in [*single, *several]
    ]
    return sorted(claims, key=lambda c: c.start)


def _ranges(reading: Reading) -> list[re.Match[str]]:
    """ "from very high to low", said of the plan as a whole."""
    return [] if reading.inside else list(_RANGE.finditer(reading.text))


def _name(words: str) -> str:
    return " ".join(re.split(r"[\s-]+", words.casefold())).replace("moderately", "moderate")


def check_bins(reading: Reading, plan: SemanticPlan, unnamed: list[Subject]) -> Iterator[Violation]:
    """ "wrong bin" where a bin is not the plan's, "invented theme" where it is said of nothing listed."""
    for bound in bind(reading, bin_claims(reading), unnamed):
        yield from _check(reading, plan, bound)
    if (m := LIKEWISE.search(reading.text)) and reading.inside and not bin_claims(reading):
        yield Violation(
            "wrong bin", reading.told(*m.span()), reading.position, "Say the bin of the theme itself."
        )
    for m in _ranges(reading):
        ends = {r.bin for r in (*plan.rows[:1], *plan.rows[-1:])}
        if {_name(m.group("a")), _name(m.group("b"))} != ends:
            yield Violation(
                "wrong bin",
                m.group(),
                reading.position,
                f"The listed themes span: {' to '.join(sorted(ends))}.",
            )
    for m in _ANOTHER_SIZE.finditer(reading.text):
        if not _IN_COMPARISON.search(before_of(reading.text, m.start())):
            yield Violation(
                "wrong bin", m.group(), reading.position,
                f"Say how much support there is with the bins only: {', '.join(_NAMES)}.",
            )  # fmt: skip


def _check(reading: Reading, plan: SemanticPlan, bound: Bound) -> Iterator[Violation]:
    c = bound.claim
    words = reading.told(c.start, c.end)
    if not bound.subjects:
        yield Violation(
            "invented theme", reading.written, reading.position,
            f"“{words}” is said of nothing that the plan lists. Name an admitted theme by its label.",
        )  # fmt: skip
        return
    everywhere = [r.bin in c.value for r in plan.rows]
    for s in bound.subjects:
        rows = [r for a in s.atoms if (r := plan.row(a))]
        before = reading.text[max(0, c.start - 30) : c.start]
        hedged = _NOT.search(re.split(r"[,;:]", before)[-1]) if s.kind != "none" else None
        right_for = holds(s, [r.bin in c.value for r in rows], everywhere) or (s.kind == "named" and not rows)
        left_over = len(c.value) > 1 and not c.value <= {r.bin for r in rows}
        not_only = s.kind == "named" and _ONLY.search(reading.text) and sum(everywhere) != len(rows)
        if hedged or not right_for or left_over or not_only:
            right = "; ".join(
                f"“{r.label}” is {r.bin}" for r in rows if s.kind in ("named", "pronoun", "rest")
            )
            yield Violation(
                "wrong bin", reading.told(min(s.start, c.start), max(s.end, c.end)), reading.position,
                f"The plan says: {right}." if right else "Say the bins of listed themes one by one.",
            )  # fmt: skip
            return
