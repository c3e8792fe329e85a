"""Atoms from a taxonomy of donated records, and dictionaries joined from several sources.

RELEASE SIDE: reads donated records alone (DP-SPIN App. D.3). The other sources lie beside this file:
`atom_phrases`, `atom_files`, `atoms_by_model`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privatize.spin.atoms import LONGEST_DESCRIPTION, LONGEST_LABEL, Atom, AtomSet, canonical, ranked
from ctxpriv.privatize.spin.words import bases, names_in, telling, typical_of, words_of
from ctxpriv.schema import SAYS_NOTHING, Schema

BETWEEN = " / "
TERMS = 12
"""Characteristic words and phrases of the donated texts in each description [ours]."""

TEXTS_READ = 50
"""Texts of each combination that are read for them: enough, and the time does not grow with the corpus."""

_Values = tuple[tuple[str, str], ...]  # (attribute, value)


def from_taxonomy(donated: DonatedExamples, columns: Sequence[str], m: int) -> AtomSet:
    """The m commonest combinations of values in `columns` among the donated records.

    A label joins the values with " / "; values that say nothing are left out of it, and a record with
    no other gives no atom. A description tells the values with what their attributes mean, and the
    words that mark the donated texts of this label: so that texts can be compared with it.
    Raises BadInput for an unknown column, no column, m below 1 and no donated record that states a value.
    """
    if m < 1:
        raise BadInput("asks for no atom.", where="atoms, m", fix="Ask for one at least.")
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
    terms = _terms(donated.texts, held)
    return ranked(
        Atom(label, _description(donated.schema, values, terms[values]), "taxonomy", len(held[values]))
        for label, values in zip(labels, best, strict=True)
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
    seen: set[str] = set()
    for values in parts:
        label, again = shortened(values), 1
        while canonical(label) in seen:
            again += 1
            label = f"{shortened(values, LONGEST_LABEL - 8)} ({again})"
        seen.add(canonical(label))
        out.append(label)
    return out


def shortened(values: Sequence[str], most: int = LONGEST_LABEL) -> str:
    """The values joined, long ones cut between words until `most` characters hold them all."""
    label = BETWEEN.join(values)
    for room in range(most, 1, -1):
        if len(label) <= most:
            break
        label = BETWEEN.join(_cut(value, room) for value in values)
    return label[:most].rstrip()


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


def _terms(texts: Sequence[str], held: Mapping[_Values, Sequence[int]]) -> dict[_Values, list[str]]:
    """The words that mark each combination's texts, of which the first `TEXTS_READ` are read."""
    members = {values: rows[:TEXTS_READ] for values, rows in held.items()}
    read = {i: texts[i] for i in sorted({i for rows in members.values() for i in rows})}
    names = names_in(read.values())
    documents = {i: frozenset(_words_and_pairs(text, names)) for i, text in read.items()}
    base = bases({term for document in documents.values() for term in document if " " not in term})
    documents = {i: frozenset(base.get(t, t) for t in document) for i, document in documents.items()}
    everywhere = Counter(term for document in documents.values() for term in document)
    # A pair of words that only one text holds would quote it.
    documents = {
        i: frozenset(t for t in document if " " not in t or everywhere[t] > 1)
        for i, document in documents.items()
    }
    return {
        values: typical_of(everywhere, len(documents), [documents[i] for i in rows], TERMS)
        for values, rows in members.items()
    }


def _words_and_pairs(text: str, names: frozenset[str]) -> Iterator[str]:
    told = set(telling(words_of(text), names))
    yield from told
    for first, second in pairwise(words_of(text)):
        if first in told and second in told:
            yield f"{first} {second}"
