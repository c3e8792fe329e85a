from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.privatize.anon.clauses import clause_around, cut_clauses


def clauses(text):
    return [text[a:b] for a, b in cut_clauses(text)]


def test_clauses_end_at_commas_and_begin_at_conjunctions():
    text = "I drove the whole night, and my brother slept because he was tired. Fine."
    assert clauses(text) == [
        "I drove the whole night,",
        " and my brother slept",
        " because he was tired.",
        "Fine.",
    ]


def test_short_pieces_and_numbers_stay_whole():
    assert clauses("Yes, it was 1,200 or 9.8 in all.") == ["Yes, it was 1,200 or 9.8 in all."]


def test_the_clause_around_a_span():
    text = "I drove the whole night, my brother in Lagos slept."
    start = text.index("Lagos")
    assert text[slice(*clause_around(text, start, start + 5))] == " my brother in Lagos slept."
    assert clause_around("a. b", 2, 3) == (2, 3)


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet=st.sampled_from("ab ,;.\n—and but"), max_size=80))
def test_clauses_cover_every_sentence_in_order(text):
    cuts = cut_clauses(text)
    assert all(a < b for a, b in cuts) and all(x[1] <= y[0] for x, y in zip(cuts, cuts[1:], strict=False))
    assert "".join("".join(clauses(text)).split()) == "".join(text.split())
