from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Coarsening, Schema

NAMES = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=6)


@st.composite
def coarsened_attributes(draw) -> tuple[Attribute, Coarsening]:
    values = draw(st.lists(NAMES, min_size=1, max_size=12, unique_by=str.casefold))
    buckets = [f"bucket {i}" for i in range(draw(st.integers(1, 5)))]
    mapping = {v: draw(st.sampled_from(buckets)) for v in values}
    return Attribute("a", tuple(values)), Coarsening("a", mapping, tuple(buckets))


@given(coarsened_attributes(), st.data())
@settings(deadline=None, max_examples=50)
def test_codes_decode_to_the_coarsened_table(pair, data) -> None:
    attribute, coarsening = pair
    schema = Schema((attribute, Attribute("b", ("x", "y"))), {"a": coarsening})
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from(attribute.values), st.sampled_from("xy")), max_size=20)
    )
    table = pd.DataFrame({"a": [r[0] for r in rows], "b": [r[1] for r in rows]}, dtype=object)
    codes = schema.codes(table)
    assert codes.shape == (len(rows), 2) and codes.dtype == np.int64
    assert all(
        (codes[:, i] < size).all() and (codes[:, i] >= 0).all()
        for i, size in enumerate(schema.coarse_sizes())
    )
    pd.testing.assert_frame_equal(schema.decode(codes), schema.coarsen(table), check_dtype=False)


@given(coarsened_attributes())
@settings(deadline=None, max_examples=50)
def test_every_value_is_in_exactly_one_bucket(pair) -> None:
    attribute, coarsening = pair
    inside = [v for bucket in coarsening.buckets for v in coarsening.members(bucket)]
    assert sorted(inside) == sorted(attribute.values)
    assert Schema.from_dict(Schema((attribute,), {"a": coarsening}).to_dict()) == Schema(
        (attribute,), {"a": coarsening}
    )


def test_conform_maps_missing_and_foreign_values_and_counts_the_foreign() -> None:
    schema = Schema((Attribute("a", ("Red", OTHER, NOT_STATED)), Attribute("b", ("Blue", NOT_STATED))))
    table = pd.DataFrame(
        {"a": [" red ", None, "green", ""], "b": ["BLUE", float("nan"), "green", "Blue"]}, dtype=object
    )
    conformed, outside = schema.conform(table)
    assert list(conformed["a"]) == ["Red", NOT_STATED, OTHER, NOT_STATED]
    assert list(conformed["b"]) == ["Blue", NOT_STATED, NOT_STATED, "Blue"]
    assert outside == {"a": 1, "b": 1}


def test_conform_without_a_place_for_foreign_values_names_row_and_attribute_but_no_value() -> None:
    schema = Schema((Attribute("a", ("x",)),))
    with pytest.raises(BadInput, match="row 1, attribute 'a'") as caught:
        schema.conform(pd.DataFrame({"a": ["x", "secret"]}, dtype=object))
    assert "secret" not in str(caught.value)


def test_codes_refuse_a_value_outside_the_domain() -> None:
    with pytest.raises(BadInput, match="outside the schema"):
        Schema((Attribute("a", ("x",)),)).codes(pd.DataFrame({"a": ["y"]}))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Attribute("", ("x",)), "empty name"),
        (lambda: Attribute("a", ()), "no values"),
        (lambda: Attribute("a", ("x", "x")), "twice"),
        (lambda: Attribute("a", ("x",), provenance="guessed"), "provenance"),
        (lambda: Coarsening("a", {"x": "B"}, ("A",)), "undeclared"),
        (lambda: Coarsening("a", {"x": "A"}, ("A", "A")), "bucket twice"),
        (lambda: Schema((Attribute("a", ("x",)), Attribute("a", ("y",)))), "share the name"),
        (
            lambda: Schema((Attribute("a", ("x", "y")),), {"a": Coarsening("a", {"x": "A"}, ("A",))}),
            "no bucket",
        ),
    ],
)
def test_contradictions_are_refused(make, message) -> None:
    with pytest.raises(BadInput, match=message):
        make()


def test_replacing_an_attribute_keeps_its_coarsening_only_while_it_covers_the_values() -> None:
    schema = Schema((Attribute("a", ("x", "y")),), {"a": Coarsening("a", {"x": "A", "y": "A"}, ("A",))})
    assert "a" in schema.with_attribute(Attribute("a", ("x",))).coarsenings
    assert "a" not in schema.with_attribute(Attribute("a", ("x", "z"))).coarsenings
    assert schema.only(["a"]) == schema and schema.without_coarsening("a").coarse_sizes() == (2,)
