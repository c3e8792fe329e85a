"""Whoever puts a plan into words (DP-SPIN §4.3, App. G).

RELEASE SIDE: a decoder receives the plan and public rules, and what the verifier said before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Attempt, Mode
from ctxpriv.progress import NEVER, CancelToken, Progress, silent


class Decoder(Protocol):
    """By template or by language model."""

    @property
    def identity(self) -> ModelIdentity: ...

    def decode(
        self,
        plan: SemanticPlan,
        mode: Mode,
        rejected: Sequence[Attempt],
        *,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> tuple[str, str]:
        """(text, failure): one of them is "". `rejected` holds the earlier attempts, last last."""
        ...
