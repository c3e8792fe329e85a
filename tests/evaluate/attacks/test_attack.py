from __future__ import annotations

import json

import pytest

from ctxpriv.evaluate.attacks.attack import Attack
from ctxpriv.evaluate.metric import Metric


def test_round_trip_through_strict_json(some_attack):
    for attack in (some_attack(), some_attack(leak=None, same_as_evaluator=True, guesses=3)):
        assert Attack.from_dict(json.loads(json.dumps(attack.to_dict(), allow_nan=False))) == attack


def test_what_rewriting_took_away_of_the_advantage(some_attack):
    assert some_attack(leak=0.4, majority=0.3, unprotected=0.8).removed == pytest.approx(0.8)
    assert some_attack(leak=0.2, majority=0.3, unprotected=0.8).removed == pytest.approx(1.2)
    assert some_attack(leak=0.8, majority=0.3, unprotected=0.8).removed == 0


def test_nothing_is_taken_away_where_there_was_no_advantage(some_attack):
    assert some_attack(majority=0.8, unprotected=0.8).removed is None
    assert some_attack(leak=None).removed is None


def test_an_attack_has_a_title_for_people_and_unknown_ones_keep_their_name(some_attack):
    assert some_attack().title == "Classifier trained on the donated texts"
    assert some_attack(name="from a newer version").title == "from a newer version"


def test_led_astray_is_below_the_majority_beyond_doubt(some_attack):
    below = Metric(-0.2, -0.3, -0.1, 30)
    assert some_attack(advantage=below).misled
    assert not some_attack(advantage=below, name="informed").misled
    assert not some_attack(advantage=Metric(-0.2, -0.3, 0.1, 30)).misled
    assert not some_attack(leak=None).misled
