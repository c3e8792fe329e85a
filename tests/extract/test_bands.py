from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.extract.bands import Bands, bands_at, parse_number, quantile_bands


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("$520,000", 520000.0),
        ("2 bed", 2.0),
        ("95k a month", 95000.0),
        ("4.5 million naira", 4.5e6),
        ("35yo", 35.0),
        ("4.8 lakh rupees (pension)", 480000.0),
        ("12 metres", 12.0),
        ("-4", -4.0),
        ("about 1,200 people", 1200.0),
        (7, 7.0),
    ],
)
def test_numbers_are_read_as_people_write_them(written, number):
    assert parse_number(written) == pytest.approx(number)


@pytest.mark.parametrize("written", ["", "Not stated", "nurse", float("nan"), float("inf"), True])
def test_no_number_gives_none(written):
    assert parse_number(written) is None


def test_whole_edges_give_bands_that_read_as_counts():
    assert bands_at([25, 50, 51, 1000]).labels == ("under 25", "25–49", "50", "51–999", "1000+")
    assert bands_at([0.5, 1.25]).labels == ("under 0.5", "0.5 to 1.25", "1.25+")
    assert bands_at([12_000]).labels == ("under 12,000", "12,000+")


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=80), st.integers(1, 6))
@settings(deadline=None, max_examples=50)
def test_every_number_falls_into_the_band_its_label_names(numbers, k):
    bands = quantile_bands(numbers, k)
    assert len(bands.labels) <= k
    for number in numbers:
        position = bands.labels.index(bands.label(number))
        low = -math.inf if position == 0 else bands.edges[position - 1]
        high = math.inf if position == len(bands.edges) else bands.edges[position]
        assert low <= number < high
    # Edges are data points above the least one, so no band is empty.
    assert {bands.label(x) for x in numbers} == set(bands.labels)


def test_quantiles_of_distinct_numbers_are_even():
    bands = quantile_bands(range(100), 5)
    counts = [sum(bands.label(x) == label for x in range(100)) for label in bands.labels]
    assert counts == [20] * 5


def test_no_numbers_and_wrong_labels_are_refused():
    with pytest.raises(BadInput, match="no number"):
        quantile_bands([float("nan")])
    with pytest.raises(BadInput, match="label"):
        Bands((1.0,), ("a",))
    with pytest.raises(BadInput, match="increase"):
        Bands((2.0, 1.0), ("a", "b", "c"))
