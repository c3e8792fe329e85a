from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.models import choose as module
from ctxpriv.models.choose import choose, choose_embedder, discover, doctor


@pytest.fixture
def no_ollama(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


@pytest.fixture
def with_ollama(server, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    return server


def test_auto_is_the_embedded_model_without_ollama(no_ollama):
    model = choose("auto")
    assert model.identity.kind == "openvino" and choose("embedded") is model


def test_auto_is_ollamas_newest_local_model(with_ollama):
    assert choose("auto").identity.to_dict() == {
        "kind": "ollama",
        "name": "tiny:latest",
        "digest": "d1g3st",
        "place": "this machine",
    }


def test_discover_names_cloud_models_as_refused_and_skips_embedders(with_ollama):
    found = {entry.name: entry for entry in discover()}
    assert not found["big:120b-cloud"].reachable and not found["hidden:latest"].local
    assert found["tiny:latest"].reachable and "embedder:latest" not in found
    assert found["all-MiniLM-L6-v2"].role == "embedder" and found["all-MiniLM-L6-v2"].reachable


def test_named_ollama_and_openai_models(server):
    assert choose(f"ollama:tiny@{server.url}").identity.kind == "ollama"
    assert choose(f"openai:tiny@{server.url}").identity.kind == "openai-compatible"


def test_remote_needs_a_confirmation():
    with pytest.raises(ModelFailed, match="confirmation"):
        choose("openai:m@https://models.example/v1")


@pytest.mark.parametrize(
    "spec", ["", "ollama", "ollama:", "openai:x", "gguf:", "gpt", "auto:x", "embedded:x"]
)
def test_unknown_specs(spec):
    with pytest.raises(BadInput, match="Write auto"):
        choose(spec)


def test_embedder_specs(tmp_path):
    assert choose_embedder("auto") is choose_embedder("minilm")
    with pytest.raises(BadInput, match="no folder"):
        choose_embedder(str(tmp_path / "absent"))


def test_doctor_says_what_is_used_and_why(no_ollama):
    report = doctor()
    assert report.ok and (report.language_model, report.embedder) == ("embedded", "minilm")
    assert any("No Ollama answers" in line for line in report.lines)
    assert any("language model in use: embedded" in line for line in report.lines)


def test_doctor_is_not_ok_without_a_model(no_ollama, monkeypatch):
    def absent(shipped):
        raise ModelFailed("not installed")

    monkeypatch.setattr(module, "shipped_path", absent)
    report = doctor()
    assert not report.ok and report.language_model == report.embedder == ""
    with pytest.raises(ModelFailed, match="No language model"):
        choose("auto")
