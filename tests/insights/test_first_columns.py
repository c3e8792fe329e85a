"""The columns that are offered first as labels: those that say what the texts are about."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from ctxpriv.corpus_source import SampleCorpus
from ctxpriv.examples import DonatedExamples
from ctxpriv.insights.first_columns import first_columns
from ctxpriv.privatize.spin.atom_sources import from_taxonomy
from ctxpriv.schema import Attribute, Schema


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("complaints", ("product", "issue", "sub_issue")),  # not state
        ("forum", ("topic",)),  # nothing about the author
        ("biomed", ("category", "primary_research_area")),
        ("reviews", ("business_category",)),  # a rating names no theme
        ("home_calls", ("stage_suggested", "transaction_stage")),
    ],
)
def test_each_sample_offers_what_its_texts_are_about(name, expected):
    donated = SampleCorpus(name).load().donated()
    assert first_columns(donated) == expected
    assert len(from_taxonomy(donated, expected, 50)) >= 6


def made(label: str | None = "kind", provenance: str = "declared") -> DonatedExamples:
    kinds, parts, places = ("a", "b"), ("a1", "a2", "b1", "b2"), ("north", "south")
    part = [parts[i % 4] for i in range(40)]
    rows = {"kind": [p[0] for p in part], "part": part, "place": [places[i // 4 % 2] for i in range(40)]}
    schema = Schema(
        (
            Attribute("kind", kinds, "", provenance),
            Attribute("part", parts, "", provenance),
            Attribute("place", places, "", provenance),
        )
    )
    return DonatedExamples(("some text",) * 40, pd.DataFrame(rows), schema, label)


def test_a_column_that_refines_the_label_goes_along_and_one_that_does_not_stays_out():
    assert first_columns(made()) == ("kind", "part")


def test_values_that_were_read_off_the_records_are_not_offered_beside_the_label():
    assert first_columns(made(provenance="observed")) == ("kind",)


def test_without_a_label_the_first_declared_column_begins():
    assert first_columns(made(label=None)) == ("kind", "part")
    assert first_columns(replace(made(label=None, provenance="observed"))) == ()
