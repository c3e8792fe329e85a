"""Who plays which role, from a `ModelChoice` (DESIGN section 9).

"auto" is the language model where a server or a model the user named can be used, and the
local counterpart where there is only the small embedded stand-in: it cannot infer or rewrite,
and a comparison must not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ctxpriv.errors import BadInput
from ctxpriv.model_choice import ModelChoice
from ctxpriv.models.base import Embedder, LanguageModel
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.rewriting_roles import Guesser, Rewriter, ThreeAgents
from ctxpriv.roles import CIClassifier, Extractor, Roles, TextGenerator

if TYPE_CHECKING:
    from ctxpriv.corpus import Corpus
    from ctxpriv.privatize.spin.decoder import Decoder
    from ctxpriv.workspace import Workspace

STAND_IN = "embedded"
FIELDS_PER_CALL_OF_A_STAND_IN = 3
EXAMPLES_FOR_A_STAND_IN = 1  # it ignores most of a long prompt, and reading prompts is half of its time
WORDS_FOR_A_STAND_IN = 30  # it repeats itself after a few sentences, at 400 tokens a second on two cores


def study_roles(choice: ModelChoice, workspace: Workspace) -> Roles:
    """The players of a study; answers and vectors are cached in the workspace.

    The extractor is a model only where `choice.extractor` says "model": else evaluation trains
    its own on the private split, the same for both sides. Raises ModelFailed when a model
    cannot be used, BadInput when the choice contradicts itself.
    """
    company = _Company(choice, workspace)
    extractor = company.model_extractor() if choice.extractor == "model" else None
    return company.roles(extractor)


def roles_for(
    choice: ModelChoice,
    workspace: Workspace,
    corpus: Corpus,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Roles:
    """As `study_roles`, with an extractor that can read values from new texts at once.

    The local one is trained on the donated split, so that it has seen no private record.
    """
    company = _Company(choice, workspace)
    extractor = company.extractor(corpus, progress, cancel)
    return company.roles(extractor)


@dataclass
class _Company:
    """The models behind one choice, opened when first needed."""

    choice: ModelChoice
    workspace: Workspace
    _models: dict[str, LanguageModel] = field(default_factory=dict)
    embedder: Embedder = field(init=False)

    def __post_init__(self) -> None:
        from ctxpriv.models.cache import CachedEmbedder
        from ctxpriv.models.choose import choose_embedder

        self.embedder = CachedEmbedder(
            choose_embedder(self.choice.embedder), self.workspace.cache_file("vectors.sqlite")
        )

    def roles(self, extractor: Extractor | None) -> Roles:
        return Roles(
            self.embedder,
            self.generator(),
            extractor,
            self.classifier(),
            self.rewriter(),
            self.guesser("privacy_evaluator"),
            self.guesser("utility_evaluator"),
            self.agents(),
            self._cast("adversary", lambda model, small: model, lambda: None),
            self.decoder(),
            self._cast("mapper", lambda model, small: model, lambda: None),
            self._cast("judge", lambda model, small: model, lambda: None),
        )

    def model(self, spec: str | None = None) -> LanguageModel:
        """One object per model, so that roles that share it can share a batch."""
        spec = spec or self.choice.language_model
        if spec not in self._models:
            from ctxpriv.models.cache import CachedModel
            from ctxpriv.models.choose import choose

            if spec == "none":
                raise BadInput(
                    'a role is to be played by a model, but the language model is "none".',
                    where="models",
                    fix='Choose a language model, or "local" for every role.',
                )
            self._models[spec] = CachedModel(
                choose(spec, allow_remote=trusted(self.choice, spec)),
                self.workspace.cache_file("answers.sqlite"),
            )
        return self._models[spec]

    def generator(self) -> TextGenerator:
        from ctxpriv.privatize.sdg.write_by_model import ModelGenerator
        from ctxpriv.privatize.sdg.write_local import DonorRecombiner

        def by_model() -> TextGenerator:
            if self._is_stand_in():
                return ModelGenerator(
                    self.model(), examples=EXAMPLES_FOR_A_STAND_IN, most_words=WORDS_FOR_A_STAND_IN
                )
            return ModelGenerator(self.model())

        return self._play(self.choice.generator, by_model, lambda: DonorRecombiner(self.embedder))

    def classifier(self) -> CIClassifier:
        from ctxpriv.classify.by_model import ModelClassifier
        from ctxpriv.classify.by_norms import NormsClassifier

        return self._play(
            self.choice.classifier,
            lambda: ModelClassifier(self.model(), one_by_one=self._is_stand_in()),
            NormsClassifier,
        )

    def model_extractor(self) -> Extractor:
        from ctxpriv.extract.by_model import ModelExtractor

        fields = FIELDS_PER_CALL_OF_A_STAND_IN if self._is_stand_in() else None
        return ModelExtractor(self.model(), fields_per_call=fields)

    def extractor(self, corpus: Corpus, progress: Progress, cancel: CancelToken) -> Extractor | None:
        """None where nothing is donated to train a local one on."""
        from ctxpriv.extract.by_classifier import ClassifierExtractor

        def local() -> Extractor | None:
            donated = corpus.donated()
            if not len(donated):
                return None
            return ClassifierExtractor.train(
                donated.texts, donated.values, donated.schema, self.embedder, progress=progress, cancel=cancel
            )

        return self._play(self.choice.extractor, self.model_extractor, local)

    def rewriter(self) -> Rewriter:
        from ctxpriv.privatize.anon.by_model import ModelRewriter
        from ctxpriv.privatize.anon.local_rewriter import SpanGeneraliser

        return self._cast(
            "rewriter",
            lambda model, small: ModelRewriter(model, brief_prompt=small),
            lambda: SpanGeneraliser(self.embedder),
        )

    def agents(self) -> ThreeAgents:
        """Whoever rewrites plays the three agents as well."""
        from ctxpriv.privatize.anon.agents_by_model import ModelThreeAgents
        from ctxpriv.privatize.anon.local_agents import LocalThreeAgents

        return self._cast(
            "rewriter", lambda model, small: ModelThreeAgents(model), lambda: LocalThreeAgents(self.embedder)
        )

    def decoder(self) -> Decoder:
        from ctxpriv.privatize.spin.decode_by_model import ModelDecoder
        from ctxpriv.privatize.spin.template import TemplateDecoder

        return self._cast("decoder", lambda model, small: ModelDecoder(model), TemplateDecoder)

    def guesser(self, role: str) -> Guesser:
        """The privacy or the utility evaluator."""
        from ctxpriv.extract.guess_by_classifier import ClassifierGuesser
        from ctxpriv.extract.guess_by_model import ModelGuesser

        return self._cast(
            role,
            lambda model, small: ModelGuesser(model, FIELDS_PER_CALL_OF_A_STAND_IN if small else None),
            lambda: ClassifierGuesser(self.embedder),
        )

    def _cast(
        self, role: str, by_model: Callable[[LanguageModel, bool], Any], local: Callable[[], Any]
    ) -> Any:
        """A role of rewriting, which may have a model of its own; `by_model` is told whether it is the
        small stand-in."""
        player = getattr(self.choice, role)
        if player == "auto":
            player = "model" if serves_a_model(self.choice) else "local"
        if player == "local":
            return local()
        spec = self.choice.model_for(role)
        model = self.model(spec)
        return by_model(model, model.identity.kind == "openvino" and not spec.startswith("gguf:"))

    def _play(self, player: str, by_model: Callable, local: Callable):
        if player == "auto":
            player = "model" if serves_a_model(self.choice) else "local"
        return by_model() if player == "model" else local()

    def _is_stand_in(self) -> bool:
        return self.model().identity.kind == "openvino" and not self.choice.language_model.startswith("gguf:")


def serves_a_model(choice: ModelChoice) -> bool:
    """Whether "auto" roles go to the language model: a server answers, or the user named one."""
    from ctxpriv.models.choose import discover

    if choice.language_model in ("none", STAND_IN):
        return False
    if choice.language_model != "auto":
        return True
    found = discover(allow_remote=trusted(choice))
    return any(f.reachable and f.spec.startswith("ollama:") for f in found)


def trusted(choice: ModelChoice, spec: str | None = None) -> bool:
    """Whether the host that `spec` (default: the language model) leads to is one that the user confirmed,
    by host or host:port."""
    from ctxpriv.models.ollama_library import usual_host

    _, at, url = (spec or choice.language_model).rpartition("@")
    parts = urlsplit(url if at and "://" in url else usual_host())
    return bool({parts.hostname, f"{parts.hostname}:{parts.port}"} & set(choice.trusted_hosts))
