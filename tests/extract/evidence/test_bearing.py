from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.extract.evidence.bearing import Bearing, facet_of
from ctxpriv.extract.evidence.span import Clue
from ctxpriv.schema import Attribute


@pytest.mark.parametrize(
    ("name", "about", "facet"),
    [
        ("city_country", "", "place"),
        ("birth_city_country", "", "origin"),
        ("home", "The city where the author lives.", "place"),
        ("income_level", "", "money"),
        ("marital_status", "", "relationship"),
        ("language", "The language of the text.", ""),
        ("topic", "What the comment is about.", ""),
        ("page_count", "", ""),
    ],
)
def test_facets_by_name_then_by_description(name, about, facet):
    assert facet_of(Attribute(name, ("x",), about)) == facet


@pytest.fixture
def bearing(schema):
    return Bearing(schema)


@pytest.mark.parametrize(
    ("clue", "name", "weights"),
    [
        (Clue("place", "lagos|NG"), "city", [1, 0]),
        (Clue("place", "ibadan|NG"), "city", [1, 0]),  # not listed: the country
        (Clue("place", "|KE"), "city", [1, 0]),  # nor the country: the continent
        (Clue("place", "tokyo|JP"), "city", [0, 0]),
        (Clue("place", ""), "city", [0, 0]),
        (Clue("age", "", 33, 33), "age", [1, 0]),
        (Clue("age", "", 40, 100), "age", [0, 1]),
        (Clue("sex", "male"), "sex", [0, 1]),
        (Clue("relationship", "married"), "status", [0, 1, 0, 0]),
        (Clue("occupation", "nurse"), "job", [1, 0, 0, 0]),
        (Clue("occupation", "doctor nurse", hint=True), "job", [0.5, 0.5, 0, 0]),
    ],
)
def test_a_clue_points_to_buckets(bearing, clue, name, weights):
    assert bearing.attributes(clue) == (name,)
    assert bearing.weights(clue, name).tolist() == weights


def test_a_stretch_of_years_that_fits_everybody_tells_nothing(bearing):
    assert bearing.tells(Clue("age", "", 18, 100, hint=True)) == ()
    assert bearing.tells(Clue("age", "", 60, 100, hint=True)) == ("age",)


def test_weights_sum_to_one_or_are_nothing(bearing):
    for low in range(0, 100, 7):
        total = bearing.weights(Clue("age", "", low, low + 9), "age").sum()
        assert np.isclose(total, 1) or total == 0
