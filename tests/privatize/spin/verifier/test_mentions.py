"""Labels and markers in a text: the longest label wins, whatever signs it holds."""

from __future__ import annotations

import pytest

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.verifier.mentions import LabelFinder, shown_label
from ctxpriv.privatize.spin.verifier.sentences import masked, readings

LABELS = (
    "late fee",
    "late fee dispute",
    "Card / Billing / Overcharge",
    "Card / Closing / Company closed it",
    "Loan / Closing / Company closed it",
    "Other",
    "most",
    "**bold** <b>move</b>",
    "say “hello”. Then [A001]",
    "damaged box",
)


@pytest.fixture(scope="module")
def finder() -> LabelFinder:
    return LabelFinder(AtomSet(tuple(map(Atom, LABELS))))


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("a late fee", [0]),
        ("Late Fees and late-fee", [0, 0]),
        ("a late fee dispute, a late fee", [1, 0]),
        ("late fee disputes", [1]),
        ("plate feet, relate fee", []),
        ("It was late. Fee followed", []),
        ("late, fee", []),
        ("damaged boxes", [9]),
        ("card: billing / overcharge", [2]),
        ("Card / Billing / Overcharge", [2]),
        ("Overcharges", [2]),
        ("Company closed it", []),
        ("Loan / Closing / Company closed it", [4]),
        ("other themes are most common", []),
        ("“Other” and 'most'", [5, 6]),
        ("**Bold** <b>move</b>", [7]),
        ("Bold b move b", [7]),
        ("say “hello”. Then [A001]", [0]),  # without quotation marks a marker is a marker
        ("“" + shown_label(LABELS[8]) + "”", [8]),
        ("“late fee” [A001] and [A010]", [0, 9]),
        ("late fee ([A001])", [0]),
        ("late fee [A002]", [0, 1]),
        ("[A011], [A1], A099 and A4", [None, None, None]),
    ],
)
def test_what_is_named(finder: LabelFinder, text: str, atoms: list[int | None]) -> None:
    assert [r.atom for r in finder.references(text)] == atoms


def test_a_label_with_its_marker_is_one_reference(finder: LabelFinder) -> None:
    text = "A “late fee” [A001], and damaged box."
    first, second = finder.references(text)
    assert (first.surface, first.marker) == ("“late fee” [A001]", "[A001]")
    assert (second.surface, second.marker) == ("damaged box", "")


def test_sentences_are_not_parted_within_labels(finder: LabelFinder) -> None:
    text = 'Support is high for “say "hello". Then [A001]”. Late fee is low, e.g. here. Done?\nYes'
    references = finder.references(text)
    parted = readings(text, references)
    assert [r.written for r in parted] == [
        'Support is high for “say "hello". Then [A001]”.',
        "Late fee is low, e.g. here.",
        "Done?",
        "Yes",
    ]
    assert len(masked(text, references)) < len(text)


def test_labels_that_differ_by_an_ending_only_are_found_exactly() -> None:
    finder = LabelFinder(AtomSet((Atom("late fee"), Atom("late fees"))))
    assert [r.atom for r in finder.references("late fees, late fee, late feed")] == [1, 0]
