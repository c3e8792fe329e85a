from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("server_double", Path(__file__).with_name("server_double.py"))
server_double = importlib.util.module_from_spec(_spec)
sys.modules["server_double"] = server_double
_spec.loader.exec_module(server_double)


@pytest.fixture
def server(monkeypatch):
    from ctxpriv.models import waiting

    monkeypatch.setattr(waiting, "DELAYS", (0.01, 0.01, 0.01))
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    double = server_double.ModelServerDouble()
    yield double
    double.stop()


@pytest.fixture(scope="session")
def embedded_model():
    """The real embedded model: loading takes seconds, so once a session."""
    from ctxpriv.models.openvino import OpenVINOModel

    return OpenVINOModel(window=4, context_tokens=512)


@pytest.fixture(scope="session")
def minilm():
    from ctxpriv.models.minilm import MiniLM

    return MiniLM()
