"""What is learnt from donated texts and guessed with it: invented texts, an embedder double."""

from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.asking import together
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.evidence.influence import bearing_spans, sentence_influence
from ctxpriv.extract.evidence.reader import EvidenceReader, fitted
from ctxpriv.extract.guess_by_classifier import ClassifierGuesser
from ctxpriv.rewriting_roles import Brief

PRIVATE = ("age", "sex", "city", "status")
TELLS = "I live in Lagos. My husband is asleep. Bread is bread."
SAYS_NOTHING = "We take the train and the bus."


@pytest.fixture
def brief(schema, examples):
    return Brief(schema, ("topic", "job", "word_count"), PRIVATE, "topic", examples)


@pytest.fixture
def guesser(brief, embedder):
    return ClassifierGuesser(embedder).prepared(brief, 0)


def ask(guesser, texts, **attributes):
    return together(guesser.guess(texts, attributes, seed=0))[0]


def test_it_has_to_learn_first(embedder, brief, schema):
    with pytest.raises(BadInput, match="has not learnt"):
        ask(ClassifierGuesser(embedder), ["x"], city=1)
    nobody = DonatedExamples((), brief.donated.values.iloc[:0], schema, "topic")
    with pytest.raises(BadInput, match="no donated texts"):
        EvidenceReader.fit(nobody, embedder)


def test_what_a_text_tells_is_guessed_with_the_spans_that_told_it(guesser):
    [told] = ask(guesser, [TELLS], city=2, sex=1, status=1)
    assert told.guesses["city"] == ("Africa",) and told.guesses["sex"] == ("female",)
    assert "Lagos" in told.spans["city"] and told.spans["sex"] == ("My husband",)
    assert 0.5 < told.confidence["city"] <= 1


def test_a_text_that_says_nothing_gives_no_guess_and_is_not_unknown(guesser):
    [told] = ask(guesser, [SAYS_NOTHING], city=2, age=2, sex=1)
    assert set(told.guesses) == {"city", "age", "sex"} and not told.failure
    assert told.guesses["city"] == () and "city" not in told.spans


def test_never_more_guesses_than_half_of_the_values(guesser):
    [told] = ask(guesser, ["I live in Lagos, then Berlin."], city=9, status=9)
    assert len(told.guesses["city"]) <= 1 and len(told.guesses["status"]) <= 1


def test_what_is_not_stated_is_never_a_guess(guesser):
    for told in ask(guesser, ["Not stated", "married divorced single", TELLS], status=3, job=3):
        assert "Not stated" not in (*told.guesses["status"], *told.guesses["job"])


def test_lengths_are_counted(guesser):
    short, long = ask(guesser, ["Only three words", "These are many more words than five"], word_count=1)
    assert short.guesses["word_count"] in ((), ("under 5 words",))
    p = guesser.probabilities(["Only three words", "These are many more words than five"], "word_count")
    assert p.argmax(axis=1).tolist() == [0, 1] and long.spans == {}


def test_probabilities_are_over_the_buckets_and_sum_to_one(guesser):
    p = guesser.probabilities([TELLS, "", SAYS_NOTHING], "city")
    assert guesser.classes("city") == ("Africa", "Europe") and p.shape == (3, 2)
    assert np.allclose(p.sum(axis=1), 1) and p[0, 0] > 0.6
    assert guesser.probabilities([], "city").shape == (0, 2)


def test_the_same_text_is_guessed_alike_alone_and_in_company(guesser):
    alone = ask(guesser, [TELLS], city=2, age=2)[0]
    both = ask(guesser, [SAYS_NOTHING, TELLS, TELLS], city=2, age=2)
    assert both[1] == both[2] == alone


def test_learning_twice_is_learning_once_and_the_same(brief, embedder):
    first, again = fitted(brief.donated, embedder, 0), fitted(brief.donated, embedder, 0)
    fresh = EvidenceReader.fit(brief.donated, embedder, 0)
    assert first is again and fresh is not first
    assert fresh.digest == first.digest
    assert ClassifierGuesser(embedder).prepared(brief, 0).identity.digest == first.digest


def test_a_sentence_without_which_the_guess_falls_has_influence(brief, embedder):
    reader = fitted(brief.donated, embedder, 0)
    read = reader.evidence.read([TELLS])
    [drops] = sentence_influence(reader, read, [{"city": 0}])
    assert drops["city"].argmax() == 0 and drops["city"][0] > 0.3
    assert (
        bearing_spans(reader, TELLS, "city", 0) == ["Lagos"] and bearing_spans(reader, TELLS, "city", 1) == []
    )


def test_one_value_only_among_the_donated(schema, embedder, examples):
    table = examples.values.assign(sex="female")
    reader = EvidenceReader.fit(DonatedExamples(examples.texts, table, schema, "topic"), embedder)
    logs = reader.log_probabilities(reader.evidence.read([TELLS]), ["sex"])["sex"]
    assert logs.argmax() == 0 and np.isfinite(logs).all()


def test_a_single_donated_text_is_enough_to_run(schema, embedder, examples):
    one = DonatedExamples(examples.texts[:1], examples.values.iloc[:1], schema, "topic")
    reader = EvidenceReader.fit(one, embedder)
    assert np.isfinite(reader.log_probabilities(reader.evidence.read(["x"]), ["city"])["city"]).all()
