"""Atoms that a language model proposes from a description of the collection.

RELEASE SIDE: the model sees the description that a person wrote, and no record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.models.answer_forms import list_form, object_form, text_form
from ctxpriv.models.base import LanguageModel, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.spin.atoms import LONGEST_DESCRIPTION, LONGEST_LABEL, Atom, AtomSet, canonical
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import reasons_told

AT_ONCE = 25  # atoms asked for in one prompt: a longer list repeats itself or is cut off
ROUNDS = 3  # times as many prompts as would do if no proposal were lost
TOKENS_PER_ATOM = 60
TEMPERATURE = 0.8


@dataclass(frozen=True)
class Proposed:
    """`atoms` in the order of proposal. `merged`: proposals alike but for case and signs; `dropped`:
    those without a usable label; `failures`: answers without any, by reason."""

    atoms: AtomSet
    merged: int
    dropped: int
    failures: Mapping[str, int]

    def told(self) -> str:
        """One sentence for pages and cards."""
        lost = f", {reasons_told(self.failures)}" if self.failures else ""
        return f"{len(self.atoms)} atoms; {self.merged} repeated and {self.dropped} unusable{lost}."


def atoms_by_model(
    description: str,
    m: int,
    model: LanguageModel,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> AtomSet:
    """At most m atoms with source "model". Raises BadInput without a description, ModelFailed with the
    reasons where no answer holds a usable label, and Cancelled."""
    return proposed(description, m, model, progress=progress, cancel=cancel).atoms


def proposed(
    description: str,
    m: int,
    model: LanguageModel,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Proposed:
    """As `atoms_by_model`, with what was merged and dropped."""
    if not description.strip():
        raise BadInput("there is no description of the texts.", where="atoms", fix="Say what they are.")
    if m < 1:
        raise BadInput("asks for no atom.", where="atoms, m", fix="Ask for one at least.")
    prompts = [_prompt(description, min(m, AT_ONCE), seed) for seed in range(ROUNDS * -(-m // AT_ONCE))]
    found: dict[str, Atom] = {}
    merged = dropped = 0
    failures: dict[str, int] = {}
    for done, prompt in enumerate(prompts):
        if len(found) >= m:
            break
        progress("propose atoms", done, len(prompts))
        (answer,) = model.complete([prompt], cancel=cancel, stage="propose atoms")
        if not answer.ok:
            failures[answer.failure] = failures.get(answer.failure, 0) + 1
            continue
        for atom in _atoms(answer.parsed):
            if atom is None:
                dropped += 1
            elif canonical(atom.label) in found:
                merged += 1
            else:
                found[canonical(atom.label)] = atom
    progress("propose atoms", len(prompts), len(prompts))
    if not found:
        why = reasons_told(failures) if failures else f"{dropped} labels, none usable"
        raise ModelFailed(f"The model {model.identity.name} proposed no usable atom: {why}.")
    return Proposed(AtomSet(tuple(found.values())[:m]), merged, dropped, failures)


def _prompt(description: str, m: int, seed: int) -> Prompt:
    topic = object_form(label=text_form(LONGEST_LABEL), description=text_form(LONGEST_DESCRIPTION // 2))
    return Prompt(
        user=render("propose_atoms", description=description.strip(), m=m),
        schema=object_form(topics=list_form(topic, 1, m)),
        max_tokens=64 + TOKENS_PER_ATOM * m,
        temperature=TEMPERATURE,
        seed=seed,
    )


def _atoms(parsed: Any) -> Iterator[Atom | None]:
    """The atoms of one answer, None for a label that cannot be used. No shape of an answer raises."""
    topics = parsed.get("topics") if isinstance(parsed, Mapping) else None
    for topic in topics if isinstance(topics, list) else ():
        label, text = (
            (topic.get(key) for key in ("label", "description")) if isinstance(topic, Mapping) else ("", "")
        )
        if not isinstance(label, str) or not isinstance(text, str):
            yield None
            continue
        try:
            yield Atom(" ".join(label.split()), " ".join(text.split())[:LONGEST_DESCRIPTION], "model")
        except BadInput:
            yield None
