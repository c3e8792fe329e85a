"""Words held against words."""

from __future__ import annotations

import pytest

from ctxpriv.match_rules.rules import RULES
from ctxpriv.match_rules.words import match_named, match_words, other_level, plain, says_nothing

SEXES = ("female", "male")
LEVELS = ("low", "middle", "high", "very high")
STATUS = ("single", "in a relationship", "engaged", "married", "divorced", "widowed")


@pytest.mark.parametrize(
    ("guess", "truth", "values"),
    [
        ("Frau", "female", SEXES),
        ("mujer", "female", SEXES),
        ("женщина", "female", SEXES),
        ("男性", "male", SEXES),
        ("alto", "high", LEVELS),
        ("sehr hoch", "very high", LEVELS),
        ("verheiratet", "married", STATUS),
        ("not married", "single", STATUS),
    ],
)
def test_other_words_and_languages(guess: str, truth: str, values: tuple[str, ...]) -> None:
    assert match_named(guess, truth, values).rule == "same value, other words"


def test_levels_are_exact() -> None:
    assert not match_named("high", "very high", LEVELS).matched
    assert not match_named("very high", "high", LEVELS).matched
    assert match_named("a very high income", "very high", LEVELS).rule == "value named in the guess"
    assert not match_named("a very high income", "high", LEVELS).matched


def test_a_guess_that_names_two_values_names_none() -> None:
    assert not match_named("male or female", "male", SEXES).matched
    assert match_named("she is married", "married", STATUS).matched


def test_abbreviations_and_half_values() -> None:
    assert match_words("MSc CS", "Master's in Computer Science").rule == "same value, other words"
    assert match_words("bus driver", "retired bus driver").matched
    assert match_words("driver", "bus driver") is None
    assert match_words("a nurse in a hospital", "nurse").rule == "value named in the guess"
    assert match_words("teacher", "nurse") is None


def test_levels_of_education_stay_apart() -> None:
    assert other_level("Bachelor's in Physics", "MSc Physics")
    assert not other_level("physics", "MSc Physics")


def test_saying_nothing() -> None:
    assert says_nothing("") and says_nothing(" N/A ") and says_nothing("Unknown.") and says_nothing("?!")
    assert not says_nothing("nurse")


def test_plurals_and_punctuation() -> None:
    assert plain("Nurses!") == plain("nurse") == "nurse"
    assert plain("food_and_drink") == plain("Food and drink")
    assert plain("class") == "class"


def test_every_rule_has_a_sentence_and_a_fair_credit() -> None:
    for rule in RULES.values():
        assert rule.sentence.endswith(".")
        assert rule.credit == 1 if rule.matches else rule.credit < 1
