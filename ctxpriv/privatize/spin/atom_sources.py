"""Atoms from a taxonomy of donated records, and dictionaries joined from several sources.

RELEASE SIDE: reads donated records alone (DP-SPIN App. D.3). The other sources lie beside this file:
`atom_phrases`, `atom_files`, `atoms_by_model`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privatize.spin.atoms import LONGEST_DESCRIPTION, LONGEST_LABEL, Atom, AtomSet, canonical, ranked
from ctxpriv.privatize.spin.words import bases, names_in, telling, typical_of, words_of
from ctxpriv.schema import SAYS_NOTHING, Schema

BETWEEN = " / "
TERMS = 12
"""Characteristic words and phrases of the donated texts in each description [ours]."""

_Values = tuple[tuple[str, str], ...]  # (attribute, value)


def from_taxonomy(donated: DonatedExamples, columns: Sequence[str], m: int) -> AtomSet:
    """The m commonest combinations of values in `columns` among the donated records.

    A label joins the values with " / "; values that say nothing are left out of it, and a record with
    no other gives no atom. A description tells the values with what their attributes mean, and the
    words that mark the donated texts of this label: so that texts can be compared with it.
    Raises BadInput for an unknown column, no column, and no donated record that states a value.
    """
    if not columns:
        raise BadInput("there is no column to read atoms from.", where="atoms", fix="Name one at least.")
    for column in columns:
        donated.schema[column]  # raises for an unknown one
    if not len(donated):
        raise BadInput(
            "there is no donated record to read atoms from.",
            where="atoms",
            fix="Load the corpus with a donated split, or type the labels.",
        )
    held: dict[_Values, list[int]] = defaultdict(list)
    for i, row in enumerate(donated.values[list(columns)].astype(str).itertuples(index=False, name=None)):
        if stated := _stated(columns, row):
            held[stated].append(i)
    if not held:
        raise BadInput(
            "no donated record states a value there.", where="atoms", fix="Choose other columns, or phrases."
        )
    best = sorted(held, key=lambda values: (-len(held[values]), _joined(values)))[:m]
    labels = _labels([[value for _, value in values] for values in best])
    terms = _terms(donated.texts, [held[values] for values in best])
    return ranked(
        Atom(label, _description(donated.schema, values, words), "taxonomy", len(held[values]))
        for label, values, words in zip(labels, best, terms, strict=True)
    )


def combined(first: AtomSet, second: AtomSet, m: int | None = None) -> AtomSet:
    """The atoms of `first`, then those of `second` whose label is not there yet, m in all.

    Each set keeps its order, so that `top` takes from the first before the second.
    """
    taken = {canonical(atom.label) for atom in first.atoms}
    more = [atom for atom in second.atoms if canonical(atom.label) not in taken]
    return AtomSet((*first.atoms, *more)[:m])


def _stated(columns: Sequence[str], row: Sequence[str]) -> _Values:
    told = ((column, " ".join(value.split())) for column, value in zip(columns, row, strict=True))
    return tuple((c, v) for c, v in told if v not in SAYS_NOTHING and canonical(v))


def _joined(values: _Values) -> str:
    return BETWEEN.join(value for _, value in values)


def _labels(parts: Sequence[Sequence[str]]) -> list[str]:
    """One label each, no two alike, none too long."""
    out: list[str] = []
    seen = Counter[str]()
    for values in parts:
        label = shortened(values)
        seen[canonical(label)] += 1
        if (again := seen[canonical(label)]) > 1:
            label = f"{shortened(values, LONGEST_LABEL - 6)} ({again})"
        out.append(label)
    return out


def shortened(values: Sequence[str], most: int = LONGEST_LABEL) -> str:
    """The values joined, long ones cut between words until `most` characters hold them all."""
    label = BETWEEN.join(values)
    room = most
    while len(label) > most:
        room -= 1
        label = BETWEEN.join(_cut(value, room) for value in values)
    return label


def _cut(value: str, room: int) -> str:
    if len(value) <= room:
        return value
    words = value[:room].rsplit(" ", 1)[0].rstrip(" ,;:-") or value[:room]
    return words[: room - 1] + "…"


def _description(schema: Schema, values: _Values, terms: Sequence[str]) -> str:
    told = [f"{_about(schema, attribute)}: {value}." for attribute, value in values]
    if terms:
        told.append(f"Often says: {', '.join(terms)}.")
    return " ".join(told)[:LONGEST_DESCRIPTION]


def _about(schema: Schema, attribute: str) -> str:
    return schema[attribute].description.rstrip(" .") or attribute.replace("_", " ").capitalize()


def _terms(texts: Sequence[str], classes: Sequence[Sequence[int]]) -> list[list[str]]:
    names = names_in(texts)
    documents = [frozenset(_words_and_pairs(text, names)) for text in texts]
    base = bases({term for document in documents for term in document if " " not in term})
    documents = [frozenset(base.get(term, term) for term in document) for document in documents]
    everywhere = Counter(term for document in documents for term in document)
    # A pair of words that only one text holds would quote it.
    documents = [frozenset(t for t in d if " " not in t or everywhere[t] > 1) for d in documents]
    return [
        typical_of(everywhere, len(documents), [documents[i] for i in members], TERMS) for members in classes
    ]


def _words_and_pairs(text: str, names: frozenset[str]) -> Iterator[str]:
    told = set(telling(words_of(text), names))
    yield from told
    for first, second in pairwise(words_of(text)):
        if first in told and second in told:
            yield f"{first} {second}"
