"""The roles of rewriting, as protocols: rewriter, privacy evaluator, utility evaluator, three agents.

Each has two implementations (DESIGN section 9): by language model and by a local counterpart that
needs none. All of them read private text, on models the user chose; nothing here keeps any.

A role does not call a language model itself: it *asks*. `Asking` is a generator that yields
`(model, prompts)` and is sent the answers, so that the engine can put the prompts of several roles
and of many records into one batch. A local counterpart is an asking that never asks.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.schema import Schema

T = TypeVar("T")
Asking = Generator[tuple[LanguageModel, list[Prompt]], list[Answer], T]

REFUSED = "refused"
UNREADABLE = "could not be read"


@dataclass(frozen=True)
class Brief:
    """What every role of a run is told once. Holds nothing of any private record.

    `public`, `coarsened` and `private` cover the schema; the utility label is in `public` unless the
    audience may not have it (then `label` is None). `domain` says what a text is ("comment on a
    public forum"), for prompts.
    """

    schema: Schema = field(repr=False)
    public: tuple[str, ...]
    private: tuple[str, ...]
    label: str | None
    donated: DonatedExamples = field(repr=False)
    coarsened: tuple[str, ...] = ()
    domain: str = "text"


@dataclass(frozen=True)
class LeakFound:
    """Feedback to a rewriter: this attribute can still be told, by this guess, from these spans.

    `spans` are substrings of the rewrite that was judged (empty where none was named).
    """

    attribute: str
    guess: str
    spans: tuple[str, ...] = ()


@dataclass(frozen=True)
class RewriteTask:
    """One record in one round. `keep` maps what must stay inferable to its value (a bucket where the
    attribute is public when coarsened). `memory` is what the rewriter returned for the last round."""

    original: str
    text: str  # the present rewrite: the original in round 1
    round: int
    keep: Mapping[str, str]
    leaks: tuple[LeakFound, ...] = ()
    lost: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()  # rewrites of the rounds before the last, oldest first
    memory: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Rewritten:
    """A rewrite, or why there is none: `failure` is "" exactly when `text` is usable.

    `failure` is one of `Answer`'s, REFUSED or UNREADABLE. `memory` must be JSON-able: it is
    kept with the round. `exhausted`: another round could not change the text any further.
    """

    text: str = ""
    failure: str = ""
    memory: Mapping[str, Any] = field(default_factory=dict)
    exhausted: bool = False


@dataclass(frozen=True)
class Guessed:
    """What one text tells about the asked attributes, by one evaluator.

    `guesses`: up to the asked number per attribute, most likely first; an empty tuple says that the
    text gives no indication. An attribute that is missing in `guesses` is *unknown*, never safe.
    `spans`: per attribute the substrings of the text that gave it away.
    `confidence`: of the first guess, 0 to 1, where the evaluator has one.
    """

    guesses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spans: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    confidence: Mapping[str, float] = field(default_factory=dict)
    failure: str = ""  # why nothing or not everything could be read


class Rewriter(Protocol):
    """Generalises the spans that reveal `brief.private`, keeping what `task.keep` names."""

    @property
    def identity(self) -> ModelIdentity: ...

    def prepared(self, brief: Brief, seed: int) -> Rewriter:
        """Ready for this brief: a local one has learnt from `brief.donated`. Raises BadInput where
        it cannot (nothing donated)."""
        ...

    def rewrite(self, tasks: Sequence[RewriteTask], *, seed: int) -> Asking[list[Rewritten]]: ...


class Guesser(Protocol):
    """Guesses attributes from a text: plays privacy evaluator, utility evaluator and adversary.

    The same text with the same `k` is guessed alike wherever a language model is not asked to sample.
    """

    @property
    def identity(self) -> ModelIdentity: ...

    def prepared(self, brief: Brief, seed: int) -> Guesser: ...

    def guess(
        self, texts: Sequence[str], attributes: Mapping[str, int], *, seed: int
    ) -> Asking[list[Guessed]]:
        """`attributes` maps names to the number of guesses allowed."""
        ...


@dataclass(frozen=True)
class Told:
    """One thing that a text tells about its author, as the extraction agent found it."""

    what: str  # kind of information, an attribute's name where one fits
    span: str  # substring of the text


class ThreeAgents(Protocol):
    """1-2-3 Check (arXiv 2508.07667): one text through extraction, classification, generation."""

    @property
    def identity(self) -> ModelIdentity: ...

    def prepared(self, brief: Brief, seed: int) -> ThreeAgents: ...

    def extract(self, texts: Sequence[str], *, seed: int) -> Asking[list[tuple[Told, ...] | str]]:
        """What each text tells; a str says why that could not be read."""
        ...

    def classify(
        self, told: Sequence[tuple[Told, ...]], *, seed: int
    ) -> Asking[list[tuple[bool, ...] | str]]:
        """For each thing told, whether it is private."""
        ...

    def generate(
        self, texts: Sequence[str], hide: Sequence[tuple[Told, ...]], *, seed: int
    ) -> Asking[list[Rewritten]]:
        """Each text anew without what is to be hidden."""
        ...


def model_of(player: Any) -> LanguageModel | None:
    """The language model behind a role, its attribute `model`; None for a local counterpart."""
    return getattr(player, "model", None)
