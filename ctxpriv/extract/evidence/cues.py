"""Phrases by which people tell about themselves: family, sex, age, study, means (`cues.yaml`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from ctxpriv.extract.evidence.span import AGE, Clue, Span


@dataclass(frozen=True)
class Cue:
    pattern: re.Pattern[str]
    clues: tuple[Clue, ...]
    less: tuple[str, ...]


@cache
def tables() -> dict[str, Any]:
    """`cues.yaml` as it stands: facets, concepts, cues."""
    return yaml.safe_load(files("ctxpriv.extract.evidence").joinpath("cues.yaml").read_text("utf-8"))


@cache
def cues() -> tuple[Cue, ...]:
    return tuple(_cue(entry) for entry in tables()["cues"])


def find_cues(text: str) -> list[Span]:
    """Every cue in `text`; they may overlap."""
    return [
        Span(m.start(), m.end(), "cue", cue.clues, cue.less)
        for cue in cues()
        for m in cue.pattern.finditer(text)
        if m.end() > m.start()
    ]


def _cue(entry: dict[str, Any]) -> Cue:
    hint = bool(entry.get("hint"))
    clues = tuple(
        Clue(AGE, "", float(told[0]), float(told[1]), hint) if facet == AGE else Clue(facet, told, hint=hint)
        for facet, told in entry["tells"].items()
    )
    say = entry["say"].replace("'?", "['’]?")
    return Cue(re.compile(rf"(?<!\w)(?:{say})(?!\w)", re.IGNORECASE), clues, tuple(entry.get("less", ())))
