from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.extract.evidence.sentences import SentenceVectors, cut_sentences


def sentences(text):
    return [text[a:b] for a, b in cut_sentences(text)]


def test_sentences_keep_their_signs_and_quotes():
    text = 'He said "No!" Then 9.8 was left... \n\nEnd'
    assert sentences(text) == ['He said "No!"', "Then 9.8 was left...", "End"]


@settings(deadline=None, max_examples=50)
@given(st.text())
def test_every_sign_is_in_exactly_one_sentence(text):
    cuts = cut_sentences(text)
    assert all(a < b for a, b in cuts) and all(x[1] <= y[0] for x, y in zip(cuts, cuts[1:], strict=False))
    assert "".join("".join(s.split()) for s in sentences(text)) == "".join(text.split())


class CountingEmbedderDouble:
    """Test double: the length of a text; counts what it is asked."""

    dimension = 1

    def __init__(self):
        self.asked = []

    def embed(self, texts, *, progress=None, cancel=None):
        self.asked += texts
        return np.array([[len(t)] for t in texts], np.float32)


def test_a_sentence_is_embedded_once():
    embedder = CountingEmbedderDouble()
    vectors = SentenceVectors(embedder)
    first = vectors.of([["one", "three"], ["one"], []])
    again = vectors.of([["three", "four"]])
    assert embedder.asked == ["one", "three", "four"]
    assert [v.shape for v in first] == [(2, 1), (1, 1), (0, 1)]
    assert again[0].tolist() == [[5], [4]]
