"""All typed detectors over one text."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ctxpriv.extract.evidence.cues import find_cues
from ctxpriv.extract.evidence.jobs import find_jobs
from ctxpriv.extract.evidence.money import find_money
from ctxpriv.extract.evidence.names import find_names
from ctxpriv.extract.evidence.numbers import find_ages
from ctxpriv.extract.evidence.places import find_local_words, find_places
from ctxpriv.extract.evidence.sentences import cut_sentences
from ctxpriv.extract.evidence.span import Span

DETECTORS = (find_cues, find_ages, find_money, find_jobs, find_places, find_local_words, find_names)


def find_spans(text: str) -> list[Span]:
    """What the detectors find, in order of place; spans may overlap.

    Sentences are looked at one by one, and each is remembered: between two rewrites most stay.
    """
    return [
        replace(span, start=span.start + start, end=span.end + start)
        for start, end in cut_sentences(text)
        for span in _in_sentence(text[start:end])
    ]


@lru_cache(maxsize=20_000)
def _in_sentence(sentence: str) -> tuple[Span, ...]:
    spans = [span for detect in DETECTORS for span in detect(sentence)]
    return tuple(sorted(spans, key=lambda s: (s.start, -s.end, s.kind)))
