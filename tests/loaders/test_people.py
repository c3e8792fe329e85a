from __future__ import annotations

import pytest

from ctxpriv.loaders import people
from ctxpriv.schema import NOT_STATED, Attribute


@pytest.mark.parametrize(
    ("value", "dollars"),
    [
        ("23 thousand euros", 24_840),
        ("8,500 EGP a month with tips", 2_040),
        ("60 thousand us dollars", 60_000),
        ("about 62,000 USD a year, paid only for months on board", 62_000),
        ("12 lakh Indian rupees", 14_400),
        ("KES 4.2 million a year", 32_340),
        ("400 thousand Egyptian pounds", 8_000),
        ("£40k", 50_800),
    ],
)
def test_incomes_as_people_write_them(value, dollars) -> None:
    assert people.yearly_dollars(value) == pytest.approx(dollars)


@pytest.mark.parametrize("value", ["a lot", "40 thousand quatloos", "euros"])
def test_unreadable_incomes_are_not_guessed(value) -> None:
    assert people.income_band(value) is None


def test_the_paper_s_bands_hold_at_their_edges() -> None:
    assert [people.age_band(a) for a in ("18", "24", "25", "54", "55", "80")] == [
        "18–24",
        "18–24",
        "25–34",
        "45–54",
        "55+",
        "55+",
    ]
    incomes = ("19999 USD", "20000 USD", "49999 USD", "50k USD", "80k USD", "120k USD")
    assert [people.income_band(i) for i in incomes] == [
        "under 20k",
        "20–49k",
        "20–49k",
        "50–79k",
        "80–119k",
        "120k+",
    ]
    assert people.age_band("unknown") is None


@pytest.mark.parametrize(
    ("rule", "value", "bucket"),
    [
        (people.region, "São Paulo, Brazil", "Latin America"),
        (people.region, "Cleveland, Ohio", "North America and Oceania"),
        (people.region, "Utrecht, The Netherlands", "Europe"),
        (people.region, "Atlantis", people.REGIONS[0]),
        (people.education_level, "Doctorate in Medicine", "Doctorate"),
        (people.education_level, "Masters in Computer Science", "Master's"),
        (people.education_level, "studying towards a Bachelors in Commerce", "High school"),
        (people.education_level, "Law Degree", "Bachelor's"),
        (people.education_level, "vocational high school", "Other education"),
        (people.occupation_field, "retired engineer", people.FIELDS[-1]),
        (people.occupation_field, "care home worker", "Health and teaching"),
        (people.occupation_field, "auto-rickshaw driver", "Trades, transport and production"),
        (people.occupation_field, "part-time waiter", "Food, retail and services"),
        (people.occupation_field, "junior software developer", "Office and technology"),
    ],
)
def test_rules_put_values_where_a_reader_would(rule, value, bucket) -> None:
    assert rule(value) == bucket


def test_unreadable_values_share_not_stated_and_room_is_made_for_it() -> None:
    attribute = Attribute("income", ("10k USD", "90k USD", "200k USD", "plenty", NOT_STATED))
    coarsening = people.coarsen_by_rule(attribute)
    assert coarsening.buckets == ("under 20k", "80k+", NOT_STATED)
    assert coarsening.mapping["plenty"] == NOT_STATED and coarsening.mapping["90k USD"] == "80k+"
    places = people.coarsen_by_rule(Attribute("city_country", ("Rome, Italy", "Lima, Peru", NOT_STATED)))
    assert set(places.buckets) == {"Europe", "Latin America; North America and Oceania", NOT_STATED}
    assert people.coarsen_by_rule(Attribute("topic", ("x",))) is None


def test_rules_never_give_more_than_five_buckets_and_cover_all_values() -> None:
    for name, (_, buckets) in people.RULES.items():
        assert len(buckets) == 5
        coarsening = people.coarsen_by_rule(
            Attribute(name, ("30", "40k USD", "Rome, Italy", "nurse", NOT_STATED))
        )
        assert len(coarsening.buckets) <= 5 and set(coarsening.mapping.values()) == set(coarsening.buckets)
