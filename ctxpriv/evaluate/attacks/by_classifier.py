"""The adversary that needs no language model: classifiers that learnt from the donated split.

PRIVATE SIDE: reads rewrites and originals. The same classifiers can judge privacy while rewriting (the
local counterpart, DESIGN section 9); there they may say that a text tells nothing, here they must answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ctxpriv.extract.evidence.reader import fitted
from ctxpriv.extract.guess_by_classifier import ClassifierGuesser
from ctxpriv.models.base import Embedder, ModelIdentity
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.rewriting_roles import Brief, Guessed
from ctxpriv.schema import SAYS_NOTHING

CHUNK = 128  # texts between two looks at the cancel token


@dataclass(frozen=True)
class ClassifierAdversary:
    """Names the likeliest coarse value of every attribute, and never that none is stated: the records
    that count have one."""

    embedder: Embedder = field(repr=False)
    seed: int = 0

    @property
    def identity(self) -> ModelIdentity:
        """As that of the local privacy evaluator: where it played, the two are one."""
        return ClassifierGuesser(self.embedder).identity

    def answers(
        self,
        texts: Sequence[str],
        brief: Brief,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> list[Guessed]:
        """Learns from `brief.donated` when first asked. Raises BadInput where nothing was donated."""
        scores = self.scores(texts, brief, progress=progress, cancel=cancel)
        values = {n: brief.schema.coarse_values(n) for n in brief.private}
        best = {n: row.argmax(axis=1) for n, row in scores.items()}
        return [
            Guessed(
                {n: (values[n][int(best[n][i])],) for n in scores},
                {},
                {n: float(np.exp(scores[n][i].max())) for n in scores},
            )
            for i in range(len(texts))
        ]

    def scores(
        self,
        texts: Sequence[str],
        brief: Brief,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> dict[str, np.ndarray]:
        """Per attribute in `brief.private` the log probability of each coarse value, (n, values); −∞
        where a value says that nothing is stated. Attributes without any other value are left out."""
        reader = fitted(brief.donated, self.embedder, self.seed)
        told = {n: np.array([v not in SAYS_NOTHING for v in reader.classes(n)]) for n in brief.private}
        names = [n for n in brief.private if told[n].any()]
        found: dict[str, list[np.ndarray]] = {n: [np.zeros((0, len(told[n])))] for n in names}
        for start in range(0, len(texts), CHUNK):
            cancel.check()
            progress("attack by classifier", start, len(texts))
            read = reader.evidence.read(texts[start : start + CHUNK])
            for name, logs in reader.log_probabilities(read, names).items():
                found[name].append(np.where(told[name], logs, -np.inf))
        progress("attack by classifier", len(texts), len(texts))
        return {name: np.vstack(parts) for name, parts in found.items()}
