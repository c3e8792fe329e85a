"""What an Ollama server has: its models, their facts, and pulling one when asked to."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Any

import httpx
import ollama

from ctxpriv.errors import ModelFailed
from ctxpriv.models.places import check_place, place
from ctxpriv.models.pool import POLL_SECONDS, run_cancellable
from ctxpriv.models.waiting import connect_timeouts
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

PORT = 11434


@dataclass(frozen=True)
class OllamaTag:
    """One entry of /api/tags; `size` in bytes, `remote_host` of a model that runs elsewhere."""

    name: str
    digest: str = ""
    size: int = 0
    modified: str = ""
    remote_host: str = ""
    families: tuple[str, ...] = ()

    @property
    def cloud(self) -> bool:
        """Whether prompts would leave for a third party, though the server is local."""
        tag = self.name.rpartition(":")[2]
        return (
            bool(self.remote_host)
            or tag == "cloud"
            or self.name.endswith("-cloud")
            or (self.name.partition(":")[0].endswith("-cloud"))
        )

    @property
    def embeds_only(self) -> bool:
        return any("bert" in family for family in self.families) or "embed" in self.name


@dataclass(frozen=True)
class OllamaFacts:
    """From /api/show: the longest context the weights support (0 unknown), what the model can do."""

    context_tokens: int = 0
    capabilities: frozenset[str] = field(default_factory=frozenset)


def usual_host(host: str | None = None) -> str:
    """Base URL of the server: `host`, else OLLAMA_HOST, else port 11434 of this machine.

    OLLAMA_HOST is also what the server binds: 0.0.0.0 there means this machine here.
    """
    given = (host or os.environ.get("OLLAMA_HOST") or "").strip().rstrip("/")
    bare = "://" not in given
    url = httpx.URL(
        f"http://{given or '127.0.0.1'}"
        if not given.startswith(":") and bare
        else f"http://127.0.0.1{given}"
        if bare
        else given
    )
    if url.host in ("0.0.0.0", "::", ""):
        url = url.copy_with(host="127.0.0.1")
    if url.port is None and bare:
        url = url.copy_with(port=PORT)
    return str(url).rstrip("/")


def _request(method: str, host: str, path: str, body: Any = None, seconds: float = 10.0) -> Any:
    """Raw JSON of the server: the official client drops the field `remote_host`."""
    try:
        with httpx.Client(trust_env=False, follow_redirects=False, timeout=seconds) as client:
            reply = client.request(method, host + path, json=body)
            reply.raise_for_status()
            value = reply.json()
    except httpx.HTTPStatusError as error:
        raise ModelFailed(
            f"Ollama at {place(host)} refused {path} (HTTP {error.response.status_code})."
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        raise ModelFailed(
            f"No Ollama answers at {place(host)} ({path}). Start it with `ollama serve`, or set OLLAMA_HOST."
        ) from None
    if not isinstance(value, dict):
        raise ModelFailed(f"What answers at {place(host)} is not Ollama.")
    return value


def list_models(
    host: str | None = None, *, allow_remote: bool = False, seconds: float = 10.0
) -> list[OllamaTag]:
    """Every model the server lists, cloud ones marked. Raises ModelFailed when it does not answer."""
    base = usual_host(host)
    check_place(base, allow_remote)
    listed = _request("GET", base, "/api/tags", seconds=seconds).get("models")
    if not isinstance(listed, list):
        raise ModelFailed(f"What answers at {place(base)} is not Ollama.")
    return [_tag(entry) for entry in listed]


def _tag(entry: dict[str, Any]) -> OllamaTag:
    details = entry.get("details") or {}
    families = details.get("families") or [details.get("family") or ""]
    return OllamaTag(
        name=str(entry.get("model") or entry.get("name") or ""),
        digest=str(entry.get("digest") or ""),
        size=int(entry.get("size") or 0),
        modified=str(entry.get("modified_at") or ""),
        remote_host=str(entry.get("remote_host") or ""),
        families=tuple(str(family) for family in families),
    )


def show_model(host: str, name: str) -> OllamaFacts:
    """Raises ModelFailed for a model that turns out to run elsewhere (the tag list may hide it)."""
    shown = _request("POST", host, "/api/show", {"model": name})
    if shown.get("remote_host"):
        raise ModelFailed(f"{name} is a cloud model: Ollama would send every prompt to another company.")
    lengths = [
        value
        for key, value in (shown.get("model_info") or {}).items()
        if key.endswith(".context_length") and isinstance(value, int)
    ]
    return OllamaFacts(lengths[0] if lengths else 0, frozenset(shown.get("capabilities") or ()))


def pull(
    name: str,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
    *,
    host: str | None = None,
    allow_remote: bool = False,
    stall_seconds: float = 120.0,
) -> None:
    """Downloads a model, only ever because someone asked. The server resumes a stopped pull.

    `progress` gets bytes of the part being fetched, from another thread. Raises Cancelled,
    and ModelFailed when the server refuses or no byte arrives for `stall_seconds`.
    """
    base = usual_host(host)
    check_place(base, allow_remote)
    if OllamaTag(name).cloud:
        raise ModelFailed(f"{name} is a cloud model; there is nothing to pull, and ctxpriv refuses it.")
    run_cancellable(
        lambda: _pull(name, base, progress, stall_seconds), cancel, lambda: time.sleep(POLL_SECONDS)
    )


async def _pull(name: str, base: str, progress: Progress, stall_seconds: float) -> None:
    stalled = ModelFailed(
        f"The pull of {name} stalled: nothing arrived for {stall_seconds:.0f} s. "
        "Pull again; what was fetched is kept by the server."
    )
    client = ollama.AsyncClient(
        base, timeout=connect_timeouts(stall_seconds), trust_env=False, follow_redirects=False
    )
    seen, moved, status = (None, 0), time.monotonic(), ""
    try:
        async for part in await client.pull(name, stream=True):
            status = part.status or ""
            if (part.digest or status, part.completed or 0) != seen:
                seen, moved = (part.digest or status, part.completed or 0), time.monotonic()
                progress("pull model", part.completed or 0, part.total or 0)
            elif time.monotonic() - moved > stall_seconds:
                raise stalled
    except httpx.TimeoutException:
        raise stalled from None
    except ollama.ResponseError as error:
        raise ModelFailed(
            f"Ollama could not pull {name} (HTTP {error.status_code}). Check the name "
            "and the network of the server."
        ) from None
    except (httpx.HTTPError, ConnectionError, ValueError):
        raise ModelFailed(
            f"Ollama at {place(base)} went away during the pull of {name}. "
            "Pull again; what was fetched is kept."
        ) from None
    finally:
        await client.close()
    if status != "success":
        raise ModelFailed(f"The pull of {name} ended without success. Pull again.")
