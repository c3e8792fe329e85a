"""What the rewriting loop costs beside the model, and how much of the engine's raw speed it reaches.

The embedded model plays every role on forum records. Bookkeeping is all of the run that is not spent
inside the model: prompts, parsing, matching, storing. Raw: the engine's own `generate` over the very
prompts of the run, JSON forms included, in batches as large as the loop's.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.generation import WINDOW, _raw_engine
from ctxpriv.casting import FIELDS_PER_CALL_OF_A_STAND_IN
from ctxpriv.extract.guess_by_model import ModelGuesser
from ctxpriv.loaders.samples import load_sample, sample
from ctxpriv.models.base import Answer, Prompt
from ctxpriv.models.choose import choose_embedder
from ctxpriv.models.genai import import_genai
from ctxpriv.models.openvino import TOP_K, OpenVINOModel
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.anon.by_model import ModelRewriter
from ctxpriv.privatize.anon.methods import AnonCI
from ctxpriv.roles import Roles
from ctxpriv.run_store import FolderCheckpoint

RECORDS, ROUNDS = 32, 1


class Recording:
    """The embedded model, keeping every batch of prompts and its answers."""

    def __init__(self, model: OpenVINOModel) -> None:
        self._model = model
        self.batches: list[Sequence[Prompt]] = []
        self.tokens = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def complete(self, prompts: Sequence[Prompt], **options: object) -> list[Answer]:
        answers = self._model.complete(prompts, **options)
        self.batches.append(prompts)
        self.tokens += sum(a.completion_tokens for a in answers)
        return answers


def measure() -> Iterator[tuple[str, float | None, str]]:
    corpus = load_sample("forum")
    partition = sample("forum").presets[0].partition
    model = Recording(OpenVINOModel(window=WINDOW))
    model.complete([Prompt("Say yes.", max_tokens=4)])  # load the weights
    model.batches, model.tokens = [], 0
    guesser = ModelGuesser(model, FIELDS_PER_CALL_OF_A_STAND_IN)
    roles = Roles(
        choose_embedder("auto"),
        None,
        rewriter=ModelRewriter(model, brief_prompt=True),
        privacy_evaluator=guesser,
        utility_evaluator=guesser,
    )
    roles.embedder.embed(["load the weights"])
    config = AnonCI(n_records=RECORDS, max_rounds=ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = FolderCheckpoint(Path(folder))
        started = time.perf_counter()
        release = config.run(
            corpus, partition, roles, ledger=Ledger(None), run_id="bench", checkpoint=checkpoint
        )
        wall = time.perf_counter() - started
    used = release.outcome["model"]
    told = f"{RECORDS} records, {ROUNDS} rounds, {used['calls']} calls, {wall:.0f} s"
    yield "anon.bookkeeping_share", 1 - used["model_seconds"] / wall, told
    yield "anon.records_per_minute", 60 * RECORDS / wall, "the embedded model in every role"
    raw_tokens, raw_seconds = _raw(model.batches)
    share = (model.tokens / wall) / (raw_tokens / raw_seconds)
    yield (
        "anon.share_of_engine",
        share,
        f"tokens a second; the engine alone made {raw_tokens} in {raw_seconds:.0f} s",
    )


def _raw(batches: Sequence[Sequence[Prompt]]) -> tuple[int, float]:
    """Tokens and seconds of the engine alone over the same batches."""
    genai, engine = import_genai(), _raw_engine()
    tokenizer = engine.get_tokenizer()
    tokens, seconds = 0, 0.0
    for batch in batches:
        settings, inputs = [], []
        for prompt in batch:
            config = genai.GenerationConfig()
            config.max_new_tokens = prompt.max_tokens
            config.set_eos_token_id(tokenizer.get_eos_token_id())
            if prompt.temperature > 0:
                config.do_sample, config.temperature, config.top_k = True, prompt.temperature, TOP_K
                config.rng_seed = prompt.seed % 2**31
            if prompt.schema is not None:
                form = json.dumps(dict(prompt.schema))
                config.structured_output_config = genai.StructuredOutputConfig(json_schema=form)
            settings.append(config)
            turns = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
            inputs.append(tokenizer.apply_chat_template(turns, add_generation_prompt=True))
        encoded = [tokenizer.encode(t, add_special_tokens=False).input_ids for t in inputs]
        started = time.perf_counter()
        results = engine.generate(encoded, settings)
        seconds += time.perf_counter() - started
        tokens += sum(len(r.m_generation_ids[0]) for r in results)
    return tokens, seconds
