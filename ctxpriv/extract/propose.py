"""A schema proposed by a language model that reads no private text (paper App. A.1, after ACTG).

The model gets a description of the texts, what the table is for, the number of features
and, if wanted, donated examples. It costs no privacy.
"""

from __future__ import annotations

import time

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.asking import MOST_ATTRIBUTES, Task, ask_features, require_described
from ctxpriv.models.base import LanguageModel
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Schema
from ctxpriv.schema_proposal import SchemaProposal

EXAMPLES_SHOWN = 4
EXAMPLE_WORDS = 120


def propose_schema(
    model: LanguageModel,
    description: str,
    workload: str,
    k: int = 8,
    examples: DonatedExamples | None = None,
    *,
    stepwise: bool | None = None,
    guided: bool | None = None,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> SchemaProposal:
    """Ask for k categorical features; the result's attributes have provenance "prompted".

    `stepwise`, `guided`: see `ask_features`. Raises BadInput without a description or workload and
    ModelFailed when no usable feature came back.
    """
    require_described(description, workload)
    if not 1 <= k <= MOST_ATTRIBUTES:
        told = f"asks for {k} attributes; 1 to {MOST_ATTRIBUTES} make sense."
        raise BadInput(told, where="schema proposal")
    start = time.perf_counter()
    task = Task("schema_whole", description.strip(), workload.strip(), _shown(examples), k, k, seed=seed)
    found, problems = ask_features(model, task, stepwise, guided, progress, cancel)
    if len(found) < k:
        problems.append(f"{len(found)} of the {k} features asked for are usable.")
    return SchemaProposal(
        "prompted",
        Schema(tuple(found)),
        tuple(problems),
        model.identity.to_dict(),
        seconds=time.perf_counter() - start,
        facts={"asked": k, "donated_examples": min(len(examples or ()), EXAMPLES_SHOWN)},
    )


def _shown(examples: DonatedExamples | None) -> str:
    if examples is None or not len(examples):
        return ""
    texts = (" ".join(t.split()[:EXAMPLE_WORDS]) for t in examples.texts[:EXAMPLES_SHOWN])
    return render("schema_examples", texts="\n".join(f"- {text}" for text in texts)) + "\n"
