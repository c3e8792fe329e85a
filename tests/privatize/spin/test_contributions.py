"""What a record, and what a user, can move: under add/drop and replacement, record and user level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import NO_ATOM, Contributions, clipped_rows, from_scores, sketch
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.sensitivity import Sensitivity

M = 7
HUGE = 2**63 - 1
ATOMS = AtomSet(tuple(Atom(f"label {i}") for i in range(M)))

settings_of_a_sketch = st.sampled_from(
    [
        {"unit": "record", "weights": weights, "k": k} for weights in ("scores", "equal") for k in (1, 2, 3)
    ] + [
        {"unit": "user", "bound": bound, "weights": weights}
        for bound in (1, 2, 5) for weights in ("scores", "equal")
    ]
)  # fmt: skip


def measured(**options: object) -> Measurement:
    return Measurement(ATOMS, **{"denominator": 10, "delta": 1e-5, "size": 3, **options})


def records(n: int, k: int) -> st.SearchStrategy[Contributions]:
    """Hostile rows: more than k atoms, the same one twice, such as do not exist, masses too large (also
    for sums of 64 bits) and below 0, and few users."""
    atoms = arrays(np.int32, (n, k + 1), elements=st.integers(NO_ATOM, M))
    mass = arrays(
        np.int64,
        (n, k + 1),
        elements=st.sampled_from([-ONE, 0, 1, ONE // 3, ONE - 1, ONE, 50 * ONE, 2**62, HUGE]),
    )
    users = arrays(np.int64, (n,), elements=st.integers(0, 2))
    return st.builds(Contributions, atoms, mass, users)


def moved(before: Contributions, after: Contributions, how: Measurement) -> np.ndarray:
    return sketch(after, how) - sketch(before, how)


def assert_within(change: np.ndarray, how: Measurement, *, times: int) -> None:
    """`times`: 1 under add/drop, 2 under replacement: the l1 norm doubles, the l2 norm grows by √2."""
    bound = Sensitivity.of(how)
    assert np.abs(change).sum() <= times * bound.l1 == times * how.bound * ONE
    assert math.sqrt(float((change.astype(object) ** 2).sum())) <= math.sqrt(times) * bound.l2
    assert np.abs(change).max() <= bound.linf  # one coordinate moves within [0, linf] either way


def unit_rows(data: Contributions, how: Measurement, who: int) -> np.ndarray:
    """Which records belong to a unit: one record, or all of one user's."""
    assert data.users is not None
    return np.arange(len(data)) == who if how.unit == "record" else data.users == data.users[who]


@given(settings_of_a_sketch, st.data())
@settings(max_examples=100, deadline=None)
def test_adding_or_dropping_a_unit_moves_the_sketch_within_its_sensitivity(options: dict, data) -> None:
    how = measured(**options)
    whole = data.draw(records(6, how.k))
    gone = unit_rows(whole, how, data.draw(st.integers(0, 5)))
    change = moved(whole.of(~gone), whole, how)
    assert (change >= 0).all()  # contributions are not negative, so adding never lowers a mass
    assert_within(change, how, times=1)


@given(settings_of_a_sketch, st.data())
@settings(max_examples=100, deadline=None)
def test_replacing_a_unit_moves_the_sketch_within_its_sensitivity(options: dict, data) -> None:
    how = measured(**options)
    whole = data.draw(records(6, how.k))
    mine = unit_rows(whole, how, data.draw(st.integers(0, 5)))
    other = data.draw(records(int(mine.sum()), how.k))
    atoms, mass = whole.atoms.copy(), whole.mass.copy()
    atoms[mine], mass[mine] = other.atoms, other.mass
    assert_within(moved(whole, Contributions(atoms, mass, whole.users), how), how, times=2)


def test_the_bounds_are_reached() -> None:
    """Else they would be loose, and noise be wasted."""
    one = from_scores(np.array([[0, 1, 2]]), np.array([[1.0, 0, 0]]), 3, floor=0.05, equal=False)
    other = from_scores(np.array([[0, 1, 2]]), np.array([[0, 1.0, 0]]), 3, floor=0.05, equal=False)
    how = measured()
    change = moved(one, other, how)
    assert np.abs(change).sum() == 2 * Sensitivity.of(how).l1
    assert math.isclose(math.hypot(*change), math.sqrt(2) * Sensitivity.of(how).l2)
    equal = from_scores(np.array([[0, 1, 2]]), np.array([[0.9, 0.2, 0.1]]), 3, floor=0.05, equal=True)
    how = measured(weights="equal")
    assert math.isclose(math.hypot(*sketch(equal, how)), Sensitivity.of(how).l2)
    assert sketch(equal, how).max() == Sensitivity.of(how).linf == ONE // 3


@pytest.mark.parametrize("weights", ["scores", "equal"])
@pytest.mark.parametrize("bound", [1, 2, 5])
def test_a_user_with_ten_thousand_records_counts_for_the_bound(bound: int, weights: str) -> None:
    rng = np.random.default_rng(0)
    atoms = np.tile(np.arange(3, dtype=np.int32), (10_000, 1))
    scores = rng.random((10_000, 3)) + 0.1
    heavy = from_scores(
        atoms, scores, 3, floor=0.05, equal=weights == "equal", users=np.zeros(10_000, np.int64)
    )
    few = from_scores(
        atoms[:2] + 3, scores[:2], 3, floor=0.05, equal=weights == "equal", users=np.array([1, 2])
    )
    how = measured(unit="user", bound=bound, weights=weights)
    change = moved(few, Contributions.joined([heavy, few]), how)
    assert_within(change, how, times=1)
    assert change.sum() >= bound * ONE - how.k  # clipped to the bound, not below: rounding alone is lost
    assert (change[:3] > 0).all() and not change[3:].any()
    # The same records at record level are ten thousand units.
    assert moved(few, Contributions.joined([heavy, few]), measured(weights=weights)).sum() > 9_000 * ONE


def test_users_are_summed_before_they_are_clipped_whatever_the_order() -> None:
    atoms = np.array([[0], [1], [0], [2]], np.int32)
    mass = np.full((4, 1), ONE, np.int64)
    mine = Contributions(atoms, mass, np.array([5, 5, 5, 9]))
    how = measured(unit="user", bound=2)
    told = sketch(mine, how)
    assert told.tolist() == [ONE * 4 // 3, ONE * 2 // 3, ONE, 0, 0, 0, 0]
    for order in ([3, 2, 1, 0], [1, 3, 0, 2]):
        assert (sketch(mine.of(np.array(order)), how) == told).all()


def test_many_users_are_summed_a_block_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    n = 500
    some = from_scores(
        rng.integers(0, M, (n, 3)),
        rng.random((n, 3)),
        3,
        floor=0.05,
        equal=False,
        users=rng.integers(0, 90, n),
    )
    how = measured(unit="user")
    whole = sketch(some, how)
    monkeypatch.setattr("ctxpriv.privatize.spin.contributions._USERS_AT_ONCE", 4 * M)
    assert (sketch(some, how) == whole).all()
    plainly = np.zeros(M, np.int64)
    for user in np.unique(some.users):
        mine = some.of(some.users == user)
        total = np.zeros((1, M), np.int64)
        np.add.at(total[0], mine.atoms[mine.atoms >= 0], mine.mass[mine.atoms >= 0])
        plainly += clipped_rows(total, ONE)[0]
    assert (plainly == whole).all()


def test_users_must_be_known_to_be_protected() -> None:
    some = Contributions(np.zeros((2, 1), np.int32), np.full((2, 1), ONE))
    with pytest.raises(BadInput, match="no users"):
        sketch(some, measured(unit="user"))
    with pytest.raises(BadInput, match="one user per record"):
        Contributions(some.atoms, some.mass, np.array([1]))
    with pytest.raises(BadInput, match="shape"):
        Contributions(some.atoms, some.mass[:1])


scores_of_records = st.integers(1, 6).flatmap(
    lambda width: st.tuples(
        arrays(np.int32, (5, width), elements=st.integers(NO_ATOM, M - 1)),
        arrays(np.float64, (5, width), elements=st.floats(-1, 1) | st.sampled_from([np.nan, 0.05, np.inf])),
    )
)


@given(scores_of_records, st.integers(1, 3), st.booleans(), st.sampled_from([0.0, 0.05, 0.5]))
@settings(max_examples=200, deadline=None)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_record_has_at_most_k_atoms_and_mass_one(drawn, k: int, equal: bool, floor: float) -> None:
    atoms, scores = drawn
    scores = np.where(np.isinf(scores), 1e300, scores)
    got = from_scores(atoms, scores, k, floor=floor, equal=equal)
    assert ((got.mass > 0).sum(axis=1) <= k).all() and (got.mass >= 0).all()
    assert (got.mass.sum(axis=1) <= ONE).all()
    assert ((got.atoms == NO_ATOM) == (got.mass == 0)).all()
    # Each record by itself.
    for i in range(len(atoms)):
        alone = from_scores(atoms[i : i + 1], scores[i : i + 1], k, floor=floor, equal=equal)
        assert (alone.atoms[0] == got.atoms[i]).all() and (alone.mass[0] == got.mass[i]).all()


def test_no_match_has_mass_zero_and_ties_go_to_the_earlier_atom() -> None:
    atoms = np.array([[4, 2, 6, 1], [0, 1, 2, 3]])
    scores = np.array([[0.3, 0.3, 0.3, 0.2], [0.05, 0.01, -1, np.nan]])
    got = from_scores(atoms, scores, 2, floor=0.05, equal=False)
    assert got.atoms.tolist() == [[2, 4], [NO_ATOM, NO_ATOM]]
    assert got.mass.tolist() == [[ONE // 2, ONE // 2], [0, 0]]
    assert from_scores(atoms, scores, 3, floor=0.05, equal=True).mass.tolist() == [[ONE // 3] * 3, [0] * 3]


@given(
    arrays(np.int64, (4, 3), elements=st.integers(-(2**40), 2**40)), st.integers(1, 5 * ONE)
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_clipping_is_exact_and_changes_only_what_is_too_much(mass: np.ndarray, most: int) -> None:
    before = mass.copy()
    got = clipped_rows(mass, most)
    assert (mass == before).all()  # the input is left alone
    for row, out in zip(np.maximum(before, 0).tolist(), got.tolist(), strict=True):
        total = sum(row)
        expected = [v * most // total for v in row] if total > most else row
        assert out == expected and sum(out) <= max(most, 0)


def test_sums_that_do_not_fit_64_bits_are_clipped_all_the_same() -> None:
    rows = np.array([[HUGE, HUGE, 0], [2**62, 2**62, 2**62], [-HUGE, HUGE, 0]])
    assert clipped_rows(rows, ONE).tolist() == [[ONE // 2, ONE // 2, 0], [ONE // 3] * 3, [0, ONE, 0]]
    data = Contributions(np.zeros((3, 3), np.int32), rows, np.zeros(3, np.int64))
    assert sketch(data, measured(k=3)).tolist() == [2 * (ONE // 2) + 3 * (ONE // 3) + ONE] + [0] * (M - 1)
    assert sketch(data, measured(unit="user", bound=2)).tolist() == [2 * ONE] + [0] * (M - 1)


def test_masses_are_whole_numbers() -> None:
    with pytest.raises(BadInput, match="whole numbers"):
        Contributions(np.zeros((1, 1), np.int32), np.full((1, 1), np.inf))
