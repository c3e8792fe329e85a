from __future__ import annotations

from ctxpriv.evaluate.attacks.adversary import Adversary
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, OPEN


def test_no_text_is_asked_about_twice(victims, scripted_adversary):
    double = scripted_adversary(lambda text, name: (text, name))
    who = Adversary(CLASSIFIER, double, guesses=2)
    first = victims.ask(who, ["a", "b", "a"], ["age"])
    assert first == {"age": [("a", "age"), ("b", "age"), ("a", "age")]}
    victims.ask(who, ["b", "a"], ["age"])
    assert double.asked == [(("a", "b"), ("age",))]
    victims.ask(who, ["b", "c"], ["age", "town"])
    assert double.asked[1:] == [(("b", "c"), ("age", "town"))]


def test_answers_are_kept_apart_by_adversary_and_cut_to_the_guesses_that_count(victims, scripted_adversary):
    double = scripted_adversary(lambda text, name: ("one", "two", "three", "four"))
    assert victims.ask(Adversary(CLASSIFIER, double), ["a"], ["age"]) == {"age": [("one",)]}
    found = victims.ask(Adversary(OPEN, double, closed=False, guesses=3), ["a"], ["age"])
    assert found == {"age": [("one", "two", "three")]}
    other = scripted_adversary(lambda text, name: ("five",), "another double")
    assert victims.ask(Adversary(CLASSIFIER, other), ["a"], ["age"]) == {"age": [("five",)]}


def test_an_answer_that_could_not_be_read_stays_unknown(victims, scripted_adversary):
    who = Adversary(CLASSIFIER, scripted_adversary(lambda text, name: None if name == "age" else ()))
    assert victims.ask(who, ["a"], ["age", "town"]) == {"age": [None], "town": [()]}


def test_truths_that_say_nothing_are_empty(victims):
    assert victims.truths("town", [0, 4]) == ["Bonn, Germany", ""]
