"""The three agents of 1-2-3 Check by a language model: our reimplementation of arXiv 2508.07667,
for which no code is public.

PRIVATE SIDE: the first and the third agent read private texts, so the model must run where these may
go. The second sees only what the first found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ctxpriv.extract.answers import value_of
from ctxpriv.extract.guess_by_model import spans_in
from ctxpriv.models.answer_forms import choice_form, list_form, object_form, text_form
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.anon.by_model import described, readable, require_prepared
from ctxpriv.privatize.anon.rewrite_answers import (
    REWRITE_FORM,
    as_written,
    quoted,
    read_rewrite,
    room_for,
    seed_of,
)
from ctxpriv.rewriting_roles import UNREADABLE, Asking, Brief, Rewritten, Told

MOST_FINDINGS = 16
SPAN_LENGTH, KIND_LENGTH = 100, 40  # characters
TOKENS_A_FINDING = 48
PRIVATE, PUBLIC = "private", "public"


@dataclass(frozen=True)
class ModelThreeAgents:
    """A `ThreeAgents`: one model plays all three, in one pass without feedback."""

    model: LanguageModel
    brief: Brief | None = field(default=None, repr=False)

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def prepared(self, brief: Brief, seed: int) -> ModelThreeAgents:
        return replace(self, brief=brief)

    def extract(self, texts: Sequence[str], *, seed: int) -> Asking[list[tuple[Told, ...] | str]]:
        """At most MOST_FINDINGS a text. A finding whose words do not stand in the text is dropped."""
        answers = yield self.model, [self._extraction(text, seed) for text in texts]
        return [_findings(answer, text) for text, answer in zip(texts, answers, strict=True)]

    def classify(
        self, told: Sequence[tuple[Told, ...]], *, seed: int
    ) -> Asking[list[tuple[bool, ...] | str]]:
        """A text of which nothing was found needs no question."""
        asked = [findings for findings in told if findings]
        answers = yield self.model, [self._classification(findings, seed) for findings in asked]
        read = iter([_verdicts(a, len(f)) for f, a in zip(asked, answers, strict=True)])
        return [next(read) if findings else () for findings in told]

    def generate(
        self, texts: Sequence[str], hide: Sequence[tuple[Told, ...]], *, seed: int
    ) -> Asking[list[Rewritten]]:
        """A text of which nothing is to be hidden comes back as it is."""
        asked = [(text, findings) for text, findings in zip(texts, hide, strict=True) if findings]
        answers = yield self.model, [self._generation(text, findings, seed) for text, findings in asked]
        read = iter(
            [read_rewrite(as_written(a, text), text) for (text, _), a in zip(asked, answers, strict=True)]
        )
        return [
            next(read) if findings else Rewritten(text) for text, findings in zip(texts, hide, strict=True)
        ]

    def _extraction(self, text: str, seed: int) -> Prompt:
        brief = require_prepared(self.brief)
        user = render(
            "agents_extract",
            domain=brief.domain,
            kinds=", ".join(map(readable, brief.schema.names)),
            text=text,
        )
        finding = object_form(words=text_form(SPAN_LENGTH), kind=text_form(KIND_LENGTH))
        return Prompt(
            user,
            render("agents_extract_system"),
            object_form(findings=list_form(finding, 0, MOST_FINDINGS)),
            max_tokens=32 + TOKENS_A_FINDING * MOST_FINDINGS,
            seed=seed_of(seed, 1, text),
        )

    def _classification(self, findings: Sequence[Told], seed: int) -> Prompt:
        brief = require_prepared(self.brief)
        told = "\n".join(f'{i}. {t.what}: "{t.span}"' for i, t in enumerate(findings, 1))
        user = render(
            "agents_classify",
            private=described(brief, brief.private),
            public=described(brief, (*brief.public, *brief.coarsened)) or "- (nothing in particular)",
            told=told,
        )
        verdicts = {str(i): choice_form((PRIVATE, PUBLIC)) for i in range(1, len(findings) + 1)}
        return Prompt(
            user,
            render("agents_classify_system"),
            object_form(**verdicts),
            max_tokens=32 + 10 * len(findings),
            seed=seed_of(seed, 2, told),
        )

    def _generation(self, text: str, findings: Sequence[Told], seed: int) -> Prompt:
        user = render(
            "agents_generate",
            domain=require_prepared(self.brief).domain,
            hide="\n".join(f'- "{t.span}" ({t.what})' for t in findings),
            text=quoted(text),
        )
        return Prompt(
            user,
            render("agents_generate_system"),
            object_form(rewrite=REWRITE_FORM),
            max_tokens=room_for(text, self.model),
            seed=seed_of(seed, 3, text),
        )


def _findings(answer: Answer, text: str) -> tuple[Told, ...] | str:
    given = value_of(answer)
    listed = given.get("findings") if isinstance(given, Mapping) else None
    if not isinstance(listed, list):
        return answer.failure or UNREADABLE
    found = []
    for item in listed[:MOST_FINDINGS]:
        if isinstance(item, Mapping) and isinstance(item.get("words"), str):
            what = " ".join(str(item.get("kind", "")).split()) or "unnamed"
            found += [Told(what, span) for span in spans_in(text, [item["words"]])]
    return tuple(dict.fromkeys(found))


def _verdicts(answer: Answer, count: int) -> tuple[bool, ...] | str:
    """Whether each finding is private; an answer that leaves one out decides nothing."""
    given = value_of(answer)
    said = [given.get(str(i)) for i in range(1, count + 1)] if isinstance(given, Mapping) else []
    if len(said) != count or any(word not in (PRIVATE, PUBLIC) for word in said):
        return answer.failure or UNREADABLE
    return tuple(word == PRIVATE for word in said)
