from __future__ import annotations

import dataclasses
import json

import pytest

from ctxpriv.context import Partition
from ctxpriv.evaluate.leak import NOTHING_PRIVATE
from ctxpriv.evaluate.reference import NO_LABEL, Reference, evaluate
from ctxpriv.evaluate.report import METRICS
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.schema import Coarsening

SETTINGS = EvaluationSettings(group_attribute="sex", bootstrap=40, refits=5, mauve_seeds=3, mauve_resamples=1)


@pytest.fixture
def reference(make, roles):
    return Reference.build(make.corpus(), roles, settings=SETTINGS)


def test_a_release_of_the_real_kind_scores_well(make, reference):
    report = evaluate(make.release(*make.records(120, 5)), reference, make.partition)
    values = {name: m.value for name, m in report.metrics.items()}
    assert tuple(values) == METRICS
    assert None not in values.values()
    assert values["mauve"] > 0.7
    assert values["tv"] < 0.4
    assert values["jsd"] < 0.05
    assert values["accuracy"] > 0.9 > report.references["accuracy_majority"].value
    assert values["leak"] < 0.2
    assert report.epsilon == 1.0
    assert report.embedder == "hashed words (test double)"
    assert set(report.per_attribute["jsd"]) == {"topic", "sex", "age", "word_count"}
    assert set(report.per_attribute["leak"]) == {"age"}
    json.dumps(report.to_dict(), allow_nan=False)


def test_the_table_is_compared_whatever_the_texts_say(make, reference):
    corpus = make.corpus().part("private")
    same = evaluate(
        make.release(["zebra quark lemur vortex"] * len(corpus), corpus.table), reference, make.partition
    )
    rows = same.per_attribute["jsd of the table"]
    assert set(rows) == set(corpus.schema.names)
    assert all(row["value"] == pytest.approx(0, abs=1e-9) for row in rows.values())
    skewed = corpus.table.assign(sex=corpus.table["sex"].iloc[0])
    rows = evaluate(make.release(corpus.texts, skewed), reference, make.partition).per_attribute[
        "jsd of the table"
    ]
    assert rows["sex"]["value"] > 0.1
    assert rows["topic"]["value"] == pytest.approx(0, abs=1e-9)


def test_another_kind_of_text_scores_badly(make, reference):
    _, table = make.records(120, 5)
    report = evaluate(make.release(["zebra quark lemur vortex"] * 120, table), reference, make.partition)
    assert report.metrics["mauve"].value < 0.2
    assert report.metrics["tv"].value > 0.5
    assert report.metrics["jsd"].value > 0.1


def test_leak_follows_the_table_of_the_release(make, roles):
    reference = Reference.build(make.corpus(age_follows_sex=0.95), roles, settings=SETTINGS)
    open_book = evaluate(make.release(*make.records(120, 5, 0.95)), reference, make.partition)
    shuffled = evaluate(make.release(*make.records(120, 5, 0.5)), reference, make.partition)
    assert open_book.metrics["leak"].value > 0.25
    assert shuffled.metrics["leak"].value < open_book.metrics["leak"].value


def test_released_buckets_are_measured_as_the_values_they_stand_for(make, roles):
    """A release that tells buckets scores as one that tells specific values of the same buckets."""
    corpus = make.corpus(age_follows_sex=0.95)
    buckets = Coarsening("topic", {"food": "home", "work": "away", "travel": "away"}, ("home", "away"))
    corpus = corpus.with_schema(corpus.schema.with_coarsening(buckets))
    reference = Reference.build(corpus, roles, settings=SETTINGS)
    texts, table = make.records(120, 5, 0.95)
    partition = dataclasses.replace(make.partition, public=("sex", "word_count"), coarsened=("topic",))
    exact = make.release(texts, table)
    told = make.release(texts, table.assign(topic=table["topic"].map(dict(buckets.mapping))))
    told = dataclasses.replace(told, bucketed=("topic",))
    one, two = (evaluate(r, reference, partition) for r in (exact, told))
    assert one.metrics["leak"].value == two.metrics["leak"].value > 0.25
    assert one.metrics["accuracy"].value == two.metrics["accuracy"].value
    assert one.per_attribute["jsd of the table"] == two.per_attribute["jsd of the table"]


def test_without_a_table_the_attack_reads_values_from_the_texts(make, reference):
    texts, table = make.records(120, 5)
    report = evaluate(make.release(texts, table[["topic"]], method="Aug-PE"), reference, make.partition)
    leak = report.metrics["leak"]
    assert leak.value is not None
    assert leak.detail["values_from"] == "values extracted from the released texts"
    assert report.metrics["accuracy"].value > 0.9


def test_same_seed_same_report(make, roles):
    release = make.release(*make.records(60, 5))
    first, second = (
        evaluate(release, Reference.build(make.corpus(), roles, settings=SETTINGS), make.partition)
        for _ in range(2)
    )
    assert dataclasses.replace(first, seconds=0) == dataclasses.replace(second, seconds=0)


def test_an_audience_agnostic_release_is_measured_once(make, reference, embedder):
    release = make.release(*make.records(60, 5))
    evaluate(release, reference, make.partition)
    embedded = embedder.embedded
    other = evaluate(release, reference, Partition("other", (), make.schema.names))
    assert embedder.embedded == embedded
    assert other.audience == "other"
    assert set(other.per_attribute["leak"]) == set(make.schema.names)


def test_an_edited_release_is_measured_anew(make, reference):
    texts, table = make.records(60, 5)
    before = evaluate(make.release(texts, table), reference, make.partition).metrics["accuracy"]
    wrong = table.assign(topic=table["topic"].to_numpy(object)[::-1])
    assert evaluate(make.release(texts, wrong), reference, make.partition).metrics["accuracy"] != before


def test_a_small_release_says_what_it_lacks(make, reference):
    report = evaluate(make.release(*make.records(5, 5)), reference, make.partition)
    for name, metric in report.metrics.items():
        assert metric.value is None, name
        assert "there are 5" in metric.missing
    json.dumps(report.to_dict(), allow_nan=False)


def test_an_empty_release_and_blank_texts(make, reference):
    texts, table = make.records(3, 5)
    empty = evaluate(make.release([], table.iloc[:0]), reference, make.partition)
    blank = evaluate(make.release([" "] * 3, table), reference, make.partition)
    for report in (empty, blank):
        assert all(m.value is None and m.missing for m in report.metrics.values())


def test_small_corpora_and_missing_splits(make, roles):
    release = make.release(*make.records(60, 5))
    no_test = evaluate(
        release, Reference.build(make.corpus(n_test=0), roles, settings=SETTINGS), make.partition
    )
    assert "real test records" in no_test.metrics["accuracy"].missing
    assert "real test records" in no_test.metrics["leak"].missing
    assert no_test.metrics["tv"].value is not None
    tiny = evaluate(
        release, Reference.build(make.corpus(n_private=4), roles, settings=SETTINGS), make.partition
    )
    for name in ("mauve", "kl", "tv", "jsd"):
        assert "private records" in tiny.metrics[name].missing
    assert tiny.metrics["accuracy"].value is not None


def test_no_label_and_nothing_private(make, roles):
    reference = Reference.build(make.corpus(label=None), roles, settings=SETTINGS)
    report = evaluate(make.release(*make.records(60, 5)), reference, Partition("all", make.schema.names, ()))
    assert report.metrics["accuracy"].missing == NO_LABEL
    assert report.metrics["leak"].missing == NOTHING_PRIVATE


def test_cancel_stops(make, reference):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        evaluate(make.release(*make.records(60, 5)), reference, make.partition, cancel=token)
