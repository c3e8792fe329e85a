"""Who plays which role under a choice, with and without a server."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ctxpriv import casting
from ctxpriv.classify.by_model import ModelClassifier
from ctxpriv.classify.by_norms import NormsClassifier
from ctxpriv.errors import BadInput
from ctxpriv.extract.by_model import ModelExtractor
from ctxpriv.extract.guess_by_classifier import ClassifierGuesser
from ctxpriv.extract.guess_by_model import ModelGuesser
from ctxpriv.model_choice import ModelChoice
from ctxpriv.models.base import ModelIdentity
from ctxpriv.models.choose import Found
from ctxpriv.privatize.anon.agents_by_model import ModelThreeAgents
from ctxpriv.privatize.anon.by_model import ModelRewriter
from ctxpriv.privatize.sdg.write_by_model import ModelGenerator
from ctxpriv.privatize.sdg.write_local import DonorRecombiner
from ctxpriv.privatize.spin.decode_by_model import ModelDecoder
from ctxpriv.privatize.spin.template import TemplateDecoder
from ctxpriv.workspace import Workspace


class EmbedderDouble:
    identity = ModelIdentity("local", "embedder double")
    dimension = 4

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        return np.full((len(texts), 4), 0.5, np.float32)


class ModelDouble:
    identity = ModelIdentity("ollama", "model double")
    context_tokens = 4096


@pytest.fixture
def chosen(monkeypatch) -> list[tuple[str, bool]]:
    """(spec, allow_remote) of every language model that was opened; Ollama does not answer."""
    opened: list[tuple[str, bool]] = []

    def choose(spec: str, *, allow_remote: bool = False) -> ModelDouble:
        opened.append((spec, allow_remote))
        return ModelDouble()

    monkeypatch.setattr("ctxpriv.models.choose.choose", choose)
    monkeypatch.setattr("ctxpriv.models.choose.choose_embedder", lambda spec: EmbedderDouble())
    monkeypatch.setattr(
        "ctxpriv.models.choose.discover",
        lambda allow_remote=False: [
            Found("language model", "ollama", "Ollama", False, "does not answer", True),
            Found("language model", "embedded", "SmolLM2", True, "installed", True),
        ],
    )
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    return opened


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def test_without_a_server_everything_is_local_and_no_model_is_opened(workspace, chosen) -> None:
    roles = casting.study_roles(ModelChoice(), workspace)
    assert isinstance(roles.generator, DonorRecombiner) and isinstance(roles.classifier, NormsClassifier)
    assert roles.extractor is None and chosen == []
    rewriting = {"rewriter", "privacy_evaluator", "utility_evaluator", "agents"}
    assert set(roles.identities()) == {"embedder", "generator", "classifier", "decoder", *rewriting}
    assert {who["kind"] for role, who in roles.identities().items() if role in rewriting} == {"local"}
    assert roles.adversary is None and roles.mapper is None and roles.judge is None
    assert roles.decoder.identity.name == "template"


def test_with_a_server_the_model_plays(workspace, chosen, monkeypatch) -> None:
    monkeypatch.setattr(
        "ctxpriv.models.choose.discover",
        lambda allow_remote=False: [Found("language model", "ollama:llama", "llama", True, "has it", True)],
    )
    roles = casting.study_roles(ModelChoice(), workspace)
    assert isinstance(roles.generator, ModelGenerator) and isinstance(roles.classifier, ModelClassifier)
    # Metrics stay comparable from run to run: the evaluation's extractor is trained unless asked otherwise.
    assert roles.extractor is None
    assert isinstance(roles.rewriter, ModelRewriter) and isinstance(roles.agents, ModelThreeAgents)
    assert isinstance(roles.privacy_evaluator, ModelGuesser) and roles.adversary is not None
    # One object for all roles, so that their prompts can share a batch.
    assert roles.rewriter.model is roles.privacy_evaluator.model is roles.adversary
    assert isinstance(roles.decoder, ModelDecoder)
    assert roles.decoder.identity == roles.adversary.identity
    assert roles.mapper is roles.judge is roles.adversary
    assert chosen == [("auto", False)]


def test_roles_of_rewriting_may_have_models_of_their_own(workspace, chosen) -> None:
    choice = ModelChoice(
        "embedded",
        rewriter="gguf:some.gguf",
        utility_evaluator="model",
        adversary="openai:m@http://gpu.example:8000/v1",
        trusted_hosts=("gpu.example",),
    )
    roles = casting.study_roles(choice, workspace)
    assert roles.agents.model is roles.rewriter.model is not roles.utility_evaluator.model
    assert isinstance(roles.privacy_evaluator, ClassifierGuesser)
    assert chosen == [
        ("gguf:some.gguf", False),
        ("embedded", False),
        ("openai:m@http://gpu.example:8000/v1", True),
    ]
    with pytest.raises(BadInput, match="models, rewriter"):
        ModelChoice(rewriter="nobody")
    with pytest.raises(BadInput, match="models, classifier"):
        ModelChoice(classifier="gguf:some.gguf")


def test_roles_of_summaries_may_have_models_of_their_own(workspace, chosen) -> None:
    choice = ModelChoice("embedded", decoder="gguf:some.gguf", judge="model")
    roles = casting.study_roles(choice, workspace)
    assert isinstance(roles.decoder, ModelDecoder) and roles.judge is not None and roles.mapper is None
    assert chosen == [("gguf:some.gguf", False), ("embedded", False)]
    local = casting.study_roles(ModelChoice("ollama:llama", decoder="local", mapper="local"), workspace)
    assert isinstance(local.decoder, TemplateDecoder) and local.mapper is None and local.judge is not None


def test_an_explicit_choice_is_honoured(workspace, chosen) -> None:
    choice = ModelChoice("embedded", generator="model", extractor="model", classifier="local")
    roles = casting.study_roles(choice, workspace)
    assert isinstance(roles.generator, ModelGenerator) and isinstance(roles.extractor, ModelExtractor)
    assert isinstance(roles.classifier, NormsClassifier) and chosen == [("embedded", False)]
    roles = casting.study_roles(ModelChoice("ollama:llama", generator="local"), workspace)
    assert isinstance(roles.generator, DonorRecombiner) and isinstance(roles.classifier, ModelClassifier)


def test_a_model_that_the_user_named_plays_the_auto_roles(workspace, chosen) -> None:
    assert isinstance(casting.study_roles(ModelChoice("gguf:some.gguf"), workspace).generator, ModelGenerator)
    assert isinstance(casting.study_roles(ModelChoice("embedded"), workspace).generator, DonorRecombiner)


def test_no_model_and_a_role_for_one_is_a_contradiction(workspace, chosen) -> None:
    with pytest.raises(BadInput, match='language model is "none"'):
        casting.study_roles(ModelChoice("none", generator="model"), workspace)
    assert isinstance(casting.study_roles(ModelChoice("none"), workspace).generator, DonorRecombiner)


@pytest.mark.parametrize(
    "spec, hosts, allowed",
    [
        ("openai:m@http://gpu.example:8000/v1", (), False),
        ("openai:m@http://gpu.example:8000/v1", ("gpu.example",), True),
        ("openai:m@http://gpu.example:8000/v1", ("gpu.example:8000",), True),
        ("openai:m@http://gpu.example:8000/v1", ("gpu.example:9000", "other.example"), False),
        ("ollama:m@http://gpu.example:11434", ("gpu.example",), True),
        ("ollama:m", ("gpu.example",), False),
    ],
)
def test_texts_go_to_other_hosts_only_when_these_were_named(workspace, chosen, spec, hosts, allowed) -> None:
    casting.study_roles(ModelChoice(spec, generator="model", trusted_hosts=hosts), workspace)
    assert chosen == [(spec, allowed)]
