from __future__ import annotations

import pytest

from ctxpriv.extract.evidence.bearing import Bearing
from ctxpriv.extract.evidence.find import find_spans
from ctxpriv.extract.evidence.span import without_overlaps
from ctxpriv.privatize.anon.ladder import phrases, rungs, told
from ctxpriv.schema import Attribute, Schema

SCHEMA = Schema(
    (
        Attribute("age", tuple(str(n) for n in range(18, 80))),
        Attribute("sex", ("female", "male")),
        Attribute("city", ("Lagos, Nigeria", "Berlin, Germany")),
        Attribute("marital_status", ("single", "married", "divorced", "widowed")),
        Attribute("job", ("nurse", "truck driver")),
        Attribute("income", ("1 million yen", "9 million yen")),
    )
)
ALL = SCHEMA.names


def first(text, private=ALL, buckets=None, nth=0):
    """The span that is found first, on its first rung."""
    [span, *_] = without_overlaps(find_spans(text))
    [rung, *_] = rungs(text, span, nth, Bearing(SCHEMA), private, buckets or {})
    return text[: rung.start] + rung.phrase + text[rung.end :]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("I live in Lagos.", "I live in the city."),
        ("I'm 33 now.", "I'm an adult now."),
        ("He left in 1987.", "He left some years ago."),
        ("Here since 1987.", "Here for a long time."),
        ("I drove for fifty years there.", "I drove for many years there."),
        ("It was in my thirties.", "It was at this point in life."),
        ("My wife sings.", "someone close to me sings."),
        ("I earn 2 million yen a year.", "I earn a certain income."),
        ("I like German bread.", "I like  bread."),
        ("The Indian Ocean is warm.", "The  Ocean is warm."),
        ("The Indian is here.", "The someone from there is here."),
        ("He prays in German.", "He prays in another language."),
        ("I'm a nurse.", "I'm a professional."),
        ("We eat jollof.", "We eat food."),
    ],
)
def test_the_first_rung_tells_nothing_private(text, want):
    assert first(text) == want


def test_a_rung_keeps_what_the_audience_may_have():
    assert first("My wife sings.", private=("sex",)) == "my spouse sings."
    assert first("My wife sings.", private=("marital_status", "sex")) == "someone close to me sings."


def test_the_bucket_where_the_audience_may_have_it():
    assert first("I live in Lagos.", (), {"city": "Africa"}) == "I live somewhere in Africa."
    assert first("I live in Lagos.", ("city",), {}) == "I live in the city."


def test_other_things_of_a_kind_become_other_phrases():
    assert first("Lagos", nth=1) == "another city" and first("Lagos", nth=99) == "some other city"


def test_where_no_phrase_is_safe_there_is_no_rung():
    text = "I'm divorced."
    [span, *_] = without_overlaps(find_spans(text))
    assert rungs(text, span, 0, Bearing(SCHEMA), ALL, {}) == []


def test_no_phrase_of_the_table_tells_anything_of_this_schema():
    table = phrases()
    texts = [p for group in table["things"].values() for p in group]
    texts += (
        [p for group in table["age"].values() for p in group] + list(table["instead"]) + list(table["work"])
    )
    told_by = {p: told(p, Bearing(SCHEMA)) for p in texts if p}
    assert {p: t for p, t in told_by.items() if t} == {}
