"""Any server that speaks /v1/chat/completions: vLLM, llama-server, LM Studio."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import httpx

from ctxpriv.errors import ModelFailed
from ctxpriv.models.base import Answer, ModelIdentity, Prompt, Speed
from ctxpriv.models.judging import (
    ATTEMPTS,
    RETRYABLE,
    estimated_prompt_tokens,
    estimated_tokens,
    judge,
    varied,
    was_truncated,
)
from ctxpriv.models.meter import Meter, warm_up
from ctxpriv.models.places import check_place, place
from ctxpriv.models.pool import Ask, answer_all, ignore
from ctxpriv.models.waiting import BUSY, backoff, connect_timeouts
from ctxpriv.progress import NEVER, CancelToken, Progress, silent


class OpenAICompatibleModel:
    """One model of an OpenAI-compatible server behind the `LanguageModel` protocol.

    `base_url` ends before /chat/completions ("http://127.0.0.1:8000/v1"; a missing /v1 is
    added). `api_key_env` names the environment variable that holds the key; the key itself
    is never stored, logged or shown. `context_tokens` is what the server was started with
    (vLLM reports it, then the smaller counts). `timeout` (s) bounds one whole answer.

    Ollama's own /v1 cannot set the context size: use `OllamaModel` for it.

    Raises ModelFailed when the server does not answer, does not serve `model`, the key is
    missing, or the host is another machine and `allow_remote` is false.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key_env: str | None = None,
        context_tokens: int = 4096,
        parallel: int = 4,
        timeout: float = 300.0,
        allow_remote: bool = False,
    ) -> None:
        if parallel < 1 or context_tokens < 256:
            raise ModelFailed("An OpenAI-compatible model needs parallel >= 1 and context_tokens >= 256.")
        check_place(base_url, allow_remote)
        trimmed = base_url.rstrip("/")
        self._url = trimmed if trimmed.endswith("/v1") else f"{trimmed}/v1"
        self._model, self._parallel, self._timeout = model, parallel, timeout
        self._key_env = api_key_env
        self._forbid_thinking = False
        self._meter = Meter()
        self._context = min(context_tokens, self._served_context() or context_tokens)

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("openai-compatible", self._model, "", place(self._url))

    @property
    def context_tokens(self) -> int:
        return self._context

    def count_tokens(self, text: str) -> int:
        """An upper estimate: the protocol has no tokenizer."""
        return estimated_tokens(text)

    def speed(self) -> Speed:
        """From the calls so far, else from a warm-up batch."""
        return self._meter.speed() if self._meter.calls else warm_up(self, self._meter, self._parallel)

    def complete(
        self,
        prompts: Sequence[Prompt],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
        stage: str = "model calls",
    ) -> list[Answer]:
        """See `LanguageModel`."""
        return self.complete_each(prompts, ignore, progress=progress, cancel=cancel, stage=stage)

    def complete_each(
        self,
        prompts: Sequence[Prompt],
        on_answer: Callable[[int, Answer], None],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
        stage: str = "model calls",
    ) -> list[Answer]:
        """See `AnswersAsTheyCome`."""
        start = time.perf_counter()
        answers = answer_all(
            self._session,
            prompts,
            on_answer,
            parallel=self._parallel,
            progress=progress,
            cancel=cancel,
            stage=stage,
        )
        self._meter.add(
            tokens=sum(a.completion_tokens for a in answers),
            calls=len(answers),
            seconds=time.perf_counter() - start,
            batch=self._parallel,
        )
        return answers

    def _headers(self) -> dict[str, str]:
        if self._key_env is None:
            return {}
        key = os.environ.get(self._key_env)
        if not key:
            raise ModelFailed(
                f"The environment variable {self._key_env}, which should hold the key of the "
                f"model server at {place(self._url)}, is not set."
            )
        return {"Authorization": f"Bearer {key}"}

    def _served_context(self) -> int:
        """Checks that the server is there and serves the model; its context size where told, else 0."""
        try:
            with httpx.Client(trust_env=False, follow_redirects=False, timeout=10.0) as client:
                reply = client.get(f"{self._url}/models", headers=self._headers())
                reply.raise_for_status()
                entries = [entry for entry in reply.json()["data"] if isinstance(entry, dict)]
        except httpx.HTTPStatusError as error:
            raise ModelFailed(
                f"The model server at {place(self._url)} refused /v1/models "
                f"(HTTP {error.response.status_code}). Check the address and the key."
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
            raise ModelFailed(
                f"No OpenAI-compatible server answers at {place(self._url)}. "
                "Start it, or correct the address."
            ) from None
        entry = next((entry for entry in entries if entry.get("id") == self._model), None)
        if entry is None:
            known = ", ".join(str(entry.get("id")) for entry in entries[:20]) or "none"
            raise ModelFailed(
                f"The server at {place(self._url)} does not serve {self._model} (it has: {known})."
            )
        length = entry.get("max_model_len")
        return length if isinstance(length, int) else 0

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[Ask]:
        # No proxy from the environment, no redirect to another machine.
        async with httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            headers=self._headers(),
            timeout=connect_timeouts(self._timeout),
        ) as client:
            yield partial(self._ask, client)

    async def _ask(self, client: httpx.AsyncClient, prompt: Prompt) -> Answer:
        if estimated_prompt_tokens(prompt) + prompt.max_tokens > self._context:
            return Answer(failure="prompt too long", prompt_tokens=estimated_prompt_tokens(prompt))
        answer = Answer(failure="empty")
        for attempt in range(1, ATTEMPTS + 1):
            answer = replace(await self._send(client, varied(prompt, attempt)), attempts=attempt)
            if answer.failure not in RETRYABLE:
                break
        return answer

    async def _send(self, client: httpx.AsyncClient, prompt: Prompt) -> Answer:
        """One answer, through full queues and dropped connections."""
        trouble = "server error"
        for delay in backoff():
            try:
                async with asyncio.timeout(self._timeout):
                    reply = await client.post(f"{self._url}/chat/completions", json=self._body(prompt))
            except (httpx.ConnectError, httpx.ConnectTimeout):
                trouble = "unreachable"
            except (TimeoutError, httpx.TimeoutException):
                return Answer(failure="timed out")
            except httpx.TransportError:  # dropped while answering
                trouble = "server error"
            else:
                trouble = "server error"
                if reply.status_code == 200:
                    return self._read(prompt, reply)
                if reply.status_code not in BUSY:
                    return Answer(failure=self._explain(reply))
            await asyncio.sleep(delay)
        if trouble == "unreachable":
            raise ModelFailed(
                f"The model server at {place(self._url)} no longer answers. Start it again "
                "and resume; finished answers are kept."
            )
        return Answer(failure=trouble)

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        messages = [{"role": "system", "content": prompt.system}] if prompt.system else []
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [*messages, {"role": "user", "content": prompt.user}],
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
            "seed": prompt.seed,
            "stream": False,
        }
        if prompt.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(prompt.schema)},
            }
        if self._forbid_thinking:  # understood by vLLM and llama-server, ignored elsewhere
            body["chat_template_kwargs"] = {"enable_thinking": False}
        return body

    def _explain(self, reply: httpx.Response) -> str:
        """The failure for a refused request; the server's words may quote the prompt: never repeat them."""
        if reply.status_code in (401, 403):
            raise ModelFailed(
                f"The model server at {place(self._url)} refused the key (HTTP {reply.status_code})."
            )
        if reply.status_code == 404:
            raise ModelFailed(f"The model server at {place(self._url)} no longer serves {self._model}.")
        words = reply.text.lower()
        if (
            reply.status_code in (400, 413)
            and "context" in words
            and ("length" in words or "exceed" in words)
        ):
            return "prompt too long"
        return "server error"

    def _read(self, prompt: Prompt, reply: httpx.Response) -> Answer:
        try:
            value = reply.json()
            choice = value["choices"][0]
            message = choice["message"]
            text = message.get("content") or ""
            usage = value.get("usage") or {}
            read, written = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            return Answer(failure="server error")
        if was_truncated(prompt, read):
            return Answer(text=text, failure="prompt too long", prompt_tokens=read, completion_tokens=written)
        if not text.strip() and (message.get("reasoning_content") or message.get("reasoning")):
            self._forbid_thinking = True
        cut = choice.get("finish_reason") == "length"
        return judge(prompt, text, cut=cut, prompt_tokens=read, completion_tokens=written)
