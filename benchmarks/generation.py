"""How much of the engine's raw batched speed a generation stage reaches, in one run.

Raw: the engine's own `generate` over a list of prompts, nothing of ctxpriv in between. Stage:
`ModelGenerator.write`, from rows to cleaned texts, over the same prompts and settings. The two
take turns; tokens a second are compared, so that answers of different length do not matter.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from benchmarks.engine import WINDOW, RawEngine, Recording
from ctxpriv.casting import EXAMPLES_FOR_A_STAND_IN, WORDS_FOR_A_STAND_IN
from ctxpriv.loaders.samples import load_sample
from ctxpriv.privatize.sdg.write_by_model import ModelGenerator

TEXTS = 32  # one window: a half-filled second one would slow both sides alike
TURNS = 3


def measure() -> Iterator[tuple[str, float | None, str]]:
    corpus = load_sample("forum")
    donated = corpus.donated()
    rows = corpus.table.iloc[:TEXTS]
    model = Recording()
    # As the app plays this model.
    generator = ModelGenerator(model, examples=EXAMPLES_FOR_A_STAND_IN, most_words=WORDS_FOR_A_STAND_IN)
    generator.write(rows.iloc[:4], donated, seed=0)  # load the weights, warm the caches
    model.taken()
    stage, raw = [], []
    engine = RawEngine()
    for turn in range(TURNS):
        started = time.perf_counter()
        generator.write(rows, donated, seed=turn)
        seconds = time.perf_counter() - started
        batches, tokens = model.taken()
        stage.append(tokens / seconds)
        raw.append(engine.tokens_per_second(batches))
    yield "generation.raw_tokens_per_second", median(raw), f"the engine alone, batch of {WINDOW}"
    yield "generation.stage_tokens_per_second", median(stage), f"{TEXTS} texts written from rows"
    share = median(s / r for s, r in zip(stage, raw, strict=True))
    yield "generation.share_of_engine", share, f"median of {TURNS} pairs"
