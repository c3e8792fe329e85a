"""Proper names that stand where a place would: districts, streets, shops that no gazetteer knows."""

from __future__ import annotations

import re

from ctxpriv.extract.evidence.span import ORIGIN, PLACE, Clue, Span

_WORD = r"(?!I['’])[A-Z][\w'’-]*[a-z][\w'’-]*"
_NAME = rf"{_WORD}(?: (?:of |de |da |do |the )?{_WORD}){{0,3}}"
_STREET = (
    r"(?:Road|Rd|Street|St|Avenue|Ave|Drive|Lane|Square|Bridge|Station|Market|Park|Hill|Beach|River|Mall)"
)
_IN = r"(?:in|at|near|from|to|off|around|via|outside|across|through|down|between|on|along|till|until|past)"
_AFTER_PREPOSITION = re.compile(rf"\b{_IN} (?:the |old |our |my )?({_NAME})(?!\w)")
_WITH_STREET = re.compile(rf"(?<!\w)((?:[A-Z][\w'’-]+ ){{1,3}}{_STREET})(?!\w)")
_NO_PLACE = re.compile(
    r"^(?:I|I['’]\w+|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|"
    r"July|August|September|October|November|December|Christmas|Easter|Eid|God|Jesus|Allah|English|Mondays|Tuesdays|"
    r"Wednesdays|Thursdays|Fridays|Saturdays|Sundays|[A-Z]{2,})\b"
)


def find_names(text: str) -> list[Span]:
    """Capitalised names after a preposition of place, and names of streets, bridges, markets. Which
    country they are in is not known; that they tell a place is."""
    found = {m.span(1) for p in (_AFTER_PREPOSITION, _WITH_STREET) for m in p.finditer(text)}
    clues = (Clue(PLACE, hint=True), Clue(ORIGIN, hint=True))
    return [
        Span(start, end, "street" if re.search(rf"{_STREET}$", text[start:end]) else "name", clues)
        for start, end in sorted(found)
        if not _NO_PLACE.match(text[start:end])
    ]
