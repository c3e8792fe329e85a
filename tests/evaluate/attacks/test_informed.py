from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.evaluate.attacks.informed import informed_attack
from ctxpriv.evaluate.attacks.score import Target
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.models.base import ModelIdentity

QUICK = EvaluationSettings(bootstrap=40)


class LedAstrayDouble:
    """Sure of the true sex on originals, of the *other* one on rewrites, or (blind) of nothing there."""

    identity = ModelIdentity("local", "led astray (test double)")

    def __init__(self, corpus, blind: bool) -> None:
        private = corpus.part("private")
        self.truth = dict(zip(private.texts, private.codes()[:, 1], strict=True))
        self.blind = blind

    def answers(self, texts, brief, *, progress=None, cancel=None):
        raise AssertionError("scores suffice")

    def scores(self, texts, brief, *, progress=None, cancel=None):
        assert brief.private == ("sex",)
        out = np.full((len(texts), 2), np.log(0.5))
        for row, text in enumerate(texts):
            if text in self.truth:
                out[row] = np.log(np.where(np.arange(2) == self.truth[text], 0.9, 0.1))
            elif not self.blind:
                out[row] = np.log(np.where(np.arange(2) == self.truth[text[1:]], 0.1, 0.9))
        return {"sex": out}


@pytest.fixture
def attacked(make):
    """Sixty rewrites: each original with a mark before it."""
    from ctxpriv.evaluate.attacks.adversary import Originals

    corpus = make.corpus(n_private=60, n_test=0, n_donated=20)
    originals = Originals.of(corpus)

    def run(blind: bool, rows: int = 60):
        texts = tuple(f"#{t}" for t in originals.texts[:rows])
        target = Target(texts, tuple(range(rows)), ("sex",), np.ones(rows, bool))
        return informed_attack(LedAstrayDouble(corpus, blind), target, originals, QUICK)

    return run


def test_a_classifier_that_is_always_wrong_tells_as_much_as_one_that_is_right(attacked):
    found = attacked(blind=False)
    assert found.name == "informed" and "fitted on released texts by others" in found.who["name"]
    assert found.unprotected.value == found.leak.value == 1.0
    assert found.removed == 0.0


def test_rewrites_that_tell_nothing_bring_it_to_the_majority(attacked):
    found = attacked(blind=True)
    assert found.unprotected.value == 1.0
    assert found.leak.value <= found.majority.value
    assert found.removed >= 1.0


def test_too_few_records_have_no_figure(attacked):
    found = attacked(blind=True, rows=8)
    assert "needs at least 20 released records" in found.leak.missing
    assert found.n == 8 and found.removed is None


def test_same_seed_same_attack(attacked):
    first, second = (attacked(blind=False).to_dict() for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
