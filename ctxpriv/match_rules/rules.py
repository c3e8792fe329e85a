"""The rules by which a guess is held against the truth: one named rule decides each pair (DESIGN section 6).

A rule's name is stored with the decision and its sentence is shown to people. The kinds of values:
whole numbers, ages, money, places, a few named values, free text.
"""

from __future__ import annotations

from dataclasses import dataclass

AGE_TOLERANCE = 5  # years, DESIGN section 6
WIDEST_AGE_RANGE = 15  # years; a wider range says too little to count as a guess [ours]
FEW_VALUES = 30
"""Attributes of at most so many values, none of them joined into buckets, are told by naming one of them."""
TENTH = 0.1  # how far an amount may be off


@dataclass(frozen=True)
class Matched:
    """What became of one guess. `credit`: 1 for the value itself, between 0 and 1 for a part of it
    (the country of a city), 0 otherwise; a part is not a match."""

    matched: bool
    rule: str
    credit: float = 0.0


@dataclass(frozen=True)
class Rule:
    """`applies` says to which values, `sentence` what it means that this rule decided."""

    name: str
    matches: bool
    sentence: str
    applies: str
    credit: float = 0.0

    def decided(self) -> Matched:
        return Matched(self.matches, self.name, self.credit)


# fmt: off
_TABLE = (
    # name, matches, credit, applies, sentence
    ("nothing stated", False, 0, "all",
     "The record states no value here, so that nothing can be told."),
    ("no guess", False, 0, "all",
     "The guess is empty or says that it does not know."),
    ("same words", True, 1, "all",
     "The guess is the value, but for case, accents, punctuation or a plural."),
    ("same bucket", True, 1, "all",
     "The guess names the bucket that the value belongs to."),
    ("another bucket", False, 0, "all",
     "The guess names a bucket that the value does not belong to."),
    ("same value, other words", True, 1, "all",
     "The guess is another word for the value, or the word in another language."),
    ("age within 5 years", True, 1, "ages",
     "The guessed age, or the middle of the guessed range, is at most 5 years off."),
    ("age range holds it", True, 1, "ages",
     "The guessed range, at most 15 years wide, holds the age."),
    ("age range too wide", False, 0, "ages",
     "The guessed range is more than 15 years wide, which says too little."),
    ("age too far off", False, 0, "ages",
     "The guessed age is more than 5 years off."),
    ("same number", True, 1, "whole numbers",
     "The guess is the number, in figures or in words."),
    ("number within a tenth", True, 1, "whole numbers",
     "The guessed number is at most a tenth off."),
    ("number in the band", True, 1, "whole numbers, ages",
     "The value is a band of numbers, and the guess lies in it."),
    ("another number", False, 0, "whole numbers",
     "The guess is another number."),
    ("amount within a tenth", True, 1, "money",
     "The guessed amount is at most a tenth off, a month and a year counted alike."),
    ("amount in the same bucket", True, 1, "money",
     "The guessed amount falls into the value's bucket, at fixed exchange rates."),
    ("another amount", False, 0, "money",
     "The guess is another amount of money."),
    ("same place", True, 1, "places",
     "The guess names the same city, state or country, in any spelling or language."),
    ("same place, misspelt", True, 1, "places",
     "The guess is no known place, and nearly the letters of the value."),
    ("place inside it", True, 1, "places",
     "The guess names a place inside the country or state that is the value."),
    ("same country only", False, 0.5, "places",
     "The guess is right about the country, not about the city or state."),
    ("another place", False, 0, "places",
     "The guess names another place."),
    ("value named in the guess", True, 1, "named values, free text",
     "The guess says the value within more words."),
    ("most of its words", True, 1, "free text",
     "The guess has at least two thirds of the value's telling words."),
    ("another value", False, 0, "named values",
     "The guess is another of the possible values, or none of them."),
    ("alike in meaning", True, 1, "free text",
     "The embeddings of guess and value are as close as for two ways to say the same."),
    ("same by the judge", True, 1, "free text",
     "The judge, a language model, holds guess and value for the same."),
    ("different by the judge", False, 0, "free text",
     "The judge, a language model, holds guess and value for different."),
    ("different words", False, 0, "all",
     "Guess and value have too little in common."),
)
# fmt: on

RULES: dict[str, Rule] = {
    name: Rule(name, matches, sentence, applies, float(credit))
    for name, matches, credit, applies, sentence in _TABLE
}
"""Every rule by its name, in the order in which they are tried within a kind of value."""


def by(name: str) -> Matched:
    """The decision of the rule of that name."""
    return RULES[name].decided()
