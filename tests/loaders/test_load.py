from __future__ import annotations

import json

import pandas as pd
import pytest

from ctxpriv.corpus import Splits
from ctxpriv.errors import BadInput
from ctxpriv.loaders.load import load_table
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Schema

ROWS = [
    {
        "id": f"r{i}",
        "user": f"u{i // 3}",
        "mood": ["calm", "cross", "glad"][i % 3],
        "age": 20 + i,
        "text": f"secret words number {i} " + "more " * i,
    }
    for i in range(30)
]
MAPPING = ColumnMapping("text", ("mood", "age"), "mood", "user", "id")


def jsonl(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


def changed(row: int, **cells) -> list[dict]:
    return [{**r, **cells} if i == row else r for i, r in enumerate(ROWS)]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_same_records_load_from_every_kind_of_file(tmp_path, ending) -> None:
    path = tmp_path / f"moods.{ending}"
    frame = pd.DataFrame(ROWS)
    {
        "csv": lambda: frame.to_csv(path, index=False),
        "parquet": lambda: frame.to_parquet(path),
        "jsonl": lambda: jsonl(path, ROWS),
    }[ending]()
    corpus = load_table(path, MAPPING)
    reference = load_table(jsonl(tmp_path / "reference.jsonl", ROWS), MAPPING)
    assert corpus.digest == reference.digest and corpus.name == "moods"
    assert corpus.schema.names == ("mood", "age", "word_count") and corpus.label == "mood"
    assert (
        corpus.schema["age"].provenance == "observed" and corpus.schema["word_count"].provenance == "declared"
    )
    for author in set(corpus.authors):
        assert len({s for a, s in zip(corpus.authors, corpus.splits, strict=True) if a == author}) == 1


def test_word_count_bins_do_not_depend_on_private_texts(tmp_path) -> None:
    rows = [{**r, "split": ["private", "test", "donated"][i % 3]} for i, r in enumerate(ROWS)]
    mapping = ColumnMapping("text", ("mood",), split="split")
    longer = [{**r, "text": r["text"] * 9} if r["split"] == "private" else r for r in rows]
    first = load_table(jsonl(tmp_path / "a.jsonl", rows), mapping)
    second = load_table(jsonl(tmp_path / "b.jsonl", longer), mapping)
    assert first.schema["word_count"] == second.schema["word_count"]
    assert list(first.table["word_count"]) != list(second.table["word_count"])
    assert "donated texts" in first.schema["word_count"].description
    none_donated = [{**r, "split": "private"} for r in rows]
    fixed = load_table(jsonl(tmp_path / "c.jsonl", none_donated), mapping).schema["word_count"]
    assert "fixed counts" in fixed.description and len(fixed.values) == 5


def test_a_word_count_column_is_replaced_and_can_be_left_out(tmp_path) -> None:
    path = jsonl(tmp_path / "a.jsonl", [{**r, "word_count": 7} for r in ROWS])
    mapping = ColumnMapping("text", ("mood", "word_count"))
    assert set(load_table(path, mapping).table["word_count"]) != {"7"}
    assert load_table(path, ColumnMapping("text", ("mood",)), add_word_count=False).schema.names == ("mood",)


def test_a_split_column_is_followed_and_train_means_private(tmp_path) -> None:
    rows = [{**r, "part": ["Train", "test", "donated"][i % 3]} for i, r in enumerate(ROWS)]
    corpus = load_table(jsonl(tmp_path / "a.jsonl", rows), ColumnMapping("text", ("mood",), split="part"))
    assert list(corpus.splits[:3]) == ["private", "test", "donated"]


def test_missing_values_become_not_stated(tmp_path) -> None:
    corpus = load_table(jsonl(tmp_path / "a.jsonl", changed(3, mood=None, age="")), MAPPING)
    assert corpus.table.loc[3, "mood"] == NOT_STATED and corpus.table.loc[3, "age"] == NOT_STATED
    assert corpus.schema["age"].values[-1] == NOT_STATED and corpus.outside == {}


def test_without_attributes_the_usable_columns_are_taken(tmp_path) -> None:
    rows = [{**r, "note": f"unique {r['id']}", "same": "x"} for r in ROWS]
    corpus = load_table(
        jsonl(tmp_path / "a.jsonl", rows), ColumnMapping("text", author="user", id="id", label="mood")
    )
    assert corpus.schema.names == ("mood", "word_count")


def test_numbers_are_one_value_whatever_their_type(tmp_path) -> None:
    rows = changed(0, age=21.0)
    rows[2]["age"] = "21"
    corpus = load_table(jsonl(tmp_path / "a.jsonl", rows), ColumnMapping("text", ("mood", "age")))
    assert corpus.table.loc[0, "age"] == corpus.table.loc[1, "age"] == corpus.table.loc[2, "age"]
    rows[2]["age"] = 22


def test_a_given_schema_decides_the_columns_and_counts_what_it_maps(tmp_path) -> None:
    schema = Schema((Attribute("mood", ("calm", "cross", OTHER)),))
    corpus = load_table(jsonl(tmp_path / "a.jsonl", ROWS), ColumnMapping("text", label="mood"), schema=schema)
    assert corpus.outside == {"mood": 10} and corpus.schema["mood"].provenance == "declared"


@pytest.mark.parametrize(
    ("rows", "mapping", "schema", "message"),
    [
        (ROWS[:1], MAPPING, None, r"a.jsonl: holds 1 record"),
        (
            ROWS,
            ColumnMapping("txt", ("mood",)),
            None,
            r"no column 'txt', which should hold the text. Did you mean 'text'",
        ),
        (ROWS, ColumnMapping("body", ("mood",)), None, r"no column 'body'.*Its columns are 'id'"),
        (ROWS, ColumnMapping("text", ("mod",)), None, r"no column 'mod', which should hold the attribute"),
        (ROWS, ColumnMapping("text", ("mood", "mood")), None, r"'mood' is listed twice"),
        (ROWS, ColumnMapping("text", ("mood",), id="text"), None, r"'text' has two roles"),
        (
            ROWS,
            ColumnMapping("text", ("mood", "user"), author="user"),
            None,
            r"'user' cannot be an attribute",
        ),
        (changed(4, text="  "), MAPPING, None, r"column 'text': the text is missing in row 5"),
        (changed(4, text=None), MAPPING, None, r"column 'text': the text is missing in row 5"),
        (
            changed(4, text=17),
            MAPPING,
            None,
            r"column 'text': holds int values where text is expected \(rows 5\)",
        ),
        (changed(4, id="r9"), MAPPING, None, r"column 'id': id 'r9' is used by rows 5, 10"),
        (changed(4, id=None), MAPPING, None, r"column 'id': the id is missing in row 5"),
        (changed(4, user=None), MAPPING, None, r"column 'user': the author is missing in row 5"),
        (changed(4, mood=["calm"]), MAPPING, None, r"row 5, column 'mood': holds a list"),
        (
            ROWS,
            ColumnMapping("text", ("mood", "id")),
            None,
            r"column 'id': has 30 different values in 30 records",
        ),
        (
            ROWS,
            ColumnMapping("text", ("age",), split="mood"),
            None,
            r"column 'mood': holds something else than private",
        ),
        (
            [{**r, "s": "test"} for r in ROWS],
            ColumnMapping("text", ("age",), split="s"),
            None,
            r"no record is in the private",
        ),
        (
            ROWS,
            ColumnMapping("text", ("mood",)),
            Schema((Attribute("mood", ("calm", "cross")),)),
            r"column 'mood': holds a value outside the schema in 10 rows \(3, 6, 9, 12, 15 …\)",
        ),
        (
            changed(4, mood=""),
            ColumnMapping("text", ("mood",)),
            Schema((Attribute("mood", ("calm", "cross", "glad")),)),
            r"column 'mood': is empty in row 5",
        ),
        (
            ROWS,
            ColumnMapping("text"),
            Schema((Attribute("town", ("x",)),)),
            r"no column 'town', which the schema names",
        ),
        (
            ROWS,
            ColumnMapping("text", ("age",)),
            Schema((Attribute("mood", ("calm",)),)),
            r"schema has no attribute 'age'",
        ),
    ],
)
def test_bad_input_is_named_by_file_row_and_column_without_its_text(
    tmp_path, rows, mapping, schema, message
) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        load_table(jsonl(tmp_path / "a.jsonl", rows), mapping, schema=schema)
    assert str(caught.value).startswith("a.jsonl") and "secret" not in str(caught.value)


def test_no_attributes_at_all_is_an_error(tmp_path) -> None:
    with pytest.raises(BadInput, match="no attributes"):
        load_table(jsonl(tmp_path / "a.jsonl", ROWS), ColumnMapping("text", ()), add_word_count=False)


def test_the_split_seed_is_followed(tmp_path) -> None:
    path = jsonl(tmp_path / "a.jsonl", ROWS)
    first, second = (load_table(path, MAPPING, splits=Splits(seed=s)) for s in (0, 1))
    assert list(first.splits) != list(second.splits)


def test_a_mapping_survives_its_dict_and_refuses_unknown_roles() -> None:
    assert ColumnMapping.from_dict(MAPPING.to_dict()) == MAPPING
    assert ColumnMapping.from_dict({"text": "t"}) == ColumnMapping("t")
    with pytest.raises(BadInput, match="'txt' is not a role"):
        ColumnMapping.from_dict({"txt": "t"})
    with pytest.raises(BadInput, match="no text column"):
        ColumnMapping.from_dict({"label": "t"})
