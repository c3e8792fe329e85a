"""One run on disk: what it was asked, its checkpoints, its release and its reports.

PRIVATE SIDE (curator-only): reports hold metrics computed on private records.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.errors import CtxprivError
from ctxpriv.evaluate.report import Report, epsilon_from_json
from ctxpriv.files import explained, make_folder, place_folder, read_json, write_json
from ctxpriv.privatize.anon.episode_file import EPISODES, EpisodeFile
from ctxpriv.privatize.release import Release
from ctxpriv.work_folder import FolderCheckpoint, WorkFolder, digest_of, now


@dataclass(frozen=True)
class StoredReport:
    """A report with what it was computed under. `evaluation` names settings and models."""

    audience: str
    partition: Partition
    evaluation: str
    when: str
    report: Report


@dataclass(frozen=True)
class StoredRun:
    """A run as kept. `audience` is "" where one release serves every audience."""

    run_id: str
    status: str  # one of `work_folder.STATUSES`
    method: str
    audience: str
    epsilon: float | None
    digest: str  # of the corpus it was run on
    started: str
    message: str
    stored_reports: tuple[StoredReport, ...]
    folder: Path

    @cached_property
    def release(self) -> Release | None:
        """The released records, read when asked for; None unless the run is done."""
        return RunFolder(self.folder).release() if self.status == "done" else None

    def release_facts(self, partition: Partition) -> dict[str, Any]:
        """`Release.to_dict()` for the audience of `partition`, without reading the records."""
        facts = read_json(self.folder / "release" / "release.json")
        return {**facts, "audience": partition.audience, "partition": partition.to_dict()}

    def episodes(self) -> EpisodeFile | None:
        """The episodes of a rewriting run, finished or not; None for other runs. Curator-only."""
        return RunFolder(self.folder).episodes()

    @property
    def reports(self) -> dict[str, Report]:
        """The newest report per audience."""
        return {r.audience: r.report for r in sorted(self.stored_reports, key=lambda r: r.when)}


class RunFolder:
    """The folder of one run. `release/` appears in one step, so that it is whole or absent."""

    def __init__(self, path: Path) -> None:
        self.path, self.work = path, WorkFolder(path)

    @property
    def is_finished(self) -> bool:
        return (self.path / "release" / "release.json").exists()

    def checkpoint(self) -> FolderCheckpoint:
        return self.work.checkpoint(self.path)

    def episodes(self) -> EpisodeFile | None:
        """What a rewriting run kept of every record; None for other runs. Curator-only."""
        path = self.path / EPISODES
        return EpisodeFile(path) if path.exists() else None

    def save_release(self, release: Release) -> None:
        make_folder(self.path)
        with explained(self.path), tempfile.TemporaryDirectory(prefix=".release.", dir=self.path) as beside:
            release.save(Path(beside) / "release")
            place_folder(Path(beside) / "release", self.path / "release")

    def release(self) -> Release | None:
        folder = self.path / "release"
        if not self.is_finished:
            return None
        try:
            with explained(folder):
                return Release.load(folder)
        except (ValueError, KeyError, TypeError):
            raise CtxprivError(
                f"{folder}: the stored release is damaged. Delete the folder {self.path.name} "
                "under runs to run it anew (that costs privacy budget again)."
            ) from None

    def save_report(self, evaluation: str, audience: str, partition: Partition, report: Report) -> None:
        sides = replace(partition, approval=None).to_dict()
        write_json(
            self._report_path(evaluation, audience, partition),
            {
                "audience": audience,
                "partition": sides,
                "evaluation": evaluation,
                "when": now(),
                "report": report.to_dict(),
            },
        )

    def report(self, evaluation: str, audience: str, partition: Partition) -> Report | None:
        path = self._report_path(evaluation, audience, partition)
        return Report.from_dict(read_json(path)["report"]) if path.exists() else None

    def reports(self) -> tuple[StoredReport, ...]:
        found = (read_json(p) for p in sorted((self.path / "reports").glob("*.json")))
        return tuple(
            StoredReport(
                d["audience"],
                Partition.from_dict(d["audience"], d["partition"]),
                d["evaluation"],
                d["when"],
                Report.from_dict(d["report"]),
            )
            for d in found
        )

    def stored(self) -> StoredRun:
        meta = self.work.meta()
        return StoredRun(
            meta["run_id"],
            self.work.status,
            meta["method"],
            meta["audience"],
            epsilon_from_json(meta["epsilon"]),
            meta["digest"],
            meta["started"],
            meta["message"],
            self.reports(),
            self.path,
        )

    def _report_path(self, evaluation: str, audience: str, partition: Partition) -> Path:
        name = digest_of([evaluation, audience, *partition.sides_key()])
        return self.path / "reports" / f"{name[:20]}.json"


def comparison_of(
    runs: Sequence[StoredRun], corpus: Corpus, partitions: Mapping[str, Partition]
) -> Comparison:
    """The finished runs that can stand side by side.

    Only runs on the corpus as it is, under the partitions as they are, evaluated alike: with
    the settings and models of the newest report. Of several runs of one method at one ε for
    one audience (other sizes or models), the one used last.
    """
    found = [
        (run, r)
        for run in runs
        if run.status == "done" and run.digest == corpus.digest
        for r in run.stored_reports
        if r.partition.same_sides(partitions.get(r.audience))
    ]
    found.sort(key=lambda pair: pair[1].when)
    newest = found[-1][1].evaluation if found else ""
    chosen = {(r.audience, run.method, run.epsilon): (run, r) for run, r in found if r.evaluation == newest}
    results = tuple(
        RunResult(r.audience, run.release_facts(partitions[r.audience]), r.report, run.run_id)
        for run, r in chosen.values()
    )
    used = {r.audience for r in results}
    return Comparison(corpus_summary(corpus), {k: p for k, p in partitions.items() if k in used}, results)


def for_audience(release: Release, partition: Partition) -> Release:
    """A kept release as seen by the audience of `partition`, with its current approval."""
    return replace(release, audience=partition.audience, partition=partition)


def corpus_summary(corpus: Corpus) -> dict[str, Any]:
    """Name, counts, label and attributes for `comparison.json`; no text."""
    facts = corpus.facts()
    return {
        "name": facts.name,
        "digest": facts.digest,
        "n_private": facts.n_private,
        "n_test": facts.n_test,
        "n_donated": facts.n_donated,
        "label": facts.label,
        "attributes": list(facts.schema.names),
    }
