"""The deterministic decoder: a plan in plain sentences, with no language model (DP-SPIN App. G.5).

RELEASE SIDE. Labels are written between quotation marks, so that a reader sees where one ends whatever
it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.spin.semantic_plan import PlanRow, SemanticPlan
from ctxpriv.privatize.spin.summary import Attempt, Mode
from ctxpriv.privatize.spin.verifier.mentions import shown_label
from ctxpriv.progress import NEVER, CancelToken, Progress, silent


class TemplateDecoder:
    """A `Decoder` whose text follows from the plan alone and is always accepted by the verifier."""

    identity = ModelIdentity("local", "template")

    def decode(
        self,
        plan: SemanticPlan,
        mode: Mode,
        rejected: Sequence[Attempt] = (),
        *,
        seed: int = 0,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> tuple[str, str]:
        """(text, ""). `rejected` and `seed` change nothing."""
        if not plan.rows:
            return f"{_protection(plan)} The released plan lists no theme.", ""
        body = _audit(plan) if mode == "audit" else _display(plan)
        return " ".join([_protection(plan), _size(plan, mode), *body, *_within_noise(plan, mode)]), ""


def _protection(plan: SemanticPlan) -> str:
    if plan.law == "none":
        return "This summary is drawn from a plan without noise, which protects nobody."
    unit = "each record" if plan.unit == "record" else "all records of each user"
    return (
        f"This summary is drawn from a differentially private release that protects {unit}: "
        "random noise was added to what is reported."
    )


def _size(plan: SemanticPlan, mode: Mode) -> str:
    listed = "1 theme" if len(plan.rows) == 1 else f"{len(plan.rows)} themes"
    by = "by rank" if mode == "audit" else "by support, highest first"
    return (
        f"The plan lists {listed} out of {len(plan.atoms)} public concepts, {by}; support is relative to a "
        f"public denominator of {plan.denominator:,} {plan.unit}s."
    )


def _display(plan: SemanticPlan) -> list[str]:
    """A sentence a bin, from the highest; within a bin in the order of rank."""
    return [
        f"Support is {name} for {_listed([_label(r) for r in rows])}."
        for name, rows in groupby(plan.rows, key=lambda r: r.bin)
    ]


def _audit(plan: SemanticPlan) -> list[str]:
    """A sentence a row: rank, mass and bin."""
    noisy = "mass" if plan.law == "none" else "noisy mass"
    return [
        f"{_label(r)} {plan.marker(r)} has rank {r.rank}, with a {noisy} of {mass_told(r.mass)} "
        f"and {r.bin} support."
        for r in plan.rows
    ]


def mass_told(mass: float) -> str:
    """To one decimal place, which is as exact as a reader can use."""
    return f"{round(mass, 1) + 0.0:,.1f}"


def _within_noise(plan: SemanticPlan, mode: Mode) -> list[str]:
    rows = [r for r in plan.rows if not r.above_noise]
    if not rows:
        return []
    if len(rows) == len(plan.rows) > 1:
        return ["All listed themes are within the noise and may not occur at all."]
    names = [_label(r) + (f" {plan.marker(r)}" if mode == "audit" else "") for r in rows]
    return [
        f"{_listed(names)} {'is' if len(rows) == 1 else 'are'} within the noise and may not occur at all."
    ]


def _label(row: PlanRow) -> str:
    return f"“{shown_label(row.label)}”"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
