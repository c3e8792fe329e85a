"""What a headless run leaves in its output folder.

PRIVATE SIDE (curator-only): metrics were computed against private records, so the folder
as a whole stays with the curator. What may go out is a bundle (`release_bundle`).
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Hashable
from pathlib import Path
from typing import Any, TypeVar

from ctxpriv.comparison import REWRITTEN, Comparison, RunResult
from ctxpriv.errors import NotReleasable
from ctxpriv.files import make_folder, write_json, write_text
from ctxpriv.privatize.release import Release
from ctxpriv.release_bundle import export_bundle
from ctxpriv.run_store import RunFolder, for_audience
from ctxpriv.workspace import Workspace

K = TypeVar("K", bound=Hashable)


def write_outputs(
    comparison: Comparison, workspace: Workspace, folder: Path, *, bundles: bool = False
) -> list[Path]:
    """Writes comparison.json, table.csv, charts, released texts and README.md; of rewritten releases also
    attacks.csv and rewriting.csv.

    With `bundles`, also a zip per exportable release, which the ledger marks as released.
    Returns the paths. Raises DiskFull or WorkspaceFailed.
    """
    make_folder(folder)
    written = [folder / "comparison.json", folder / "table.csv"]
    write_json(written[0], {"curator_only": True, **comparison.to_json_dict()})
    write_text(written[1], comparison.table().to_csv(index=False))
    if any(run.family == REWRITTEN for run in comparison.runs):
        for name, frame in (("attacks", comparison.attacks()), ("rewriting", comparison.rewriting())):
            write_text(folder / f"{name}.csv", frame.to_csv(index=False))
            written.append(folder / f"{name}.csv")
    notes = []
    folders, files = file_names(comparison)
    for result in comparison.runs:
        place = Path(folders[result.audience], files[result.audience, result.run_id])
        release = _release(result, comparison, workspace)
        path = folder / "releases" / place.with_name(f"{place.name}.jsonl")
        write_text(
            path,
            "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in release.records.to_dict("records")),
        )
        written.append(path)
        kept_here = _why_kept(release)
        notes.append(f"{path.relative_to(folder).as_posix()} | {_status(kept_here, result)}")
        if bundles and not kept_here:
            target = folder / "bundles" / place.with_name(f"{place.name}.zip")
            make_folder(target.parent)
            written.append(export_bundle(release, target, workspace.ledger, run_id=result.run_id))
    written += _charts(comparison, folder, folders)
    write_text(folder / "README.md", _readme(notes))
    return [*written, folder / "README.md"]


def run_name(result: RunResult) -> str:
    """SDG-CI at ε = 1 is "SDG-CI-eps1"; a method without ε is its name alone."""
    at = "" if result.epsilon is None else f"-eps{epsilon_name(result.epsilon)}"
    return f"{slug(result.method)}{at}"


def epsilon_name(epsilon: float) -> str:
    """Every digit, so that two ε never share a file: 1, 0.25, inf."""
    return "inf" if math.isinf(epsilon) else repr(float(epsilon)).removesuffix(".0")


def file_names(comparison: Comparison) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """A folder name per audience and a file name per (audience, run): never two alike."""
    folders = _told_apart({name: (slug(name), name) for name in comparison.audiences})
    files: dict[tuple[str, str], str] = {}
    for audience in comparison.audiences:
        of = comparison.of(audience)
        # Not by the run's id: a digest of the records must not name a bundle.
        files |= _told_apart({(audience, r.run_id): (run_name(r), str(i)) for i, r in enumerate(of)})
    return folders, files


def _told_apart(wanted: dict[K, tuple[str, str]]) -> dict[K, str]:
    """`wanted` holds a name and what tells it apart. Names that are alike (also but for their
    case: some file systems see no difference) get a mark from the latter."""
    folded = [name.casefold() for name, _ in wanted.values()]
    return {
        key: name if folded.count(name.casefold()) == 1 else f"{name}-{_mark(whole)}"
        for key, (name, whole) in wanted.items()
    }


def slug(name: str) -> str:
    """A name as a file name of at most 120 bytes, letters of any language kept."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "unnamed"
    if len(plain.encode()) <= 120:
        return plain
    return f"{plain.encode()[:100].decode(errors='ignore')}-{_mark(name)}"


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _release(result: RunResult, comparison: Comparison, workspace: Workspace) -> Release:
    release = RunFolder(workspace.run_folder(result.run_id)).release()
    if release is None:
        raise NotReleasable(f"run {result.run_id} is not in the workspace any more. Run the plan again.")
    return for_audience(release, comparison.audiences[result.audience])


def survivors_sentence(result: RunResult) -> str:
    """That private values stand in released texts as they are, whatever a model said; "" where none do."""
    found = result.report.rewriting.get("survivors")
    records = 0 if found is None else found.detail.get("records", 0)
    if found is None or not records:
        return ""
    by = Counter(attribute for _, attribute in found.detail.get("rows", ()))
    told = ", ".join(f"{name} ({n})" for name, n in by.items())
    texts = "1 released text" if records == 1 else f"{records} released texts"
    return f"In {texts} of {found.n} a private value stands word for word: {told}."


def _why_kept(release: Release) -> str:
    try:
        release.check_exportable()
    except NotReleasable as why:
        return str(why)
    return ""


def _status(kept_here: str, result: RunResult) -> str:
    if kept_here:
        return f"must stay here: {kept_here}"
    standing = survivors_sentence(result)
    return f"may be exported, but look at it first. {standing}" if standing else "may be exported"


def _charts(comparison: Comparison, folder: Path, folders: dict[str, str]) -> list[Path]:
    from ctxpriv import figures

    out = []
    for audience, name in folders.items():
        drawn: dict[str, Any] = {
            f"radar-{name}-eps{epsilon_name(e)}": figures.radar(comparison, audience, e)
            for e in comparison.epsilons(audience)
        }
        if comparison.rewritten(audience):
            drawn[f"radar-{name}-rewritten"] = figures.radar(comparison, audience, None)
        for attack in figures.attack_names(comparison, audience):
            drawn[f"attacks-{name}-{slug(attack)}"] = figures.attack_marks(comparison, audience, attack)
        for title, figure in drawn.items():
            out.append(folder / "charts" / f"{title}.html")
            # The script goes into the file: a chart must open without a network.
            write_text(out[-1], figures.to_html(figure))
    return out


def _readme(notes: list[str]) -> str:
    rows = "\n".join(f"| {note} |" for note in notes)
    return f"""# For the curator only

comparison.json, the tables and charts/ hold metrics that were computed on the private records
without noise. They must not leave the data holder.

releases/ holds the synthetic or rewritten texts with their attribute values. To hand one out, export it as
a bundle (Compare page, or `--bundles`): it then carries its guarantee, and the ledger knows.

| released texts | status |
|---|---|
{rows}
"""
