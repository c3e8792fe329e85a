"""The embedded engine by itself, and what passes through ctxpriv's adapter to it: for shares of raw speed."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from ctxpriv.models.base import Answer, Prompt
from ctxpriv.models.genai import import_genai
from ctxpriv.models.openvino import TOP_K, OpenVINOModel
from ctxpriv.models.weights import SMOLLM2, shipped_path

WINDOW = 32


class Recording:
    """The embedded model, keeping every batch of prompts and its answers."""

    def __init__(self) -> None:
        self._model = OpenVINOModel(window=WINDOW)
        self.batches: list[tuple[Sequence[Prompt], Sequence[Answer]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def complete(self, prompts: Sequence[Prompt], **options: Any) -> list[Answer]:
        answers = self._model.complete(prompts, **options)
        self.batches.append((prompts, answers))
        return list(answers)

    def taken(self) -> tuple[list[Sequence[Prompt]], int]:
        """The batches of prompts since the last call, and the tokens of their answers."""
        batches, self.batches = self.batches, []
        tokens = sum(a.completion_tokens for _, answers in batches for a in answers)
        return [prompts for prompts, _ in batches], tokens


class RawEngine:
    """The engine's own `generate`, with nothing of ctxpriv in between."""

    def __init__(self) -> None:
        scheduler = import_genai().SchedulerConfig()
        scheduler.max_num_seqs = WINDOW
        scheduler.max_num_batched_tokens = 2048
        scheduler.cache_size = 0
        scheduler.enable_prefix_caching = False
        path = str(shipped_path(SMOLLM2))
        self._engine = import_genai().ContinuousBatchingPipeline(path, scheduler, "CPU")

    def tokens_per_second(self, batches: Sequence[Sequence[Prompt]]) -> float:
        """Over the same prompts with the same settings, JSON forms included."""
        tokenizer = self._engine.get_tokenizer()
        tokens, seconds = 0, 0.0
        for batch in batches:
            texts = [
                tokenizer.apply_chat_template(
                    [{"role": "system", "content": p.system}, {"role": "user", "content": p.user}],
                    add_generation_prompt=True,
                )
                for p in batch
            ]
            encoded = [tokenizer.encode(t, add_special_tokens=False).input_ids for t in texts]
            settings = [self._settings(p) for p in batch]
            started = time.perf_counter()
            results = self._engine.generate(encoded, settings)
            seconds += time.perf_counter() - started
            tokens += sum(len(r.m_generation_ids[0]) for r in results)
        return tokens / seconds

    def _settings(self, prompt: Prompt) -> Any:
        genai = import_genai()
        config = genai.GenerationConfig()
        config.max_new_tokens = prompt.max_tokens
        config.set_eos_token_id(self._engine.get_tokenizer().get_eos_token_id())
        if prompt.temperature > 0:
            config.do_sample, config.temperature, config.top_k = True, prompt.temperature, TOP_K
            config.rng_seed = prompt.seed % 2**31
        if prompt.schema is not None:
            form = json.dumps(dict(prompt.schema))
            config.structured_output_config = genai.StructuredOutputConfig(json_schema=form)
        return config
