"""Pass 4 of the DP schema construction: from released strings to attributes (paper App. A.3).

RELEASE SIDE: it gets the strings that survived the threshold with their noisy counts, and
cannot reach a corpus. Whatever it makes of them is post-processing and costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxpriv.extract.answers import value_of
from ctxpriv.extract.asking import ask_values
from ctxpriv.extract.features import attributes_from
from ctxpriv.extract.menu import catalogue
from ctxpriv.models.answer_forms import choice_form, object_form, text_form
from ctxpriv.models.base import Embedder, LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Attribute

SAME_BELOW = 0.35
"""Cosine distance, averaged over two groups of names, below which they say the same. With MiniLM,
issue/problem are at 0.17, price/cost at 0.26, city/location at 0.35, but household/home at 0.37
and income/budget at 0.50; what is left, the model may drop."""


@dataclass(frozen=True)
class Finished:
    """`merged`: representative -> the strings it stands for, where there are several."""

    attributes: tuple[Attribute, ...]
    problems: tuple[str, ...]
    merged: Mapping[str, tuple[str, ...]]


def finish(
    released: Mapping[str, int],
    model: LanguageModel,
    embedder: Embedder,
    *,
    description: str,
    workload: str,
    max_attributes: int,
    provenance: str,
    guided: bool,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Finished:
    """At most `max_attributes` attributes from released strings (string -> noisy count).

    Clusters the strings by their embeddings, has the model drop what makes no column, and asks
    it for values. `guided`: the strings are names from the public list, which has descriptions
    and values, so nothing is asked. Nothing released gives no attribute and a problem that says so.
    """
    groups = clusters(released, embedder, progress=progress, cancel=cancel)
    merged = {name: others for name, others in groups.items() if others}
    names = list(groups)[:max_attributes]
    problems = [f"{len(groups)} names survived; the {max_attributes} with the highest counts were used."]
    problems = problems if len(groups) > max_attributes else []
    if not names:
        return Finished((), ("No name reached the threshold.",), {})
    if guided:
        features = [dict(catalogue()[name]) for name in names]
    else:
        kept, said = _filtered(names, model, description, workload, seed, progress, cancel)
        features, more = ask_values(model, description, kept, seed=seed, progress=progress, cancel=cancel)
        problems += [*said, *more]
    for feature in features:
        count = released[feature["name"]]
        feature["rationale"] = f"Named for about {count} private texts (a noisy count)."
    attributes, said = attributes_from(features, max_attributes, provenance) if features else ([], [])
    return Finished(tuple(attributes), (*problems, *said), merged)


def clusters(
    released: Mapping[str, int],
    embedder: Embedder,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> dict[str, tuple[str, ...]]:
    """Representative -> the other strings of its cluster; the highest noisy counts first.

    Agglomerative, average linkage on cosine distance. The representative is the string with the
    highest noisy count, the first in the alphabet among equals.
    """
    ranked = sorted(released, key=lambda name: (-released[name], name))
    if len(ranked) < 2:
        return dict.fromkeys(ranked, ())
    from sklearn.cluster import AgglomerativeClustering

    vectors = embedder.embed([name.replace("_", " ") for name in ranked], progress=progress, cancel=cancel)
    labels = AgglomerativeClustering(
        n_clusters=None, distance_threshold=SAME_BELOW, metric="cosine", linkage="average"
    ).fit_predict(vectors)
    groups: dict[int, list[str]] = {}
    for name, label in zip(ranked, labels, strict=True):
        groups.setdefault(int(label), []).append(name)
    return {first: tuple(others) for first, *others in groups.values()}


def _filtered(
    names: Sequence[str],
    model: LanguageModel,
    description: str,
    workload: str,
    seed: int,
    progress: Progress,
    cancel: CancelToken,
) -> tuple[list[dict[str, Any]], list[str]]:
    """The names that the model keeps, with its description of each, and a sentence per drop."""
    form = object_form(description=text_form(200), decision=choice_form(["keep", "drop"]))
    prompts = [
        Prompt(
            render(
                "schema_filter",
                description=description,
                workload=workload,
                names=", ".join(names),
                name=name,
            ),
            schema=form,
            max_tokens=120,
            seed=seed + i,
        )
        for i, name in enumerate(names)
    ]
    answers = model.complete(prompts, progress=progress, cancel=cancel, stage="filter names")
    kept: list[dict[str, Any]] = []
    said: list[str] = []
    for name, answer in zip(names, answers, strict=True):
        value = value_of(answer)
        told = value if isinstance(value, Mapping) else {}
        feature = {"name": name, "description": str(told.get("description") or "")}
        if told.get("decision") == "drop":
            said.append(f"{name!r} was dropped: {model.identity.name} finds it makes no column.")
            continue
        if not told:
            said.append(f"{name!r} was kept without a description: {answer.failure}.")
        kept.append(feature)
    if not kept:
        return [{"name": name} for name in names], [
            f"{model.identity.name} would drop every name, so all were kept: look through them."
        ]
    return kept, said
