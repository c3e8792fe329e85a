"""Labels that quote a protected record are refused, whoever typed, uploaded or proposed them.

PRIVATE SIDE: it reads protected texts. A refusal is told to the curator alone, and without the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.atoms import AtomSet

WORDS = 6
"""So many words in a row that a protected text holds and no donated one are taken for a quotation: two
people write the same five often enough, the same six hardly ever. [ours]"""

BY_PEOPLE = ("typed", "uploaded", "model")

_WORD = re.compile(r"\w+")


def refuse_quotations(atoms: AtomSet, protected: Iterable[str], donated: Sequence[str]) -> None:
    """Raises BadInput naming the label whose words or description quote a protected record."""
    asked: dict[tuple[str, ...], str] = {}
    for atom in atoms.atoms:
        if atom.source in BY_PEOPLE:
            for told in (atom.label, atom.description):
                asked |= dict.fromkeys(_runs(told), atom.label)
    if not asked:
        return
    for text in donated:
        for run in _runs(text):
            asked.pop(run, None)
    for text in protected:
        for run in _runs(text):
            if run in asked:
                raise BadInput(
                    f"has {WORDS} words in a row that stand in a protected record.",
                    where=f"atom {asked[run]!r}",
                    fix="Name the concept in other words: labels must not come from the protected records.",
                )


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = [w.casefold() for w in _WORD.findall(text)]
    return (tuple(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1))
