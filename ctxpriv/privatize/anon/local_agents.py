"""The three agents of 1-2-3 Check without a language model: detectors, the private set, one step down.

A counterpart of ours to a method without public code (arXiv 2508.07667). PRIVATE SIDE: reads private
records; keeps nothing of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ctxpriv.errors import BadInput
from ctxpriv.extract.evidence.influence import LEAST, sentence_influence
from ctxpriv.extract.evidence.reader import RAISED, EvidenceReader, fitted
from ctxpriv.models.base import Embedder, ModelIdentity
from ctxpriv.privatize.anon.clauses import clause_around
from ctxpriv.privatize.anon.draft import LATER, Draft, Plan
from ctxpriv.rewriting_roles import Asking, Brief, Rewritten, Told


@dataclass(frozen=True)
class LocalThreeAgents:
    """Plays extraction, classification and generation agent; `prepared` gives one that has learnt."""

    embedder: Embedder = field(repr=False)
    brief: Brief | None = field(default=None, repr=False)
    reader: EvidenceReader | None = field(default=None, repr=False)

    @property
    def identity(self) -> ModelIdentity:
        digest = self.reader.digest if self.reader else ""
        return ModelIdentity("local", f"detectors and ladder (with {self.embedder.identity.name})", digest)

    def prepared(self, brief: Brief, seed: int) -> LocalThreeAgents:
        """Raises BadInput where nothing was donated."""
        return LocalThreeAgents(self.embedder, brief, fitted(brief.donated, self.embedder, seed))

    def extract(self, texts: Sequence[str], *, seed: int) -> Asking[list[tuple[Told, ...] | str]]:
        """Typed spans with every attribute they tell; where none does and the text raises a value of an
        attribute, the sentence that it hangs on."""
        return self._extract(texts)
        yield  # an asking that never asks

    def classify(
        self, told: Sequence[tuple[Told, ...]], *, seed: int
    ) -> Asking[list[tuple[bool, ...] | str]]:
        """Private is what tells an attribute of `brief.private`."""
        private = set(self._ready()[0].private)
        return [tuple(t.what in private for t in row) for row in told]
        yield  # an asking that never asks

    def generate(
        self, texts: Sequence[str], hide: Sequence[tuple[Told, ...]], *, seed: int
    ) -> Asking[list[Rewritten]]:
        """Typed spans on the first rung that tells nothing private; other sentences lose the clauses that
        the span lies in. In one pass: nothing is checked afterwards."""
        return [self._without(text, told) for text, told in zip(texts, hide, strict=True)]
        yield  # an asking that never asks

    def _ready(self) -> tuple[Brief, EvidenceReader]:
        if self.brief is None or self.reader is None:
            raise BadInput("has not learnt anything yet.", where="three agents", fix="Call `prepared` first.")
        return self.brief, self.reader

    def _draft(self, text: str) -> Draft:
        brief, reader = self._ready()
        return Draft(text, reader.evidence.bearing, brief.private, {})

    def _extract(self, texts: Sequence[str]) -> list[tuple[Told, ...] | str]:
        typed = []
        for text in texts:
            draft = self._draft(text)
            spans = [s for s in draft.spans if s.kind not in LATER]
            typed.append([Told(n, text[s.start : s.end]) for s in spans for n in sorted(draft.about(s))])
        hung = self._hung(texts, [{t.what for t in row} for row in typed])
        return [tuple(dict.fromkeys((*row, *more))) for row, more in zip(typed, hung, strict=True)]

    def _hung(self, texts: Sequence[str], told: Sequence[set[str]]) -> list[list[Told]]:
        """Per text, the sentences that attributes without a typed span are read from."""
        brief, reader = self._ready()
        names = [n for n in brief.schema.names if n in reader.weights and n != brief.label]
        if not texts or not names:
            return [[] for _ in texts]
        read = reader.evidence.read(texts)
        logs = reader.log_probabilities(read, names)
        wanted = []
        for i, known in enumerate(told):
            raised = {n: reader.lift(n, logs[n][i]) for n in names if n not in known}
            wanted.append({n: int(x.argmax()) for n, x in raised.items() if x.max() >= RAISED})
        influence = sentence_influence(reader, read, wanted)
        return [
            [
                Told(n, read.sentences[i][int(drop.argmax())])
                for n, drop in influence[i].items()
                if len(drop) and drop.max() >= LEAST
            ]
            for i in range(len(texts))
        ]

    def _without(self, text: str, told: Sequence[Told]) -> Rewritten:
        draft, plan = self._draft(text), Plan()
        for i, span in enumerate(draft.spans):
            said = text[span.start : span.end]
            if i not in plan.rungs and any(t.span == said and t.what in draft.about(span) for t in told):
                plan = draft.up(plan, i)
        known = {text[s.start : s.end] for s in draft.spans}
        for span in dict.fromkeys(t.span for t in told if t.span not in known):
            at = text.find(span)
            if at >= 0 and span:
                clause = clause_around(text, at, at + len(span))
                plan = plan.without(clause) if draft.may_go(plan, clause) else plan
        return Rewritten(draft.render(plan)[0], exhausted=True)
