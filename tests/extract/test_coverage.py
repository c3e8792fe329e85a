from __future__ import annotations

import pandas as pd
import pytest

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.extract.coverage import Coverage, judge_coverage, score_of
from ctxpriv.extract.word_count import word_count_attribute, word_count_bins
from ctxpriv.models.base import Answer
from ctxpriv.schema import Attribute, Schema

COUNTED = word_count_attribute(word_count_bins([]))
SCHEMA = Schema((Attribute("town", ("Bonn", "Ulm")), COUNTED))


def rows(*towns: str) -> pd.DataFrame:
    return pd.DataFrame({"town": towns, "word_count": [COUNTED.values[0]] * len(towns)})


def test_the_judge_sees_the_text_and_its_row_without_the_count(scripted):
    model = scripted(lambda p: {"score": 4 if "In Bonn" in p.user else 2})
    found = judge_coverage(["In Bonn I eat.", "Nothing."], rows("Bonn", "Ulm"), SCHEMA, model)
    assert found.mean == 3.0 and found.n == 2 and found.failures == {}
    assert 1 <= found.low <= 3.0 <= found.high <= 5
    assert "- town: Bonn" in model.prompts[0].user and "word_count" not in model.prompts[0].user
    assert found.judge["name"] == "scripted test double"
    assert Coverage.from_dict(found.to_dict()) == found


def test_unusable_scores_are_counted_and_left_out(scripted):
    said = iter([{"score": 5}, {"score": 9}, Answer(failure="cut off"), {"mark": 3}])
    found = judge_coverage(list("abcd"), rows(*["Ulm"] * 4), SCHEMA, scripted(lambda p: next(said)))
    assert (found.mean, found.low, found.high, found.n) == (5.0, None, None, 1)
    assert found.failures == {"no score from 1 to 5": 2, "cut off": 1}


def test_without_any_score_the_judge_has_failed(scripted):
    with pytest.raises(ModelFailed, match=r"no usable score of coverage: timed out \(2\)"):
        judge_coverage(
            list("ab"), rows("Ulm", "Ulm"), SCHEMA, scripted(lambda p: Answer(failure="timed out"))
        )


@pytest.mark.parametrize("n", [0, 101])
def test_none_and_too_many_texts_are_refused(scripted, n):
    with pytest.raises(BadInput, match="1 to 100"):
        judge_coverage(["a"] * n, rows(*["Ulm"] * n), SCHEMA, scripted(lambda p: 1 / 0))


@pytest.mark.parametrize(
    ("value", "score"),
    [({"score": 1}, 1), ("5", 5), (3.0, 3), (4.5, None), (0, None), (6, None), (True, None), (None, None),
     ([3], None), ({"score": "4 "}, 4), ("nan", None), ("inf", None)],
)  # fmt: skip
def test_what_counts_as_a_score(value, score):
    assert score_of(value) == score
