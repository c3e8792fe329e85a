"""The local rewriter: typed spans down their ladders, then the clauses that a classifier guesses from.

PRIVATE SIDE: reads private records; keeps nothing of them. Plays the rewriter without a language model
(DESIGN section 9, "finds the spans that carry an attribute ... and climbs a ladder").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ctxpriv.errors import BadInput
from ctxpriv.extract.evidence.reader import RAISED, EvidenceReader, fitted
from ctxpriv.models.base import Embedder, ModelIdentity
from ctxpriv.privatize.anon.clauses import clause_around
from ctxpriv.privatize.anon.draft import Draft, Plan
from ctxpriv.rewriting_roles import Asking, Brief, LeakFound, RewriteTask, Rewritten

LEAST_GAIN = 0.05
"""A clause goes only where that lowers the log probabilities of what leaks by this much in all."""
LABEL_WEIGHT = 1.0
"""What a lost nat of the label counts against a nat of leak."""
FLIPPED = 1.0
"""What it counts when another label becomes the likeliest."""
SHORT = 5
"""Words up to which a span named as leaking is taken out with its clause; a longer one is searched."""
NEAR = 12
"""Characters by which a span named as leaking may be longer than the phrase it is held to be."""


@dataclass(frozen=True)
class SpanGeneraliser:
    """Plays the rewriter; `prepared` gives one that has learnt from the donated texts."""

    embedder: Embedder = field(repr=False)
    brief: Brief | None = field(default=None, repr=False)
    reader: EvidenceReader | None = field(default=None, repr=False)

    @property
    def identity(self) -> ModelIdentity:
        digest = self.reader.digest if self.reader else ""
        return ModelIdentity("local", f"span generaliser (with {self.embedder.identity.name})", digest)

    def prepared(self, brief: Brief, seed: int) -> SpanGeneraliser:
        """Raises BadInput where nothing was donated."""
        return SpanGeneraliser(self.embedder, brief, fitted(brief.donated, self.embedder, seed))

    def rewrite(self, tasks: Sequence[RewriteTask], *, seed: int) -> Asking[list[Rewritten]]:
        """Never asks a model. Round 1 puts every typed span of a private attribute on its first rung;
        later rounds go on where a leak was found."""
        return self._rewrite(tasks)
        yield  # an asking that never asks

    def _rewrite(self, tasks: Sequence[RewriteTask]) -> list[Rewritten]:
        brief, reader = self._ready()
        tasks = _with_own_leaks(tasks, brief, reader)
        works = [_work(task, brief, reader) for task in tasks]
        plans = [_climbed(work) for work in works]
        still = [i for i, (work, plan) in enumerate(zip(works, plans, strict=True)) if plan is None]
        for i, plan in zip(still, _without_clauses(reader, brief, [works[i] for i in still]), strict=True):
            plans[i] = plan
        return [_result(work, plan) for work, plan in zip(works, plans, strict=True)]

    def _ready(self) -> tuple[Brief, EvidenceReader]:
        if self.brief is None or self.reader is None:
            raise BadInput(
                "has not learnt anything yet.", where="local rewriter", fix="Call `prepared` first."
            )
        return self.brief, self.reader


@dataclass(frozen=True)
class _Work:
    """One task with its draft. `plan` is what the task's text came from, None where there is none yet."""

    task: RewriteTask
    draft: Draft = field(repr=False)
    plan: Plan | None


def _work(task: RewriteTask, brief: Brief, reader: EvidenceReader) -> _Work:
    """A text that is not what the memory says (another rewriter's) is taken as it is."""
    buckets = {n: task.keep[n] for n in brief.coarsened if n in task.keep}

    def draft(text: str) -> Draft:
        return Draft(text, reader.evidence.bearing, brief.private, buckets)

    first = draft(task.original)
    if "rungs" in task.memory and "gone" in task.memory:
        plan = Plan.from_memory(task.memory)
        if first.render(plan)[0] == task.text:
            return _Work(task, first, plan)
    return _Work(task, first if task.text == task.original else draft(task.text), None)


def _with_own_leaks(tasks: Sequence[RewriteTask], brief: Brief, reader: EvidenceReader) -> list[RewriteTask]:
    """Where round 1 found no typed span, so that the text is still the original and nobody has said
    what leaks, the classifier says what it would guess of it."""
    stuck = [i for i, t in enumerate(tasks) if t.round > 1 and t.text == t.original and not t.leaks]
    names = [n for n in brief.private if n in reader.weights]
    out = list(tasks)
    if stuck and names:
        logs = reader.log_probabilities(reader.evidence.read([tasks[i].text for i in stuck]), names)
        for row, i in enumerate(stuck):
            lifted = {n: reader.lift(n, logs[n][row]) for n in names}
            leaks = [
                LeakFound(n, reader.classes(n)[int(x.argmax())])
                for n, x in lifted.items()
                if x.max() >= RAISED
            ]
            out[i] = replace(tasks[i], leaks=tuple(leaks))
    return out


def _climbed(work: _Work) -> Plan | None:
    """The plan with typed spans further down, and without what else is named; None where the leaks
    name nothing that can be moved."""
    draft, task = work.draft, work.task
    plan = work.plan
    if plan is None:
        plan = draft.first_plan()
        if not task.leaks or draft.render(plan)[0] != task.text:
            return plan
    before = plan
    for leak in task.leaks:
        pointed = _pointed(work, plan, leak)
        for i in pointed:
            plan = draft.up(plan, i)
        if not pointed:
            plan = _without_named(draft, plan, leak)
    if plan != before and draft.render(plan)[0] != task.text:
        return plan
    return None if task.leaks else before


def _without_named(draft: Draft, plan: Plan, leak: LeakFound) -> Plan:
    """Without the clauses in which a short span that the leak names stands as it does in the
    original, or without the words alone where too little would be left."""
    for span in leak.spans:
        if not span.strip() or len(span.split()) > SHORT:
            continue
        for m in re.finditer(re.escape(span.strip()), draft.text):
            if draft.touched(plan, m.start(), m.end()):
                continue
            clause = clause_around(draft.text, m.start(), m.end())
            plan = plan.without(clause if draft.may_go(plan, clause) else m.span())
    return plan


def _pointed(work: _Work, plan: Plan, leak: LeakFound) -> list[int]:
    """Spans that the leak names, in the phrases that stand for them or as they are, and those that
    bear on the attribute and have not been touched."""
    draft, named = work.draft, [s.casefold() for s in leak.spans if s.strip()]
    _, pieces = draft.render(plan)
    phrase = {int(p.key): work.task.text[p.start : p.end].casefold() for p in pieces if p.key}
    out = []
    for i, span in enumerate(draft.spans):
        if i in plan.rungs:
            here = phrase.get(i, "")
            if here and any(here in s and len(s) <= len(here) + NEAR for s in named):
                out.append(i)
        elif leak.attribute in draft.about(span):
            out.append(i)
    return list({draft.keys[i]: i for i in out}.values())


def _without_clauses(reader: EvidenceReader, brief: Brief, works: Sequence[_Work]) -> list[Plan | None]:
    """For every work the plan without the clause per leak that it is guessed from most; None where no
    clause may go or none would help. All variants of all works are read in one batch."""
    plans = [work.plan or work.draft.first_plan() for work in works]
    choices = [work.draft.clauses(plan) for work, plan in zip(works, plans, strict=True)]
    texts = [work.task.original for work in works]
    texts += [work.draft.render(plan)[0] for work, plan in zip(works, plans, strict=True)]
    for work, plan, clauses in zip(works, plans, choices, strict=True):
        texts += [work.draft.render(plan.without(c))[0] for c in clauses]
    names = sorted({leak.attribute for work in works for leak in work.task.leaks} | ({brief.label} - {None}))
    if not works or not names:
        return [None] * len(works)
    logs = reader.log_probabilities(reader.evidence.read(texts), names)
    out: list[Plan | None] = []
    at = 2 * len(works)
    for i, (work, plan, clauses) in enumerate(zip(works, plans, choices, strict=True)):
        rows = np.arange(at, at + len(clauses))
        at += len(clauses)
        cost = _label_cost(logs[brief.label], i, len(works) + i, rows) if brief.label else np.zeros(len(rows))
        gains = [_gain(reader, leak, logs[leak.attribute], len(works) + i, rows) for leak in work.task.leaks]
        out.append(_best(work, plan, clauses, [gain - cost for gain in gains]))
    return out


def _label_cost(log: np.ndarray, original: int, now: int, rows: np.ndarray) -> np.ndarray:
    """What taking out each clause takes from the label that the original text speaks for: nats, and
    `FLIPPED` where another label becomes the likeliest."""
    k = int(log[original].argmax())
    cost = LABEL_WEIGHT * np.maximum(0, log[now, k] - log[rows, k])
    return cost + FLIPPED * (log[rows].argmax(axis=1) != k) * (log[now].argmax() == k)


def _gain(reader: EvidenceReader, leak: LeakFound, log: np.ndarray, now: int, rows: np.ndarray) -> np.ndarray:
    """By how many nats taking out each clause lowers what leaks, down to what is known without the
    text: to make the truth less likely than that would tell it to who expects it."""
    k = _class_of(reader, leak, log[now])
    floor = reader.prior(leak.attribute)[k]
    return np.maximum(log[now, k], floor) - np.maximum(log[rows, k], floor)


def _best(
    work: _Work, plan: Plan, clauses: Sequence[tuple[int, int]], gains: Sequence[np.ndarray]
) -> Plan | None:
    changed = plan
    for gain in gains:
        if len(gain) and gain.max() >= LEAST_GAIN:
            clause = clauses[int(gain.argmax())]
            if work.draft.may_go(changed, clause):
                changed = changed.without(clause)
    return None if changed == plan else changed


def _class_of(reader: EvidenceReader, leak: LeakFound, log: np.ndarray) -> int:
    """The class that a guess names: itself, or its bucket; for any other words the likeliest class."""
    classes = reader.classes(leak.attribute)
    coarsening = reader.donated.schema.coarsenings.get(leak.attribute)
    guess = coarsening.mapping.get(leak.guess, leak.guess) if coarsening else leak.guess
    return classes.index(guess) if guess in classes else int(log.argmax())


def _result(work: _Work, plan: Plan | None) -> Rewritten:
    if plan is None:  # nothing more can change
        kept = work.plan.to_memory() if work.plan else {}
        return Rewritten(work.task.text, memory=kept, exhausted=True)
    text, _ = work.draft.render(plan)
    memory = plan.to_memory() if work.draft.text == work.task.original else {}
    return Rewritten(text, memory=memory, exhausted=not work.task.leaks and work.plan is not None)
