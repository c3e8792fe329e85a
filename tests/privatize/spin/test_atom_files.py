"""Labels typed and uploaded, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.atom_files import from_rows, read_atoms


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def test_typed_rows_keep_their_order_and_lose_empty_ones() -> None:
    atoms = from_rows([("late fees", " charged  late "), ("", ""), ("rude staff", "")], "typed")
    assert [(a.label, a.description, a.source) for a in atoms.atoms] == [
        ("late fees", "charged late", "typed"),
        ("rude staff", "", "typed"),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", ""), ("", "told")], "atoms, row 2: has no label"),
        ([("a", ""), ("", ""), ("A", "")], "atoms, row 3: the label 'A' is there already"),
        ([("a", ""), ("...", "")], "atoms, row 2: has no letters"),
        ([("x" * 121, "")], "atoms, row 1: is too long"),
        ([("", "")], "holds no label"),
        ([], "holds no label"),
    ],
)
def test_rows_that_cannot_be_are_named(rows: list, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        from_rows(rows, "typed")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'label,description\nlate fees,"charged, late"\nrude staff,\n'),
        ("a.csv", '\ufefflabel,description\r\nlate fees,"charged, late"\r\n\r\nrude staff\r\n'),
        ("a.csv", 'Description, Label \n"charged, late",late fees\n,rude staff\n'),
        ("a.yaml", '- label: late fees\n  description: "charged, late"\n- rude staff\n'),
    ],
)
def test_files_are_read(tmp_path: Path, name: str, text: str) -> None:
    atoms = read_atoms(write(tmp_path, name, text))
    assert [(a.label, a.description, a.source) for a in atoms.atoms] == [
        ("late fees", "charged, late", "uploaded"),
        ("rude staff", "", "uploaded"),
    ]


def test_one_label_a_line(tmp_path: Path) -> None:
    atoms = read_atoms(write(tmp_path, "a.txt", "late fees, charged\n\n**rude** staff\n<b>x</b>\n"))
    assert atoms.labels == ("late fees, charged", "**rude** staff", "<b>x</b>")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "label,source\na,protected\n", "a.csv, row 1: comes from 'protected'"),
        (
            "a.yaml",
            "- label: a\n- label: b\n  source: private records\n",
            "a.yaml, row 2: comes from 'private",
        ),
        ("a.csv", "name\na\n", "no column `label`"),
        ("a.csv", "label,colour\na,red\n", "unknown column 'colour'"),
        ("a.csv", "label,label\na,b\n", "twice"),
        ("a.csv", "label,description\na,b,c\n", "a.csv, row 1: has more cells"),
        ("a.csv", 'label\n"a\n', "a.csv, line 1: is not valid CSV"),
        ("a.csv", "label\na\nb\nA\n", "a.csv, row 3: the label 'A'"),
        ("a.csv", "label,description\n,told\n", "a.csv, row 1: has no label"),
        ("a.csv", "", "no column `label`"),
        ("a.txt", "", "a.txt: holds no label"),
        ("a.txt", "a\n\n" + "x" * 121, "a.txt, line 3: is too long"),
        ("a.yaml", "label: a\n", "a.yaml: is no list"),
        ("a.yaml", "- [a, b]\n", "a.yaml, row 1: holds something that is no text"),
        ("a.yaml", "- true\n", "a.yaml, row 1: holds something that is no text"),
        ("a.yaml", "- {name: a}\n", "a.yaml, row 1: has no column `label`"),
        ("a.yaml", "- [a\n", "is not valid YAML"),
        ("a.docx", "a\n", "unknown kind of name"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_atoms(write(tmp_path, name, text))


def test_files_that_are_not_there_not_text_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        read_atoms(tmp_path / "none.csv")
    with pytest.raises(BadInput, match="UTF-16"):
        read_atoms(write(tmp_path, "a.txt", "late fees", "utf-16"))
    with pytest.raises(BadInput, match="too large"):
        read_atoms(write(tmp_path, "b.txt", "x" * 5_000_001))


def test_a_public_source_that_is_told_is_kept(tmp_path: Path) -> None:
    atoms = read_atoms(write(tmp_path, "a.csv", "label,source\na,model\nb,taxonomy\nc,\nd,typed\n"))
    assert [a.source for a in atoms.atoms] == ["model", "taxonomy", "uploaded", "uploaded"]
