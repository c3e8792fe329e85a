"""Assignment by the cosine of sentence embeddings (DP-SPIN §3.3).

PRIVATE SIDE: it reads protected records, and is made without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ctxpriv.models.base import Embedder, ModelIdentity
from ctxpriv.privatize.spin.assign.blocks import best_atoms, in_blocks
from ctxpriv.privatize.spin.contributions import Contributions
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

BLOCK = 512
GRID = 1000
"""Cosines are rounded to thousandths. An embedder's last digits depend on which texts share its batch;
rounded, a record's atoms hang on its neighbours only where a cosine lies within about 1e-7 of a step."""


@dataclass(frozen=True)
class EmbeddingAssigner:
    """Cosine of a record's vector to that of each atom's meaning."""

    measurement: Measurement
    embedder: Embedder

    @property
    def failures(self) -> Mapping[str, int]:
        return {}

    @property
    def identity(self) -> ModelIdentity:
        return self.embedder.identity

    @cached_property
    def _meanings(self) -> NDArray[np.float32]:
        return self.embedder.embed([atom.meaning for atom in self.measurement.atoms.atoms]).T

    def assign(
        self,
        texts: Iterable[str],
        *,
        users: NDArray | None = None,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Contributions:
        return in_blocks(
            texts,
            BLOCK,
            lambda block, within: best_atoms(
                self.similarities(block, progress=within, cancel=cancel), self.measurement
            ),
            k=self.measurement.k,
            users=users,
            progress=progress,
            cancel=cancel,
        )

    def similarities(
        self, texts: tuple[str, ...], *, progress: Progress = silent, cancel: CancelToken = NEVER
    ) -> NDArray[np.float32]:
        """Cosines, -1 to 1, of shape (len(texts), m)."""
        vectors = self.embedder.embed(texts, progress=progress, cancel=cancel)
        return np.round(vectors @ self._meanings * GRID) / GRID
