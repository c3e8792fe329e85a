"""A public list of common attributes, and how a small model chooses from it.

A model as small as the embedded stand-in cannot invent attributes: asked for a list, it repeats
one word. It can choose, when its answer may only hold names from a list. The list is
`catalogue.yaml`, written without looking at any corpus; its order is shuffled in every question,
because a small model favours what stands first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from ctxpriv.extract.answers import value_of
from ctxpriv.models.answer_forms import choice_form, list_form, object_form
from ctxpriv.models.base import Answer, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.models.weights import SMOLLM2

TEMPERATURE = 0.8  # at 0 the stand-in names the same thing five times
RATIONALE = "From the list of common attributes that comes with ctxpriv."


def needs_menu(identity: ModelIdentity) -> bool:
    """Whether this is the embedded stand-in, which gets the menu unless told otherwise."""
    return identity.name == SMOLLM2.name


@cache
def catalogue() -> Mapping[str, Mapping[str, Any]]:
    """Name -> feature ("name", "description", "values", "rationale") of each common attribute."""
    listed = yaml.safe_load((files("ctxpriv.extract") / "catalogue.yaml").read_text("utf-8"))
    return {
        name: {"name": name, "description": about, "values": values, "rationale": RATIONALE}
        for name, (about, *values) in listed.items()
    }


def menu_prompt(file: str, text: str, at_most: int, seed: int) -> Prompt:
    """The question of the prompt file `file` on `text`: up to `at_most` names from the catalogue.

    `seed` decides the order of the list and the sampling.
    """
    names = list(catalogue())
    np.random.default_rng(seed).shuffle(names)
    return Prompt(
        render(file, text=text, names=", ".join(names), at_most=at_most),
        # One form for all questions, whatever the order in them: compiling a form is slow.
        schema=object_form(names=list_form(choice_form(catalogue()), 1, at_most)),
        max_tokens=24 * at_most,
        temperature=TEMPERATURE,
        seed=seed,
    )


def listed_strings(answer: Answer) -> list[str] | None:
    """The strings of the first list in an answer, in order; None where there is no list."""
    value = value_of(answer)
    if isinstance(value, Mapping):
        value = next((v for v in value.values() if isinstance(v, list)), None)
    if not isinstance(value, list):
        return None
    return [item for item in value if isinstance(item, str)]


def most_chosen(answers: Sequence[Answer], k: int) -> list[str]:
    """The k catalogue names that most answers hold; ties go to the catalogue's order."""
    votes = dict.fromkeys(catalogue(), 0)
    for answer in answers:
        for name in {n for n in listed_strings(answer) or () if n in votes}:
            votes[name] += 1
    ranked = sorted(votes, key=lambda name: -votes[name])
    return [name for name in ranked if votes[name]][:k]
