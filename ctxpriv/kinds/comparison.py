"""Comparisons of releases of records, as the command line and jobs see them (`kinds.kind.StudyKind`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxpriv.comparison import Comparison
from ctxpriv.kinds.text import failure_lines, table
from ctxpriv.outputs import survivors_sentence, write_outputs
from ctxpriv.runner import PlannedRun, plan_study, run_study
from ctxpriv.study import Study
from ctxpriv.workspace import Workspace

run = run_study


def read(data: Mapping[str, Any], where: str, base: Path) -> Study:
    return Study.from_dict(data, where=where, base=base)


def write(finished: Comparison, workspace: Workspace, folder: Path, *, bundles: bool) -> list[Path]:
    return write_outputs(finished, workspace, folder, bundles=bundles)


def told(finished: Comparison) -> tuple[list[str], list[str]]:
    lines = [table(finished.wide())]
    attacks = finished.attacks()
    if len(attacks):
        means = attacks[attacks["attribute"] == "mean"].drop(columns="attribute")
        lines.append(f"\nAttacks on rewritten records (means over private attributes)\n{table(means)}")
    notes = [f"Note: {warning}" for p in finished.audiences.values() for warning in p.warnings()]
    for result in finished.runs:
        if standing := survivors_sentence(result):
            notes.append(f"Look first: {result.method}, {result.audience}: {standing}")
    return lines, [*notes, *failure_lines(finished.failures)]


def plan(study: Study, workspace: Workspace) -> list[str]:
    planned = plan_study(study, workspace)
    known = [i.plan.minutes for i in planned if not i.finished and i.plan.minutes is not None]
    total = (
        f"\n{len(planned)} runs, {sum(i.finished for i in planned)} of them finished; "
        f"about {sum(known):.1f} minutes of generation to come."
    )
    return [*(line for item in planned for line in _planned(item)), total]


def _planned(item: PlannedRun) -> list[str]:
    plan = item.plan
    lines = [
        f"{item.run.title}{'  (finished, would be reused)' if item.finished else ''}",
        f"  {plan.relation}",
    ]
    if plan.epsilon is None:
        lines.append("  no epsilon: an empirical method without a formal guarantee")
    else:
        lines.append(f"  epsilon {plan.epsilon:g}, delta {plan.delta:.3g}, rho {plan.rho:.4g}")
    for part in plan.parts:
        sigma = "" if part.sigma is None else f", sigma {part.sigma:.3g}"
        lines.append(f"    {part.name}: rho {part.rho:.4g}{sigma} ({part.what})")
    if plan.expected_error_records is not None:
        lines.append(
            f"  expected error of one cell of a one-way marginal: {plan.expected_error_records:.3g} records"
        )
    minutes = "unknown time" if plan.minutes is None else f"about {plan.minutes:.1f} minutes"
    tokens = plan.prompt_tokens + plan.completion_tokens
    lines.append(f"  {plan.model_calls} texts to write, {tokens} tokens, {minutes}")
    return [*lines, *(f"  Note: {warning}" for warning in plan.warnings)]
