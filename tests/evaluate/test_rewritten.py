"""A rewritten release measured from end to end: the other metrics, attacks, what was kept."""

from __future__ import annotations

import json

import pytest

from ctxpriv.context import Partition
from ctxpriv.evaluate.attacks.adversary import Adversary, Originals
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, CLASSIFY
from ctxpriv.evaluate.leak import NOTHING_PRIVATE
from ctxpriv.evaluate.reference import Reference, evaluate
from ctxpriv.evaluate.report import METRICS, REWRITING, Report
from ctxpriv.evaluate.rewritten import examine
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.models.base import ModelIdentity
from ctxpriv.models.weights import SMOLLM2
from ctxpriv.privacy.guarantee import empirical
from ctxpriv.privatize.release import Release
from ctxpriv.rewriting_roles import Guessed

SETTINGS = EvaluationSettings(bootstrap=20, refits=5, mauve_seeds=3, mauve_resamples=1)
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
    return make.corpus(n_private=80, n_test=40)


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


@pytest.fixture
def look(corpus, embedder):
    """What is examined of a release by some adversaries, without the metrics that all releases have."""

    def examined(release, *adversaries: Adversary, partition=PARTITION, originals=None):
        return examine(release, originals or Originals.of(corpus), adversaries, partition, embedder, SETTINGS)

    return examined


def classifier(name: str = "cues (test double)") -> Adversary:
    return Adversary(CLASSIFIER, CueAdversaryDouble(name))


def test_a_rewritten_release_is_measured_like_others_and_attacked_besides(make, corpus, roles):
    double = CueAdversaryDouble()
    reference = Reference.build(corpus, roles, settings=SETTINGS, adversaries=[Adversary(CLASSIFIER, double)])
    synthetic = evaluate(make.release(*make.records(60, 5)), reference, make.partition)
    assert synthetic.attacks == () and synthetic.rewriting == {} and double.texts == 0
    report = evaluate(rewritten(corpus, hide=True), reference, PARTITION)
    assert report.epsilon is None and synthetic.epsilon == 1.0
    missing = {name for name, m in report.metrics.items() if m.value is None}
    assert missing == {"demographic_gap"}  # no group was named
    assert tuple(report.metrics) == METRICS and set(report.rewriting) == set(REWRITING)
    assert report.per_attribute["leak"]["sex"]["value"] == report.metrics["leak"].value
    assert Report.from_dict(json.loads(json.dumps(report.to_dict(), allow_nan=False))) == report
    assert report.rewriting["withheld"].value == pytest.approx(3 / 63)


def test_hiding_what_tells_a_value_brings_the_leak_to_the_majority(corpus, look):
    hidden = look(rewritten(corpus, hide=True), classifier()).leak
    shown = look(rewritten(corpus, hide=False), classifier()).leak
    assert shown.value == hidden.detail["unprotected"] > 0.9
    assert hidden.value <= hidden.detail["majority"] + 0.1
    assert hidden.detail["removed"] > 0.7 and shown.detail["removed"] == 0
    assert hidden.detail["adversary"] == "cues (test double)" and hidden.detail["same_as_evaluator"]


def test_originals_and_shared_releases_are_attacked_once(corpus, look):
    who, originals = classifier(), Originals.of(corpus)
    release = rewritten(corpus, hide=True)
    look(release, who, originals=originals)
    asked = who.player.texts
    other = look(release, who, partition=Partition("other", ("topic",), ("sex", "age")), originals=originals)
    assert set(other.attacks[0].per_attribute) == {"sex", "age"}
    assert who.player.texts == asked  # age was read as a public value, and is now a private one


def test_the_leak_is_the_models_where_one_can_be_believed_else_the_classifiers(corpus, look):
    release = rewritten(corpus, hide=True)
    model = Adversary(CLASSIFY, CueAdversaryDouble("a model of eight billion"))
    small = Adversary(CLASSIFY, CueAdversaryDouble(SMOLLM2.name))
    assert look(release, classifier(), model).leak.detail["attack"] == CLASSIFY
    assert look(release, classifier(), small).leak.detail["attack"] == CLASSIFIER
    assert look(release, small).leak.detail["attack"] == CLASSIFY
    assert look(release, classifier()).leak.detail["attack"] == CLASSIFIER
    assert "no language model" in look(release).leak.missing


def test_without_anything_donated_the_classifier_does_not_attack(make, look):
    corpus = make.corpus(n_private=80, n_test=20, n_donated=0)
    found = look(rewritten(corpus, hide=True), classifier(), originals=Originals.of(corpus))
    assert found.attacks == ()
    assert "donated" in found.leak.missing
    assert "donated" in found.rewriting["public_kept"].missing
    assert found.rewriting["share_changed"].value > 0


def test_where_nothing_is_private_or_released_there_is_nothing_to_attack(corpus, look):
    everything = Partition("all", corpus.schema.names, ())
    found = look(rewritten(corpus, hide=True), classifier(), partition=everything)
    assert found.leak.missing == NOTHING_PRIVATE and found.attacks == ()
    empty = look(rewritten(corpus, hide=True, rows=0), classifier())
    assert empty.leak.missing == "no record was released" and empty.attacks == ()


def test_a_counted_length_is_neither_attacked_nor_kept(corpus, look):
    length_private = Partition("p", ("topic", "age"), ("sex", "word_count"))
    found = look(rewritten(corpus, hide=True), classifier(), partition=length_private)
    assert set(found.attacks[0].per_attribute) == {"sex"}
    kept = look(rewritten(corpus, hide=True), classifier()).rewriting["public_kept"]
    assert set(kept.detail.get("by_attribute", {"age": 0})) == {"age"}
