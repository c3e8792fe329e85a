"""The classifier adversary on texts whose words tell topic and sex."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.evaluate.attacks.adversary import Originals, adversaries_of
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, CLASSIFY, OPEN
from ctxpriv.evaluate.attacks.by_classifier import ClassifierAdversary
from ctxpriv.extract.guess_by_classifier import ClassifierGuesser
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.roles import Roles


@pytest.fixture
def brief(make):
    return Originals.of(make.corpus(n_private=40, n_test=0, n_donated=80)).brief


def test_it_must_answer_and_learns_what_texts_tell(make, embedder, brief):
    texts, table = make.records(40, 3)
    answers = ClassifierAdversary(embedder).answers(texts, brief)
    assert all(set(a.guesses) == set(make.schema.names) for a in answers)
    assert all(len(g) == 1 for a in answers for g in a.guesses.values())
    right = {
        name: np.mean([a.guesses[name][0] == truth for a, truth in zip(answers, table[name], strict=True)])
        for name in ("topic", "sex", "word_count")
    }
    assert right["topic"] > 0.8 and right["sex"] > 0.8 and right["word_count"] == 1.0


def test_it_never_says_that_nothing_is_stated(make, embedder):
    corpus = make.corpus(n_private=4, n_test=0, n_donated=40)
    schema = corpus.schema
    age = replace(schema["age"], values=("young", "old", "Not stated"))
    table = corpus.table.assign(age="Not stated")
    brief = Originals.of(corpus.with_schema(schema.with_attribute(age), table)).brief
    (answer,) = ClassifierAdversary(embedder).answers(["the office"], replace(brief, private=("age",)))
    assert answer.guesses["age"][0] in ("young", "old")


def test_it_is_the_local_privacy_evaluator_by_name(embedder):
    assert ClassifierAdversary(embedder).identity == ClassifierGuesser(embedder).identity


def test_nothing_donated_and_cancel(make, embedder, brief):
    nothing = Originals.of(make.corpus(n_private=40, n_test=0, n_donated=0)).brief
    with pytest.raises(BadInput, match="no donated texts"):
        ClassifierAdversary(embedder).answers(["a text"], nothing)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        ClassifierAdversary(embedder).answers(["a text"], brief, cancel=token)


def test_a_language_model_plays_two_more_adversaries(embedder, scripted):
    assert [a.name for a in adversaries_of(Roles(embedder, None))] == [CLASSIFIER]
    model = scripted(lambda prompt: {})
    found = adversaries_of(Roles(embedder, None, adversary=model))
    assert [(a.name, a.closed, a.guesses) for a in found] == [
        (CLASSIFIER, True, 1),
        (CLASSIFY, True, 1),
        (OPEN, False, 3),
    ]
    assert found[1].terms.who == model.identity.to_dict()
