"""A rewritten release measured from end to end: the other metrics, attacks, what was kept."""

from __future__ import annotations

import json

import pytest

from ctxpriv.context import Partition
from ctxpriv.evaluate.attacks.adversary import Adversary
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, CLASSIFY
from ctxpriv.evaluate.leak import NOTHING_PRIVATE
from ctxpriv.evaluate.reference import Reference, evaluate
from ctxpriv.evaluate.report import METRICS, REWRITING, Report
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.models.base import ModelIdentity
from ctxpriv.models.weights import SMOLLM2
from ctxpriv.privacy.guarantee import empirical
from ctxpriv.privatize.release import Release
from ctxpriv.rewriting_roles import Guessed

SETTINGS = EvaluationSettings(group_attribute="sex", bootstrap=40, refits=5, mauve_seeds=3, mauve_resamples=1)
CUES = {"she": "female", "sister": "female", "mother": "female", "he": "male", "brother": "male"}


class CueAdversaryDouble:
    """Tells the sex by a word that stands for it, else "female"; of all else, nothing."""

    def __init__(self, name: str = "cues (test double)") -> None:
        self.identity = ModelIdentity("local", name)
        self.texts = 0

    def answers(self, texts, brief, *, progress=None, cancel=None):
        self.texts += len(texts)
        told = [next((CUES[w] for w in text.split() if w in CUES), "female") for text in texts]
        return [Guessed({n: (sex,) if n == "sex" else () for n in brief.private}) for sex in told]


PARTITION = Partition("vendor", ("topic", "age", "word_count"), ("sex",))


@pytest.fixture
def corpus(make):
    return make.corpus()


def rewritten(corpus, hide: bool, *, rows: int = 60, method: str = "ANON-CI") -> Release:
    """The first private records, with or without the words that tell a sex; released with their label."""
    private = corpus.part("private")
    texts = [" ".join(w for w in t.split() if not hide or w not in (*CUES, "father")) for t in private.texts]
    records = private.table[["topic", "age"]].iloc[:rows].copy()
    records.insert(0, "text", texts[:rows])
    return Release(
        method,
        "vendor",
        PARTITION,
        {"max_rounds": 10},
        empirical(method),
        records.reset_index(drop=True),
        len(private),
        models={"privacy_evaluator": ModelIdentity("local", "cues (test double)").to_dict()},
        origin=tuple(range(rows)),
        outcome={"records": rows + 3, "released": rows, "safe": rows, "withheld": {"model failed": 3}},
    )


def reference(corpus, roles, *adversaries: Adversary) -> Reference:
    return Reference.build(corpus, roles, settings=SETTINGS, adversaries=adversaries)


def test_a_rewritten_release_has_every_metric_and_no_epsilon(corpus, roles):
    ref = reference(corpus, roles, Adversary(CLASSIFIER, CueAdversaryDouble()))
    report = evaluate(rewritten(corpus, hide=True), ref, PARTITION)
    assert report.epsilon is None
    assert {n: m.missing for n, m in report.metrics.items() if m.value is None} == {}
    assert tuple(report.metrics) == METRICS and set(report.rewriting) == set(REWRITING)
    assert Report.from_dict(json.loads(json.dumps(report.to_dict(), allow_nan=False))) == report
    assert report.rewriting["withheld"].value == pytest.approx(3 / 63)


def test_hiding_what_tells_a_value_brings_the_leak_to_the_majority(corpus, roles):
    ref = reference(corpus, roles, Adversary(CLASSIFIER, CueAdversaryDouble()))
    hidden = evaluate(rewritten(corpus, hide=True), ref, PARTITION).metrics["leak"]
    open_ = evaluate(rewritten(corpus, hide=False), ref, PARTITION).metrics["leak"]
    assert open_.value == hidden.detail["unprotected"] > 0.9
    assert hidden.value <= hidden.detail["majority"] + 0.1
    assert hidden.detail["removed"] > 0.7 and open_.detail["removed"] == 0
    assert hidden.detail["adversary"] == "cues (test double)" and hidden.detail["same_as_evaluator"]


def test_originals_and_shared_releases_are_attacked_once(corpus, roles):
    double = CueAdversaryDouble()
    ref = reference(corpus, roles, Adversary(CLASSIFIER, double))
    release = rewritten(corpus, hide=True)
    evaluate(release, ref, PARTITION)
    asked = double.texts
    other = evaluate(release, ref, Partition("other", ("topic",), ("sex", "age"), coarsened=()))
    assert set(other.attacks[0].per_attribute) == {"sex", "age"}
    assert double.texts == asked  # the first reading told age as a public value, the second as a private one


def test_the_leak_is_the_models_where_one_can_be_believed_else_the_classifiers(corpus, roles):
    classifier = Adversary(CLASSIFIER, CueAdversaryDouble("classifier"))
    release = rewritten(corpus, hide=True)

    def chosen(*adversaries):
        return evaluate(release, reference(corpus, roles, *adversaries), PARTITION).metrics["leak"].detail

    model = Adversary(CLASSIFY, CueAdversaryDouble("a model of eight billion"))
    small = Adversary(CLASSIFY, CueAdversaryDouble(SMOLLM2.name))
    assert chosen(classifier, model)["attack"] == CLASSIFY
    assert chosen(classifier, small)["attack"] == CLASSIFIER
    assert chosen(small)["attack"] == CLASSIFY
    assert chosen(classifier)["attack"] == CLASSIFIER


def test_without_anything_donated_the_classifier_does_not_attack(make, roles):
    corpus = make.corpus(n_donated=0)
    ref = reference(corpus, roles, Adversary(CLASSIFIER, CueAdversaryDouble()))
    report = evaluate(rewritten(corpus, hide=True), ref, PARTITION)
    assert report.attacks == ()
    assert "donated" in report.metrics["leak"].missing
    assert "donated" in report.rewriting["public_kept"].missing
    assert report.metrics["accuracy"].value is not None


def test_where_nothing_is_private_there_is_nothing_to_attack(corpus, roles):
    ref = reference(corpus, roles, Adversary(CLASSIFIER, CueAdversaryDouble()))
    report = evaluate(rewritten(corpus, hide=True), ref, Partition("all", corpus.schema.names, ()))
    assert report.metrics["leak"].missing == NOTHING_PRIVATE
    assert report.attacks == ()


def test_a_counted_length_is_neither_attacked_nor_kept(corpus, roles):
    ref = reference(corpus, roles, Adversary(CLASSIFIER, CueAdversaryDouble()))
    private = Partition("p", ("topic", "age"), ("sex", "word_count"))
    report = evaluate(rewritten(corpus, hide=True), ref, private)
    assert set(report.attacks[0].per_attribute) == {"sex"}
    assert set(report.rewriting["public_kept"].detail.get("by_attribute", {"age": 0})) == {"age"}


def test_synthetic_releases_are_not_attacked_so(make, corpus, roles):
    double = CueAdversaryDouble()
    ref = reference(corpus, roles, Adversary(CLASSIFIER, double))
    report = evaluate(make.release(*make.records(60, 5)), ref, make.partition)
    assert report.attacks == () and report.rewriting == {} and double.texts == 0
    assert report.epsilon == 1.0
