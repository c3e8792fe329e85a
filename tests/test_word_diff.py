"""Word-by-word diff: it loses nothing, and its figures mean what they say."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.word_diff import Segment, readability, share_changed, word_diff, words_in

ORIGINAL = "I live in Berlin, Germany and I'm a nurse."
REWRITE = "I live in a big city and I'm a health worker."
words = st.lists(st.sampled_from(["a", "b", "c,", "d.", "é", "\n", "<b>", "don't"]), max_size=20).map(
    " ".join
)
texts = st.one_of(st.text(max_size=60), words)


def test_changes_are_whole_places() -> None:
    assert word_diff(ORIGINAL, REWRITE) == (
        Segment("same", "I live in "),
        Segment("removed", "Berlin, Germany"),
        Segment("added", "a big city"),
        Segment("same", " and I'm a "),
        Segment("removed", "nurse"),
        Segment("added", "health worker"),
        Segment("same", "."),
    )


@settings(deadline=None, max_examples=50)
@given(texts, texts)
def test_segments_concatenate_to_both_texts(original: str, rewrite: str) -> None:
    segments = word_diff(original, rewrite)
    assert "".join(s.text for s in segments if s.kind != "added") == original
    assert "".join(s.text for s in segments if s.kind != "removed") == rewrite
    assert all(s.text for s in segments)
    kinds = [s.kind for s in segments]
    assert all((a, b) != ("added", "removed") for a, b in zip(kinds, kinds[1:], strict=False))


@settings(deadline=None, max_examples=50)
@given(texts, texts)
def test_share_changed_is_a_share(original: str, rewrite: str) -> None:
    assert 0 <= share_changed(original, rewrite) <= 1
    assert share_changed(original, original) == 0


def test_share_changed_by_hand() -> None:
    # 9 and 11 words, of which "I live in", "and I'm a" stay.
    assert (words_in(ORIGINAL), words_in(REWRITE)) == (9, 11)
    assert share_changed(ORIGINAL, REWRITE) == 1 - 2 * 6 / 20
    assert share_changed("a b", "c d") == 1
    assert share_changed("", "") == 0
    assert share_changed("", "new words") == 1


def test_readability_by_hand() -> None:
    seen = readability(ORIGINAL, REWRITE)
    assert (seen.runs, seen.runs_per_100_words, seen.median_run) == (2, 100 * 2 / 11, 4.0)
    assert seen.score == 1 - 5 / 11
    same = readability(ORIGINAL, ORIGINAL)
    assert (same.runs, same.median_run, same.score) == (0, 0.0, 1.0)
    assert readability("a b c d", "w x y z").score == 0


def test_scattered_changes_read_worse_than_one_place_of_the_same_length() -> None:
    text = "one two three four five six seven eight"
    together = readability(text, "one two three four V VI VII eight")
    scattered = readability(text, "one II three IV five VI seven eight")
    assert scattered.runs > together.runs
    assert scattered.score < together.score


@settings(deadline=None, max_examples=50)
@given(texts, texts)
def test_readability_is_bounded(original: str, rewrite: str) -> None:
    seen = readability(original, rewrite)
    assert 0 <= seen.score <= 1 and seen.runs >= 0 and seen.median_run >= 0
