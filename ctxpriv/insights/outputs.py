"""What a headless insights run leaves in its output folder.

PRIVATE SIDE (curator-only): measures and references were computed on private records, so the folder as
a whole stays with the curator. What may go out is a bundle (`insights.bundle`).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ctxpriv.errors import NotReleasable
from ctxpriv.files import make_folder, write_json, write_text
from ctxpriv.insights.bundle import InsightRelease, export_insight, plan_csv
from ctxpriv.insights.result import InsightResult, Insights
from ctxpriv.outputs import epsilon_name, slug
from ctxpriv.workspace import Workspace


def release_of(result: InsightResult) -> InsightRelease:
    """What of a result may go out, where `check_exportable` agrees."""
    return InsightRelease(
        result.run_id,
        result.title,
        result.audience,
        result.plan,
        result.outcome.details,
        result.summary,
        result.measurement,
        result.config,
        result.guarantee,
        result.only,
        (*result.notes, *result.outcome.notes, *result.summary.notes),
        result.models,
    )


def write_insights(
    finished: Insights, workspace: Workspace, folder: Path, *, bundles: bool = False
) -> list[Path]:
    """Writes insights.json, table.csv, a table per experiment, a text, a plan and a chart per run, README.md.

    With `bundles`, also a zip per exportable release that was approved in the plan, which the ledger marks
    as released. Returns the paths. Raises WorkspaceFailed.
    """
    make_folder(folder)
    written = [folder / "insights.json", folder / "table.csv"]
    write_json(written[0], {"curator_only": True, **finished.to_json_dict()})
    write_text(written[1], finished.table().to_csv(index=False))
    for experiment in finished.experiments:
        written.append(folder / "experiments" / f"{slug(experiment.name)}.csv")
        write_text(written[-1], experiment.frame().to_csv(index=False))
    notes = []
    for result in finished.runs:
        place = Path(slug(result.audience), file_name(result))
        written += _texts(result, folder, place)
        status = _status(result)
        notes.append(f"{place.as_posix()} | {status or 'may be exported'}")
        if bundles and not status:
            target = folder / "bundles" / place.with_name(f"{place.name}.zip")
            make_folder(target.parent)
            written.append(export_insight(release_of(result), target, workspace.ledger, result.approval))
    write_text(folder / "README.md", _readme(notes))
    return [*written, folder / "README.md"]


def file_name(result: InsightResult) -> str:
    """The title, ε, and a mark that tells two settings of one method apart: made of what a card tells, not
    of the run's id, since bundles carry this name outside and the id is a digest of the records."""
    at = "" if result.epsilon is None else f"-eps{epsilon_name(result.epsilon)}"
    settings = json.dumps([dict(result.config), result.measurement.to_dict()], sort_keys=True)
    return f"{slug(result.title)}{at}-{hashlib.sha256(settings.encode()).hexdigest()[:6]}"


def _texts(result: InsightResult, folder: Path, place: Path) -> list[Path]:
    from ctxpriv import figures

    base = folder / "summaries" / place
    out = [base.with_name(f"{base.name}.txt")]
    write_text(out[0], result.summary.text + "\n")
    if result.plan is not None:
        files: dict[str, Any] = {
            ".csv": plan_csv(result.plan),
            ".html": figures.to_html(figures.plan_bars(result.plan, dark=False)),
        }
        for ending, text in files.items():
            out.append(base.with_name(f"{base.name}{ending}"))
            write_text(out[-1], text)
    return out


def _status(result: InsightResult) -> str:
    """Why it must stay here; "" where it may go out."""
    try:
        release_of(result).check_exportable()
    except NotReleasable as why:
        return f"must stay here: {why}"
    return "" if result.approval else "nobody has approved it for this audience yet"


def _readme(notes: list[str]) -> str:
    rows = "\n".join(f"| {note} |" for note in notes)
    return f"""# For the curator only

insights.json, table.csv and experiments/ hold measures that were computed on the private records without
noise, and references that have none at all. They must not leave the data holder.

summaries/ holds every summary with its plan. To hand one out, export it as a bundle (Insights page, or
`--bundles`): it then carries its guarantee, and the ledger knows.

| summary | status |
|---|---|
{rows}
"""
