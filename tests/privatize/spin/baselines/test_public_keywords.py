"""The public vocabulary, and the words a record counts for."""

from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privatize.spin.baselines.public_keywords import PublicKeywords
from ctxpriv.privatize.spin.contributions import NO_ATOM


def test_words_of_most_donated_texts_without_stop_words_and_figures(donated):
    words = PublicKeywords.of(donated, 100, "x")
    assert words.words[:3] == ("card", "payment", "dispute")
    assert dict(zip(words.words, words.support, strict=True)) == {
        "card": 4, "lender": 3, "payment": 4, "mortgage": 3, "loan": 2, "late": 2, "fee": 2,
        "dispute": 3, "bank": 2, "fraud": 2, "credit": 2, "purchase": 2,
    }  # fmt: skip
    assert PublicKeywords.of(donated, 2, "x").words == words.words[:2]
    assert words.atoms.sources == ("phrases",)


def test_words_that_say_little_are_left_out(donated):
    texts = ("monday somebody went loan", "monday somebody went loan")
    both = DonatedExamples(texts, donated.values.iloc[:2], donated.schema, "product")
    assert PublicKeywords.of(both, 10, "x").words == ("loan",)


def test_the_rarest_words_of_each_record_count_and_no_more_than_t(donated):
    words = PublicKeywords.of(donated, 100, "x")
    text = "Card, CARD, payment and dispute; a credit fee on 1,000 unheard-of ducks."
    (row,) = words.chosen([text], 3)
    assert [words.words[i] for i in row] == ["fee", "credit", "dispute"]
    (all_of_them,) = words.chosen([text], 8)
    assert (all_of_them == NO_ATOM).sum() == 3
    assert words.chosen(["", "ducks"], 2).tolist() == [[NO_ATOM] * 2] * 2
    assert words.chosen([], 2).shape == (0, 2)


def test_each_text_is_looked_at_on_its_own(donated, loan, card, monkeypatch):
    from ctxpriv.privatize.spin.baselines import public_keywords

    words = PublicKeywords.of(donated, 100, "x")
    texts = [*loan, "", *card]
    together = words.chosen(texts, 3)
    assert np.array_equal(together, np.concatenate([words.chosen([t], 3) for t in texts]))
    monkeypatch.setattr(public_keywords, "_TEXTS_AT_ONCE", 4)
    assert np.array_equal(together, words.chosen(texts, 3))


def test_words_that_differ_by_case_alone_are_one(donated):
    texts = ("Straße STRASSE", "Straße STRASSE")
    both = DonatedExamples(texts, donated.values.iloc[:2], donated.schema, "product")
    words = PublicKeywords.of(both, 10, "x")
    assert len(words) == 1
    assert len(words.atoms) == 1


@pytest.mark.parametrize("texts", [(), ("the and of",), ("mortgage", "card")])
def test_no_vocabulary_is_said_so(donated, texts):
    few = DonatedExamples(texts, donated.values.iloc[: len(texts)], donated.schema, "product")
    with pytest.raises(BadInput, match="no public vocabulary"):
        PublicKeywords.of(few, 10, "DP keyword histogram")
