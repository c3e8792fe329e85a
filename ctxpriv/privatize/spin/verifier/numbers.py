"""Numbers: released masses beside their atom (audit), and the public figures of the plan (both modes).

A mass may be rounded as a writer does: the tolerance is half a unit of the last digit that is written,
or, after "about" and the like, of the last digit that is not zero. ε and δ are no part of a plan, so
their values cannot be checked and are refused like any other number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ctxpriv.privatize.spin.semantic_plan import INTERVAL, PlanRow, SemanticPlan
from ctxpriv.privatize.spin.summary import Mode, Violation
from ctxpriv.privatize.spin.verifier.binding import Bound, Claim, bind
from ctxpriv.privatize.spin.verifier.bins import bin_claims
from ctxpriv.privatize.spin.verifier.comparisons import Comparison
from ctxpriv.privatize.spin.verifier.noise_claims import noise_spans
from ctxpriv.privatize.spin.verifier.ranks import rank_claims
from ctxpriv.privatize.spin.verifier.sentences import Reading, before_of
from ctxpriv.privatize.spin.verifier.subjects import NUMBER_WORDS, Subject

_FIGURE = re.compile(
    r"(?<![\w.,])[-−+±]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?\s?(?:%|percent\b|per\s+cent\b|k\b|m\b)?|\d",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"\b(?:"
    + "|".join(w for w in NUMBER_WORDS if w != "one")
    + r"|(?:a\s+)?dozens?|hundreds?|thousands?|millions?|"
    r"(?:one|two|three|a)[\s-](?:half|halves|thirds?|quarters?|fifths?|tenths?)|half|thirds|quarters?|fifths?|tenths?|"
    r"percent\w*|percentage|majority|minority|one\s+in\s+\w+)\b",
    re.IGNORECASE,
)
_UNITS = (
    r"(?:people|records?|users?|customers?|consumers?|reviewers?|reviews?|complaints?|texts?|narratives?|comments?|"
    r"respondents?|authors?|reports?|documents?)"
)
_SHARE = re.compile(
    r"(?<!protect )(?<!protects )(?<!protecting )"
    r"\b(?:every|all|each|no|most|many|numerous|few|some|several|countless)\s+"
    rf"(?:of\s+)?(?:the\s+|these\s+)?(?:\w+\s+)?{_UNITS}\b"
    r"|\b(?:nobody|everybody|everyone)\b|\b(?:many|few|some|most|several|all)\s+"
    r"(?=mention|report|say|speak|talk|describe|raise|cite|concern)"
    r"|\b(?:most|much|all|half|part|bulk|some|none|majority|share)\s+of\s+(?:the|this|all)\s+(?:\w+\s+)?"
    rf"(?:collection|corpus|data\w*|support|mass|set|whole|{_UNITS})\b",
    re.IGNORECASE,
)
"""Shares of the records, in words: the masses of a plan are no such shares."""
_ALL_THERE_IS = re.compile(
    r"\b(?:little|nothing|nobody|none|no\s+one|not\s+much|few|much)\s+else\b|\bmost\s+of\s+what\b|\bmostly\b"
    r"|\bnothing\s+(?:comes?|is|stands?|ranks?|match\w*|reach\w*)\b"
    r"|\b(?:large|small|big|great|broad|short|long)\s+(?:collection|corpus|data\w*|set|body|number|amount)\b"
    rf"|\b(?:every|all|each|no)\s+{_UNITS}\s+(?:is|are|was|were|has|have)\b",
    re.IGNORECASE,
)
"""How much of the collection, without a figure."""
_ONLY_THEME = re.compile(
    r"\b(?:only|sole|single)\s+(?:listed\s+|released\s+|admitted\s+)?(?:theme|topic|concept)\b(?!\s+(?:with|whose|that|to|at|above|in\s+the\s+\w+\s+(?:bin|range|band)))",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|some|nearly|almost|close\s+to|circa|ca\.)|~|≈)\s*$",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\b(?:over|more\s+than|above|at\s+least|just\s+over)\s*$", re.IGNORECASE)
_BELOW = re.compile(r"\b(?:under|less\s+than|below|just\s+under|fewer\s+than|at\s+most)\s*$", re.IGNORECASE)
_DENOMINATOR = re.compile(
    r"\b(?:denominator|normali[sz]ed|scaled|divided|relative|out\s+of|of\s+the|of\s+a)\b[^.;]{0,30}$",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:at\s+most|bound\w*|clipped|limit\w*|B\s*=|up\s+to)\b[^.;]{0,25}$", re.IGNORECASE)
_UNIVERSE = re.compile(
    r"\b(?:out\s+of|of|from|among|dictionary\s+of|m\s*=)\s+(?:the\s+|a\s+|all\s+)?(?:\w+\s+)?(?:dictionary\s+of\s+|list\s+of\s+|set\s+of\s+)?$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s*(?:\w+\s+)?(?:records?|users?|people|persons|customers?|consumers?|reviewers?|reviews?|complaints?|texts?|narratives?|"
    r"comments?|respondents?|mentions?|times|cases|reports?|documents?|individuals?)\b",
    re.IGNORECASE,
)  # fmt: skip
_MASS_OF = re.compile(
    r"\b(?:mass|masses|value|weight|sum|total)\b[^.;\d" + "\U000f0000-\U000ffffd" + r"]{0,30}$", re.IGNORECASE
)
_SUPPORT = re.compile(r"\b(?:support|share|normali[sz]ed|proportion|ratio)\b", re.IGNORECASE)
_SPAN = re.compile(
    r"(?:between\s+|from\s+)?(?<![\d,])(?P<low>[-−]?\d[\d,]*(?:\.\d+)?)\s*(?:and|to|–|—|\.\.\.?)\s*(?P<high>[-−]?\d[\d,]*(?:\.\d+)?)(?!\s?%)",
    re.IGNORECASE,
)
_INTERVAL_WORD = re.compile(r"\b(?:interval|between|range|from)\b", re.IGNORECASE)
_LEVEL = re.compile(
    rf"\b{INTERVAL:.0%}(?=[\s-]*(?:noise\s+|confidence\s+)?(?:interval|of\s+the\s+time|probability|confidence))".replace(
        "%", r"\s?(?:%|percent|per\s+cent)"
    ),
    re.IGNORECASE,
)
_THEMES = re.compile(
    r"\s+(?:of\s+(?:the|these)\s+)?(?:(?:listed|admitted|released|reported|selected|shown|top|public|fixed|other|semantic|candidate|possible|predefined|known)\s+)*"
    r"(?:themes?|topics?|concepts?|atoms?|subjects?|entries|categories|rows|labels)\b",
    re.IGNORECASE,
)


def check_numbers(
    reading: Reading, plan: SemanticPlan, mode: Mode, unnamed: list[Subject], compared: list[Comparison]
) -> Iterator[Violation]:
    """ "unsupported number", "wrong number" (another atom's), or "forbidden marker" (a mass for display)."""
    explained = [(c.start, c.end) for c in rank_claims(reading)] + [
        (c.start, c.end) for c in compared if c.sign == "ratio"
    ]
    explained += [(c.start, c.end) for c in noise_spans(reading)]
    explained += [m.span() for m in _LEVEL.finditer(reading.text)]
    counted = [s for s in unnamed if s.kind in ("count", "scope") and not _within(s.start, explained)]
    for s in counted:
        if not _counts(reading, plan, s, unnamed):
            yield _unsupported(reading, s.start, s.end, f"The plan lists {len(plan.rows)} themes.")
    explained += [(s.start, s.end) for s in unnamed]
    for bound in _spans(reading, explained):
        explained.append((bound.claim.start, bound.claim.end))
        if mode == "display" or not _is_interval(bound, plan):
            yield _unsupported(reading, bound.claim.start, bound.claim.end, "Give the noisy mass alone.")
    for m in _WORD.finditer(reading.text):
        if (
            not _within(m.start(), explained)
            and not _universe(reading, plan, m)
            and not _names_group(reading, m)
        ):
            yield _unsupported(reading, *m.span(), "The plan holds no such number; leave it out.")
    if reading.inside and (m := _SHARE.search(reading.text)):
        yield _unsupported(reading, *m.span(), "Do not say how many records or people; name the bin.")
    if m := _ALL_THERE_IS.search(reading.text):
        yield _unsupported(reading, *m.span(), "The plan holds no shares of the collection; name the bin.")
    if len(plan.rows) > 1 and (m := _ONLY_THEME.search(reading.text)):
        yield _unsupported(reading, *m.span(), f"The plan lists {len(plan.rows)} themes.")
    figures = [
        Claim(*m.span(), m.group())
        for m in _FIGURE.finditer(reading.text)
        if not _within(m.start(), explained) and not _public(reading, plan, m)
    ]
    figures = [c for c in figures if not (mode == "audit" and _is_difference(c, plan, compared))]
    for bound in bind(reading, figures, []):
        yield from _check(reading, plan, mode, bound)


def _is_difference(c: Claim, plan: SemanticPlan, compared: list[Comparison]) -> bool:
    """ "56 less": what lies between the masses of the two themes that are compared right after it."""
    value = _value(c.value)
    for x in compared:
        if value is None or x.sign not in ("more", "less") or not 0 <= x.start - c.end <= 1:
            continue
        pairs = [(plan.row(a), plan.row(b)) for a in x.left for b in x.right]
        if pairs and all(a and b and _rounds_to(abs(a.mass - b.mass), value, "") for a, b in pairs):
            return True
    return False


def _within(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(s <= at < e for s, e in spans)


def _counts(reading: Reading, plan: SemanticPlan, s: Subject, unnamed: list[Subject]) -> bool:
    """Whether "N themes" counts those listed, asked for, in the dictionary, in a bin, or named beside it."""
    if _UNIVERSE.search(before_of(reading.text, s.start)) and s.n == len(plan.atoms):
        return True
    if s.n in (len(plan.rows), plan.size) or s.n == 1:
        return True
    held = [*bind(reading, bin_claims(reading), unnamed), *bind(reading, noise_spans(reading), unnamed)]
    if any(s in bound.subjects for bound in held):
        return True  # its rows are counted there
    return s.n == len({r.atom for _, r in reading.inside})


def _universe(reading: Reading, plan: SemanticPlan, m: re.Match[str]) -> bool:
    """ "three of twelve concepts": numbers of themes that other rules read."""
    n = NUMBER_WORDS.get(m.group().casefold())
    return (
        n is not None
        and n in (len(plan.atoms), len(plan.rows), plan.size)
        and (
            bool(_THEMES.match(reading.text, m.end()))
            or bool(re.match(r"\s+(?:of|out\s+of)\s+", reading.text[m.end() :]))
        )
    )


def _names_group(reading: Reading, m: re.Match[str]) -> bool:
    """ "the two" of two named things."""
    n = NUMBER_WORDS.get(m.group().casefold())
    before = reading.text[: m.start()].casefold().rstrip()
    return (
        n is not None and before.endswith(("the", "these", "all", "those")) and n in (len(reading.inside), 2)
    )


def _public(reading: Reading, plan: SemanticPlan, m: re.Match[str]) -> bool:
    """Whether a figure is the plan's L, m, B or denominator in words that say so."""
    value, before, after = _value(m.group()), before_of(reading.text, m.start()), reading.text[m.end() :][:80]
    if value is None or "%" in m.group():
        return False
    if value == plan.denominator and _DENOMINATOR.search(before):
        return True
    if value == plan.bound and _BOUND.search(before):
        return True
    if _THEMES.match(after):
        return value in (len(plan.rows), plan.size) or (
            value == len(plan.atoms) and bool(_UNIVERSE.search(before))
        )
    return (
        value in (len(plan.rows), plan.size)
        and bool(re.match(r"\s+(?:out\s+)?of\s+(?:the\s+)?" + str(len(plan.atoms)) + r"\b", after))
        or bool(re.search(r"\b(?:L|m)\s*=\s*$", before) and value in (plan.size, len(plan.atoms)))
    )


def _value(text: str) -> Decimal | None:
    digits = re.sub(r"[\s,+±]|%|per\s*cent|percent", "", text.replace("−", "-"))
    return Decimal(digits) if re.fullmatch(r"-?\d+(?:\.\d+)?", digits) else None


def _spans(reading: Reading, explained: list[tuple[int, int]]) -> list[Bound]:
    claims = [
        Claim(*m.span(), (_value(m.group("low")), _value(m.group("high"))))
        for m in _SPAN.finditer(reading.text)
        if not _within(m.start(), explained)
        and _INTERVAL_WORD.search(reading.text[max(0, m.start() - 40) : m.end()])
    ]
    return bind(reading, claims, [])


def _is_interval(bound: Bound, plan: SemanticPlan) -> bool:
    low, high = bound.claim.value
    rows = [r for s in bound.subjects for a in s.atoms if (r := plan.row(a))]
    return (
        None not in (low, high)
        and bool(rows)
        and all(_rounds_to(r.low, low, "") and _rounds_to(r.high, high, "") for r in rows)
    )


def _rounds_to(released: float, written: Decimal, before: str) -> bool:
    step = float(Decimal(1).scaleb(int(written.as_tuple().exponent)))
    if _ABOUT.search(before) or _ABOVE.search(before) or _BELOW.search(before):
        digits = str(abs(written)).rstrip("0").rstrip(".") if "." in str(written) else str(abs(written))
        step = max(step, 10.0 ** (len(digits) - len(digits.rstrip("0")))) if float(written) else step
    gap = released - float(written)
    if _ABOVE.search(before):
        return 0 <= gap <= step
    if _BELOW.search(before):
        return -step <= gap <= 0
    return abs(gap) <= step / 2 + 1e-9


def _check(reading: Reading, plan: SemanticPlan, mode: Mode, bound: Bound) -> Iterator[Violation]:
    c, text = bound.claim, reading.text
    value, before = _value(c.value), before_of(text, c.start)
    rows = [r for s in bound.subjects for a in s.atoms if (r := plan.row(a))]
    is_mass = value is not None and any(_rounds_to(r.mass, value, before) for r in plan.rows)
    if mode == "display":
        if _MASS_OF.search(before) or is_mass and not _COUNTED.match(text, c.end):
            yield Violation("forbidden marker", reading.told(c.start, c.end), reading.position,
                            "A text for display tells no masses; name the bin.")  # fmt: skip
        else:
            yield _unsupported(reading, c.start, c.end, "Leave the number out and name the bin.")
        return
    counted = _COUNTED.match(text, c.end) and not _MASS_OF.search(before)
    if value is not None and rows and not counted and all(_fits(r, plan, c, value, text) for r in rows):
        return
    right = "; ".join(f"“{r.label}” has mass {r.mass:.1f}" for r in rows)
    if is_mass and not counted and rows:
        yield Violation(
            "wrong number", reading.told(c.start, c.end), reading.position, f"The plan says: {right}."
        )
    else:
        yield _unsupported(reading, c.start, c.end, f"The plan says: {right}." if right else "Leave it out.")


def _fits(row: PlanRow, plan: SemanticPlan, c: Claim, value: Decimal, text: str) -> bool:
    before = before_of(text, c.start)
    if "±" in c.value or re.search(
        r"(?:±|\bplus\s+or\s+minus|\bgive\s+or\s+take)\s*$", before, re.IGNORECASE
    ):
        return _rounds_to(plan.half_width, value, "")
    if "%" in c.value or "percent" in c.value or "per cent" in c.value:
        people = re.match(r"\s*of\s+(?:all\s+|the\s+)*(?!.{0,12}denominator)\w+", text[c.end :])
        return bool(_SUPPORT.search(text)) and not people and _rounds_to(100 * row.support, value, before)
    if _SUPPORT.search(before[-40:]) and abs(value) < 2 and value.as_tuple().exponent != 0:
        return _rounds_to(row.support, value, before)
    return _rounds_to(row.mass, value, before)


def _unsupported(reading: Reading, start: int, end: int, fix: str) -> Violation:
    return Violation("unsupported number", reading.told(start, end).strip(), reading.position, fix)
