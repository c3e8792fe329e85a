from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.loaders.observed import MAX_VALUES, as_values, observed_schema, suggest_coarsening
from ctxpriv.schema import MAX_BUCKETS, NOT_STATED, Attribute

WORDS = st.text(st.characters(categories=("L",), max_codepoint=0x17F), min_size=1, max_size=4)


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame(columns, dtype=object)


def test_values_are_in_numeric_or_alphabetical_order_with_not_stated_last() -> None:
    table, schema = observed_schema(frame(n=["10", "9", None, "2.5"] * 3, w=["b", "a", "B", "a"] * 3), "f")
    assert schema["n"].values == ("2.5", "9", "10", NOT_STATED)
    assert schema["w"].values == ("a", "b") and list(table["w"][:4]) == ["b", "a", "b", "a"]
    assert all(a.provenance == "observed" for a in schema.attributes)


@given(st.lists(st.one_of(st.none(), WORDS), min_size=30, max_size=60))
@settings(deadline=None, max_examples=50)
def test_an_observed_table_is_inside_its_schema_and_its_buckets_cover_it(cells) -> None:
    cells = [*cells, *cells]
    table, schema = observed_schema(frame(a=cells), "f", unlimited=("a",))
    conformed, outside = schema.conform(table)
    assert outside == {} and (conformed["a"] == table["a"]).all()
    assert (schema.decode(schema.codes(table))["a"] == schema.coarsen(table)["a"].to_numpy()).all()
    assert len(schema.coarse_values("a")) <= 10
    if "a" in schema.coarsenings:
        coarsening = schema.coarsenings["a"]
        assert len(coarsening.buckets) <= MAX_BUCKETS
        assert sorted(v for b in coarsening.buckets for v in coarsening.members(b)) == sorted(
            schema["a"].values
        )


@given(st.lists(st.integers(-50, 500), min_size=12, max_size=80))
@settings(deadline=None, max_examples=50)
def test_numeric_bands_are_intervals(numbers) -> None:
    attribute = Attribute("a", tuple(str(x) for x in sorted(set(numbers))))
    coarsening = suggest_coarsening(attribute, [str(x) for x in numbers])
    bands = [coarsening.buckets.index(coarsening.mapping[v]) for v in attribute.values]
    assert bands == sorted(bands) and len(coarsening.buckets) <= MAX_BUCKETS


def test_the_most_frequent_words_keep_their_bucket() -> None:
    cells = [w for i, w in enumerate("abcdefghijkl") for _ in range(12 - i)]
    _, schema = observed_schema(frame(a=cells), "f")
    assert set(schema.coarsenings["a"].buckets) == {"a", "b", "c", "d", "Other values"}
    assert "private" in schema.coarsenings["a"].origin


def test_the_label_is_not_coarsened() -> None:
    _, schema = observed_schema(frame(a=list("abcdefghijkl") * 2), "f", keep=("a",))
    assert schema.coarsenings == {}


def test_too_many_numbers_become_bands_and_too_many_words_are_refused() -> None:
    n = 3 * MAX_VALUES
    table, schema = observed_schema(frame(a=[str(i) for i in range(n)]), "f")
    assert (
        len(schema["a"].values) == 5
        and schema["a"].values[0].startswith("under")
        and len(set(table["a"])) == 5
    )
    with pytest.raises(BadInput, match=r"f, column 'a': has 600 different values"):
        observed_schema(frame(a=[f"w{i}" for i in range(n)]), "f")


def test_cells_of_every_kind_become_text_or_nothing() -> None:
    cells = pd.Series(
        [3, 3.0, np.float64(3), "3", " x ", "", None, float("nan"), pd.NA, pd.NaT, True, 2.5], dtype=object
    )
    assert as_values(cells, "f") == ["3", "3", "3", "3", "x", None, None, None, None, None, "True", "2.5"]
    with pytest.raises(BadInput, match="row 2, column 'c': holds a dict"):
        as_values(pd.Series(["x", {"a": 1}], name="c", dtype=object), "f")
