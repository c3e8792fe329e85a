"""Sentences picked as a summary."""

from __future__ import annotations

from ctxpriv.privatize.spin.extract_summary import central_sentences

TEXTS = [
    "The loan payment was late. Birds sang.",
    "My loan payment was lost.",
    "A late fee on the loan payment. Nobody knows.",
]


def test_the_most_central_of_each_text_in_order():
    assert central_sentences(TEXTS, 3) == [
        "The loan payment was late.", "My loan payment was lost.", "A late fee on the loan payment.",
    ]  # fmt: skip


def test_more_of_a_text_only_once_every_text_has_one():
    assert len(central_sentences(TEXTS, 4)) == 4
    assert central_sentences(TEXTS, 50) == central_sentences(TEXTS, 5)
    assert len(central_sentences(TEXTS, 50)) == 5


def test_nothing_to_pick():
    assert central_sentences([]) == []
    assert central_sentences(["", "the and of"]) == []
