"""Words for what people do for a living, and the workplaces that hint at them (`jobs.yaml`)."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import yaml

from ctxpriv.extract.evidence.span import OCCUPATION, Clue, Span


@cache
def _patterns() -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]], re.Pattern[str]]:
    table = yaml.safe_load(files("ctxpriv.extract.evidence").joinpath("jobs.yaml").read_text("utf-8"))
    names = sorted(table["jobs"].split(", "), key=len, reverse=True)
    job = "|".join(re.escape(n) for n in names)
    own = re.compile(rf"(?<!\w)(?:{table['own']})({job})s?(?!\w)", re.IGNORECASE)
    hints = [
        (re.compile(rf"(?<!\w)(?:{say})(?!\w)", re.IGNORECASE), words)
        for words, say in table["workplaces"].items()
    ]
    return own, hints, re.compile(rf"(?<!\w)(?:{job})s?(?!\w)", re.IGNORECASE)


def find_jobs(text: str) -> list[Span]:
    """Jobs that the author claims, workplaces that hint at one, and jobs named at all (hints)."""
    own, hints, named = _patterns()
    spans = [
        Span(m.start(1), m.end(1), "job", (Clue(OCCUPATION, m.group(1).casefold()),))
        for m in own.finditer(text)
    ]
    for pattern, words in hints:
        spans += [
            Span(m.start(), m.end(), "job", (Clue(OCCUPATION, words, hint=True),))
            for m in pattern.finditer(text)
        ]
    claimed = {(s.start, s.end) for s in spans}
    spans += [
        Span(
            m.start(),
            m.end(),
            "job named",
            (Clue(OCCUPATION, m.group().casefold().removesuffix("s"), hint=True),),
        )
        for m in named.finditer(text)
        if (m.start(), m.end()) not in claimed
    ]
    return spans
