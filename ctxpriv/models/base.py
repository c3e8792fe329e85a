"""Language models and embedders behind two small protocols (DESIGN section 9).

Adapters live beside this file: `ollama.py`, `openai_compatible.py`, `openvino.py`
(embedded model or any GGUF file), `minilm.py` (the embedded embedder).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ctxpriv.progress import NEVER, CancelToken, Progress, silent


@dataclass(frozen=True)
class ModelIdentity:
    """What is named on every result: which model, at which place, of which weights."""

    kind: str  # "ollama" | "openai-compatible" | "openvino" | "sentence-transformers" | "local"
    name: str  # "llama3.1:8b", "SmolLM2-135M-Instruct", "donor recombination"
    digest: str = ""  # of the weights where known
    place: str = "this machine"  # host of the endpoint, for people

    def to_dict(self) -> dict[str, str]:
        return {"kind": self.kind, "name": self.name, "digest": self.digest, "place": self.place}


@dataclass(frozen=True)
class Prompt:
    """One question. `schema` is a JSON schema that the answer must satisfy.

    An answer stopped by `max_tokens` is the failure "cut off", unless `allow_cut`: then a
    free text (never one with a schema) is accepted, trimmed after its last whole sentence.
    """

    user: str
    system: str = ""
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 256
    temperature: float = 0.0
    seed: int = 0  # differs per prompt of a batch, or all sampled answers would be alike
    allow_cut: bool = False


@dataclass(frozen=True)
class Answer:
    """An answer or a failure, never a mixture: `failure` is "" exactly when it is usable.

    `failure` is one of: "empty", "cut off", "prompt too long", "not JSON",
    "schema violated", "timed out", "server error", "unreachable".
    `parsed` holds the JSON value when the prompt had a schema.
    """

    text: str = ""
    parsed: Any = None
    failure: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    attempts: int = 1
    cached: bool = False

    @property
    def ok(self) -> bool:
        return not self.failure


@dataclass(frozen=True)
class Speed:
    """Measured, not assumed: from a short warm-up batch or from the calls so far."""

    tokens_per_second: float
    batch: int
    measured_on: str = field(default="")  # "warm-up of 32 prompts", "412 calls"


class LanguageModel(Protocol):
    """`complete` answers many prompts, in order, one `Answer` each.

    It raises `Cancelled` when cancelled and `ModelFailed` only when the model is gone
    for good (no server, weights unreadable); trouble with one prompt is that prompt's
    `Answer.failure`, after a bounded number of attempts.
    """

    @property
    def identity(self) -> ModelIdentity: ...

    @property
    def context_tokens(self) -> int: ...

    def complete(
        self,
        prompts: Sequence[Prompt],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
        stage: str = "model calls",
    ) -> list[Answer]: ...

    def count_tokens(self, text: str) -> int: ...

    def speed(self) -> Speed: ...


@runtime_checkable
class AnswersAsTheyCome(Protocol):
    """A `LanguageModel` that also hands over each answer the moment it is final.

    `on_answer(index, answer)` is called once per finished prompt, in any order, from the
    calling thread; answers handed over before a cancel or a crash are not lost.
    """

    def complete_each(
        self,
        prompts: Sequence[Prompt],
        on_answer: Callable[[int, Answer], None],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
        stage: str = "model calls",
    ) -> list[Answer]: ...


class Embedder(Protocol):
    """`embed` maps n texts to float32 unit vectors of shape (n, dimension)."""

    @property
    def identity(self) -> ModelIdentity: ...

    @property
    def dimension(self) -> int: ...

    def embed(
        self,
        texts: Sequence[str],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> np.ndarray: ...
