"""The rewriter that asks a language model (paper Alg. 3, line 6).

PRIVATE SIDE: prompts hold private texts, so the model must run where these may go. They hold no
true value of a hidden attribute beyond what the text itself and the guesses of an evaluator say.

The model first lists the words that give something away, each with vaguer ones, and then writes the
text anew. A small model forgets on the way what it has listed, or loses the text: `changes_only` stops
after the list, which is then carried out here. That takes a third of the tokens, and all other words stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ctxpriv.errors import BadInput
from ctxpriv.extract.word_count import is_counted
from ctxpriv.models.answer_forms import Form, list_form, object_form, text_form
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.anon.rewrite_answers import (
    REWRITE_FORM,
    as_written,
    quoted,
    read_changes,
    read_rewrite,
    room_for,
    seed_of,
    with_changes,
)
from ctxpriv.rewriting_roles import UNREADABLE, Asking, Brief, RewriteTask, Rewritten

MOST_CHANGES = 12  # listed before the rewrite
CHANGE_LENGTH = 100  # characters
TOKENS_A_CHANGE = 40
STUCK_TEMPERATURE = 0.8  # where asking alike again would bring the same text again


@dataclass(frozen=True)
class ModelRewriter:
    """A `Rewriter`. `changes_only`: see above. `brief_prompt`: a few lines without feedback and
    without a list, for models that ignore more (it comes before `changes_only`)."""

    model: LanguageModel
    changes_only: bool = False
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
        return [self._read(answer, task) for task, answer in zip(tasks, answers, strict=True)]

    def _read(self, answer: Answer, task: RewriteTask) -> Rewritten:
        answer = as_written(answer, task.original)
        names = require_prepared(self.brief).schema.names
        changes = () if self.brief_prompt else read_changes(answer, no_words=names)
        if self.changes_only and not self.brief_prompt:
            read = _carried_out(answer, changes, task.text)
        else:
            read = read_rewrite(answer, task.original)
        if read.failure:
            return replace(read, memory={"failed": read.failure})
        # What the model listed and then forgot to write is carried out all the same.
        return replace(read, text=with_changes(read.text, changes or ()))

    def _prompt(self, task: RewriteTask, seed: int) -> Prompt:
        brief = require_prepared(self.brief)
        room = room_for(task.text, self.model)
        if self.brief_prompt:
            names = ", ".join(name.replace("_", " ") for name in brief.private)
            user, form = render("rewrite_brief", hidden=names, text=quoted(task.text)), _form(("rewrite",))
        else:
            user = _question(brief, task, self.changes_only)
            form = _form(("changes",) if self.changes_only else ("changes", "rewrite"))
            room = MOST_CHANGES * TOKENS_A_CHANGE + (32 if self.changes_only else room)
        return Prompt(
            user,
            render("rewrite_system"),
            form,
            max_tokens=room,
            temperature=STUCK_TEMPERATURE if _is_stuck(task) else 0.0,
            seed=seed_of(seed, task.round, task.original),
        )


def _form(parts: Sequence[str]) -> Form:
    """The changes come first, so that the rewrite can follow from them."""
    phrase = {"$ref": "#/$defs/phrase"}  # one definition: engines prepare for each bounded text anew
    change = object_form(words=phrase, instead=phrase)
    forms = {"changes": list_form(change, 0, MOST_CHANGES), "rewrite": REWRITE_FORM}
    form = object_form(**{part: forms[part] for part in parts})
    return form | ({"$defs": {"phrase": text_form(CHANGE_LENGTH)}} if "changes" in parts else {})


def _carried_out(answer: Answer, changes: tuple[tuple[str, str], ...] | None, text: str) -> Rewritten:
    """The text after `changes`. That nothing is to be changed is an answer; that none of the listed
    words stands in the text is none."""
    if changes is None:
        return Rewritten(failure=answer.failure or UNREADABLE)
    changed = with_changes(text, changes)
    return Rewritten(failure=UNREADABLE) if changes and changed == text else Rewritten(changed)


def _question(brief: Brief, task: RewriteTask, changes_only: bool) -> str:
    ending = (
        render("rewrite_ending_changes")
        if changes_only
        else render("rewrite_ending_whole", length=_length(brief, task))
    )
    return render(
        "rewrite_text",
        domain=brief.domain,
        hidden=_hidden(brief),
        keep=_keep(brief, task),
        text=quoted(task.text),
        feedback=_feedback(task),
        ending=ending,
    )


def require_prepared(brief: Brief | None) -> Brief:
    """Raises BadInput for None: a role was asked before it was told what the run is about."""
    if brief is None:
        raise BadInput("the role has no brief.", where="rewriting", fix="Call prepared(brief, seed) first.")
    return brief


def described(brief: Brief, names: Sequence[str]) -> str:
    """A line per attribute: its name and what it means."""
    return "\n".join(f"- {name}: {brief.schema[name].description}".rstrip(": ") for name in names)


def readable(name: str) -> str:
    return name.replace("_", " ")


def _is_stuck(task: RewriteTask) -> bool:
    """Whether the same prompt, asked greedily, has already led to this text or to a failure."""
    return bool(task.memory.get("failed")) or (task.round > 1 and task.text in (task.original, *task.earlier))


def _hidden(brief: Brief) -> str:
    """In prose: a small model takes a list of names for a form and lists them as its changes."""
    told = [brief.schema[n].description.strip().rstrip(".") or readable(n) for n in brief.private]
    return "; ".join(text[:1].lower() + text[1:] for text in told)


def _keep(brief: Brief, task: RewriteTask) -> str:
    parts = []
    for name, value in task.keep.items():
        if name in brief.coarsened:
            parts.append(f'{readable(name)} (no closer than "{value}", anything closer is hidden too)')
        elif not is_counted(brief.schema[name]):
            parts.append(f"{readable(name)} ({readable(value)})")
    return "; ".join(parts) or "nothing in particular"


def _length(brief: Brief, task: RewriteTask) -> str:
    counted = [value for name, value in task.keep.items() if is_counted(brief.schema[name])]
    return f" ({counted[0]})" if counted else ""


def _feedback(task: RewriteTask) -> str:
    """What the evaluators said of the present text; with a loss, the original stands beside it."""
    lines = [
        f'- {readable(leak.attribute)} can still be guessed ("{leak.guess}")'
        + (" from: " + "; ".join(f'"{span}"' for span in leak.spans) if leak.spans else "")
        for leak in task.leaks
    ]
    lost = [name for name in task.lost if name in task.keep]
    lines += [f'- {readable(name)} ("{readable(task.keep[name])}") was lost: say it again' for name in lost]
    if lost and task.text != task.original:
        lines.append(render("rewrite_lost", original=quoted(task.original)))
    return render("rewrite_feedback", found="\n".join(lines)) + "\n" if lines else ""
