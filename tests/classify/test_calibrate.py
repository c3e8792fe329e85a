from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from ctxpriv.classify.by_model import ModelClassifier
from ctxpriv.classify.by_norms import NormsClassifier
from ctxpriv.classify.calibrate import (
    FILE_VARIABLE,
    Calibration,
    ClassifiesFlows,
    RatedFlow,
    calibrate,
    ratings_file,
    read_flows,
)
from ctxpriv.context import Judgement
from ctxpriv.errors import BadInput
from ctxpriv.models.base import Answer, ModelIdentity

FLOWS = (
    RatedFlow("your health", "your doctor", "treat you", 60.0),
    RatedFlow("your purchases", "a shop", "recommend", -5.0),
    RatedFlow("your health", "an advertiser", "sell things", -80.0),
    RatedFlow("your faith", "an advertiser", "sell things", -90.0),
)


class ClassifierDouble:
    """Test double of a CI classifier: `shares` is the share of public samples per flow, None for
    no usable sample."""

    identity = ModelIdentity("local", "classifier double", "d1")

    def __init__(self, shares) -> None:
        self.shares, self.asked = list(shares), []

    def classify(self, schema, context, *, samples=3, progress=None, cancel=None):
        share = self.shares[len(self.asked)]
        self.asked.append(
            (schema.attributes[0].description, context.audience.recipient, context.audience.purpose)
        )
        if share is None:
            return (Judgement("information", "private", "none", 0.0, 0),)
        side = "public" if share > 0.5 else "private"
        return (Judgement("information", side, "r", max(share, 1 - share), samples),)


def test_scores_are_shares_of_public_and_disagreements_come_first():
    classifier = ClassifierDouble([0.0, 0.75, 0.25, 1.0])
    steps = []
    found = calibrate(
        classifier, FLOWS, source="f.jsonl", samples=4, progress=lambda *step: steps.append(step)
    )
    assert classifier.asked[0] == ("your health", "your doctor", "treat you")
    assert [(r.flow.rating, r.score, r.agrees) for r in found.rows] == [
        (-90.0, 1.0, False),
        (60.0, 0.0, False),
        (-5.0, 0.75, False),
        (-80.0, 0.25, True),
    ]
    assert (found.n, found.usable, found.agree, found.always_private, found.samples) == (4, 4, 1, 3, 4)
    assert found.spearman == pytest.approx(-0.8)  # ranks 4 3 2 1 of ratings, 1 3 2 4 of scores
    assert found.interval[0] <= found.spearman <= found.interval[1]
    assert steps[-1] == ("judge rated flows", 4, 4)
    assert "takes people's side in 1, where calling everything private would in 3" in found.sentence()


def test_flows_without_an_answer_are_counted_and_left_out():
    found = calibrate(ClassifierDouble([None, 0.0, 0.2, 0.1]), FLOWS)
    assert (found.n, found.usable, found.agree, found.always_private) == (4, 3, 3, 3)
    assert found.rows[0].score is None and found.rows[0].agrees is None
    assert "the 3 of 4 rated flows" in found.sentence()
    nothing = calibrate(ClassifierDouble([None] * 4), FLOWS)
    assert nothing.usable == 0 and nothing.spearman is None and "no usable answer" in nothing.sentence()


def test_a_constant_score_has_no_rank_correlation_and_says_so():
    found = calibrate(ClassifierDouble([0.0] * 4), FLOWS)
    assert found.spearman is None and found.interval is None and found.agree == found.always_private == 3
    assert "cannot be compared with people's" in found.sentence()


def test_no_flows_are_refused():
    with pytest.raises(BadInput, match="no rated flows"):
        calibrate(ClassifierDouble([]), ())


def test_a_model_is_asked_in_one_batch(scripted):
    def reply(prompt):
        return {
            "information": {"reason": "r", "decision": "public" if "doctor" in prompt.user else "private"}
        }

    model = scripted(reply)
    found = calibrate(ModelClassifier(model), FLOWS, samples=2)
    assert model.calls == 1 and len(model.prompts) == 8 and found.agree == 4
    assert "- information: your health\n" in model.prompts[0].user
    assert isinstance(ModelClassifier(model), ClassifiesFlows)
    silent = calibrate(ModelClassifier(scripted(lambda p: Answer(failure="empty"))), FLOWS, samples=2)
    assert silent.usable == 0


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-100, 100)), min_size=3, max_size=20))
@settings(deadline=None, max_examples=25)
def test_the_correlation_is_scipys_and_lies_between_its_bounds(pairs):
    shares, ratings = [s / 4 for s, _ in pairs], [r for _, r in pairs]
    flows = [RatedFlow("x", "y", "z", r) for r in ratings]
    found = calibrate(ClassifierDouble(shares), flows)
    if len(set(shares)) == 1 or len(set(ratings)) == 1:
        assert found.spearman is None
    else:
        assert found.spearman == pytest.approx(spearmanr(shares, ratings).statistic)
        assert -1 - 1e-9 <= found.interval[0] <= found.interval[1] <= 1 + 1e-9
    assert 0 <= found.agree <= found.usable == len(pairs)
    assert Calibration.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_a_perfect_classifier_is_perfect_and_its_interval_excludes_zero():
    ratings = np.linspace(-90, 90, 20)
    flows = [RatedFlow("x", "y", "z", float(r)) for r in ratings]
    found = calibrate(ClassifierDouble((ratings + 90) / 180), flows)
    assert found.spearman == pytest.approx(1) and found.interval[0] > 0.9 and found.agree == 20


# ---- files


LINE = {"information_type": "a", "recipient": "b", "purpose": "c", "human_rating": 1.5}


def written(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return path


def test_json_lines_and_csv_are_read_alike(tmp_path):
    lines = written(tmp_path / "f.jsonl", {**LINE, "other": [1]})
    table = tmp_path / "f.csv"
    table.write_text("purpose;human_rating;recipient;information_type\n c ;1.5;b;a\n", "utf-8-sig")
    assert read_flows(lines) == read_flows(table) == (RatedFlow("a", "b", "c", 1.5),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recipient": " "}, r"f.jsonl, row 2, field recipient: is empty or not text"),
        ({"purpose": 3}, "row 2, field purpose"),
        ({"human_rating": 101}, "row 2, field human_rating: is not a number from −100 to 100"),
        ({"human_rating": "high"}, "row 2, field human_rating"),
        ({"human_rating": None}, "row 2, field human_rating"),
        ({"human_rating": True}, "row 2, field human_rating"),
    ],
)
def test_a_bad_row_is_named_and_not_quoted(tmp_path, change, message):
    with pytest.raises(BadInput, match=message) as caught:
        read_flows(written(tmp_path / "f.jsonl", LINE, {**LINE, **change}))
    assert "high" not in str(caught.value)


def test_a_missing_field_is_named_with_the_nearest(tmp_path):
    row = {**LINE, "human_ratings": 1}
    del row["human_rating"]
    with pytest.raises(BadInput, match=r"no field 'human_rating'. Did you mean 'human_ratings'\? Wanted: "):
        read_flows(written(tmp_path / "f.jsonl", row))


def test_the_file_is_the_named_one_else_the_workspaces(tmp_path, monkeypatch):
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    mine = written(tmp_path / "ci_norms.jsonl", LINE)
    assert ratings_file(tmp_path) == mine
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "elsewhere.jsonl"))
    assert ratings_file(tmp_path) == tmp_path / "elsewhere.jsonl"


def test_without_a_file_the_message_says_what_is_wanted(tmp_path, monkeypatch):
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    monkeypatch.setattr("ctxpriv.classify.calibrate.FILE_NAME", "no_such_file.jsonl")
    with pytest.raises(BadInput, match="information_type, recipient, purpose and human_rating"):
        ratings_file(tmp_path)


RATINGS = Path(__file__).parents[2].parent / "shared" / "data" / "ci_norms.jsonl"


@pytest.mark.skipif(not RATINGS.exists(), reason="the file of human ratings is not here")
def test_the_table_of_norms_ranks_flows_as_people_do():
    found = calibrate(NormsClassifier(), read_flows(RATINGS), samples=1)
    assert (found.n, found.usable, found.always_private) == (98, 98, 91)
    assert found.agree >= 92 and found.spearman > 0 and found.interval[0] > 0


def test_a_rating_of_nought_is_on_the_private_side():
    """As "always private" counts it, or the two figures could not be compared."""
    flow = RatedFlow("age", "a shop", "ads", 0.0)
    (public,), (private,) = (calibrate(ClassifierDouble([score]), [flow]).rows for score in (1.0, 0.0))
    assert (public.agrees, private.agrees) == (False, True)
    assert calibrate(ClassifierDouble([0.0]), [flow]).always_private == 1
