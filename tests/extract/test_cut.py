from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.extract.cut import cut_to_tokens


class LettersDouble:
    """Test double: two letters a token."""

    def count_tokens(self, text):
        return (len(text) + 1) // 2


@given(st.text(alphabet="ab \n", max_size=80), st.integers(4, 40))
@settings(deadline=None, max_examples=50)
def test_a_beginning_that_fits(text, tokens):
    whole = " ".join(text.split())
    cut = cut_to_tokens(LettersDouble(), text, tokens)
    assert whole.startswith(cut)
    assert len(cut) <= 2 * tokens
    if len(whole) <= 2 * tokens:
        assert cut == whole
    elif whole.split(" ")[0] != whole:
        assert cut


def test_a_cut_ends_with_a_whole_word_and_one_endless_word_is_broken():
    assert cut_to_tokens(LettersDouble(), "aaaa bbbb cccc dddd", 6) == "aaaa bbbb"
    assert cut_to_tokens(LettersDouble(), "a" * 100, 10) == "a" * 10
