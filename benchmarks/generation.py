"""How much of the engine's raw batched speed a generation stage reaches, in one run.

Raw: the engine's own `generate` over a list of prompts, nothing of ctxpriv in between. Stage:
`ModelGenerator.write`, from rows to cleaned texts, over the same prompts and settings. The two
take turns; tokens a second are compared, so that answers of different length do not matter.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from ctxpriv.casting import EXAMPLES_FOR_A_STAND_IN, WORDS_FOR_A_STAND_IN
from ctxpriv.loaders.samples import load_sample
from ctxpriv.models.base import Answer, Prompt
from ctxpriv.models.genai import import_genai
from ctxpriv.models.openvino import TOP_K, OpenVINOModel
from ctxpriv.models.weights import SMOLLM2, shipped_path
from ctxpriv.privatize.sdg.write_by_model import ModelGenerator

TEXTS = 32  # one window: a half-filled second one would slow both sides alike
TURNS = 3
WINDOW = 32


class Recording:
    """The embedded model, keeping the prompts and answers that pass through it."""

    def __init__(self, model: OpenVINOModel) -> None:
        self._model = model
        self.prompts: Sequence[Prompt] = ()
        self.answers: Sequence[Answer] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def complete(self, prompts: Sequence[Prompt], **options: Any) -> list[Answer]:
        self.prompts, self.answers = prompts, self._model.complete(prompts, **options)
        return list(self.answers)


def measure() -> Iterator[tuple[str, float | None, str]]:
    corpus = load_sample("forum")
    donated = corpus.donated()
    rows = corpus.table.iloc[:TEXTS]
    model = Recording(OpenVINOModel(window=WINDOW))
    # As the app plays this model.
    generator = ModelGenerator(model, examples=EXAMPLES_FOR_A_STAND_IN, most_words=WORDS_FOR_A_STAND_IN)
    generator.write(rows.iloc[:4], donated, seed=0)  # load the weights, warm the caches
    stage, raw = [], []
    engine = _raw_engine()
    for turn in range(TURNS):
        started = time.perf_counter()
        generator.write(rows, donated, seed=turn)
        seconds = time.perf_counter() - started
        stage.append(sum(a.completion_tokens for a in model.answers) / seconds)
        raw.append(_raw_speed(engine, model.prompts))
    yield "generation.raw_tokens_per_second", median(raw), f"the engine alone, batch of {WINDOW}"
    yield "generation.stage_tokens_per_second", median(stage), f"{TEXTS} texts written from rows"
    share = median(s / r for s, r in zip(stage, raw, strict=True))
    yield "generation.share_of_engine", share, f"median of {TURNS} pairs"


def _raw_engine() -> Any:
    genai = import_genai()
    scheduler = genai.SchedulerConfig()
    scheduler.max_num_seqs = WINDOW
    scheduler.max_num_batched_tokens = 2048
    scheduler.cache_size = 0
    scheduler.enable_prefix_caching = False
    return genai.ContinuousBatchingPipeline(str(shipped_path(SMOLLM2)), scheduler, "CPU")


def _raw_speed(engine: Any, prompts: Sequence[Prompt]) -> float:
    genai = import_genai()
    texts, settings = [], []
    for prompt in prompts:
        config = genai.GenerationConfig()
        config.max_new_tokens = prompt.max_tokens
        config.set_eos_token_id(engine.get_tokenizer().get_eos_token_id())
        config.do_sample, config.temperature, config.top_k = True, prompt.temperature, TOP_K
        config.rng_seed = prompt.seed % 2**31
        settings.append(config)
        turns = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        texts.append(engine.get_tokenizer().apply_chat_template(turns, add_generation_prompt=True))
    tokens = [engine.get_tokenizer().encode(t, add_special_tokens=False).input_ids for t in texts]
    started = time.perf_counter()
    results = engine.generate(tokens, settings)
    seconds = time.perf_counter() - started
    return sum(len(r.m_generation_ids[0]) for r in results) / seconds
