from __future__ import annotations

import math

import pytest

from ctxpriv import figures
from ctxpriv.charts.schema_quality import field_rows
from ctxpriv.extract.agreement import FieldAgreement, Kappa
from ctxpriv.extract.quality import FieldQuality, SchemaQuality

FIELDS = (
    FieldQuality("town", 40, 3, 0.05, 0.4, 0.95),
    FieldQuality("topic", 40, 3, 1.0, 0.8, 0.5),
    FieldQuality("word_count", 40, 1, 1.0, 0.0, 1.0, counted=True),
)
AGREED = (
    FieldAgreement("town", 40, 0, Kappa(20, -0.1)),
    FieldAgreement("topic", 40, 0, Kappa(40, None, "same")),
)


def test_rows_mark_what_is_weak_and_nothing_of_the_counted_attribute():
    rows = field_rows(SchemaQuality(FIELDS, 40, {}, agreement=AGREED))
    weak = rows[rows["weak"]]
    assert list(zip(weak["attribute"], weak["figure"], weak["told"], strict=True)) == [
        ("town", "signal ↑", "0.05 !"),
        ("town", "dominance ↓", "0.95 !"),
        ("town", "κ of two readings ↑", "-0.10 !"),
    ]
    unknown = rows[(rows["attribute"] == "topic") & (rows["figure"] == "κ of two readings ↑")].iloc[0]
    assert math.isnan(unknown["value"]) and unknown["told"] == "–"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("agreed", [(), AGREED])
def test_the_chart_draws_a_panel_a_figure(dark, agreed):
    chart = figures.schema_fields(SchemaQuality(FIELDS, 40, {}, agreement=agreed), dark=dark)
    assert len(chart.hconcat) == (4 if agreed else 3)
    assert figures.to_svg(chart).count("word_count") >= 1
