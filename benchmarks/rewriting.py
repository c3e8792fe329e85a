"""What the rewriting loop costs beside the model, and how much of the engine's raw speed it reaches.

The embedded model plays every role on forum records. Bookkeeping is all of the run that is not spent
inside the model: prompts, parsing, matching, storing. Raw: the engine's own `generate` over the very
prompts of the run, JSON forms included, in batches as large as the loop's.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.engine import RawEngine, Recording
from ctxpriv.casting import FIELDS_PER_CALL_OF_A_STAND_IN
from ctxpriv.extract.guess_by_model import ModelGuesser
from ctxpriv.loaders.samples import load_sample, sample
from ctxpriv.models.base import Prompt
from ctxpriv.models.choose import choose_embedder
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.anon.by_model import ModelRewriter
from ctxpriv.privatize.anon.methods import AnonCI
from ctxpriv.roles import Roles
from ctxpriv.run_store import FolderCheckpoint

RECORDS, ROUNDS = 32, 1


def measure() -> Iterator[tuple[str, float | None, str]]:
    corpus = load_sample("forum")
    partition = sample("forum").presets[0].partition
    model = Recording()
    model.complete([Prompt("Say yes.", max_tokens=4)])  # load the weights
    model.taken()
    # As the app plays this model, but without the cache of answers.
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
    told = f"{RECORDS} records, {ROUNDS} round, {used['calls']} calls, {wall:.0f} s"
    yield "anon.bookkeeping_share", 1 - used["model_seconds"] / wall, told
    yield "anon.records_per_minute", 60 * RECORDS / wall, "the embedded model in every role"
    batches, tokens = model.taken()
    raw = RawEngine().tokens_per_second(batches)
    yield "anon.share_of_engine", tokens / wall / raw, f"tokens a second; the engine alone makes {raw:.0f}"
