"""The methods of insight by name."""

from __future__ import annotations

import re

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.mechanisms import MECHANISMS, Spin
from ctxpriv.privatize.spin.registry import INSIGHTS, UNKNOWN_COLOUR, VARIANT_COLOURS, colour_of, insight_from


@pytest.mark.parametrize("name", INSIGHTS)
def test_configs_are_read_back_from_what_they_write(name):
    entry = INSIGHTS[name]
    config = entry.config()
    written = config.to_dict()
    assert written["method"] == name == config.name
    assert set(written) == {"method", *entry.settings}
    assert insight_from(written) == config
    assert entry.takes("epsilon") == (entry.family != "reference")
    assert config.title.startswith(name)


def test_every_title_has_a_colour_of_its_own():
    titles = [e.config().title for e in INSIGHTS.values()] + [Spin(mechanism=k).title for k in MECHANISMS]
    colours = {title: colour_of(title) for title in titles}
    assert len(set(colours.values())) == len(colours) == len(INSIGHTS) + 2
    assert all(re.fullmatch("#[0-9A-F]{6}", c) for c in [*colours.values(), *VARIANT_COLOURS.values()])
    assert colour_of("DP category histogram, issue") == INSIGHTS["DP category histogram"].colour
    assert colour_of("of a later version") == UNKNOWN_COLOUR


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "'method' is missing"),
        (7, "is a number"),
        ({"method": "dp-spin"}, "Did you mean 'DP-SPIN'"),
        ({"method": "URANIA"}, "no method 'URANIA'"),
        ({"method": "DP-SPIN", "epsilonn": 1}, "Did you mean 'epsilon'"),
        ({"method": "Non-private top-L", "epsilon": 1}, "unknown key 'epsilon'"),
        ({"method": "DP-SPIN", "epsilon": "inf"}, "Non-private top-L"),
        ({"method": "DP-SPIN", "epsilon": "much"}, "not a privacy level"),
        ({"method": "URANIA-style", "clusters": "8"}, "whole number"),
    ],
)
def test_says_what_it_does_not_know(data, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        insight_from(data)
