"""Whether the atoms that a sentence names are admitted, and named as the mode asks."""

from __future__ import annotations

from collections.abc import Iterator

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Mode, Violation
from ctxpriv.privatize.spin.verifier.mentions import Reference
from ctxpriv.privatize.spin.verifier.sentences import Reading
from ctxpriv.privatize.spin.verifier.subjects import Subject


def check_naming(
    reading: Reading, plan: SemanticPlan, mode: Mode, unnamed: list[Subject]
) -> Iterator[Violation]:
    """ "unknown marker", "unadmitted atom", "missing marker" (audit) and "forbidden marker" (display)."""
    marked = {r.atom for _, r in reading.inside if r.marker and r.atom is not None}
    if mode == "audit" and (s := next((s for s in unnamed if s.kind == "pronoun"), None)) and not marked:
        yield Violation(
            "missing marker", reading.told(s.start, s.end).strip(), reading.position,
            f"Name the theme with its marker: {', '.join(plan.atoms.marker(a) for a in s.atoms)}.",
        )  # fmt: skip
    previous: tuple[int, Reference] | None = None
    for at, r in reading.inside:
        yield from _check(reading, plan, mode, r, marked)
        if previous and mode == "audit" and _mismatched(reading, previous, (at, r)):
            yield Violation(
                "missing marker", f"{previous[1].surface} {r.surface}", reading.position,
                f"The marker of “{previous[1].surface}” is {plan.atoms.marker(previous[1].atom or 0)}.",
            )  # fmt: skip
        previous = (at, r)


def _check(
    reading: Reading, plan: SemanticPlan, mode: Mode, r: Reference, marked: set[int | None]
) -> Iterator[Violation]:
    if r.marker and mode == "display":
        yield Violation(
            "forbidden marker", r.marker, reading.position, "A text for display has no markers; use labels."
        )
    if r.atom is None:
        if mode == "audit":
            yield Violation(
                "unknown marker", r.surface, reading.position,
                "Use the markers as listed: " + ", ".join(plan.marker(row) for row in plan.rows[:10]) + ".",
            )  # fmt: skip
        return
    if plan.row(r.atom) is None:
        yield Violation(
            "unadmitted atom", r.surface, reading.position, "The plan does not list it; leave it out."
        )
    elif mode == "audit" and r.atom not in marked:
        yield Violation(
            "missing marker",
            r.surface,
            reading.position,
            f"Write {plan.atoms.marker(r.atom)} right after the label.",
        )


def _mismatched(reading: Reading, a: tuple[int, Reference], b: tuple[int, Reference]) -> bool:
    """A label with another atom's marker beside it."""
    between = reading.text[a[0] + 1 : b[0]]
    label, marker = a[1], b[1]
    return (
        not between.strip(" (")
        and label.labelled
        and not label.marker
        and bool(marker.marker)
        and not marker.labelled
        and label.atom != marker.atom
    )
