"""A schema that a language model writes after reading a few private texts (paper App. A.2).

PRIVATE SIDE: every private text is embedded and the chosen ones are shown to the model, which
must therefore run where they may go. No differential privacy: names and values may repeat what one
text says, so the attributes count as read off the private records (provenance "observed") and
the card of a release says so.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.extract.asking import MOST_ATTRIBUTES, Task, answer_tokens, ask_features, require_described
from ctxpriv.extract.cut import cut_to_tokens
from ctxpriv.extract.k_centre import k_centres
from ctxpriv.models.base import Embedder, LanguageModel
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Schema
from ctxpriv.schema_proposal import SchemaProposal

TEXTS_SHOWN = 5  # paper App. A.2: k = 5
MAX_ATTRIBUTES = 20
MAX_VALUES = 15  # `Not stated` comes on top
LEAST_ATTRIBUTES = 4  # a small model left free to stop stops at one
LEAST_TOKENS = 24  # of a text: less tells nothing
OVERHEAD_TOKENS = 64  # chat markers, and cut texts that tokenise a little longer when joined


def schema_from_texts(
    corpus: Corpus,
    model: LanguageModel,
    embedder: Embedder,
    *,
    description: str,
    workload: str,
    k: int = TEXTS_SHOWN,
    max_attributes: int = MAX_ATTRIBUTES,
    stepwise: bool | None = None,
    guided: bool | None = None,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> SchemaProposal:
    """Up to `max_attributes` attributes of 2 to 15 values from `k` private texts.

    The texts are those that k-centre greedy takes among the embeddings of the private split;
    long ones are cut to fit the model's context. `stepwise`, `guided`: see `ask_features`. Raises
    BadInput (nothing described, no private record, a context too short for k texts) and
    ModelFailed when no usable feature came back.
    """
    require_described(description, workload)
    if k < 1 or not 1 <= max_attributes <= MOST_ATTRIBUTES:
        told = f"needs at least one text and 1 to {MOST_ATTRIBUTES} attributes."
        raise BadInput(told, where="schema from texts")
    start = time.perf_counter()
    texts = corpus.part("private").texts
    if not texts:
        raise BadInput("there are no private records.", where="schema from texts", fix="Check the splits.")
    chosen = k_centres(_unit(embedder.embed(texts, progress=progress, cancel=cancel)), k)
    task = Task(
        whole="schema_coding",
        description=description.strip(),
        workload=workload.strip(),
        shown="",
        k=max_attributes,
        at_least=min(LEAST_ATTRIBUTES, max_attributes),
        max_values=MAX_VALUES,
        provenance="observed",
        seed=seed,
    )
    found, problems = ask_features(
        model, _showing(task, model, [texts[i] for i in chosen]), stepwise, guided, progress, cancel
    )
    return SchemaProposal(
        "texts",
        Schema(tuple(found)),
        tuple(problems),
        model.identity.to_dict(),
        seconds=time.perf_counter() - start,
        reads_private=True,
        epsilon=None,
        delta=None,
        rho=None,
        facts={"texts_shown": len(chosen), "max_attributes": max_attributes},
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def _showing(task: Task, model: LanguageModel, texts: Sequence[str]) -> Task:
    """The task with the texts in it, each cut to an equal share of what the question leaves free."""
    question = render(task.whole, max_values=task.max_values, **task.common())
    free = model.context_tokens - answer_tokens(model, task) - model.count_tokens(question) - OVERHEAD_TOKENS
    share = free // len(texts)
    if share < LEAST_TOKENS:
        raise BadInput(
            f"{len(texts)} texts do not fit into the {model.context_tokens} tokens that "
            f"{model.identity.name} can read at once.",
            where="schema from texts",
            fix="Show fewer texts or use a model with a longer context.",
        )
    shown = tuple(cut_to_tokens(model, text, share) for text in texts)
    listed = "\n".join(f"- {text}" for text in shown)
    return replace(task, shown=render("schema_texts", texts=listed) + "\n", texts=shown)
