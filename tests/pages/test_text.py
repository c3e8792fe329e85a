from __future__ import annotations

from pages.parts.text import count, duration, epsilon_text, plain, shortened, table, when


def test_plain_leaves_no_markup_alive():
    hostile = "![x](http://e.x/a.png) **b** `c` $d$ <i>e</i> :red[f] # g ~~h~~ | [i](j)"
    out = plain(hostile)
    for position, character in enumerate(out):
        if character in "!()[]*`$<>#~|:_":
            assert out[position - 1] == "\\", (position, character)
    assert out.replace("\\", "") == hostile


def test_plain_is_one_line():
    assert plain("a\n\n# b\tc") == "a \\# b c"


def test_numbers_for_people():
    assert count(1, "record") == "1 record" and count(2, "retry", "retries") == "2 retries"
    assert count(12345, "record") == "12\u202f345 records"
    assert [duration(s) for s in (None, 0.4, 59.4, 185, 4800)] == [
        "–",
        "0 s",
        "59 s",
        "3 min 05 s",
        "1 h 20 min",
    ]
    assert [epsilon_text(e) for e in (None, 0.5, 1.0, float("inf"))] == ["–", "0.5", "1", "∞"]
    assert when("2026-11-29T21:05:00+00:00") == "29 Nov 2026, 21:05" and when("yesterday") == "yesterday"
    assert shortened("a" * 80, 10) == "aaaaaaaaa…"


def test_a_table_shows_hostile_cells_as_words():
    drawn = table(("a", "b"), [("x|y", "![i](http://example.invalid)\n| new | row |")])
    lines = drawn.splitlines()
    assert len(lines) == 3 and "![" not in drawn.replace("\\!", "")
    assert lines[2].replace("\\|", "").count("|") == 3
