from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.extract.agreement import (
    BUCKETS_ONLY,
    FieldAgreement,
    agreement,
    of_rows,
    read_again,
    sample_rows,
)
from ctxpriv.extract.word_count import word_count_attribute, word_count_bins
from ctxpriv.models.base import ModelIdentity
from ctxpriv.roles import Extraction, Failure
from ctxpriv.schema import NOT_STATED, Attribute, Coarsening, Schema

TOWN = Attribute("town", ("Bonn", "Ulm", "Köln", NOT_STATED))
SIDE = Attribute("side", ("a", "b"))
BUCKETS = Coarsening(
    "town", {"Bonn": "Rhine", "Köln": "Rhine", "Ulm": "Danube", NOT_STATED: NOT_STATED},
    ("Rhine", "Danube", NOT_STATED),
)  # fmt: skip


def read(*failed: int, **columns: list[str]) -> Extraction:
    return Extraction(pd.DataFrame(columns), tuple(Failure(row, "cut off") for row in failed))


def test_kappa_of_a_hand_computed_case():
    # 4 of 6 agree; chance is (3/6 * 3/6) * 2 = 0.5, so kappa = (4/6 - 0.5) / 0.5.
    first = read(side=["a", "a", "a", "b", "b", "b"])
    second = read(side=["a", "a", "b", "a", "b", "b"])
    (found,) = agreement(first, second, Schema((SIDE,)))
    assert (found.n, found.failed, found.agreed) == (6, 0, 4)
    assert found.kappa == pytest.approx(1 / 3) and found.at_level.why == "" and found.at_level is found.values


def test_both_levels_are_given_and_buckets_count_where_there_are_any():
    schema = Schema((TOWN,)).with_coarsening(BUCKETS)
    first = read(town=["Bonn", "Ulm", "Köln", "Ulm"])
    second = read(town=["Köln", "Ulm", "Bonn", "Ulm"])
    (found,) = agreement(first, second, schema)
    assert found.at_level is found.buckets and found.agreed == 4 and found.kappa == 1.0
    assert found.values.agreed == 2 and found.values.kappa < 1
    (coarse,) = agreement(first, second, schema, buckets_only=True)
    assert coarse.values.kappa is None and coarse.values.why == BUCKETS_ONLY and coarse.kappa == 1.0


def test_failed_records_of_either_reading_are_left_out_and_counted():
    first = read(1, side=["a", "a", "b", "b"])
    second = read(2, side=["a", "b", "a", "b"])
    (found,) = agreement(first, second, Schema((SIDE,)))
    assert (found.n, found.failed, found.agreed, found.kappa) == (2, 2, 2, 1.0)


def test_where_kappa_is_not_defined_the_reason_is_given():
    (alike,) = agreement(read(side=["a", "a"]), read(side=["a", "a"]), Schema((SIDE,)))
    assert alike.kappa is None and "same value" in alike.at_level.why and alike.agreed == 2
    (nothing,) = agreement(read(0, side=["a"]), read(side=["a"]), Schema((SIDE,)))
    assert nothing.kappa is None and "no record" in nothing.at_level.why
    # Constant, but on different values: chance agreement is 0, and so is kappa.
    (apart,) = agreement(read(side=["a", "a"]), read(side=["b", "b"]), Schema((SIDE,)))
    assert apart.kappa == 0.0 and apart.agreed == 0


def test_the_counted_attribute_is_left_out_and_lengths_must_match():
    counted = word_count_attribute(word_count_bins([]))
    both = read(word_count=[counted.values[0]], side=["a"])
    assert [a.attribute for a in agreement(both, both, Schema((counted, SIDE)))] == ["side"]
    with pytest.raises(BadInput, match="must be the same"):
        agreement(both, read(side=[]), Schema((SIDE,)))


@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 2), min_size=1, max_size=40))
@settings(deadline=None, max_examples=50)
def test_kappa_is_symmetric_bounded_and_round_trips(pairs):
    first, second = read(side=[a for a, _ in pairs]), read(side=[b for _, b in pairs])
    (one,), (other,) = (agreement(*two, Schema((SIDE,))) for two in ((first, second), (second, first)))
    assert one.agreed == other.agreed == sum(a == b for a, b in pairs)
    if one.kappa is None:
        assert len({v for pair in pairs for v in pair}) == 1
    else:
        assert one.kappa == pytest.approx(other.kappa) and -1 - 1e-9 <= one.kappa <= 1 + 1e-9
        assert (one.kappa > 1 - 1e-9) == (one.agreed == len(pairs))
    assert FieldAgreement.from_dict(one.to_dict()) == one


def test_a_part_of_an_extraction_keeps_its_failures_in_place():
    part = of_rows(read(3, side=["a", "b", "a", "b"]), [1, 3])
    assert part.values["side"].tolist() == ["b", "b"] and [f.row for f in part.failures] == [1]


@given(st.integers(0, 50), st.integers(0, 60), st.integers(0, 5))
@settings(deadline=None, max_examples=50)
def test_samples_are_distinct_rows_and_repeat(n, size, seed):
    rows = sample_rows(n, size, seed).tolist()
    assert rows == sorted(set(rows)) and len(rows) == min(n, size) and all(0 <= r < n for r in rows)
    assert rows == sample_rows(n, size, seed).tolist()


class SidesReaderDouble:
    """Test double: a text that holds "b" is on side b."""

    identity = ModelIdentity("local", "sides (test double)")

    def extract(self, texts, schema, *, progress=None, cancel=None):
        return Extraction(pd.DataFrame({"side": ["b" if "b" in t else "a" for t in texts]}))


def test_a_sample_is_read_again_and_compared_with_the_same_records():
    first = read(0, side=["a", "a", "b", "b", "b"])
    found = read_again(first, ["a", "a", "b", "a", "b"], Schema((SIDE,)), SidesReaderDouble(), [0, 1, 3, 4])
    (side,) = found.fields
    assert (side.n, side.failed, side.agreed) == (3, 1, 2) and found.rows == (0, 1, 3, 4)
    assert found.reader["name"] == "sides (test double)" and found.again.values["side"].tolist() == list(
        "aaab"
    )
