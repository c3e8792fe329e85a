"""All typed detectors over one text."""

from __future__ import annotations

from functools import lru_cache

from ctxpriv.extract.evidence.cues import find_cues
from ctxpriv.extract.evidence.jobs import find_jobs
from ctxpriv.extract.evidence.money import find_money
from ctxpriv.extract.evidence.numbers import find_ages
from ctxpriv.extract.evidence.places import find_local_words, find_places
from ctxpriv.extract.evidence.span import Span

DETECTORS = (find_cues, find_ages, find_money, find_jobs, find_places, find_local_words)


@lru_cache(maxsize=4096)
def find_spans(text: str) -> tuple[Span, ...]:
    """What the detectors find, in order of place; spans may overlap."""
    spans = [span for detect in DETECTORS for span in detect(text)]
    return tuple(sorted(spans, key=lambda s: (s.start, -s.end, s.kind)))
