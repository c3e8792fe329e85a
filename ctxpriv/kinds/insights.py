"""Insights, as the command line and jobs see them (`kinds.kind.StudyKind`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxpriv.insights.outputs import write_insights
from ctxpriv.insights.planning import PlannedInsight, plan_insights
from ctxpriv.insights.result import Insights
from ctxpriv.insights.runner import run_insights
from ctxpriv.insights.study import InsightStudy
from ctxpriv.kinds.text import at, failure_lines, table
from ctxpriv.privatize.spin.expectation import SHAPES
from ctxpriv.roles import reasons_told
from ctxpriv.workspace import Workspace

run = run_insights

SHOWN = ("overlap", "mass_retained", "loss", "loss_bound", "acceptance", "tfidf_cosine")
"""The metrics that fit a terminal; table.csv holds all."""


def read(data: Mapping[str, Any], where: str, base: Path) -> InsightStudy:
    return InsightStudy.from_dict(data, where=where, base=base)


def write(finished: Insights, workspace: Workspace, folder: Path, *, bundles: bool) -> list[Path]:
    return write_insights(finished, workspace, folder, bundles=bundles)


def told(finished: Insights) -> tuple[list[str], list[str]]:
    columns = ["audience", "method", "epsilon", *SHOWN]
    lines = [table(finished.wide()[columns])] if any(r.report for r in finished.runs) else []
    lines += [f"\n{e.name}: {len(e.rows)} figures in {e.seconds:.0f} s" for e in finished.experiments]
    notes = [
        f"Note: {r.title}{at(r.epsilon)}, {r.audience}: {note}"
        for r in finished.runs
        for note in (*r.notes, *r.summary.notes)
    ]
    unmapped = {r.audience: r.unmapped for r in finished.runs if r.unmapped}
    notes += [
        f"Note: {audience}: records that count for nothing, as the mapper gave no usable answer: "
        f"{reasons_told(counts)}"
        for audience, counts in unmapped.items()
    ]
    notes += [f"Note: experiment {e.name}: {note}" for e in finished.experiments for note in e.notes]
    return lines, [*notes, *failure_lines(finished.failures)]


def plan(study: InsightStudy, workspace: Workspace) -> list[str]:
    planned = plan_insights(study, workspace)
    private = [item for item in planned if item.guarantee is not None]
    return [line for item in planned for line in _planned(item)] + [
        f"\n{len(private)} private runs, {sum(i.drawn for i in private)} of them drawn already; "
        f"{len(planned) - len(private)} references."
    ]


def _planned(item: PlannedInsight) -> list[str]:
    lines = [f"{item.title}, {item.audience}{'  (drawn, would be reused)' if item.drawn else ''}"]
    if item.guarantee is None:
        return [*lines, "  no noise: for the curator alone"]
    g = item.guarantee
    lines.append(f"  epsilon {g.epsilon:g}, delta {g.delta:.3g}, rho {g.rho:.4g}; {g.relation}, {g.unit}")
    lines += [
        f"    {c.what}: {c.mechanism}, sensitivity {c.sensitivity:.3g}, scale {c.scale:.3g}"
        for c in g.charges
    ]
    if item.expectation is not None:
        e = item.expectation
        lines.append(
            f"  expected: Overlap@L {e.overlap:.2f} ({e.overlap_low:.2f} to {e.overlap_high:.2f}), "
            f"MassRetained {e.mass_retained:.2f}, a share within ±{e.half_width:.1%}; {SHAPES[e.shape]}"
        )
    return lines
