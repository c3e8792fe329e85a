"""Models on an Ollama server, through its official client.

The client and the server have traps (silent truncation, ignored schemas, no time-outs,
cloud models behind localhost); each is met here, see the comments.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import httpx
import ollama

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
from ctxpriv.models.ollama_library import OllamaTag, list_models, show_model, usual_host
from ctxpriv.models.places import check_place, place
from ctxpriv.models.pool import Ask, answer_all, ignore
from ctxpriv.models.waiting import BUSY, backoff, connect_timeouts
from ctxpriv.progress import NEVER, CancelToken, Progress, silent


class OllamaModel:
    """One local Ollama model behind the `LanguageModel` protocol.

    `context_tokens` becomes `num_ctx` of every call (a change would reload the model), cut to
    what the model supports. `parallel` is how many requests are open at once; the server runs
    OLLAMA_NUM_PARALLEL of them. `load_timeout` (s) bounds the wait for the first token, which
    includes loading the model; `timeout` (s) bounds the rest of an answer.

    Raises ModelFailed when the server does not answer, has no such model, the model runs in
    a cloud, or the host is another machine and `allow_remote` is false.
    """

    def __init__(
        self,
        name: str,
        host: str | None = None,
        *,
        context_tokens: int = 4096,
        parallel: int = 1,
        timeout: float = 120.0,
        load_timeout: float = 300.0,
        allow_remote: bool = False,
        keep_alive: str = "10m",
    ) -> None:
        if parallel < 1 or context_tokens < 256:
            raise ModelFailed("An Ollama model needs parallel >= 1 and context_tokens >= 256.")
        self._host = usual_host(host)
        check_place(self._host, allow_remote)
        self._tag = _find_tag(name, list_models(self._host, allow_remote=allow_remote), self._host)
        facts = show_model(self._host, self._tag.name)
        self._context = min(context_tokens, facts.context_tokens or context_tokens)
        # Thinking models would spend the token limit on thinking and answer nothing.
        self._think: bool | None = False if "thinking" in facts.capabilities else None
        self._parallel, self._keep_alive = parallel, keep_alive
        self._timeout, self._load_timeout = timeout, load_timeout
        self._meter = Meter()

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("ollama", self._tag.name, self._tag.digest, place(self._host))

    @property
    def context_tokens(self) -> int:
        return self._context

    def count_tokens(self, text: str) -> int:
        """An upper estimate: Ollama offers no tokenizer."""
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

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[Ask]:
        # The client's defaults would wait for ever, use HTTP_PROXY even for this machine,
        # and follow a redirect to another one.
        client = ollama.AsyncClient(
            self._host, timeout=connect_timeouts(self._load_timeout), trust_env=False, follow_redirects=False
        )
        try:
            yield partial(self._ask, client)
        finally:
            await client.close()

    async def _ask(self, client: ollama.AsyncClient, prompt: Prompt) -> Answer:
        if estimated_prompt_tokens(prompt) + prompt.max_tokens > self._context:
            return Answer(failure="prompt too long", prompt_tokens=estimated_prompt_tokens(prompt))
        answer = Answer(failure="empty")
        for attempt in range(1, ATTEMPTS + 1):
            answer = replace(await self._send(client, varied(prompt, attempt)), attempts=attempt)
            if answer.failure not in RETRYABLE:
                break
        return answer

    async def _send(self, client: ollama.AsyncClient, prompt: Prompt) -> Answer:
        """One answer, through full queues and dropped connections."""
        for delay in backoff():
            try:
                return await self._stream(client, prompt)
            except TimeoutError:
                return Answer(failure="timed out")
            except httpx.TimeoutException as error:
                if not isinstance(error, httpx.ConnectTimeout):
                    return Answer(failure="timed out")
                trouble = "unreachable"
            except (ConnectionError, httpx.ConnectError):
                trouble = "unreachable"
            except (httpx.TransportError, ValueError):  # dropped while answering, half a JSON line
                trouble = "server error"
            except ollama.ResponseError as error:
                trouble = self._explain(error, prompt)
                if error.status_code not in BUSY and trouble != "again":
                    return Answer(failure=trouble)
            await asyncio.sleep(delay)
        if trouble == "unreachable":
            raise ModelFailed(
                f"Ollama at {place(self._host)} no longer answers. Start it again "
                "(`ollama serve`) and resume; finished answers are kept."
            )
        return Answer(failure="server error")

    def _explain(self, error: ollama.ResponseError, prompt: Prompt) -> str:
        """The failure for a refused request; the server's words are never repeated."""
        words = str(error.error).lower()
        if error.status_code == 404:
            raise ModelFailed(
                f"Ollama has no model named {self._tag.name} any more. "
                f"Get it again with `ollama pull {self._tag.name}`."
            )
        if "system memory" in words or "out of memory" in words:
            raise ModelFailed(f"Ollama has too little memory for {self._tag.name}. Choose a smaller model.")
        if error.status_code == 400 and "think" in words and self._think is not None:
            self._think = None
            return "again"
        if "context" in words and ("exceed" in words or "length" in words):
            return "prompt too long"
        return "server error"

    async def _stream(self, client: ollama.AsyncClient, prompt: Prompt) -> Answer:
        chunks = await client.chat(
            model=self._tag.name,
            messages=_messages(prompt),
            stream=True,
            think=self._think,
            format=dict(prompt.schema) if prompt.schema is not None else None,
            options={
                "num_ctx": self._context,
                "num_predict": prompt.max_tokens,
                "temperature": prompt.temperature,
                "seed": prompt.seed,
            },
            keep_alive=self._keep_alive,
        )
        parts: list[str] = []
        thought = False
        last: Any = None
        try:
            async with asyncio.timeout(self._load_timeout):
                last = await anext(chunks, None)
            async with asyncio.timeout(self._timeout):
                while last is not None:
                    parts.append(last.message.content or "")
                    thought = thought or bool(last.message.thinking)
                    if last.done:
                        break
                    last = await anext(chunks, None)
        finally:
            await chunks.aclose()
        if last is None:
            raise httpx.RemoteProtocolError("the stream ended early")
        return self._judge(prompt, "".join(parts), last, thought)

    def _judge(self, prompt: Prompt, text: str, last: Any, thought: bool) -> Answer:
        read, written = last.prompt_eval_count or 0, last.eval_count or 0
        if was_truncated(prompt, read) or read >= self._context - 1:
            return Answer(text=text, failure="prompt too long", prompt_tokens=read, completion_tokens=written)
        if not text.strip() and thought:
            self._think = False  # everything went into the thinking: the next try forbids it
        # Older servers shift the window instead of reporting "length".
        cut = last.done_reason == "length" or read + written >= self._context
        return judge(prompt, text, cut=cut, prompt_tokens=read, completion_tokens=written)


def _messages(prompt: Prompt) -> list[dict[str, str]]:
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": prompt.user}]


def _find_tag(name: str, tags: Sequence[OllamaTag], host: str) -> OllamaTag:
    """Raises ModelFailed for a model that is absent or runs in a cloud."""
    wanted = name if ":" in name else f"{name}:latest"
    tag = next((tag for tag in tags if tag.name == wanted), None)
    if (tag is not None and tag.cloud) or OllamaTag(wanted).cloud:
        raise ModelFailed(
            f"{name} is a cloud model: Ollama would send every prompt to another company. "
            "ctxpriv refuses it; choose a model whose weights are on this machine."
        )
    if tag is None:
        known = ", ".join(tag.name for tag in tags if not tag.cloud) or "none"
        raise ModelFailed(
            f"Ollama at {place(host)} has no model {name} (it has: {known}). "
            f"Get it with `ollama pull {name}`."
        )
    return tag
