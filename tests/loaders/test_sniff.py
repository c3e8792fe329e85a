from __future__ import annotations

import json

from ctxpriv.loaders.load import load_table
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.samples import samples
from ctxpriv.loaders.sniff import sniff


def jsonl(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


def test_the_roles_of_a_sample_are_guessed() -> None:
    reviews = sniff(samples()["reviews"].path)
    assert reviews.n_rows == 420
    assert reviews.guess == ColumnMapping("text", ("rating", "business_category"), "rating", "user_id", "id")
    assert load_table(samples()["reviews"].path, reviews.guess).label == "rating"


def test_columns_are_described_and_unusable_ones_say_why(tmp_path) -> None:
    rows = [
        {
            "text": f"a text of more than eight words that is number {i}",
            "n": i,
            "kind": "ab"[i % 2],
            "same": 1,
            "tags": ["x"],
            "gone": None,
            "key": f"k{i}",
        }
        for i in range(40)
    ]
    facts = {c.name: c for c in sniff(jsonl(tmp_path / "a.jsonl", rows)).columns}
    assert (facts["text"].kind, facts["n"].kind, facts["kind"].kind, facts["tags"].kind) == (
        "text",
        "number",
        "category",
        "nested",
    )
    assert facts["kind"].top == (("a", 20), ("b", 20)) and facts["gone"].missing == 40
    notes = {n: f.note for n, f in facts.items()}
    assert notes["kind"] == "" and "same value" in notes["same"] and "empty" in notes["gone"]
    assert "40 different values in 40 records" in notes["key"] and "lists" in notes["tags"]


def test_a_file_without_text_has_no_guess(tmp_path) -> None:
    assert (
        sniff(jsonl(tmp_path / "a.jsonl", [{"n": i, "kind": "ab"[i % 2]} for i in range(20)])).guess is None
    )
