"""Words of content that belong to no listed theme.

A plan says nothing beyond its labels and their public descriptions. So a word is refused unless reports
use it anyway (`lexicon`) or it stands in the label or description of an atom that its sentence names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Violation
from ctxpriv.privatize.spin.verifier.lexicon import is_report_word, stem
from ctxpriv.privatize.spin.verifier.sentences import Reading

_WORD = re.compile(r"[^\W\d_]+(?:['’](?:s|t|re|ve|ll|d))?")


def check_themes(reading: Reading, plan: SemanticPlan) -> Iterator[Violation]:
    """ "invented theme", or "individual" for a word that is written like a name."""
    known = _words_of(reading, plan)
    strange = [m for m in _WORD.finditer(reading.text) if not _allowed(m.group(), known)]
    names = [m for m in strange if m.group()[0].isupper() and _inside_sentence(reading.text, m.start())]
    if names:
        yield Violation(
            "individual", names[0].group(), reading.position, "Leave out names of people, firms and places."
        )
    if others := [m.group() for m in strange if m not in names]:
        yield Violation(
            "invented theme", ", ".join(dict.fromkeys(others)), reading.position,
            "The plan does not say this; use the labels of the listed themes and plain words about support.",
        )  # fmt: skip


def _words_of(reading: Reading, plan: SemanticPlan) -> frozenset[str]:
    rows = [row for _, r in reading.inside if r.atom is not None and (row := plan.row(r.atom))]
    return frozenset(
        stem(w) for row in rows for w in re.findall(r"[^\W\d_]+", f"{row.label} {row.description}")
    )


def _allowed(word: str, known: frozenset[str]) -> bool:
    bare = re.split(r"['’]", word)[0]
    return is_report_word(bare) or stem(bare) in known


def _inside_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" (\"'“‘")
    return bool(before) and before[-1] not in ".!?:;"
