"""Fine-tuning on a RoBERTa of two thousand parameters, built here: the code is real, the weights are not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ctxpriv.evaluate.roberta import fine_tune_and_test
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.evaluate.utility import TestSide, accuracy
from ctxpriv.progress import Cancelled, CancelToken


@pytest.fixture(scope="module")
def tiny_roberta(tmp_path_factory) -> str:
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    folder = tmp_path_factory.mktemp("roberta")
    letters = [*"abcdefghijklmnopqrstuvwxyz", "Ġ"]
    vocabulary = {w: i for i, w in enumerate(["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    RobertaTokenizerFast(vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt")).save_pretrained(
        folder
    )
    config = RobertaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        pad_token_id=1,
    )
    RobertaModel(config).save_pretrained(folder)
    return str(folder)


def side(n: int) -> TestSide:
    labels = np.arange(n) % 2
    return TestSide(
        np.zeros((n, 1)), tuple("aaa b" if y else "zzz y" for y in labels), labels, tuple(map(str, range(n)))
    )


def settings(where: str) -> EvaluationSettings:
    return EvaluationSettings(classifier="roberta", roberta=where, bootstrap=40, refits=5)


def test_it_trains_and_predicts_repeatably(tiny_roberta):
    test, stages = side(20), []
    texts, labels = ["aaa b", "zzz y"] * 16, np.array([5, 7] * 16)  # codes need not start at 0
    first, second = (
        fine_tune_and_test(texts, labels, test, settings(tiny_roberta), progress=lambda *s: stages.append(s))
        for _ in range(2)
    )
    assert (first.correct == second.correct).all()
    assert first.unseen == 20  # neither 0 nor 1 was trained on
    metric = accuracy(first, test, settings(tiny_roberta))
    assert metric.value == 0
    assert "trained once" in metric.detail["interval"]
    assert stages[-1] == ("fine-tune RoBERTa", 10, 10)


def test_weights_that_are_nowhere_are_a_reason(tmp_path):
    found = fine_tune_and_test(
        ["a", "b"] * 10, np.array([0, 1] * 10), side(20), settings(str(tmp_path / "absent"))
    )
    assert "neither on this machine nor at a hub" in found.missing
    assert accuracy(found, side(20), settings("x")).value is None


def test_one_label_needs_no_weights():
    found = fine_tune_and_test(["a"] * 20, np.zeros(20, int), side(20), settings("absent"))
    assert found.correct.mean() == pytest.approx(0.5)


def test_cancel(tiny_roberta):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        fine_tune_and_test(
            ["a", "b"] * 10, np.array([0, 1] * 10), side(20), settings(tiny_roberta), cancel=token
        )
