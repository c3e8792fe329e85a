"""The settings that every method of a study shares, and what they refuse."""

from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.measurement import Measurement

ATOMS = AtomSet(tuple(Atom(f"label {i}") for i in range(12)))


def measured(**settings: object) -> Measurement:
    return Measurement(ATOMS, **{"denominator": 100, "delta": 1e-5, **settings})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 13}, "asks for 13 atoms of 12"),
        ({"size": 0}, "at least 1"),
        ({"k": 0}, "at least 1"),
        ({"k": True}, "at least 1"),
        ({"k": 1.5}, "at least 1"),
        ({"denominator": 0}, "at least 1"),
        ({"bound": 2}, "at most 1"),
        ({"unit": "user", "bound": 0}, "at least 1"),
        ({"unit": "household"}, "unknown"),
        ({"relation": "swap"}, "unknown"),
        ({"assign": "nearest"}, "unknown"),
        ({"weights": "heavy"}, "unknown"),
        ({"floor": 1.0}, "not a similarity"),
        ({"floor": -0.1}, "not a similarity"),
        ({"floor": float("nan")}, "not a similarity"),
        ({"floor": "low"}, "not a similarity"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        measured(**settings)


def test_it_is_written_and_read_back() -> None:
    before = measured(unit="user", bound=5, weights="equal", relation="replacement", k=2, size=4, floor=0.1)
    told = before.to_dict()
    assert told["atoms_digest"] == ATOMS.digest and told["m"] == 12 and "atoms" not in told
    assert Measurement.from_dict(told, ATOMS) == before
