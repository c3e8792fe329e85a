from __future__ import annotations

import json

import pandas as pd
import pytest

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.extract.by_model import ModelExtractor
from ctxpriv.extract.quality import SchemaQuality, judge_schema, schema_quality
from ctxpriv.extract.word_count import word_count_attribute, word_count_bins
from ctxpriv.models.base import Answer, ModelIdentity
from ctxpriv.roles import Extraction
from ctxpriv.schema import NOT_STATED, Attribute, Schema

SCHEMA = Schema((Attribute("a", ("x", "y", NOT_STATED)), Attribute("b", ("x",))))
TOPIC = Attribute("topic", ("work", "home", NOT_STATED))
COUNTED = word_count_attribute(word_count_bins([]))
TEXTS = [f"about {t}, number {i}" for i, t in enumerate(["work", "home"] * 10)]


class WordsExtractorDouble:
    """Test double: the first value that stands in the text, else `Not stated`; keeps what it was given."""

    identity = ModelIdentity("local", "words (test double)")

    def __init__(self) -> None:
        self.read: list[list[str]] = []

    def extract(self, texts, schema, *, progress=None, cancel=None):
        self.read.append(list(texts))
        progress("read words", len(texts), len(texts))
        values = {
            a.name: [next((v for v in a.values if v in text), NOT_STATED) for text in texts]
            for a in schema.attributes
        }
        return Extraction(pd.DataFrame(values), seconds=2.0)


def test_signal_entropy_and_dominance_as_the_paper_defines_them():
    values = pd.DataFrame({"a": ["x", "x", "y", NOT_STATED], "b": ["x"] * 4})
    a, b = schema_quality(values, SCHEMA)
    assert (a.attribute, a.n, a.distinct) == ("a", 4, 3)
    assert a.signal == 0.75 and a.dominance == 0.5
    assert a.balanced_entropy == pytest.approx(1.5 / 1.584962500721156)
    assert (b.signal, b.balanced_entropy, b.dominance) == (1.0, 0.0, 1.0)


def test_an_empty_table_is_refused():
    with pytest.raises(BadInput, match="no extracted values"):
        schema_quality(pd.DataFrame({"a": [], "b": []}), SCHEMA)


def test_one_reading_gives_the_row_of_the_table(scripted):
    reader, stages = WordsExtractorDouble(), []
    found = judge_schema(
        TEXTS, Schema((TOPIC,)), reader, second=WordsExtractorDouble(),
        judge=scripted(lambda p: {"score": 2}), sample=12, coverage_sample=5, seed=3,
        progress=lambda stage, done, total: stages.append(stage),
    )  # fmt: skip
    assert found.n == 12 and len(reader.read[0]) == 12 and set(reader.read[0]) <= set(TEXTS)
    assert found.signal == 1.0 and 0.5 <= found.dominance < 1
    assert found.coverage.mean == 2.0 and found.coverage.n == 5
    assert found.kappa == 1.0 and found.agreement_of("topic").agreed == 12
    assert found.extractor["name"] == "words (test double)" and found.seconds == 2.0
    assert stages[:2] == ["read words", "second reading, read words"]
    assert SchemaQuality.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_schemas_are_compared_on_the_same_sample():
    reader = WordsExtractorDouble()
    for schema in (Schema((TOPIC,)), Schema((TOPIC, Attribute("b", ("number", NOT_STATED))))):
        judge_schema(TEXTS, schema, reader, sample=7, seed=1)
    assert reader.read[0] == reader.read[1]


def test_failed_texts_are_left_out_and_counted(scripted):
    def reply(prompt):
        return (
            Answer(failure="cut off", attempts=3)
            if "home" in prompt.user.split("Text")[1]
            else {"topic": "work"}
        )

    found = judge_schema(TEXTS, Schema((TOPIC,)), ModelExtractor(scripted(reply)))
    assert found.n == 10 and found.failures == {"cut off": 10} and found.retries == 20 and found.calls == 20
    assert found.dominance == 1.0 and found.agreement == ()
    with pytest.raises(ModelFailed, match=r"none of 20 texts: cut off \(20\)"):
        judge_schema(TEXTS, Schema((TOPIC,)), ModelExtractor(scripted(lambda p: Answer(failure="cut off"))))


def test_a_judge_without_a_usable_answer_costs_only_the_coverage(scripted):
    found = judge_schema(
        TEXTS, Schema((TOPIC,)), WordsExtractorDouble(), judge=scripted(lambda p: {"score": "many"})
    )
    assert found.coverage is None and "no usable score" in found.coverage_missing and found.signal == 1.0


def test_the_counted_attribute_is_no_part_of_the_means(scripted):
    model = ModelExtractor(scripted(lambda p: {"topic": NOT_STATED}))
    found = judge_schema(TEXTS, Schema((COUNTED, TOPIC)), model, second=model)
    assert [f.counted for f in found.fields] == [True, False] and found.signal == 0.0
    assert [a.attribute for a in found.agreement] == ["topic"] and found.kappa is None
    only = judge_schema(TEXTS, Schema((COUNTED,)), model)
    assert (only.signal, only.dominance, only.balanced_entropy) == (None, None, None)


def test_nothing_to_judge_is_refused():
    for texts, schema in (([], Schema((TOPIC,))), (TEXTS, Schema(()))):
        with pytest.raises(BadInput, match="at least one text and one attribute"):
            judge_schema(texts, schema, WordsExtractorDouble())
