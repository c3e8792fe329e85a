"""Words, their forms, and what is left out of themes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxpriv.privatize.spin.words import (
    STOP_WORDS,
    bases,
    fast_words,
    forms,
    names_in,
    sentences,
    telling,
    typical_of,
    words_of,
)


def test_forms_of_a_word_share_its_base() -> None:
    expected = {
        "charge": ("charge", "charged", "charging", "charges"),
        "plan": ("plan", "planned"),
        "city": ("city", "cities"),
        "deny": ("deny", "denied"),
        "tax": ("tax", "taxes"),
        "call": ("call", "called", "calls"),
        "bill": ("bill", "bills"),
        "fee": ("fee", "fees"),
        "stop": ("stop", "stopping"),
        "pay": ("pay", "paying"),
        "paid": ("paid",),
    }
    assert bases({w for words in expected.values() for w in words}) == {
        word: base for base, words in expected.items() for word in words
    }


def test_words_that_only_look_like_forms_stay() -> None:
    told = ["car", "caring", "cared", "rat", "rated", "new", "news", "good", "goods", "us", "bus", "process"]
    base = bases(told)
    assert all(base[word] == word for word in told)


def test_a_form_that_was_never_seen_is_foreseen() -> None:
    assert {"plans", "planned", "planning"} <= set(forms("plan"))
    assert {"denies", "denied", "denying"} == set(forms("deny"))
    assert {"taxes", "taxed"} <= set(forms("tax")) and "taxs" not in forms("tax")
    assert "cared" not in forms("car")
    assert forms("über") == forms("ab") == []


@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_the_fast_way_reads_the_same_words(text: str) -> None:
    assert [w for w in fast_words(text) if len(w) > 1] == words_of(text) if text.isascii() else True
    if not text.isascii():
        assert fast_words(text) == words_of(text)


def test_names_are_words_with_a_capital_within_sentences() -> None:
    told = names_in(
        [
            "My brother Harold called. Bank of Ardmore said no.",
            "The bank wrote to Harold. Nobody answers, and bank clerks laugh.",
            "THE WHOLE LETTER WAS SHOUTED AT ME",
        ]
    )
    assert {"harold", "ardmore"} <= told
    assert not {"bank", "nobody", "letter", "the"} & told


def test_telling_words_leave_out_figures_names_and_little_words() -> None:
    words = words_of("I said on Monday that 12 late fees of $30 were charged by Harold, didn't I?")
    assert telling(words, {"harold"}) == ["late", "fees", "charged"]
    assert "didn" in STOP_WORDS


def test_sentences_end_at_stops_semicolons_and_lines() -> None:
    assert sentences("One. Two; three!\nFour “five.” Six") == ["One.", "Two;", "three!", "Four “five.", "Six"]


def test_typical_terms_are_common_inside_and_rare_outside() -> None:
    documents = [{"fee", "bank", "late"}, {"fee", "bank", "odd"}, {"bank"}, {"bank", "late"}]
    everywhere = {"fee": 2, "bank": 4, "late": 2, "odd": 1}
    # "bank" is everywhere, "late" no commoner inside; "odd" stands in one document and comes last.
    assert typical_of(everywhere, 4, documents[:2], 9) == ["fee", "odd"]
    assert typical_of(everywhere, 4, documents[:2], 1) == ["fee"]
