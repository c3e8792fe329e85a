"""One insights run on disk, in `insights/RUN/` of the workspace.

PRIVATE SIDE (curator-only): `result.json` holds measures against private records, and references.

    run.json       what it was asked, status, message       (see `files`: atomic)
    checkpoints/   that the draw has begun; what it gave, noise included
    result.json    the newest words and measures on what was drawn
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ctxpriv.errors import BadInput
from ctxpriv.files import damaged, make_folder, read_json, write_json
from ctxpriv.insights.result import InsightResult
from ctxpriv.work_folder import WorkFolder
from ctxpriv.workspace import Workspace


@dataclass(frozen=True)
class StoredInsight:
    """A run as lists show it. `status` is one of `work_folder.STATUSES`."""

    run_id: str
    corpus_key: str
    status: str
    title: str
    audience: str
    started: str
    message: str
    folder: InsightFolder

    def result(self) -> InsightResult | None:
        """None unless it is done."""
        return self.folder.result() if self.status == "done" else None


class InsightFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path, self.work = path, WorkFolder(path)

    @property
    def is_drawn(self) -> bool:
        """Whether the noisy part is finished: going on costs no budget."""
        return self.work.checkpoint().load("draw") is not None

    def save(self, result: InsightResult) -> None:
        write_json(self.path / "result.json", result.to_dict())

    def result(self) -> InsightResult | None:
        """Raises WorkspaceFailed naming a file that is damaged or of another version."""
        path = self.path / "result.json"
        if not path.exists():
            return None
        try:
            return InsightResult.from_dict(read_json(path))
        except (AttributeError, KeyError, TypeError, ValueError, BadInput):
            raise damaged(path) from None

    def stored(self) -> StoredInsight:
        meta = self.work.meta()
        return StoredInsight(
            meta["run_id"], meta["corpus_key"], self.work.status, meta["title"], meta["audience"],
            meta["started"], meta["message"], self,
        )  # fmt: skip


def insight_folder(workspace: Workspace, run_id: str) -> InsightFolder:
    return InsightFolder(make_folder(workspace.insights) / run_id)


def stored_insights(workspace: Workspace, key: str | None = None) -> list[StoredInsight]:
    """Every run, of one corpus where `key` is given; oldest first. Results are read when asked for."""
    if not workspace.insights.exists():
        return []
    folders = [InsightFolder(p) for p in workspace.insights.iterdir() if p.is_dir()]
    found = [f.stored() for f in folders if f.work.exists]
    return sorted(
        (s for s in found if key is None or s.corpus_key == key), key=lambda s: (s.started, s.run_id)
    )
