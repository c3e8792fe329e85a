"""Two plans on the same atoms: what differs by more than noise, and what may not be compared."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.compare_plans import SAYS, comparable, compare
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of

ATOMS = AtomSet(tuple(Atom(f"theme {c}") for c in "abcd"))


def plan(
    masses: dict[int, float], *, sketch=None, n: int = 100, scale: float = 1.0, law="Laplace", atoms=ATOMS
) -> SemanticPlan:
    return plan_of(
        atoms, masses, sketch=sketch, unit="record", bound=1, denominator=n, law=law,
        noise_scale=scale, mechanism="made up", size=2,
    )  # fmt: skip


def full(*masses: float, **settings) -> SemanticPlan:
    best = sorted(range(len(masses)), key=lambda i: -masses[i])[:2]
    return plan({i: masses[i] for i in best}, sketch=masses, **settings)


def test_only_intervals_that_leave_each_other_out_differ():
    # Half width 2.303 of 100 and of 200 records: 0.0230 and 0.0115 of the denominators.
    first, second = full(40.0, 20.0, 10.0, 0.0), full(60.0, 60.0, 24.0, 0.0, n=200)
    got = {d.label: d for d in compare(first, second)}
    assert {label: d.verdict for label, d in got.items()} == {
        "theme a": "lower",
        "theme b": "higher",
        "theme c": "cannot tell",
        "theme d": "cannot tell",
    }
    assert got["theme b"].difference == pytest.approx(0.1)
    assert got["theme b"].around == pytest.approx(first.half_width / 100 + second.half_width / 200)
    assert [d.told for d in got.values()] == [True, True, False, False]


def test_an_atom_outside_the_full_sketch_or_not_admitted_is_not_released():
    admitted = plan({0: 40.0, 2: 10.0}, law="Gaussian")
    got = compare(full(40.0, 20.0, 60.0, 0.0), admitted)
    assert [d.verdict for d in got] == ["cannot tell", "not released", "lower", "not released"]
    assert got[1].first is not None and got[1].second is None
    assert got[1].difference is None and got[1].around is None


def test_releases_without_noise_can_be_equal():
    exact = full(40.0, 20.0, 10.0, 0.0, law="none", scale=0.0)
    other = full(40.0, 21.0, 10.0, 0.0, law="none", scale=0.0)
    assert [d.verdict for d in compare(exact, other)] == ["equal", "higher", "equal", "equal"]
    assert compare(exact, full(40.0, 20.0, 10.0, 0.0))[0].verdict == "cannot tell"


@given(st.lists(st.floats(-50, 150), min_size=8, max_size=8), st.floats(0.01, 20), st.floats(0.01, 20))
def test_turning_the_two_around_turns_the_verdict_around(masses, one, two):
    first, second = full(*masses[:4], scale=one), full(*masses[4:], scale=two, n=70)
    turned = {"higher": "lower", "lower": "higher"}
    there, back = compare(first, second), compare(second, first)
    assert [turned.get(d.verdict, d.verdict) for d in there] == [d.verdict for d in back]
    for d in there:
        if abs(abs(d.difference) - d.around) > 1e-9:  # not where rounding decides
            assert d.told == (abs(d.difference) > d.around)


@pytest.mark.parametrize(
    ("atoms", "says"),
    [
        (ATOMS.top(3), "there are 4 and 3"),
        (AtomSet((*ATOMS.atoms[:3], Atom("theme z"))), "atom 4 is 'theme d' and 'theme z'"),
        (AtomSet((Atom("theme a", "other words"), *ATOMS.atoms[1:])), "atom 1, 'theme a', is described"),
        (AtomSet(ATOMS.atoms[::-1]), "atom 1 is 'theme a' and 'theme d'"),
    ],
)
def test_other_atoms_are_refused_with_what_differs(atoms, says):
    first, second = full(1.0, 2.0, 3.0, 4.0), plan({0: 1.0}, atoms=atoms)
    assert not comparable(first, second)
    with pytest.raises(BadInput, match=says):
        compare(first, second)


def test_another_unit_or_bound_is_refused():
    records = full(1.0, 2.0, 3.0, 4.0)
    assert comparable(records, records) and not comparable(records, replace(records, unit="user"))
    with pytest.raises(BadInput, match="record and user"):
        compare(records, replace(records, unit="user"))
    with pytest.raises(BadInput, match="B = 1 and B = 2"):
        compare(replace(records, unit="user"), replace(records, unit="user", bound=2))


def test_every_verdict_has_its_words():
    assert set(SAYS) == {"higher", "lower", "equal", "cannot tell", "not released"}
