"""Two-word themes of donated texts."""

from __future__ import annotations

import re

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.loaders.samples import load_sample
from ctxpriv.privatize.spin.atom_phrases import from_phrases, support_needed
from ctxpriv.privatize.spin.atoms import canonical
from ctxpriv.privatize.spin.words import SAYS_LITTLE, STOP_WORDS

OTHERS = ["The kettle sang.", "A gate stood open.", "Rain fell.", "Bread was warm.", "The lamp broke."]


def test_variants_of_a_theme_are_one_atom_told_by_the_commonest_wording() -> None:
    texts = [
        "They charged late fees.",
        "Late fees, always late fees.",
        "A LATE FEE was added.",
        "The fee came late.",
        "The fees. Later came the late bus.",
        *OTHERS,
    ]
    atoms = from_phrases(texts, 10)
    assert [(a.label, a.support, a.source) for a in atoms.atoms] == [("late fees", 4, "phrases")]


def test_support_counts_texts_and_not_mentions() -> None:
    texts = ["Long wait, long wait, long wait. A long wait.", *OTHERS]
    with pytest.raises(BadInput, match="held by 2 donated texts"):
        from_phrases(texts, 10)
    assert from_phrases(texts, 10, 1).atoms[0].support == 1


def test_no_stop_words_numbers_names_or_masks() -> None:
    texts = [
        "Then Harold Penn said 12 late XXXX fees of the seven dollars were with John Smith.",
        "We met Harold Penn and John Smith on Monday the 3rd; XXXX XXXX said twelve dollars.",
    ] * 3
    with pytest.raises(BadInput):
        from_phrases(texts, 10)


def test_words_apart_by_a_sign_or_another_word_are_no_phrase() -> None:
    texts = ["We saw paper, cups and paper in cups.", "Paper (cups) and cups of paper.", *OTHERS]
    with pytest.raises(BadInput):
        from_phrases(texts, 10)


@pytest.mark.parametrize(
    ("texts", "least"), [(1, 2), (92, 2), (250, 2), (500, 5), (1_200, 12), (2_500, 25), (1_000_000, 25)]
)
def test_support_is_scaled_to_the_sample(texts: int, least: int) -> None:
    assert support_needed(texts) == least


@pytest.mark.parametrize(
    ("sample", "themes", "expected"),
    [
        ("complaints", 30, {"credit union", "debit card", "police report", "property tax"}),
        ("reviews", 10, {"free parking", "flat white", "good coffee", "reading group"}),
    ],
)
def test_the_samples_give_readable_themes(sample: str, themes: int, expected: set[str]) -> None:
    texts = load_sample(sample).donated().texts
    atoms = from_phrases(texts, 100)
    assert len(atoms) >= themes and expected <= set(atoms.labels)
    assert len({canonical(label) for label in atoms.labels}) == len(atoms)
    whole = " ".join(" ".join(re.findall(r"[^\W\d_]+", t.lower())) for t in texts)
    for atom in atoms.atoms:
        words = atom.label.split()
        assert len(words) == 2 and not set(words) & (STOP_WORDS | SAYS_LITTLE)
        assert atom.label in whole and atom.support >= support_needed(len(texts))
    assert from_phrases(texts, 5).digest == atoms.top(5).digest
    # Fifty and more themes are there where one text is enough.
    assert len(from_phrases(texts, 200, 1)) == 200


def test_a_description_tells_what_stands_beside() -> None:
    texts = [
        "The long wait at the pharmacy counter.",
        "A long wait, and the pharmacy counter was shut.",
        "A pharmacy is near.",
        *OTHERS,
    ]
    told = {a.label: a.description for a in from_phrases(texts, 10).atoms}
    assert told["long wait"] == "Often with: counter, pharmacy."


def test_no_texts_and_no_themes_are_said() -> None:
    with pytest.raises(BadInput, match="no donated text.*donated split"):
        from_phrases([], 10)
    with pytest.raises(BadInput, match="no phrase of two words"):
        from_phrases(["", "!!! ??"], 10)
    with pytest.raises(BadInput, match="asks for no atom"):
        from_phrases(["late fees"], 0)


def test_of_very_many_texts_some_are_read_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxpriv.privatize.spin.atom_phrases.MOST_TEXTS", 10)
    texts = ["A long wait.", *OTHERS] * 5 + ["The kettle."]
    assert [(a.label, a.support) for a in from_phrases(texts, 9, 2).atoms][:1] == [("long wait", 3)]  # of 5
