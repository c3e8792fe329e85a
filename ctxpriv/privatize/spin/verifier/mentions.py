"""Where a text names atoms: labels and canonical markers (DP-SPIN App. G.4).

Labels may hold any signs, even sentences, quotation marks or markers. So they are found first, and each
is put behind one character that stands for it; every other rule reads the text that is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ctxpriv.privatize.spin.atoms import AtomSet, canonical
from ctxpriv.privatize.spin.verifier.lexicon import is_report_word, stem

FIRST = 0xF0000
"""Characters from here (a private use plane) stand for references; the text's own are taken out before."""
REFERENCE = "[\U000f0000-\U000ffffd]"

_MARKER = re.compile(r"\[\s*A\s*\d+\s*\]|\bA\d{2,}\b")
_TOKEN = re.compile(r"[^\W_]+")
_QUOTES = (("“", "”"), ('"', '"'), ("'", "'"), ("‘", "’"), ("«", "»"), ("`", "`"))
_SIGNS = str.maketrans("’‘–—\u2010\u2011\u00a0", "''---- ")
_SEPARATOR = re.compile(r"\s+[/>|]\s+")
_SHORTEST_DESCRIPTION = 3  # words; a shorter one may stand in any sentence
_LONGEST_GAP = 4  # signs between two words of a label that was not copied to the letter


@dataclass(frozen=True)
class Reference:
    """`surface[start:end]` of the text names the atom: by label, by marker, or by both side by side.

    `atom` is None for a marker that stands for no atom. `marker` is the one that is written, "" if none.
    """

    atom: int | None
    start: int
    end: int
    surface: str
    labelled: bool
    marker: str = ""


def shown_label(label: str) -> str:
    """A label as it stands between curly quotation marks: without such marks of its own."""
    return label.replace("“", '"').replace("”", '"')


def _folded(text: str) -> str:
    """Without regard to case and to how an apostrophe or a dash is written."""
    return text.casefold().translate(_SIGNS)


class LabelFinder:
    """Finds the labels of a dictionary. Made once for a text; `named` is all references in order."""

    def __init__(self, atoms: AtomSet) -> None:
        self._atoms = atoms
        self._quoted = {_folded(shown_label(a)): i for i, a in enumerate(atoms.labels)}
        self._exact: dict[tuple[str, ...], int] = {}
        self._stems: dict[tuple[str, ...], int | None] = {}
        for i, label in enumerate(atoms.labels):
            self._exact[tuple(canonical(label).split())] = i
        for words, i in list(self._exact.items()):
            self._add_stems(words, i)
        for words, i in _unique_endings(atoms).items():
            if words not in self._exact:
                self._exact[words] = i
                self._add_stems(words, i)
        labels = [(a, i) for i, a in enumerate(atoms.labels) if not _plain(a)]
        about = [(" ".join(a.description.split()), i) for i, a in enumerate(atoms.atoms)]
        told = [(text, i) for text, i in about if len(text.split()) >= _SHORTEST_DESCRIPTION]
        copied = [(text, i) for text, i in (*labels, *told) if not _of_report_words(text)]
        self._copied = sorted(copied, key=lambda x: -len(x[0]))
        self._longest = max(map(len, self._exact))

    def _add_stems(self, words: tuple[str, ...], atom: int) -> None:
        key = tuple(map(stem, words))
        taken = self._stems.get(key, atom)
        self._stems[key] = atom if taken == atom else None  # None: two labels share it

    def references(self, text: str) -> list[Reference]:
        """By position, without overlap: quoted labels go first, then markers, then the longest label."""
        found = list(self._in_quotes(text))
        found += _outside(found, self._markers(text))
        found += _outside(found, self._verbatim(text, found))
        found += _outside(found, self._by_words(text, found))
        return _joined(sorted(found, key=lambda r: r.start), text)

    def _in_quotes(self, text: str) -> Iterator[Reference]:
        at, reach = 0, max(map(len, self._quoted)) + 1
        while at < len(text):
            for opening, closing in _QUOTES:
                if text[at] != opening:
                    continue
                ends = [m.end() for m in re.finditer(re.escape(closing), text[at + 1 : at + 1 + reach])]
                hits = [(e, self._quoted.get(_folded(text[at + 1 : at + e]))) for e in ends]
                if known := [(e, i) for e, i in hits if i is not None]:
                    # Between curly marks the first closing one ends it: no shown label holds such a mark.
                    end, atom = known[0] if opening == "“" else known[-1]
                    yield Reference(atom, at, at + 1 + end, text[at : at + 1 + end], True)
                    at += end
                    break
            at += 1

    def _markers(self, text: str) -> Iterator[Reference]:
        known = {self._atoms.marker(i): i for i in range(len(self._atoms))}
        for m in _MARKER.finditer(text):
            yield Reference(known.get(m.group()), *m.span(), m.group(), False, m.group())

    def _verbatim(self, text: str, taken: list[Reference]) -> Iterator[Reference]:
        """To the letter but for the case, longest first: labels with signs that part sentences, and whole
        descriptions."""
        folded, found = _folded(text), list(taken)
        if len(folded) != len(text):  # a letter that folds to two: positions would be off
            folded = text.lower() if len(text.lower()) == len(text) else text
            folded = folded.translate(_SIGNS)
        for words, i in self._copied:
            for m in re.finditer(re.escape(_folded(words)), folded):
                new = Reference(i, *m.span(), text[m.start() : m.end()], True)
                if _whole_words(text, new) and _outside(found, [new]):
                    found.append(new)
                    yield new

    def _by_words(self, text: str, taken: list[Reference]) -> Iterator[Reference]:
        free = bytearray(b"\x01") * len(text)
        for r in taken:
            free[r.start : r.end] = bytes(r.end - r.start)
        tokens = [m for m in _TOKEN.finditer(text) if all(free[m.start() : m.end()])]
        at = 0
        while at < len(tokens):
            length, atom = self._longest_from(text, tokens, at)
            if atom is not None:
                start, end = tokens[at].start(), tokens[at + length - 1].end()
                yield Reference(atom, start, end, text[start:end], True)
            at += max(length, 1)

    def _longest_from(self, text: str, tokens: list[re.Match[str]], at: int) -> tuple[int, int | None]:
        words: list[str] = []
        best: tuple[int, int | None] = (0, None)
        for n, token in enumerate(tokens[at : at + self._longest], 1):
            if n > 1 and not _may_be_inside(text[tokens[at + n - 2].end() : token.start()]):
                break
            words.append(token.group().casefold())
            atom = self._exact.get(tuple(words), self._stems.get(tuple(map(stem, words))))
            if atom is not None and not all(map(is_report_word, words)):
                best = n, atom
        return best


def _of_report_words(text: str) -> bool:
    """Whether any report may hold these words, so that they name an atom only in quotation marks or beside
    its marker: the labels "Other", "support", "most"."""
    return all(map(is_report_word, canonical(text).split()))


def _plain(label: str) -> bool:
    """Whether its words alone find it."""
    return all(_may_be_inside(gap) for gap in _TOKEN.split(label)[1:-1]) and not _TOKEN.split(label)[0]


def _may_be_inside(gap: str) -> bool:
    return len(gap) <= _LONGEST_GAP and re.fullmatch(r"[ \u00a0/>|&'’+_‐‑–—-]*|,", gap) is not None


def _whole_words(text: str, r: Reference) -> bool:
    before, after = text[r.start - 1 : r.start], text[r.end : r.end + 1]
    return not (before.isalnum() and r.surface[0].isalnum()) and not (
        after.isalnum() and r.surface[-1].isalnum()
    )


def _unique_endings(atoms: AtomSet) -> dict[tuple[str, ...], int]:
    """The last part of a joined label ("Late fee" of "Credit card / Billing / Late fee") names it where
    no other label has that part."""
    owners: dict[tuple[str, ...], set[int]] = {}
    endings: dict[tuple[str, ...], int] = {}
    for i, label in enumerate(atoms.labels):
        parts = _SEPARATOR.split(label)
        for part in {tuple(canonical(p).split()) for p in parts}:
            owners.setdefault(part, set()).add(i)
        if len(parts) > 1:
            endings[tuple(canonical(parts[-1]).split())] = i
    return {words: i for words, i in endings.items() if words and owners[words] == {i}}


def _outside(taken: list[Reference], new: Iterator[Reference] | list[Reference]) -> list[Reference]:
    return [r for r in new if not any(t.start < r.end and r.start < t.end for t in taken)]


def _joined(references: list[Reference], text: str) -> list[Reference]:
    """A label and the same atom's marker beside it are one reference."""
    out: list[Reference] = []
    for r in references:
        last = out[-1] if out else None
        beside = last is not None and text[last.end : r.start].strip(" (,") == "" and r.start - last.end <= 3
        if beside and last.atom == r.atom is not None and bool(last.marker) != bool(r.marker):
            end = r.end + (text[last.end : r.start].count("(") and text[r.end : r.end + 1] == ")")
            out[-1] = replace(
                last, end=end, surface=text[last.start : end], labelled=True, marker=last.marker or r.marker
            )
        else:
            out.append(r)
    return out
