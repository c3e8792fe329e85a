"""Buckets proposed by a language model (paper App. B), in two small steps.

First at most 5 bucket names from the list of values, then the bucket of every value, a
few values a call. The model sees the attribute's name, description and declared values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxpriv.errors import ModelFailed
from ctxpriv.extract.answers import value_of
from ctxpriv.extract.levels import OTHER_VALUES, is_unstated
from ctxpriv.models.answer_forms import choice_form, list_form, object_form, text_form
from ctxpriv.models.base import LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import MAX_BUCKETS, NOT_STATED, Attribute, Coarsening

VALUES_SHOWN = 100
VALUES_PER_CALL = 20


def propose_coarsening(
    model: LanguageModel,
    attribute: Attribute,
    *,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Coarsening:
    """At most 5 buckets over all values, origin "model".

    `Not stated` keeps its own bucket; values the model put nowhere go to `Other values`.
    Raises ModelFailed when it named no bucket or sorted not a single value.
    """
    own = [v for v in attribute.values if is_unstated(v)]
    plain = [v for v in attribute.values if v not in own]
    # One bucket is kept for what fits nowhere and one for `Not stated`.
    room = MAX_BUCKETS - 1 - bool(own)
    names = _names(model, attribute, plain, room, seed, progress, cancel)
    sorted_into = _assign(model, attribute, plain, names, seed, progress, cancel)
    if not sorted_into:
        raise ModelFailed(f"{model.identity.name} sorted no value of {attribute.name!r} into its own groups.")
    # A bucket that is named like a value holds it, wherever the model put that value.
    sorted_into |= {v: v for v in plain if v in names}
    mapping = {v: NOT_STATED if v in own else sorted_into.get(v, OTHER_VALUES) for v in attribute.values}
    used = set(mapping.values())
    buckets = tuple(b for b in (*names, OTHER_VALUES, NOT_STATED) if b in used)
    return Coarsening(attribute.name, mapping, buckets, "model")


def bucket_names(answer: Any, room: int) -> tuple[str, ...]:
    """Distinct non-empty names from a parsed answer, at most `room`, without the reserved ones."""
    raw = answer.get("groups", []) if isinstance(answer, Mapping) else answer
    names: dict[str, str] = {}
    for item in raw if isinstance(raw, list) else []:
        name = " ".join(str(item).split()) if isinstance(item, str | int | float) else ""
        folded = name.casefold()
        if name and not is_unstated(name) and folded not in ("other", "others", OTHER_VALUES.casefold()):
            names.setdefault(folded, name)
    return tuple(names.values())[:room]


def _names(
    model: LanguageModel, attribute: Attribute, values: Sequence[str], room: int, seed: int,
    progress: Progress, cancel: CancelToken,
) -> tuple[str, ...]:  # fmt: skip
    step = max(1, -(-len(values) // VALUES_SHOWN))
    prompt = Prompt(
        render("coarsen_buckets", name=attribute.name, about=attribute.description or attribute.name,
               values="\n".join(f"- {v}" for v in values[::step]), k=room),
        schema=object_form(groups=list_form(text_form(60), 2, room)),
        max_tokens=40 * room,
        seed=seed,
    )  # fmt: skip
    answer = model.complete([prompt], progress=progress, cancel=cancel, stage="name buckets")[0]
    names = bucket_names(value_of(answer), room)
    if not names:
        raise ModelFailed(
            f"{model.identity.name} named no bucket for {attribute.name!r}"
            f"{': ' + answer.failure if answer.failure else ''}."
        )
    return names


def _assign(
    model: LanguageModel, attribute: Attribute, values: Sequence[str], names: tuple[str, ...], seed: int,
    progress: Progress, cancel: CancelToken,
) -> dict[str, str]:  # fmt: skip
    chunks = [values[i : i + VALUES_PER_CALL] for i in range(0, len(values), VALUES_PER_CALL)]
    options = [*names, OTHER_VALUES]
    prompts = []
    for number, chunk in enumerate(chunks):
        keys = [str(i) for i in range(1, len(chunk) + 1)]
        prompts.append(
            Prompt(
                render("coarsen_assign", name=attribute.name, about=attribute.description or attribute.name,
                       buckets="; ".join(names), other=OTHER_VALUES,
                       values="\n".join(f"{k}. {v}" for k, v in zip(keys, chunk, strict=True))),
                schema=object_form(**dict.fromkeys(keys, choice_form(options))),
                max_tokens=32 + len(chunk) * (8 + max(map(len, options)) // 2),
                seed=seed + number + 1,
            )
        )  # fmt: skip
    folded = {n.casefold(): n for n in names}
    found = {}
    answers = model.complete(prompts, progress=progress, cancel=cancel, stage="sort values into buckets")
    for chunk, answer in zip(chunks, answers, strict=True):
        value = value_of(answer)
        given = value if isinstance(value, Mapping) else {}
        for i, member in enumerate(chunk, 1):
            bucket = folded.get(str(given.get(str(i), "")).strip().casefold())
            if bucket:
                found[member] = bucket
    return found
