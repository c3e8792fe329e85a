"""The public dictionary: sources, labels, order, digest."""

from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.atoms import (
    LONGEST_DESCRIPTION,
    LONGEST_LABEL,
    MOST_ATOMS,
    SOURCES,
    Atom,
    AtomSet,
    canonical,
    ranked,
)


def test_protected_records_are_no_source() -> None:
    assert not {"protected", "private", "target"} & set(SOURCES)
    for source in ("protected", "private", "records", ""):
        with pytest.raises(BadInput, match="no public source"):
            Atom("late fees", source=source)


@pytest.mark.parametrize(
    "label", ["", "   ", "...", "two\nlines", " outside", "two  spaces", "x" * (LONGEST_LABEL + 1)]
)
def test_a_label_is_a_short_name_on_one_line(label: str) -> None:
    with pytest.raises(BadInput):
        Atom(label)


@pytest.mark.parametrize(
    ("label", "description"),
    [("late\x00fees", ""), ("\x1b[31mlate fees", ""), ("late \u202eseef", ""), ("late\ud800", ""),
     ("late fees", "\udfff")],
)  # fmt: skip
def test_what_cannot_be_shown_is_no_label(label: str, description: str) -> None:
    with pytest.raises(BadInput, match="cannot be shown"):
        Atom(label, description)


def test_a_label_may_be_of_any_script() -> None:
    for label in ("滞纳金", "رسوم التأخير", "विलंब शुल्क", "👩‍⚕️ visits"):
        assert Atom(label).label == label


def test_a_description_has_a_greatest_length() -> None:
    assert Atom("late fees", "x" * LONGEST_DESCRIPTION).meaning.startswith("late fees. x")
    with pytest.raises(BadInput, match="too long"):
        Atom("late fees", "x" * (LONGEST_DESCRIPTION + 1))


@pytest.mark.parametrize("other", ["Late fees", "late-fees", "LATE  FEES", "late fees!", "**late fees**"])
def test_labels_alike_but_for_case_and_signs_are_one(other: str) -> None:
    with pytest.raises(BadInput, match="share the label"):
        AtomSet((Atom("late fees"), Atom(" ".join(other.split()))))


def test_markdown_in_a_label_stays_text() -> None:
    label = "**Bold** [link](http://x.test) <b>x</b>"
    atoms = AtomSet((Atom(label),))
    assert atoms.labels == (label,)
    assert canonical(label) == "bold link http x test b x b"


def test_a_set_is_neither_empty_nor_endless() -> None:
    with pytest.raises(BadInput, match="no atom"):
        AtomSet(())
    with pytest.raises(BadInput, match="more than"):
        AtomSet(tuple(Atom(f"label {i}") for i in range(MOST_ATOMS + 1)))


def test_the_order_is_by_support_then_label_whatever_came_first() -> None:
    atoms = [
        Atom("b", support=2),
        Atom("C", support=2),
        Atom("a", support=2),
        Atom("z", support=9),
        Atom("y"),
    ]
    forward, backward = ranked(atoms), ranked(reversed(atoms))
    assert forward.labels == backward.labels == ("z", "a", "b", "C", "y")
    assert ranked(atoms, 2).labels == forward.top(2).labels == ("z", "a")


def test_the_digest_is_of_labels_descriptions_and_order() -> None:
    one = AtomSet((Atom("a", "x"), Atom("b")))
    assert one.digest == AtomSet((Atom("a", "x", "model", 7), Atom("b", source="phrases"))).digest
    others = [(Atom("b"), Atom("a", "x")), (Atom("a", "y"), Atom("b")), (Atom("a", "x"), Atom("c"))]
    assert len({one.digest, *(AtomSet(o).digest for o in others)}) == 4


def test_an_edited_atom_belongs_to_who_edited_it() -> None:
    before = AtomSet((Atom("a", "x", "taxonomy", 4), Atom("b", "", "phrases", 3)))
    after = before.edited([("a", "x"), ("b", "now told"), ("c", "")])
    assert [(a.label, a.source, a.support) for a in after.atoms] == [
        ("a", "taxonomy", 4), ("b", "typed", None), ("c", "typed", None),
    ]  # fmt: skip
    assert after.sources == ("taxonomy", "typed")


def test_markers_without_and_lists() -> None:
    atoms = AtomSet((Atom("a", "x", "model"), Atom("b"), Atom("c", source="uploaded", support=1)))
    assert [atoms.marker(i) for i in (0, 2, 120)] == ["[A001]", "[A003]", "[A121]"]
    assert atoms.without(["b"]).labels == ("a", "c")
    assert AtomSet.from_list(atoms.to_list()) == atoms
    with pytest.raises(BadInput, match="no atom 'd'"):
        atoms.without(["d"])
    with pytest.raises(BadInput, match="no atom"):
        atoms.without(["a", "b", "c"])
