"""A small dictionary, an exact sketch and plans made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.semantic_plan import plan_of

LABELS = ("late fees", "long wait", "credit report", "card declined", "lost parcel", "rude staff")


@pytest.fixture
def measurement() -> Measurement:
    return Measurement(AtomSet(tuple(Atom(x) for x in LABELS)), 100, 1e-4, size=3)


@pytest.fixture
def exact() -> np.ndarray:
    """Masses 30, 20, 10, 10, 5, 0 records: a tie at the boundary of the top 3."""
    return np.array([30, 20, 10, 10, 5, 0], np.int64) * ONE


@pytest.fixture
def plan(measurement):
    def make(masses, *, sketch=None, law="Laplace", scale=2.0, size=3, atoms=None):
        return plan_of(
            atoms or measurement.atoms, masses, sketch=sketch, unit="record", bound=1, denominator=100,
            law=law, noise_scale=scale, mechanism="by hand", size=size,
        )  # fmt: skip

    return make
