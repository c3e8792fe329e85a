from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.loaders.tables import read_table


def write(path, content: str | bytes):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_csv_cells_stay_text_and_only_empty_ones_are_missing(tmp_path) -> None:
    table = read_table(write(tmp_path / "a.csv", 'id,state,text\n007,NA,"one, ""two""\nthree"\n8,,null\n'))
    assert list(table["id"]) == ["007", "8"]
    assert table["state"].iloc[0] == "NA" and table["state"].isna().iloc[1]
    assert list(table["text"]) == ['one, "two"\nthree', "null"]


@pytest.mark.parametrize(("name", "sep"), [("a.csv", ";"), ("a.tsv", "\t"), ("a.csv", "|")])
def test_the_header_decides_the_delimiter(tmp_path, name, sep) -> None:
    table = read_table(write(tmp_path / name, f"id{sep}text\n1{sep}a, b, c\n"))
    assert list(table.columns) == ["id", "text"] and table["text"].iloc[0] == "a, b, c"


def test_a_byte_order_mark_is_not_part_of_the_first_name(tmp_path) -> None:
    assert list(read_table(write(tmp_path / "a.csv", b"\xef\xbb\xbfid,text\n1,a\n")).columns) == [
        "id",
        "text",
    ]
    assert list(read_table(write(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"id": 1}\n')).columns) == ["id"]


def test_json_lines_keep_types_and_flatten_objects(tmp_path) -> None:
    table = read_table(
        write(tmp_path / "a.jsonl", '{"p": {"age": 3}, "x": [1]}\n\n{"p": {"age": null}, "x": true}\n')
    )
    assert list(table.columns) == ["p.age", "x"] and table["p.age"].iloc[0] == 3 and table["x"].iloc[0] == [1]
    assert pd.isna(table["p.age"].iloc[1])


@pytest.mark.parametrize(
    "content",
    [
        '[{"a": 1}, {"a": 2}]',
        '{"messages": [{"n": 1}], "collection": [{"a": 1}, {"a": 2}]}',
        '{\n "collection": [{"a": 1},\n {"a": 2}]\n}',
        '{"a": 1}\n{"a": 2}\n',
    ],
)
def test_json_documents_and_lines_give_the_same_records(tmp_path, content) -> None:
    assert list(read_table(write(tmp_path / "a.json", content))["a"]) == [1, 2]


def test_gzipped_files_and_parquet(tmp_path) -> None:
    packed = write(tmp_path / "a.jsonl.gz", gzip.compress(b'{"a": 1}\n{"a": 2}\n'))
    pd.DataFrame({"a": [1, 2]}).to_parquet(tmp_path / "a.parquet")
    packed_csv = write(tmp_path / "a.csv.gz", gzip.compress(b"a\n1\n2\n"))
    assert [len(read_table(p)) for p in (packed, tmp_path / "a.parquet", packed_csv)] == [2, 2, 2]


def test_a_preview_reads_no_further(tmp_path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": 1}\n{"a": 2}\nbroken')
    assert len(read_table(path, n_rows=2)) == 2
    with pytest.raises(BadInput, match="line 3"):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", r"a.csv: is empty"),
        ("a.csv", b"id,text\n", r"a.csv: holds no records"),
        ("a.csv", b"\n\n", r"a.csv: has no header"),
        ("a.csv", b"id,id\n1,2\n", r"two columns are named 'id'"),
        ("a.csv", b"id,text\n1,a\n2,caf\xe9\n", r"a.csv, line 3: is not UTF-8: byte 17 .*Windows-1252"),
        ("a.csv", b"id,text\n1,a\n2,caf\xc3", r"a.csv, line 3: is not UTF-8: byte 18|byte 17"),
        ("a.csv", b"\xff\xfei\x00d\x00", r"UTF-16"),
        ("a.csv", b"PK\x03\x04\x00\x00", r"zero bytes"),
        ("a.csv", b"id,text\n1,a,b,c\n", r"more cells than the header"),
        ("a.csv", b"id,text\n1,a\n1,secret,b,c\n", r"Expected 2 fields in line 3, saw 4"),
        ("a.csv", b'id,text\n1,"secret\n2,b\n', r"quoted cell never ends"),
        ("a.jsonl", b'{"a": 1}\n{"a": secret}\n', r"a.jsonl, line 2: is not valid JSON"),
        ("a.jsonl", b"[1, 2]\n", r"row 1: is not a JSON object"),
        ("a.jsonl", b'{"a": 1}\n3\n', r"line 2: is not a JSON object"),
        ("a.json", b'[{"a": 1},\n{"a": secret}]', r"a.json, line 2: is not valid JSON"),
        ("a.json", b'{"messages": "none"}\n\n[', r"line 3: is not valid JSON"),
        ("a.parquet", b"PAR1secret", r"cannot be read as Parquet"),
        ("a.xlsx", b"x", r"unknown kind of name \(.xlsx\)"),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n')[:-6], r"not a whole gzip"),
    ],
)
def test_unreadable_files_are_named_with_their_line_and_no_content(tmp_path, name, content, message) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read_table(write(tmp_path / name, content))
    assert "secret" not in str(caught.value) and str(tmp_path) not in str(caught.value)


def test_a_bad_byte_far_into_a_file_is_located_exactly(tmp_path) -> None:
    head = "x,text\n" + "é,line\n" * 300_000
    path = write(tmp_path / "a.csv", head.encode() + b"1,\xff\n")
    with pytest.raises(BadInput, match=rf"line 300002: is not UTF-8: byte {len(head.encode()) + 2} "):
        read_table(path)


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(BadInput, match="a.csv: does not exist"):
        read_table(tmp_path / "a.csv")


def test_deep_nesting_is_refused(tmp_path) -> None:
    with pytest.raises(BadInput, match="line 1"):
        read_table(write(tmp_path / "a.jsonl", '{"a":' * 200_000 + "1" + "}" * 200_000))


def test_unicode_line_separators_inside_json_do_not_end_a_line(tmp_path) -> None:
    path = write(
        tmp_path / "a.jsonl", json.dumps({"text": "a\u2028b\x85c"}, ensure_ascii=False) + '\n{"text": "d"}\n'
    )
    assert list(read_table(path)["text"]) == ["a\u2028b\x85c", "d"]


def test_half_characters_in_json_are_replaced_so_that_the_record_can_be_stored(tmp_path) -> None:
    path = write(tmp_path / "a.jsonl", '{"text": "cut \\ud83d off", "p": {"x": "\\ud83d\\ude00"}}\n')
    table = read_table(path)
    assert table["text"].iloc[0] == "cut \ufffd off" and table["p.x"].iloc[0] == "\U0001f600"


def test_a_record_in_place_of_the_header_reaches_no_message(tmp_path) -> None:
    with pytest.raises(BadInput, match="does not look like column names") as caught:
        read_table(write(tmp_path / "a.csv", "1,a secret told at length " + "x" * 100 + "\n2,b\n"))
    assert "secret" not in str(caught.value)


def test_nameless_columns_of_spreadsheet_exports_are_no_error(tmp_path) -> None:
    assert len(read_table(write(tmp_path / "a.csv", "id,text,,\n1,a,,\n"))) == 1
