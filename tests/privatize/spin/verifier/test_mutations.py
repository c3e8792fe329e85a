"""True sentences of random plans are accepted; with one word made false they are refused."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.semantic_plan import BINS, PlanRow, SemanticPlan, plan_of
from ctxpriv.privatize.spin.verifier import verify

LABELS = (
    "late fee", "late fee dispute", "identity theft", "slow delivery", "friendly staff", "Loan / Escrow",
    "skin irritation", "long wait", "overdraft", "wrong bill",
)  # fmt: skip


@st.composite
def plans(draw: st.DrawFn) -> SemanticPlan:
    """Four to seven of ten atoms, with masses that noise cannot swap."""
    admitted = draw(st.lists(st.integers(0, 9), min_size=4, max_size=7, unique=True))
    steps = draw(st.lists(st.integers(20, 120), min_size=len(admitted), max_size=len(admitted)))
    masses = {a: 15.5 + sum(steps[: i + 1]) for i, a in enumerate(admitted)}
    return plan_of(
        AtomSet(tuple(map(Atom, LABELS))), masses, sketch=None, unit="record", bound=1, denominator=1000,
        law="Laplace", noise_scale=1, mechanism="made up", size=len(admitted),
    )  # fmt: skip


def kinds(text: str, plan: SemanticPlan, mode: str = "display") -> set[str]:
    return {v.kind for v in verify(text, plan, mode).violations}


def two_rows(plan: SemanticPlan, data: st.DataObject) -> tuple[PlanRow, PlanRow]:
    """The first has the higher rank."""
    i, j = sorted(
        data.draw(st.lists(st.integers(0, len(plan.rows) - 1), min_size=2, max_size=2, unique=True))
    )
    return plan.rows[i], plan.rows[j]


BIN_FORMS = (
    "{a} has {b} support.",
    "Support is {b} for {a}.",
    "Reviewers mention {a} ({b} support).",
    "{a} falls in the {b} range.",
    "There is {b} support for {a}.",
    "{a}: {b}.",
    "With {b} support, {a} is on the list.",
)


@settings(max_examples=60, deadline=None)
@given(plans(), st.data(), st.sampled_from(BIN_FORMS))
def test_bins(plan: SemanticPlan, data: st.DataObject, form: str) -> None:
    row = data.draw(st.sampled_from(plan.rows))
    other = data.draw(st.sampled_from([name for name, _ in BINS if name != row.bin]))
    assert not kinds(form.format(a=row.label, b=row.bin), plan)
    assert "wrong bin" in kinds(form.format(a=row.label, b=other), plan)


TWO_BINS = (
    "{a} has {p} support and {b} has {q} support.",
    "Support is {p} for {a} and {q} for {b}.",
    "{a} shows {p} support, while {b} shows {q} support.",
    "{a} ({p}) and {b} ({q}) are listed.",
    "{a} has {p} support, and {q} support is found for {b}.",
    "{p} support: {a}; {q} support: {b}.",
    "{a} and {b} have {p} and {q} support, respectively.",
)


@settings(max_examples=60, deadline=None)
@given(plans(), st.data(), st.sampled_from(TWO_BINS))
def test_swapped_bins(plan: SemanticPlan, data: st.DataObject, form: str) -> None:
    one, two = two_rows(plan, data)
    assume(one.bin != two.bin)
    assert not kinds(form.format(a=one.label, p=one.bin, b=two.label, q=two.bin), plan)
    assert "wrong bin" in kinds(form.format(a=one.label, p=two.bin, b=two.label, q=one.bin), plan)


MORE = (
    "{a} is more common than {b}.",
    "{b} is less common than {a}.",
    "{a} ranks above {b}.",
    "{b} trails {a}.",
    "Compared with {b}, {a} has more support.",
    "More records concern {a} than {b}.",
    "Support for {a} exceeds support for {b}.",
    "{a} has higher support than {b}.",
)


@settings(max_examples=60, deadline=None)
@given(plans(), st.data(), st.sampled_from(MORE))
def test_comparisons(plan: SemanticPlan, data: st.DataObject, form: str) -> None:
    one, two = two_rows(plan, data)
    assert not kinds(form.format(a=one.label, b=two.label), plan)
    assert "unsupported comparison" in kinds(form.format(a=two.label, b=one.label), plan)


@settings(max_examples=60, deadline=None)
@given(plans(), st.data(), st.sampled_from(["{a} has rank {n}.", "{a} ranks {w}.", "The {w} theme is {a}."]))
def test_ranks(plan: SemanticPlan, data: st.DataObject, form: str) -> None:
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
    row = data.draw(st.sampled_from(plan.rows))
    wrong = data.draw(st.sampled_from([r.rank for r in plan.rows if r.rank != row.rank]))
    assert not kinds(form.format(a=row.label, n=row.rank, w=words[row.rank - 1]), plan)
    assert "wrong rank" in kinds(form.format(a=row.label, n=wrong, w=words[wrong - 1]), plan)


@settings(max_examples=60, deadline=None)
@given(
    plans(), st.data(), st.sampled_from(["{a} {k} has a noisy mass of {x}.", "The mass of {a} {k} is {x}."])
)
def test_masses(plan: SemanticPlan, data: st.DataObject, form: str) -> None:
    one, two = two_rows(plan, data)
    told = {"a": one.label, "k": plan.marker(one)}
    assert not kinds(form.format(x=f"{one.mass:.1f}", **told), plan, "audit")
    assert not kinds(form.format(x=f"about {round(one.mass)}", **told), plan, "audit")
    assert kinds(form.format(x=f"{two.mass:.1f}", **told), plan, "audit") == {"wrong number"}
    assert "unsupported number" in kinds(form.format(x=f"{one.mass + 7.3:.1f}", **told), plan, "audit")
    assert "forbidden marker" in kinds(f"{one.label} has a mass of {one.mass:.1f}.", plan)


@settings(max_examples=40, deadline=None)
@given(plans(), st.data())
def test_an_atom_that_is_not_admitted(plan: SemanticPlan, data: st.DataObject) -> None:
    gone = [i for i in range(len(LABELS)) if plan.row(i) is None]
    atom = data.draw(st.sampled_from(gone))
    verdict = verify(f"{plan.rows[0].label} and {LABELS[atom]} are listed.", plan, "display")
    assert [v.kind for v in verdict.violations] == ["unadmitted atom"]
    assert verdict.mentions == 2 and verdict.unadmitted == 1


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["audit", "display"]))
def test_any_text_is_read(text: str, mode: str) -> None:
    plan = plan_of(
        AtomSet(tuple(map(Atom, LABELS))), {0: 9.5}, sketch=None, unit="record", bound=1, denominator=100,
        law="Laplace", noise_scale=1, mechanism="made up", size=1,
    )  # fmt: skip
    assert not verify(text, plan, mode).accepted


@pytest.mark.parametrize("n", [2, 4])
def test_tied_themes_are_not_ordered(n: int) -> None:
    plan = plan_of(
        AtomSet(tuple(map(Atom, LABELS))), dict.fromkeys(range(n), 50.0), sketch=None, unit="record", bound=1,
        denominator=100, law="Laplace", noise_scale=1, mechanism="made up", size=n,
    )  # fmt: skip
    assert "unsupported comparison" in kinds("Late fee is more common than late fee dispute.", plan)
    assert not kinds("Late fee is as common as late fee dispute.", plan)
