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
from ctxpriv.privatize.spin.verifier.noise_claims import DIFFERENCE
from ctxpriv.privatize.spin.verifier.sentences import Reading

_WORD = re.compile(r"[^\W\d_]+(?:['’](?:s|t|re|ve|ll|d))?")


_RUN = re.compile(r"\bruns?(?=\s+from\b)", re.IGNORECASE)
_NEGATIVE = re.compile(r"\bnegative(?=\s+(?:noisy\s+)?(?:mass|masses|values?)\b)", re.IGNORECASE)
"""Said of a mass that noise brought below zero, and of nothing else."""


def check_themes(reading: Reading, plan: SemanticPlan) -> Iterator[Violation]:
    """ "invented theme", or "individual" for a word that is written like a name."""
    meanings = _meanings(reading, plan)
    plain = {m.start() for m in DIFFERENCE.finditer(reading.text)}
    plain |= {m.start() for m in _RUN.finditer(reading.text)}
    rows = [row for _, r in reading.inside if r.atom is not None and (row := plan.row(r.atom))]
    if rows and all(row.mass < 0 for row in rows):
        plain |= {m.start() for m in _NEGATIVE.finditer(reading.text)}
    strange = [
        m for run in _runs(reading.text) if not _of_one(run, meanings) for m in run if m.start() not in plain
    ]
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


def _meanings(reading: Reading, plan: SemanticPlan) -> list[frozenset[str]]:
    """Per atom that the sentence names: the words of its label and description."""
    rows = [row for _, r in reading.inside if r.atom is not None and (row := plan.row(r.atom))]
    return [
        frozenset(stem(w) for w in re.findall(r"[^\W\d_]+", f"{row.label} {row.description}")) for row in rows
    ]


def _runs(text: str) -> list[list[re.Match[str]]]:
    """The words that reports do not use; those side by side are a phrase and must mean one atom."""
    runs: list[list[re.Match[str]]] = []
    for m in _WORD.finditer(text):
        if is_report_word(_bare(m)):
            continue
        if runs and not text[runs[-1][-1].end() : m.start()].strip(" -"):
            runs[-1].append(m)
        else:
            runs.append([m])
    return runs


def _of_one(run: list[re.Match[str]], meanings: list[frozenset[str]]) -> bool:
    return any(all(stem(_bare(m)) in words for m in run) for words in meanings)


def _bare(word: re.Match[str]) -> str:
    return re.split(r"['’]", word.group())[0]


def _inside_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" (\"'“‘")
    return bool(before) and before[-1] not in ".!?:;"
