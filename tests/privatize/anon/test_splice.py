from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.privatize.anon.splice import Edit, splice


def put(text, *edits):
    """Edits as (what stands there, phrase)."""
    made = [Edit(text.index(old), text.index(old) + len(old), phrase) for old, phrase in edits]
    return splice(text, made)[0]


@pytest.mark.parametrize(
    ("text", "edits", "want"),
    [
        ("I live in Lagos.", [("Lagos", "the city")], "I live in the city."),
        ("Lagos is loud.", [("Lagos", "the city")], "The city is loud."),
        ("That was it. Lagos is loud.", [("Lagos", "the city")], "That was it. The city is loud."),
        ("I am an accountant.", [("accountant", "professional")], "I am a professional."),
        ("I am a nurse.", [("nurse", "adult")], "I am an adult."),
        ("A Lagos flat", [("Lagos", "the city")], "The city flat"),
        ("my Porto years", [("Porto", "the city")], "the city years"),
        ("Easy, abeg.", [("abeg", "")], "Easy."),
        ("Che it is cold.", [("Che ", "")], "It is cold."),
        ("an Indian cook", [("Indian", "")], "a cook"),
        ("some dal, rajma, rice", [("dal", "food"), ("rajma", "food")], "some food, rice"),
        ("in a Neukölln Altbau", [("Neukölln", "the city"), ("Altbau", "the flat")], "in the city flat"),
        ("I slept, because of my wife. Then I ate.", [(" because of my wife.", "")], "I slept. Then I ate."),
        ("My wife left. Then I ate.", [("My wife left.", "")], "Then I ate."),
        ("When I was there, and it rained, I slept.", [("When I was there,", "")], "It rained, I slept."),
        ("a whole pub and no word", [("pub", "the shop")], "a whole shop and no word"),
        ("He said (in Lagos) no.", [("Lagos", "the city")], "He said (in the city) no."),
    ],
)
def test_it_still_reads(text, edits, want):
    assert put(text, *edits) == want


def test_no_edit_changes_nothing():
    assert splice("As it is , here.", []) == ("As it is , here.", [])


def test_of_overlapping_edits_the_first_and_longest_stands():
    text, pieces = splice("one two three", [Edit(4, 7, "X"), Edit(4, 13, "Y"), Edit(5, 9, "Z")])
    assert text == "one Y" and len(pieces) == 1


WORDS = st.lists(
    st.sampled_from(["a", "an", "the", "My", "dog", "eats", "in", "Rome", "and", "9.8"]), min_size=1
)
MARKS = st.sampled_from([" ", ", ", ". ", " — ", "\n"])


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_pieces_point_to_their_phrases_and_what_is_far_from_them_stays(data):
    words = data.draw(WORDS)
    text = "".join(w + data.draw(MARKS) for w in words)
    spans = [m.span() for m in re.finditer(r"[\w.]*\w", text)]
    chosen = data.draw(st.lists(st.sampled_from(spans), unique=True, max_size=3))
    new, pieces = splice(
        text, [Edit(a, b, data.draw(st.sampled_from(["X", "the thing", ""]))) for a, b in chosen]
    )
    for p in pieces:
        assert new[p.start : p.end].casefold() in ("x", "the thing", "", "a x", "an x", "a", "an", "thing")
    before, after = [], []
    at_old = at_new = 0
    for p in pieces:
        before.append(text[at_old : p.old_start])
        after.append(new[at_new : p.start])
        at_old, at_new = p.old_end, p.end
    for old, got in zip([*before, text[at_old:]], [*after, new[at_new:]], strict=True):
        assert old.casefold().endswith(got.casefold())  # but for a capital letter and a leading "and"
    if not chosen:
        assert new == text
