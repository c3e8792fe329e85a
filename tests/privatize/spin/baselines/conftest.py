"""A small corpus of two kinds of complaints, and noise doubles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.noise import NoNoise, gaussian_rho, laplace_epsilon
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import NO_ATOM, Contributions
from ctxpriv.privatize.spin.insight import Protected, Task
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.roles import Roles
from ctxpriv.schema import Attribute, Schema

LOAN = (
    "The loan payment was late and the lender charged a fee.",
    "My mortgage lender lost the loan payment.",
    "A late fee on the mortgage payment again.",
    "The lender says the mortgage payment never came.",
)
CARD = (
    "A stranger used the credit card for a purchase.",
    "The card purchase was fraud and the dispute failed.",
    "Somebody stole the card and the bank refused the dispute.",
    "Fraud on the credit card, a dispute with the bank.",
)


class RecordingNoiseDouble(NoNoise):
    """TESTS ONLY, not private: exact answers; what was asked for, and at which price."""

    def __init__(self) -> None:
        self.rho = Fraction(0)
        self.asked: list[np.ndarray] = []

    def gaussian(self, counts, sigma, sensitivity=1.0):
        self.rho += Fraction(gaussian_rho(sigma, sensitivity))
        self.asked.append(np.array(counts))
        return super().gaussian(counts, sigma, sensitivity)

    def laplace(self, counts, scale, sensitivity=1):
        self.rho += Fraction(laplace_epsilon(scale, sensitivity)) ** 2 / 2
        self.asked.append(np.array(counts))
        return super().laplace(counts, scale, sensitivity)


@pytest.fixture
def recording():
    return RecordingNoiseDouble()


@pytest.fixture
def donated():
    schema = Schema(
        (
            Attribute("product", ("Mortgage", "Credit card", "Other", "Not stated")),
            Attribute("town", ("Ashby", "Brock", "Corley"), provenance="observed"),
        )
    )
    values = pd.DataFrame({"product": ["Mortgage"] * 4 + ["Credit card"] * 4, "town": ["Ashby", "Brock"] * 4})
    return DonatedExamples((*LOAN, *CARD), values, schema, "product")


@pytest.fixture
def atoms():
    return AtomSet(
        (
            Atom("Mortgage / Late payment", "Payments and fees of a mortgage loan.", "taxonomy", 3),
            Atom("Mortgage / Closing", "Closing costs of a home.", "taxonomy", 1),
            Atom("Credit card / Fraud", "Purchases by a stranger, disputes with the bank.", "taxonomy", 4),
        )
    )


@pytest.fixture
def measured(atoms):
    return Measurement(atoms, denominator=10, delta=1e-3, size=2)


@pytest.fixture
def protect():
    """Makes protected records of texts, with their values and users."""

    def make(texts, product=None, town=None, users=None):
        n = len(texts)
        values = pd.DataFrame(
            {"product": product or ["Mortgage"] * n, "town": town or ["Ashby"] * n}, index=range(n)
        )
        nothing = Contributions(
            np.full((n, 1), NO_ATOM, np.int32), np.zeros((n, 1), np.int64),
            None if users is None else np.asarray(users, np.int64),
        )  # fmt: skip
        return Protected(list(texts), values, nothing)

    return make


@pytest.fixture
def draw(donated):
    def run(method, protected, measured, noise, seed=0, roles=None, donated=donated):
        return method.draw(Task(protected, measured, donated, roles or Roles(None, None), noise, seed))

    return run


@pytest.fixture
def loan():
    return LOAN


@pytest.fixture
def card():
    return CARD
