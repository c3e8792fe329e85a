from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxpriv.evaluate.insights.text_similarity import (
    bigram_jaccard,
    embedding_cosine,
    keyphrase_jaccard,
    keyphrases,
    tfidf_cosine,
    token_jaccard,
)
from ctxpriv.models.base import ModelIdentity

ALL = (token_jaccard, bigram_jaccard, keyphrase_jaccard, tfidf_cosine)


def test_figures_by_hand() -> None:
    one, other = "Late fees, long wait.", "long wait, late fees"
    assert token_jaccard(one, other) == 1
    assert bigram_jaccard(one, other) == pytest.approx(2 / 4)  # the middle pair differs
    assert keyphrase_jaccard(one, other) == 1
    assert token_jaccard("late fees", "late parcel") == pytest.approx(1 / 3)


def test_keyphrases_end_at_stop_words_and_signs() -> None:
    assert keyphrases("Late fees and the long wait: credit report") == {
        ("late", "fees"),
        ("long", "wait"),
        ("credit", "report"),
    }
    assert keyphrases("one two and fees") == set()  # single words are no phrases


@pytest.mark.parametrize("measure", ALL)
def test_both_empty_is_1_and_one_empty_is_0(measure) -> None:
    assert measure("", " ...") == 1
    assert measure("late fees", "") == 0


@pytest.mark.parametrize("measure", ALL)
@given(one=st.text(max_size=60), other=st.text(max_size=60))
def test_between_0_and_1_symmetric_and_1_with_itself(measure, one: str, other: str) -> None:
    value = measure(one, other)
    assert 0 <= value <= 1
    assert value == pytest.approx(measure(other, one))
    assert measure(one, one) == pytest.approx(1)


def test_tfidf_gives_less_to_words_that_both_have() -> None:
    """One shared word of two: below the cosine of plain counts, 1/2."""
    assert 0 < tfidf_cosine("late fees", "late parcel") < 0.5


class TurnedEmbedderDouble:
    """Unit vectors at 60 degrees."""

    identity = ModelIdentity("local", "turned (test double)")

    def embed(self, texts, *, progress=None, cancel=None):
        return np.array([[1.0, 0.0], [0.5, np.sqrt(0.75)]], np.float32)


def test_embedding_cosine() -> None:
    assert embedding_cosine("a", "b", TurnedEmbedderDouble()) == pytest.approx(0.5)
