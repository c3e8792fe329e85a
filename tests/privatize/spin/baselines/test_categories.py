"""The category histogram: what it counts, and which categories may be named."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.guarantee import DP, guarantee_from
from ctxpriv.privacy.noise import NoNoise, OpenDPNoise
from ctxpriv.privatize.spin.baselines.categories import CategoryHistogram, categories_of
from ctxpriv.schema import Attribute, Schema

PRODUCTS = ["Credit card"] * 5 + ["Mortgage"] * 3 + ["Other", "Not stated", "Yacht"]


def told(outcome):
    return {row.label: round(row.mass, 4) for row in outcome.plan.rows}


def test_counts_the_label_and_names_its_atoms(draw, protect, measured):
    outcome = draw(CategoryHistogram(), protect(["x"] * 11, PRODUCTS), measured, NoNoise())
    assert told(outcome) == {"Credit card": 5.0, "Mortgage": 3.0}
    assert outcome.atoms == (2, 0)
    assert outcome.plan.atoms.sources == ("taxonomy",)
    assert outcome.details["column"] == "product"


def test_values_read_off_the_protected_records_are_not_named(draw, protect, measured):
    """Corley was seen in protected records only; telling it would tell that somebody lives there."""
    protected = protect(["x"] * 4, town=["Corley", "Corley", "Brock", "Ashby"])
    outcome = draw(CategoryHistogram(column="town"), protected, measured, NoNoise())
    assert outcome.plan.atoms.labels == ("Ashby", "Brock")
    assert told(outcome) == {"Ashby": 1.0, "Brock": 1.0}
    assert "only those that donated records show" in outcome.notes[1]


@pytest.mark.parametrize("relation", ["add/drop", "replacement"])
@pytest.mark.parametrize("unit", ["record", "user"])
def test_spends_what_it_charges_and_keeps_the_guarantee(draw, protect, measured, recording, unit, relation):
    measured = replace(measured, unit=unit, relation=relation, weights="equal")
    method = CategoryHistogram(0.7)
    draw(method, protect(["x"] * 11, PRODUCTS, users=range(11)), measured, recording)
    assert recording.rho == sum(c.rho for c in method.charges(measured))
    found = guarantee_from("x", DP, method.charges(measured), 0.0, OpenDPNoise())
    reached = found.epsilon if relation == "add/drop" else found.epsilon_replacement
    assert 0.7 * (1 - 1e-6) < reached <= 0.7 * (1 + 1e-12)


def test_a_user_weighs_no_more_than_the_bound(draw, protect, measured):
    protected = protect(["x"] * 11, PRODUCTS, users=[3] * 11)
    outcome = draw(CategoryHistogram(), protected, replace(measured, unit="user", bound=2), NoNoise())
    assert 1.99 < sum(outcome.plan.sketch) <= 2.0


def test_values_that_differ_in_signs_alone_are_one_category(donated):
    schema = Schema((Attribute("grade", ("A", "A+", "?", "B  b", "Not stated")),))
    values = pd.DataFrame({"grade": ["A", "A+"]})
    found = categories_of(DonatedExamples(("x", "y"), values, schema, "grade"), "grade")
    assert found.labels == ("A", "B b")


def test_unknown_and_empty_columns_are_said_so(draw, protect, measured, donated):
    with pytest.raises(BadInput, match="Did you mean 'product'"):
        draw(CategoryHistogram(column="produkt"), protect(["x"]), measured, NoNoise())
    with pytest.raises(BadInput, match="no label"):
        draw(CategoryHistogram(), protect(["x"]), measured, NoNoise(), donated=replace(donated, label=None))
    nobody = DonatedExamples((), donated.values.iloc[:0], donated.schema, "product")
    with pytest.raises(BadInput, match="no value that is public"):
        draw(CategoryHistogram(column="town"), protect(["x"]), measured, NoNoise(), donated=nobody)
    with pytest.raises(BadInput, match="not text"):
        CategoryHistogram(column=3)
