"""The ladder of a span: from the bucket an audience may have, over phrases that tell less, to nothing.

PRIVATE SIDE where the text is private. A rung that would still tell a private attribute is no rung.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from ctxpriv.extract.evidence.bearing import Bearing
from ctxpriv.extract.evidence.find import find_spans
from ctxpriv.extract.evidence.numbers import NUMBER
from ctxpriv.extract.evidence.span import MONEY, Span
from ctxpriv.gazetteer import fold

TAKE_OUT = ""


@cache
def phrases() -> dict[str, Any]:
    """`phrases.yaml` as it stands."""
    return yaml.safe_load(files("ctxpriv.privatize.anon").joinpath("phrases.yaml").read_text("utf-8"))


@cache
def _instead(table: str) -> Mapping[str, str]:
    return {word.casefold(): phrase for phrase, words in phrases()[table].items() for word in words}


@dataclass(frozen=True)
class Rung:
    """`text[start:end]` may become `phrase`. `start` and `end` may reach beyond the span."""

    start: int
    end: int
    phrase: str


def key_of(text: str, span: Span) -> str:
    """What a span is about: mentions with the same key become the same phrase."""
    return f"{span.kind}: {fold(text[span.start : span.end])}"


def told(text: str, bearing: Bearing) -> set[str]:
    """Attributes that the typed detectors find told in `text`."""
    return {n for span in find_spans(text) for clue in span.clues for n in bearing.tells(clue)}


def rungs(
    text: str, span: Span, nth: int, bearing: Bearing, private: Collection[str], buckets: Mapping[str, str]
) -> list[Rung]:
    """The rungs of one span, from the top. `nth`: how many other things of this kind were met before.
    `buckets`: the bucket, per attribute that may be told when coarsened. None left: its clause must go."""
    less = list(_less(text, span, nth))
    candidates = [*_buckets(text, span, bearing, private, buckets, less), *less]
    return [r for r in candidates if not r.phrase or not told(r.phrase, bearing) & set(private)]


def _buckets(
    text: str,
    span: Span,
    bearing: Bearing,
    private: Collection[str],
    buckets: Mapping[str, str],
    less: list[Rung],
) -> Iterable[Rung]:
    """The bucket in words, where the span says the value itself and tells nothing private."""
    about = {n for clue in span.clues for n in bearing.attributes(clue)}
    exact = {
        n for clue in span.clues if not clue.hint or span.kind == "city" for n in bearing.attributes(clue)
    }
    for name, bucket in buckets.items():
        template = phrases()["bucket"].get(bearing.facets[name])
        if not template or name not in exact or about & set(private):
            continue
        start, end = (less[0].start, less[0].end) if less else (span.start, span.end)
        if template.startswith("somewhere") and (at := re.search(r"\b(?:in|at|near)\s+$", text[:start])):
            start = at.start()  # "in Lagos": "somewhere in Africa"
        yield Rung(start, end, template.format(bucket=bucket))


def _less(text: str, span: Span, nth: int) -> Iterable[Rung]:
    here, said = (span.start, span.end), text[span.start : span.end]
    if span.kind == "cue":
        return [Rung(*here, p) for p in span.less]
    if span.kind == "year":
        return [_year(text, span, nth)]
    if span.kind in ("age", "years", "decade"):
        return [_age(text, span)]
    if span.kind == "local word":
        return _local(said, here)
    if span.kind == "job":
        work = _instead("work").get(said.casefold())
        if work or " " in said.strip():
            return [Rung(*here, work)] if work else []
        return [Rung(*here, phrases()["things"]["job"][0])]
    if span.kind == "value":
        return [_value(text, span)]
    if span.kind == "adjective":
        return [_adjective(text, span)]
    kind = span.kind
    if kind == "money" and any(c.facet == MONEY for c in span.clues):
        kind = "pay"
    things = phrases()["things"].get(kind, phrases()["things"]["value"])
    return [Rung(*here, things[min(nth, len(things) - 1)])]


def _local(said: str, here: tuple[int, int]) -> list[Rung]:
    phrase = _instead("instead").get(said.casefold())
    return [Rung(*here, phrases()["things"]["local word"][0] if phrase is None else phrase)]


def _year(text: str, span: Span, nth: int) -> Rung:
    before = re.search(
        r"\b(in|since|by|until|before|after|from|around|of|the year|back in)\s+$", text[: span.start], re.I
    )
    if not before:
        return Rung(span.start, span.end, phrases()["age"]["year"][0])
    word = before.group(1).casefold()
    if word in ("in", "back in", "the year"):
        return Rung(before.start(), span.end, phrases()["age"]["year"][min(nth, 2)])
    if word == "since":
        return Rung(before.start(), span.end, phrases()["age"]["years"][0])
    return Rung(span.start, span.end, "that time")


def _age(text: str, span: Span) -> Rung:
    said = text[span.start : span.end]
    if span.kind == "years":
        number = next(NUMBER.finditer(said))
        return Rung(span.start + number.start(), span.start + number.end(), "many")
    if span.kind == "decade":
        inside = said.casefold().startswith("in ")
        return Rung(span.start, span.end, "at this point in life" if inside else "those years")
    head = re.match(r"(I['’]?m|I am|me)\b", said, re.IGNORECASE)
    if head:
        return Rung(
            span.start + head.end() + 1, span.end, "an adult" if head.group(1).casefold() != "me" else "then"
        )
    if re.match(r"(I |just )?(turn|I['’]ve)", said, re.IGNORECASE):
        start = span.start + (2 if said[:2].casefold() == "i " else 0)
        return Rung(start, span.end, "got older")
    when = re.match(r"(when|since|until|before) I was ", said, re.IGNORECASE)
    if when:
        return Rung(span.start + when.end(), span.end, "younger")
    if re.match(r"at\b", said, re.IGNORECASE):
        return Rung(span.start, span.end, phrases()["age"]["at"][0])
    return Rung(span.start, span.end, "of a certain age")


_NO_NOUN = frozenset(
    (
        "and",
        "or",
        "but",
        "who",
        "is",
        "was",
        "are",
        "were",
        "in",
        "on",
        "at",
        "to",
        "for",
        "with",
        "from",
        "of",
        "has",
        "had",
    )
)


def _value(text: str, span: Span) -> Rung:
    """A value before a noun is taken out ("a mouse model"), else it is "something"."""
    follows = re.match(r"\s+([^\W\d_]+)", text[span.end :])
    noun = follows and follows.group(1).casefold() not in _NO_NOUN
    return Rung(span.start, span.end, TAKE_OUT if noun else phrases()["things"]["value"][0])


def _adjective(text: str, span: Span) -> Rung:
    follows = re.match(r"\s+([^\W\d_]+)", text[span.end :])
    if follows and follows.group(1) not in _NO_NOUN:  # "Turkish coffee", "the Indian Ocean"
        return Rung(span.start, span.end, TAKE_OUT)
    if re.search(
        r"\b(in|speak|speaks|spoke|learn|learning|learnt|learned|translate\w*|into|from)\s+$",
        text[: span.start],
        re.I,
    ):
        return Rung(span.start, span.end, phrases()["things"]["language"][0])
    return Rung(span.start, span.end, phrases()["things"]["person"][0])
