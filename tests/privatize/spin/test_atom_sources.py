"""Atoms from the values of donated records."""

from __future__ import annotations

import re
from itertools import pairwise

import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.loaders.samples import load_sample
from ctxpriv.privatize.spin.atom_phrases import from_phrases
from ctxpriv.privatize.spin.atom_sources import combined, from_taxonomy, shortened
from ctxpriv.privatize.spin.atoms import LONGEST_LABEL, Atom, AtomSet
from ctxpriv.privatize.spin.words import words_of
from ctxpriv.schema import NOT_APPLICABLE, NOT_STATED, OTHER, Attribute, Schema

COLUMNS = ("product", "issue", "sub_issue")


def donated(rows: list[tuple[str, str]], texts: list[str] | None = None) -> DonatedExamples:
    table = pd.DataFrame(rows, columns=["product", "issue"], dtype=object)
    schema = Schema(
        (
            Attribute("product", tuple(dict.fromkeys(a for a, _ in rows)) or ("x",), "What was bought."),
            Attribute("issue", tuple(dict.fromkeys(b for _, b in rows)) or ("x",)),
        )
    )
    return DonatedExamples(tuple(texts or [f"text {i}" for i in range(len(rows))]), table, schema)


@pytest.fixture(scope="module")
def complaints() -> DonatedExamples:
    return load_sample("complaints").donated()


def test_labels_are_combinations_by_donated_support(complaints: DonatedExamples) -> None:
    atoms = from_taxonomy(complaints, COLUMNS, 200)
    told = [" / ".join(row) for row in complaints.values[list(COLUMNS)].to_numpy()]
    assert set(atoms.labels) <= set(told) and len(atoms) == 36
    assert all(a.source == "taxonomy" and a.support == told.count(a.label) for a in atoms.atoms)
    supports = [a.support for a in atoms.atoms]
    assert supports == sorted(supports, reverse=True) and supports[0] > supports[-1]
    assert from_taxonomy(complaints, COLUMNS, 10).digest == atoms.top(10).digest


def test_a_description_tells_values_and_words_but_no_quotation(complaints: DonatedExamples) -> None:
    pairs = [set(pairwise(words_of(text))) for text in complaints.texts]
    for atom in from_taxonomy(complaints, COLUMNS, 200).atoms:
        for value in atom.label.split(" / "):
            assert f": {value}." in atom.description
        terms = atom.description.split("Often says: ")[1].rstrip(".").split(", ")
        assert 1 <= len(terms) <= 12
        for term in terms:
            assert len(term.split()) <= 2 and not re.search(r"\d", term)
            if " " in term:
                assert sum(tuple(term.split()) in held for held in pairs) >= 2
    first = from_taxonomy(complaints, COLUMNS, 1).atoms[0]
    assert "escrow" in first.description and "Escrow" in first.label


def test_values_that_say_nothing_are_left_out() -> None:
    rows = [
        ("Card", NOT_STATED),
        ("Card", OTHER),
        ("Card", "Fees"),
        (NOT_APPLICABLE, OTHER),
        ("Card", "Fees"),
    ]
    atoms = from_taxonomy(donated(rows), ["product", "issue"], 9)
    assert [(a.label, a.support) for a in atoms.atoms] == [("Card", 2), ("Card / Fees", 2)]


def test_ties_go_by_label_whatever_the_order_of_records() -> None:
    rows = [("b", "y"), ("a", "z"), ("c", "x"), ("a", "y")]
    labels = [from_taxonomy(donated(r), ["product", "issue"], 3).labels for r in (rows, rows[::-1])]
    assert labels == [("a / y", "a / z", "b / y")] * 2


def test_long_labels_are_cut_between_words_and_kept_apart() -> None:
    long = "Problem with a company's investigation into an existing problem that goes on and on and on"
    rows = [(long, f"{long} and ends with {n}") for n in ("one", "two", "three")]
    atoms = from_taxonomy(donated(rows), ["product", "issue"], 9)
    assert len(set(atoms.labels)) == 3
    assert all(len(label) <= LONGEST_LABEL and "… / " in label for label in atoms.labels)
    assert atoms.labels == from_taxonomy(donated(rows), ["product", "issue"], 9).labels
    assert len(shortened(["word " * 60, "x" * 200, "y" * 200])) <= LONGEST_LABEL
    assert shortened(["short", "ones"]) == "short / ones"


def test_markdown_and_labels_alike_but_for_signs_are_kept_apart() -> None:
    rows = [("**Card**", "Fees"), ("Card", "Fees"), ("# Card", "<b>Fees</b>")]
    atoms = from_taxonomy(donated(rows), ["product", "issue"], 9)
    assert "**Card** / Fees" in " ".join(atoms.labels) and len(atoms) == 3


def test_a_number_that_keeps_labels_apart_is_not_taken_either() -> None:
    rows = [("Card", "Fees (2)"), ("Card", "Fees"), ("*Card*", "Fees"), ("Card!", "Fees")]
    atoms = from_taxonomy(donated(rows), ["product", "issue"], 9)
    assert len(atoms) == 4 and "Card / Fees (2)" in atoms.labels


def test_labels_of_very_many_columns_end() -> None:
    assert len(shortened([f"value {i}" for i in range(90)])) <= LONGEST_LABEL


def test_of_a_large_class_some_texts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxpriv.privatize.spin.atom_sources.TEXTS_READ", 2)
    texts = ["the fee", "the fee", "the queue", "the loan"]
    atoms = from_taxonomy(donated([("a", "x")] * 3 + [("b", "x")], texts), ["product"], 5)
    assert atoms.atoms[0].support == 3
    assert "fee" in atoms.atoms[0].description and "queue" not in atoms.atoms[0].description


def test_what_cannot_be_read_is_said() -> None:
    some = donated([("a", "b")])
    with pytest.raises(BadInput, match="no attribute 'colour'"):
        from_taxonomy(some, ["colour"], 5)
    with pytest.raises(BadInput, match="no column"):
        from_taxonomy(some, [], 5)
    with pytest.raises(BadInput, match="asks for no atom"):
        from_taxonomy(some, ["product"], 0)
    with pytest.raises(BadInput, match="no donated record.*donated split"):
        from_taxonomy(donated([]), ["product"], 5)
    with pytest.raises(BadInput, match="states a value"):
        from_taxonomy(donated([(OTHER, NOT_STATED)]), ["product", "issue"], 5)


def test_names_of_people_are_no_terms() -> None:
    texts = ["I paid Harold a fee. Then Harold left.", "We paid Harold the fee.", "A loan was late."]
    atoms = from_taxonomy(donated([("a", "x"), ("a", "x"), ("b", "x")], texts), ["product"], 5)
    assert "harold" not in atoms.atoms[0].description.lower() and "fee" in atoms.atoms[0].description


def test_a_dictionary_of_two_hundred_exists_on_the_complaints_sample(complaints: DonatedExamples) -> None:
    taxonomy = from_taxonomy(complaints, COLUMNS, 200)
    atoms = combined(taxonomy, from_phrases(complaints.texts, 200, least_support=1), 200)
    assert len(atoms) == 200 and atoms.sources == ("taxonomy", "phrases")
    assert atoms.labels[: len(taxonomy)] == taxonomy.labels
    assert combined(atoms, atoms) == atoms


def test_combining_keeps_one_of_two_labels_alike() -> None:
    first = AtomSet((Atom("late fees", "mine"), Atom("rude staff")))
    second = AtomSet((Atom("Late-Fees", "yours"), Atom("long wait")))
    assert combined(first, second).labels == ("late fees", "rude staff", "long wait")
    assert combined(first, second, 2).labels == ("late fees", "rude staff")
