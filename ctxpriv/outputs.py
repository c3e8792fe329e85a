"""What a headless run leaves in its output folder.

PRIVATE SIDE (curator-only): metrics were computed against private records, so the folder
as a whole stays with the curator. What may go out is a bundle (`release_bundle`).
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.errors import NotReleasable
from ctxpriv.files import make_folder, write_json, write_text
from ctxpriv.privatize.release import Release
from ctxpriv.release_bundle import export_bundle
from ctxpriv.run_store import RunFolder, for_audience
from ctxpriv.workspace import Workspace


def write_outputs(
    comparison: Comparison, workspace: Workspace, folder: Path, *, bundles: bool = False
) -> list[Path]:
    """Writes comparison.json, table.csv, radar charts, released texts and README.md.

    With `bundles`, also a zip per exportable release, which the ledger marks as released.
    Returns the paths. Raises DiskFull or WorkspaceFailed.
    """
    make_folder(folder)
    written = [folder / "comparison.json", folder / "table.csv"]
    write_json(written[0], {"curator_only": True, **comparison.to_json_dict()})
    write_text(written[1], comparison.table().to_csv(index=False))
    notes = []
    for result in comparison.runs:
        release = _release(result, comparison, workspace)
        path = folder / "releases" / slug(result.audience) / f"{run_name(result)}.jsonl"
        write_text(
            path,
            "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in release.records.to_dict("records")),
        )
        written.append(path)
        notes.append(_note(release, path.relative_to(folder)))
        if bundles and notes[-1].endswith("may be exported"):
            target = folder / "bundles" / slug(result.audience) / f"{run_name(result)}.zip"
            make_folder(target.parent)
            written.append(export_bundle(release, target, workspace.ledger, run_id=result.run_id))
    written += _radars(comparison, folder)
    write_text(folder / "README.md", _readme(notes))
    return [*written, folder / "README.md"]


def run_name(result: RunResult) -> str:
    """SDG-CI at ε = 1 is "SDG-CI-eps1"."""
    epsilon = result.epsilon
    shown = "none" if epsilon is None else "inf" if math.isinf(epsilon) else f"{epsilon:g}"
    return f"{slug(result.method)}-eps{shown}"


def slug(name: str) -> str:
    """A name as a file name, letters of any language kept."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "unnamed"


def _release(result: RunResult, comparison: Comparison, workspace: Workspace) -> Release:
    release = RunFolder(workspace.run_folder(result.run_id)).release()
    if release is None:
        raise NotReleasable(f"run {result.run_id} is not in the workspace any more. Run the plan again.")
    return for_audience(release, comparison.audiences[result.audience])


def _note(release: Release, path: Path) -> str:
    try:
        release.check_exportable()
    except NotReleasable as why:
        return f"{path.as_posix()} | must stay here: {why}"
    return f"{path.as_posix()} | may be exported"


def _radars(comparison: Comparison, folder: Path) -> list[Path]:
    from ctxpriv.figures import radar

    out = []
    for audience in comparison.audiences:
        for epsilon in comparison.epsilons(audience):
            path = folder / "charts" / f"radar-{slug(audience)}-eps{epsilon:g}.html"
            # The script goes into the file: a chart must open without a network.
            write_text(path, radar(comparison, audience, epsilon).to_html(include_plotlyjs=True))
            out.append(path)
    return out


def _readme(notes: list[str]) -> str:
    rows = "\n".join(f"| {note} |" for note in notes)
    return f"""# For the curator only

comparison.json, table.csv and charts/ hold metrics that were computed on the private records
without noise. They must not leave the data holder.

releases/ holds the synthetic texts with their attribute values. To hand one out, export it as
a bundle (Compare page, or `--bundles`): it then carries its guarantee, and the ledger knows.

| released texts | status |
|---|---|
{rows}
"""
