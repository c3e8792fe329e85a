"""Which models are reachable, which one a short name means, and a report about both."""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.models.base import Embedder, LanguageModel
from ctxpriv.models.places import is_loopback, place
from ctxpriv.models.weights import MINILM, SMOLLM2, Shipped, check_shipped, shipped_path

SPECS = "auto, embedded, ollama:NAME, ollama:NAME@http://host:port, openai:MODEL@URL or gguf:PATH"
DISCOVERY_SECONDS = 2.0

_shared: dict[tuple[str, ...], object] = {}  # loading weights twice would double their memory
_shared_lock = threading.Lock()


@dataclass(frozen=True)
class Found:
    """One thing looked for. `spec` is what `choose` (or `choose_embedder`) takes for it."""

    role: str  # "language model" | "embedder"
    spec: str
    name: str
    reachable: bool
    why: str
    local: bool  # whether texts stay on this machine


@dataclass(frozen=True)
class DoctorReport:
    """`lines` for people; `ok` when one language model and one embedder can be used."""

    lines: tuple[str, ...]
    ok: bool
    found: tuple[Found, ...]
    language_model: str  # the spec "auto" stands for; "" when there is none
    embedder: str


def discover(*, allow_remote: bool = False) -> list[Found]:
    """Looks at Ollama's usual address (or OLLAMA_HOST) and at the installed weights; loads nothing.

    Ollama's models come first, the most recently fetched at the head: the order of "auto".
    """
    return [
        *_discover_ollama(allow_remote),
        _discover_shipped(
            "language model",
            "embedded",
            SMOLLM2,
            "openvino_genai",
            "a small stand-in: weak at rewriting and inference",
        ),
        _discover_shipped("embedder", "minilm", MINILM, "sentence_transformers", "384 dimensions"),
    ]


def _discover_ollama(allow_remote: bool) -> list[Found]:
    from ctxpriv.models.ollama_library import list_models, usual_host

    host = usual_host()
    local = is_loopback(host)
    try:
        tags = list_models(host, allow_remote=allow_remote, seconds=DISCOVERY_SECONDS)
    except ModelFailed as error:
        return [Found("language model", "ollama", "Ollama", False, str(error), local)]
    found = []
    for tag in sorted(tags, key=lambda tag: tag.modified, reverse=True):
        if tag.embeds_only:
            continue
        why = (
            "a cloud model: refused, it would send prompts to another company"
            if tag.cloud
            else f"Ollama at {place(host)} has it, {tag.size / 1e9:.1f} GB"
        )
        found.append(
            Found(
                "language model", f"ollama:{tag.name}", tag.name, not tag.cloud, why, local and not tag.cloud
            )
        )
    if not any(entry.reachable for entry in found):
        found.append(
            Found(
                "language model",
                "ollama",
                "Ollama",
                False,
                f"Ollama at {place(host)} answers but has "
                "no local model; get one, for instance `ollama pull llama3.1:8b`",
                local,
            )
        )
    return found


def _discover_shipped(role: str, spec: str, weights: Shipped, library: str, note: str) -> Found:
    from importlib.util import find_spec

    try:
        check_shipped(weights, shipped_path(weights))
    except ModelFailed as error:
        return Found(role, spec, weights.name, False, str(error), True)
    if find_spec(library) is None:
        return Found(role, spec, weights.name, False, f"{library} is not installed", True)
    return Found(role, spec, weights.name, True, f"weights installed and checked; {note}", True)


def choose(
    spec: str = "auto", *, allow_remote: bool = False, context_tokens: int = 4096, parallel: int | None = None
) -> LanguageModel:
    """The language model that `spec` names: one of SPECS.

    "auto" is Ollama's most recently fetched local model when it answers, else the embedded
    one; what was taken is in `identity`. `allow_remote` is the user's confirmation that
    prompts may leave this machine; an API key is read from OPENAI_API_KEY for servers
    elsewhere. Raises BadInput for a spec of no known form, ModelFailed when it cannot be used.
    """
    kind, _, rest = spec.strip().partition(":")
    if spec.strip() == "auto":
        taken = _first(discover(allow_remote=allow_remote), "language model")
        return choose(taken, allow_remote=allow_remote, context_tokens=context_tokens, parallel=parallel)
    if spec.strip() == "embedded":
        return _openvino("", context_tokens)
    if kind == "gguf" and rest:
        return _openvino(rest, context_tokens)
    if kind == "ollama" and rest:
        from ctxpriv.models.ollama import OllamaModel

        name, _, host = rest.partition("@")
        return OllamaModel(
            name,
            host or None,
            context_tokens=context_tokens,
            parallel=parallel or 1,
            allow_remote=allow_remote,
        )
    model, _, url = rest.rpartition("@")
    if kind == "openai" and model and url:
        from ctxpriv.models.openai_compatible import OpenAICompatibleModel

        key = "OPENAI_API_KEY" if not is_loopback(url) and os.environ.get("OPENAI_API_KEY") else None
        return OpenAICompatibleModel(
            url,
            model,
            api_key_env=key,
            context_tokens=context_tokens,
            parallel=parallel or 4,
            allow_remote=allow_remote,
        )
    raise BadInput(f'"{spec}" names no language model.', where="model", fix=f"Write {SPECS}.")


def choose_embedder(spec: str = "auto") -> Embedder:
    """The embedder that `spec` names: "auto", "minilm", or a sentence-transformers folder.

    Raises ModelFailed when its weights are missing or changed, BadInput for no such folder.
    """
    from ctxpriv.models.minilm import MiniLM, SentenceTransformersEmbedder

    if spec in ("auto", "minilm"):
        return _once(("minilm",), MiniLM)
    folder = Path(spec).expanduser()
    if not folder.is_dir():
        raise BadInput(
            f'"{spec}" is no folder with an embedder.',
            where="embedder",
            fix="Write auto, minilm, or the path of a sentence-transformers model.",
        )
    return _once(("embedder", str(folder.resolve())), lambda: SentenceTransformersEmbedder(folder))


def _openvino(path: str, context_tokens: int) -> LanguageModel:
    from ctxpriv.models.openvino import OpenVINOModel

    return _once(
        ("gguf", path, str(context_tokens)),
        lambda: OpenVINOModel(path or None, context_tokens=context_tokens),
    )


def _once(key: tuple[str, ...], make: Callable[[], Any]) -> Any:
    """One instance a process: every page and job shares the loaded weights."""
    with _shared_lock:
        if key not in _shared:
            _shared[key] = make()
        return _shared[key]


def _first(found: list[Found], role: str) -> str:
    for entry in found:
        if entry.role == role and entry.reachable:
            return entry.spec
    raise ModelFailed(
        f"No {role} can be used. " + " ".join(entry.why for entry in found if entry.role == role)
    )


def doctor() -> DoctorReport:
    """What is reachable, what "auto" takes and why. Reads weights files, sends no text anywhere."""
    found = discover()
    lines = [f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"]
    for entry in found:
        mark = "yes" if entry.reachable else "no "
        where = "stays on this machine" if entry.local else "LEAVES THIS MACHINE"
        lines.append(f"{mark}  {entry.role}: {entry.name} ({entry.spec}; {where}): {entry.why}")
    chosen = {}
    for role in ("language model", "embedder"):
        entry = next((entry for entry in found if entry.role == role and entry.reachable), None)
        chosen[role] = entry.spec if entry else ""
        lines.append(
            f"{role} in use: {entry.spec} ({_reason(entry)})"
            if entry
            else f"{role} in use: none; see above what to install or start"
        )
    return DoctorReport(
        tuple(lines), all(chosen.values()), tuple(found), chosen["language model"], chosen["embedder"]
    )


def _reason(entry: Found) -> str:
    if entry.spec.startswith("ollama:"):
        return "Ollama answers; this is its most recently fetched local model"
    if entry.spec == "embedded":
        return "no Ollama with a local model answers; one would write and infer much better"
    return "its weights are installed"
