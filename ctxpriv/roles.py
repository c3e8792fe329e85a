"""The roles that models play, as protocols (DESIGN section 9).

Every role has two implementations: by language model and by a local counterpart that
needs none. Which one played is part of every result: `identity`.
Extractors and classifiers may read private text or only the schema, as said below;
generators never receive private text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from ctxpriv.context import Judgement, ReleaseContext
from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import Embedder, LanguageModel, ModelIdentity
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.rewriting_roles import Guesser, Rewriter, ThreeAgents
from ctxpriv.schema import Schema

if TYPE_CHECKING:
    from ctxpriv.privatize.spin.decoder import Decoder


@dataclass(frozen=True)
class Failure:
    """One record for which a role produced nothing usable. Never holds text."""

    row: int
    why: str


def reasons_told(failures: Mapping[str, int]) -> str:
    """How often each kind of failure came, in words: "cut off (3), not JSON (1)"."""
    return ", ".join(f"{why} ({n})" for why, n in failures.items())


@dataclass(frozen=True)
class Extraction:
    """`values`: one row a text, the asked attributes as columns, all inside their domains.

    Rows in `failures` hold `Not stated` (or `Other`) and must be counted as unknown.
    `outside`: per attribute, how many answers were outside the domain and mapped by rule.
    `calls`: answers of a language model, of which `cached` cost nothing.
    """

    values: pd.DataFrame
    failures: tuple[Failure, ...] = ()
    outside: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    seconds: float = 0.0
    calls: int = 0
    cached: int = 0


class Extractor(Protocol):
    """The record-wise map Ext: a text to its attribute values, each text on its own."""

    @property
    def identity(self) -> ModelIdentity: ...

    def extract(
        self,
        texts: Sequence[str],
        schema: Schema,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Extraction: ...


class CIClassifier(Protocol):
    """Judges attributes by name, description and release context; never sees a record."""

    @property
    def identity(self) -> ModelIdentity: ...

    def classify(
        self,
        schema: Schema,
        context: ReleaseContext,
        *,
        samples: int = 3,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> tuple[Judgement, ...]: ...


@dataclass(frozen=True)
class Written:
    """Texts in the order asked for; "" where `failures` says why there is none."""

    texts: tuple[str, ...]
    failures: tuple[Failure, ...] = ()


class TextGenerator(Protocol):
    """Writes and varies candidate texts for evolution. Sees synthetic rows, earlier
    candidates and donated examples only."""

    @property
    def identity(self) -> ModelIdentity: ...

    def write(
        self,
        rows: pd.DataFrame,
        donated: DonatedExamples,
        *,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Written:
        """One text per row. `rows` holds specific values; its columns are a subset of the
        schema (all attributes for SDG-CI and MAPLE, the label alone for Aug-PE)."""
        ...

    def vary(
        self,
        texts: Sequence[str],
        rows: pd.DataFrame,
        donated: DonatedExamples,
        *,
        variations: int,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Written:
        """`variations` texts per text, grouped by text: output i*variations + j varies text i."""
        ...

    def tokens_per_text(self, mean_words: float) -> tuple[int, int]:
        """Estimated (prompt, completion) tokens of one call; (0, 0) where no model is used."""
        ...

    def calls_per_second(self) -> float:
        """Measured texts per second, for the plan's estimate of minutes."""
        ...


@dataclass(frozen=True)
class Roles:
    """Who plays what in a run. `adversary` is the language model that attacks rewritten releases
    after the fact; None leaves that to the classifier adversary, which needs no model. For summaries:
    `decoder` puts plans into words, `mapper` maps records to atoms and `judge` gives its opinion of a
    summary; without a model there is no mapper and no judge."""

    embedder: Embedder
    generator: TextGenerator
    extractor: Extractor | None = None
    classifier: CIClassifier | None = None
    rewriter: Rewriter | None = None
    privacy_evaluator: Guesser | None = None
    utility_evaluator: Guesser | None = None
    agents: ThreeAgents | None = None
    adversary: LanguageModel | None = None
    decoder: Decoder | None = None
    mapper: LanguageModel | None = None
    judge: LanguageModel | None = None

    def identities(self) -> dict[str, dict[str, str]]:
        players = {f.name: getattr(self, f.name) for f in fields(self)}
        return {role: player.identity.to_dict() for role, player in players.items() if player is not None}
