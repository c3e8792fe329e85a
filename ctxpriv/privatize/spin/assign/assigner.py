"""Which atoms a record belongs to, and how much: the fixed map φ (DP-SPIN §3.3).

PRIVATE SIDE: an assigner reads protected records. It is made without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.spin.assign.by_model import ModelAssigner
from ctxpriv.privatize.spin.assign.embedding import EmbeddingAssigner
from ctxpriv.privatize.spin.assign.tfidf import TfidfAssigner
from ctxpriv.privatize.spin.contributions import Contributions
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles


class Assigner(Protocol):
    """Maps each record by itself, so that a record moves its own bounded mass and nothing else."""

    @property
    def identity(self) -> ModelIdentity: ...

    @property
    def failures(self) -> Mapping[str, int]:
        """Records of the last `assign` that got no usable answer and so mass 0, by reason. Only a language
        model fails. A count over protected records, without noise: for the curator alone."""
        ...

    def assign(
        self,
        texts: Iterable[str],
        *,
        users: NDArray | None = None,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Contributions:
        """One row a text, in order. `texts` may be a generator and is read in blocks. `users`: int64
        codes, one a text. Raises BadInput where their number differs, and Cancelled."""
        ...


def assigner_for(measurement: Measurement, donated_texts: Sequence[str], roles: Roles) -> Assigner:
    """The assigner that `measurement.assign` names. Nothing of a protected record decides how it maps.

    Raises BadInput for "model" where no mapper plays.
    """
    if measurement.assign == "tfidf":
        return TfidfAssigner.fitted(measurement, donated_texts)
    if measurement.assign == "embedding":
        return EmbeddingAssigner(measurement, roles.embedder)
    if roles.mapper is None:
        raise BadInput(
            "no language model is chosen to map records.",
            where="measurement, assign",
            fix="Choose a model, or assign by tfidf or embedding.",
        )
    return ModelAssigner(measurement, roles.mapper)
