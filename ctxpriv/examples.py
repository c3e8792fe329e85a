"""Donated examples: public in-context texts that models may read (DESIGN section 2).

This module is on the release side: it knows nothing of a corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ctxpriv.schema import Schema


@dataclass(frozen=True)
class DonatedExamples:
    """Texts with their attribute values, given away by their authors.

    `values` has one row a text and the schema's columns (specific values, not buckets).
    """

    texts: tuple[str, ...]
    values: pd.DataFrame
    schema: Schema
    label: str | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def codes(self) -> np.ndarray:
        """Coarse codes, int64 of shape (len(self), |A|)."""
        return self.schema.codes(self.values)

    def nearest(self, codes: Sequence[int], k: int) -> list[int]:
        """Positions of the k examples nearest to one row of coarse codes.

        Hamming distance on coarse codes (paper App. D, after MAPLE); ties go to the
        earlier example, so the choice is reproducible.
        """
        if not len(self):
            return []
        distance = (self.codes != np.asarray(codes)).sum(axis=1)
        return np.argsort(distance, kind="stable")[:k].tolist()
