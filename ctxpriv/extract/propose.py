"""A schema proposed by a language model that reads no private text (paper App. A.1, after ACTG).

The model gets a description of the texts, what the table is for, the number of features
and, if wanted, donated examples. Its answer is turned into attributes by fixed rules;
whatever the rules had to mend or drop is said feature by feature.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.answers import value_of
from ctxpriv.models.base import LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Schema
from ctxpriv.schema_proposal import SchemaProposal

MAX_VALUES = 50  # paper App. A.1 (iii)
ASKED_VALUES = 15  # what a prompt asks for when it asks value by value: longer lists ramble
EXAMPLES_SHOWN = 4
EXAMPLE_WORDS = 120

_SAME_AS_NOT_STATED = {
    "not stated", "not mentioned", "not specified", "not given", "unspecified", "unstated", "unknown",
    "not known", "none mentioned", "no mention", "undisclosed", "unclear",
}  # fmt: skip
_SAME_AS_OTHER = {"other", "others", "something else", "other values", "any other", "etc", "etc."}


def propose_schema(
    model: LanguageModel,
    description: str,
    workload: str,
    k: int = 8,
    examples: DonatedExamples | None = None,
    *,
    stepwise: bool | None = None,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> SchemaProposal:
    """Ask for k categorical features; the result's attributes have provenance "prompted".

    `stepwise` asks for names first and then for the values of each name: more calls, each
    a smaller task. None means: at once, and stepwise where that gives nothing usable.
    Raises BadInput without a description or workload and ModelFailed when no usable
    feature came back.
    """
    if not description.strip() or not workload.strip():
        raise BadInput(
            "needs a description of the texts and a workload.",
            where="schema proposal",
            fix="Say what the texts are and what the table is for.",
        )
    if not 1 <= k <= 40:
        raise BadInput(f"asks for {k} features; 1 to 40 make sense.", where="schema proposal")
    start = time.perf_counter()
    task = _Task(description.strip(), workload.strip(), k, _shown(examples), seed)
    found: list[Attribute] = []
    problems: list[str] = []
    for ask in {None: (_at_once, _stepwise), True: (_stepwise,), False: (_at_once,)}[stepwise]:
        answer, said = ask(model, task, progress, cancel)
        found, more = attributes_from(answer, k)
        problems += [*said, *more]
        if found:
            return SchemaProposal(
                "prompted",
                Schema(tuple(found)),
                tuple(problems),
                model.identity.to_dict(),
                seconds=time.perf_counter() - start,
                facts={"asked": k, "donated_examples": min(len(examples or ()), EXAMPLES_SHOWN)},
            )
    raise ModelFailed(f"{model.identity.name} proposed no usable feature. " + " ".join(problems))


@dataclass(frozen=True)
class _Task:
    description: str
    workload: str
    k: int
    examples: str
    seed: int

    def common(self) -> dict[str, str]:
        return {"description": self.description, "workload": self.workload, "examples": self.examples}


def _shown(examples: DonatedExamples | None) -> str:
    if examples is None or not len(examples):
        return ""
    texts = (" ".join(t.split()[:EXAMPLE_WORDS]) for t in examples.texts[:EXAMPLES_SHOWN])
    return render("schema_examples", texts="\n".join(f"- {text}" for text in texts)) + "\n"


def _at_once(
    model: LanguageModel, task: _Task, progress: Progress, cancel: CancelToken
) -> tuple[Any, list[str]]:
    feature = _object(name=_text(60), description=_text(300), values=_texts(MAX_VALUES), rationale=_text(300))
    prompt = Prompt(
        render("schema_whole", k=task.k, max_values=MAX_VALUES, **task.common()),
        schema=_object(features={"type": "array", "items": feature, "minItems": 1, "maxItems": task.k}),
        # About 50 values and two sentences a feature, and room left for the question.
        max_tokens=min(320 * task.k, model.context_tokens // 2),
        seed=task.seed,
    )
    answer = model.complete([prompt], progress=progress, cancel=cancel, stage="propose features")[0]
    value = value_of(answer)
    if value is None:
        return [], [f"Asking for everything at once failed: {answer.failure}."]
    return value, []


def _stepwise(
    model: LanguageModel, task: _Task, progress: Progress, cancel: CancelToken
) -> tuple[Any, list[str]]:
    feature = _object(name=_text(40), description=_text(200), rationale=_text(200))
    prompt = Prompt(
        render("schema_names", k=task.k, **task.common()),
        schema=_object(features={"type": "array", "items": feature, "minItems": task.k, "maxItems": task.k}),
        max_tokens=140 * task.k,
        seed=task.seed,
    )
    answer = model.complete([prompt], progress=progress, cancel=cancel, stage="propose names")[0]
    named = value_of(answer)
    if named is None:
        return [], [f"Asking for names failed: {answer.failure}."]
    features = [f for f in _features(named) if isinstance(f, Mapping) and str(f.get("name", "")).strip()]
    prompts = [
        Prompt(
            render("schema_values", description=task.description, name=f["name"],
                   about=f.get("description", ""), max_values=ASKED_VALUES),
            schema=_object(values=_texts(ASKED_VALUES, at_least=2)),
            max_tokens=32 * ASKED_VALUES,
            seed=task.seed + i + 1,
        )
        for i, f in enumerate(features)
    ]  # fmt: skip
    answers = model.complete(prompts, progress=progress, cancel=cancel, stage="propose values")
    whole, said = [], []
    for feature, answer in zip(features, answers, strict=True):
        value = value_of(answer)
        if value is None:
            said.append(f"Asking for the values of {feature['name']!r} failed: {answer.failure}.")
        else:
            whole.append({**feature, "values": value.get("values") if isinstance(value, Mapping) else value})
    return whole, said


def attributes_from(answer: Any, k: int) -> tuple[list[Attribute], list[str]]:
    """A model's parsed answer to at most k attributes, and one sentence per problem.

    Never raises on the shape of an answer: what cannot be read becomes a problem.
    """
    found: dict[str, Attribute] = {}
    problems: list[str] = []
    features = _features(answer)
    if not features:
        return [], ["The answer holds no list of features."]
    for position, feature in enumerate(features, 1):
        attribute, said = _attribute(feature, position)
        problems += said
        if attribute is None:
            continue
        if attribute.name in found:
            problems.append(f"Feature {position} repeats the name {attribute.name!r} and was dropped.")
        elif len(found) == k:
            problems.append(f"Feature {position} ({attribute.name!r}) is more than the {k} asked for.")
        else:
            found[attribute.name] = attribute
    if len(found) < k:
        problems.append(f"{len(found)} of the {k} features asked for are usable.")
    return list(found.values()), problems


def normalise_name(name: str) -> str:
    """ "1. Customer's Mood" -> "customer_s_mood": lower case, digits and underscores."""
    plain = re.sub(r"^\s*(feature\s*)?\d+\s*[.):-]\s*", "", name, flags=re.IGNORECASE)
    return re.sub(r"[^\w]+", "_", plain.casefold()).strip("_")[:60].strip("_")


def normalise_values(values: Sequence[Any]) -> tuple[tuple[str, ...], list[str]]:
    """Distinct, non-empty, at most 50 with `Not stated` last, and what had to be mended.

    The 50 count `Other` and `Not stated`; surplus values are dropped in favour of `Other`.
    """
    said: list[str] = []
    clean: dict[str, str] = {}
    empty = repeated = 0
    for raw in values:
        value = " ".join(str(raw).split()).strip("\"'")
        folded = value.casefold().rstrip(".")
        if not value or isinstance(raw, Mapping | list):
            empty += 1
        elif folded in _SAME_AS_NOT_STATED or folded in _SAME_AS_OTHER:
            clean[NOT_STATED if folded in _SAME_AS_NOT_STATED else OTHER] = ""
        elif folded in clean:
            repeated += 1
        else:
            clean[folded] = value
    special = [s for s in (OTHER, NOT_STATED) if s in clean]
    plain = [v for v in clean.values() if v]
    if empty:
        said.append(f"{empty} values were empty")
    if repeated:
        said.append(f"{repeated} values were repeated")
    if len(plain) + len(special) > MAX_VALUES or len(plain) > MAX_VALUES - 2:
        said.append(f"{len(plain)} values were cut to {MAX_VALUES - 2} and {OTHER!r}")
        plain, special = plain[: MAX_VALUES - 2], [OTHER]
    tail = [*(s for s in special if s == OTHER), NOT_STATED]
    return (*plain, *tail), said


def _attribute(feature: Any, position: int) -> tuple[Attribute | None, list[str]]:
    if not isinstance(feature, Mapping):
        return None, [f"Feature {position} is not an object with a name and values."]
    name = normalise_name(str(feature.get("name") or ""))
    if not name:
        return None, [f"Feature {position} has no name."]
    raw = feature.get("values")
    if isinstance(raw, str):
        raw = re.split(r"[,;\n|]", raw)
    if not isinstance(raw, list | tuple):
        return None, [f"{name!r} has no list of values."]
    values, said = normalise_values(raw)
    problems = [f"{name!r}: {s}." for s in said]
    # `Not stated` is always there, so fewer than three means that nothing can be told apart.
    if len(values) < 3:
        return None, [*problems, f"{name!r} has fewer than two different values and was dropped."]
    text = {key: " ".join(str(feature.get(key) or "").split()) for key in ("description", "rationale")}
    return Attribute(name, values, text["description"], "prompted", text["rationale"]), problems


def _features(answer: Any) -> list[Any]:
    if isinstance(answer, Mapping):
        answer = next((v for v in answer.values() if isinstance(v, list)), [])
    return answer if isinstance(answer, list) else []


def _text(length: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": length}


def _texts(at_most: int, at_least: int = 1) -> dict[str, Any]:
    return {"type": "array", "items": _text(60), "minItems": at_least, "maxItems": at_most}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
