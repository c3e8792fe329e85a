"""The rewriter that asks a language model (paper Alg. 3, line 6).

PRIVATE SIDE: prompts hold private texts, so the model must run where these may go. They hold no
true value of a hidden attribute beyond what the text itself and the guesses of an evaluator say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ctxpriv.errors import BadInput
from ctxpriv.extract.word_count import is_counted
from ctxpriv.models.answer_forms import Form, list_form, object_form, text_form
from ctxpriv.models.base import LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.anon.rewrite_answers import REWRITE_FORM, read_rewrite, room_for, seed_of
from ctxpriv.rewriting_roles import Asking, Brief, RewriteTask, Rewritten

MOST_CHANGES = 12  # listed before the rewrite
CHANGE_LENGTH = 100  # characters
TOKENS_A_CHANGE = 30
STUCK_TEMPERATURE = 0.8  # where asking alike again would bring the same text again


@dataclass(frozen=True)
class ModelRewriter:
    """A `Rewriter`. `brief_prompt`: a few lines without feedback, for models that ignore more."""

    model: LanguageModel
    brief_prompt: bool = False
    brief: Brief | None = field(default=None, repr=False)

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def prepared(self, brief: Brief, seed: int) -> ModelRewriter:
        return replace(self, brief=brief)

    def rewrite(self, tasks: Sequence[RewriteTask], *, seed: int) -> Asking[list[Rewritten]]:
        """One prompt a task. Raises BadInput when not prepared."""
        answers = yield self.model, [self._prompt(task, seed) for task in tasks]
        return [
            replace(read, memory={"failed": read.failure} if read.failure else {})
            for task, answer in zip(tasks, answers, strict=True)
            for read in (read_rewrite(answer, task.original),)
        ]

    def _prompt(self, task: RewriteTask, seed: int) -> Prompt:
        brief = require_prepared(self.brief)
        room = room_for(task.text, self.model)
        if self.brief_prompt:
            names = ", ".join(name.replace("_", " ") for name in brief.private)
            user = render("rewrite_brief", hidden=names, text=task.text)
        else:
            user = render(
                "rewrite_text",
                domain=brief.domain,
                hidden=_hidden(brief),
                keep=_keep(brief, task),
                text=task.text,
                feedback=_feedback(task),
                length=_length(brief, task),
            )
            room += MOST_CHANGES * TOKENS_A_CHANGE
        return Prompt(
            user,
            render("rewrite_system"),
            _brief_form() if self.brief_prompt else _form(),
            max_tokens=room,
            temperature=STUCK_TEMPERATURE if _is_stuck(task) else 0.0,
            seed=seed_of(seed, task.round, task.original),
        )


def _form() -> Form:
    """The changes come first, so that the rewrite can follow from them."""
    phrase = {"$ref": "#/$defs/phrase"}  # one definition: engines prepare for each anew
    change = object_form(words=phrase, instead=phrase)
    form = object_form(changes=list_form(change, 0, MOST_CHANGES), rewrite=REWRITE_FORM)
    return form | {"$defs": {"phrase": text_form(CHANGE_LENGTH)}}


def _brief_form() -> Form:
    return object_form(rewrite=REWRITE_FORM)


def require_prepared(brief: Brief | None) -> Brief:
    """Raises BadInput for None: a role was asked before it was told what the run is about."""
    if brief is None:
        raise BadInput("the role has no brief.", where="rewriting", fix="Call prepared(brief, seed) first.")
    return brief


def described(brief: Brief, names: Sequence[str]) -> str:
    """A line per attribute: its name and what it means."""
    return "\n".join(f"- {name}: {brief.schema[name].description}".rstrip(": ") for name in names)


def _is_stuck(task: RewriteTask) -> bool:
    """Whether the same prompt, asked greedily, has already led to this text or to a failure."""
    return bool(task.memory.get("failed")) or (task.round > 1 and task.text in (task.original, *task.earlier))


def _hidden(brief: Brief) -> str:
    return described(brief, brief.private)


def _keep(brief: Brief, task: RewriteTask) -> str:
    lines = []
    for name, value in task.keep.items():
        if is_counted(brief.schema[name]):
            continue
        if name in brief.coarsened:
            lines.append(f'- {name}: no more exactly than "{value}"; anything closer is hidden too')
        else:
            lines.append(f"- {name}: {value}")
    return "\n".join(lines) or "- (nothing in particular)"


def _length(brief: Brief, task: RewriteTask) -> str:
    counted = [value for name, value in task.keep.items() if is_counted(brief.schema[name])]
    return f" ({counted[0]})" if counted else ""


def _feedback(task: RewriteTask) -> str:
    lines = [
        f'- {leak.attribute} can still be guessed ("{leak.guess}")'
        + (" from: " + "; ".join(f'"{span}"' for span in leak.spans) if leak.spans else "")
        + ". Make this vaguer or leave it out."
        for leak in task.leaks
    ]
    lines += [
        f'- {name} ("{task.keep[name]}") can no longer be told. Say it as the text first did.'
        for name in task.lost
        if name in task.keep
    ]
    return render("rewrite_feedback", found="\n".join(lines)) + "\n" if lines else ""
