from __future__ import annotations

import socket

import numpy as np
import pytest

from ctxpriv.errors import ModelFailed
from ctxpriv.models import minilm as module
from ctxpriv.models.minilm import MiniLM, SentenceTransformersEmbedder
from ctxpriv.progress import Cancelled, CancelToken

TEXTS = [
    "I adopted a small cat.",
    "We took in a kitten last week, and it sleeps all day.",
    "The tax form is due on Monday.",
]


def test_unit_vectors_that_know_what_is_alike(minilm):
    vectors = minilm.embed(TEXTS)
    assert vectors.shape == (3, minilm.dimension) == (3, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_order_is_kept_over_batches(minilm):
    texts = [TEXTS[i % 3] + " again" * (i % 5) for i in range(20)]
    small = MiniLM(batch=3)
    assert np.allclose(small.embed(texts), minilm.embed(texts), atol=1e-5)


def test_share_truncated_is_exposed():
    model = MiniLM()
    model.embed(["short", "word " * 400, "also short", "x" * 300])  # the last: many bytes, few tokens
    assert model.share_truncated >= 0.25 and model.window_tokens == 256
    assert model.share_truncated == 0.25


def test_nothing_is_nothing(minilm):
    assert minilm.embed([]).shape == (0, 384)


def test_cancel_between_batches(minilm):
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        MiniLM(batch=1).embed(TEXTS, cancel=cancel, progress=lambda *call: cancel.cancel())


def test_loading_and_embedding_use_no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("tried to reach the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert MiniLM().embed(["a text"]).shape == (1, 384)


def test_changed_weights_are_refused(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"other")
    monkeypatch.setattr(module, "shipped_path", lambda shipped: tmp_path / "model.safetensors")
    with pytest.raises(ModelFailed, match="SHA-256"):
        MiniLM()


def test_an_unknown_name_is_a_failure_not_a_download():
    with pytest.raises(ModelFailed, match="this machine only"):
        SentenceTransformersEmbedder("nobody/no-such-model").embed(["a"])
