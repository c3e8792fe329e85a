"""Everything that is kept on disk: corpora with their edit history, runs, jobs, ledger, cache.

PRIVATE SIDE. Layout of the folder (format 1):

    workspace.json            the format's number
    ledger.jsonl  cache/      privacy spent; answers of models
    corpora/KEY/              timeline.json, versions/*.json, parts/*.jsonl;
                              proposals.json, passes/          (see `proposal_store`)
    runs/RUN/                 run.json, checkpoints/, release/, reports/   (see `run_store`)
    insights/RUN/             run.json, checkpoints/, result.json          (see `insights.store`)
    jobs/JOB/                 study.json, status.json                      (see `jobs`)

Every change is one atomic rename; a kill at any moment leaves the last finished state.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctxpriv.comparison import Comparison
from ctxpriv.corpus import Corpus
from ctxpriv.corpus_store import load_corpus, part_name, save_corpus
from ctxpriv.errors import BadInput
from ctxpriv.files import (
    WorkspaceFailed,
    damaged,
    explained,
    locked,
    make_folder,
    read_json,
    remove_folder,
    write_json,
)
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.project import ProjectState
from ctxpriv.run_store import RunFolder, StoredRun, comparison_of
from ctxpriv.schema import Schema
from ctxpriv.work_folder import now

FORMAT = 1
KEPT_VERSIONS = 100


@dataclass(frozen=True)
class CorpusEntry:
    """One corpus as lists show it. `added` is an ISO time."""

    key: str
    name: str
    n_records: int
    added: str


class Workspace:
    """A folder; made when absent. Default: $CTXPRIV_WORKSPACE, else `workspace` in the current folder.

    Raises WorkspaceFailed when the folder cannot be used (read-only, full, another format).
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = Path(root or os.environ.get("CTXPRIV_WORKSPACE") or "workspace").expanduser().absolute()
        make_folder(self.root)
        self._check_format()
        self.ledger = Ledger(self.root / "ledger.jsonl")

    def _check_format(self) -> None:
        path = self.root / "workspace.json"
        if not path.exists():
            write_json(path, {"format": FORMAT})
            return
        found = read_json(path)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise WorkspaceFailed(
                f"{self.root}: this workspace has another format than this ctxpriv ({FORMAT}). "
                "Use the version that made it, or choose another folder."
            )

    def cache_file(self, name: str) -> Path:
        """Where a cache called `name` may keep one file."""
        return make_folder(self.root / "cache") / name

    # ---- corpora

    def corpora(self) -> list[CorpusEntry]:
        """Oldest first. Raises WorkspaceFailed when one of them is damaged."""
        folder = self.root / "corpora"
        if not folder.exists():
            return []
        keys = [
            p.name for p in folder.iterdir() if (p / "timeline.json").exists() and not p.name.startswith(".")
        ]
        return sorted((self._entry(key) for key in keys), key=lambda e: (e.added, e.key))

    def _entry(self, key: str) -> CorpusEntry:
        timeline = self._timeline(key)
        now = timeline["versions"][timeline["at"]]
        return CorpusEntry(key, now["name"], now["n_records"], timeline["added"])

    def add_corpus(self, corpus: Corpus, state: ProjectState | None = None) -> str:
        """Keeps `corpus`; returns its key. A corpus that is already here, as it is now, keeps its key."""
        for entry in self.corpora():
            if self.digest(entry.key) == corpus.digest:
                return entry.key
        key = f"{_slug(corpus.name)}-{corpus.digest[:8]}"
        if self._folder(key, check=False).exists():  # the same content was added once and edited since
            key = f"{key}-{uuid.uuid4().hex[:4]}"
        state = state if state is not None else ProjectState(context=corpus.context)
        with self._locked(key):
            self._write(key, corpus, state, "Corpus added", after=None)
        return key

    def corpus(self, key: str) -> Corpus:
        return load_corpus(self._now(key)["corpus"], self._folder(key) / "parts")

    def digest(self, key: str) -> str:
        """The digest of the corpus as it is now, without reading its records."""
        timeline = self._timeline(key)
        return timeline["versions"][timeline["at"]]["digest"]

    def save_corpus(self, key: str, corpus: Corpus, what: str) -> ProjectState:
        """A new version of the corpus (schema, values, splits). Returns the state, which follows:
        whatever changes the records makes approvals void, since the checks before them saw others;
        under another schema new attributes are private."""
        with self._locked(key):
            now = self._now(key)
            state = ProjectState.from_dict(now["state"])
            if corpus.schema.to_dict() != now["corpus"]["schema"]:
                state = state.under_schema(corpus.schema, Schema.from_dict(now["corpus"]["schema"]))
            elif corpus.digest != now["corpus"]["digest"]:
                state = state.unapproved()
            self._write(key, corpus, state, what, after=self._timeline(key))
        return state

    def remove_corpus(self, key: str) -> None:
        """Deletes the corpus, its history and its runs. The ledger stays: what was spent stays spent."""
        with self._locked(key):
            folder = self._folder(key)
            for run in self.runs(key):
                remove_folder(self.run_folder(run.run_id))
            for path in self.insights.glob("*/run.json"):
                if read_json(path).get("corpus_key") == key:
                    remove_folder(path.parent)
            remove_folder(folder)

    # ---- state and its history

    def state(self, key: str) -> ProjectState:
        return ProjectState.from_dict(self._now(key)["state"])

    def save_state(self, key: str, state: ProjectState, what: str) -> ProjectState:
        """A new version of the state; `what` names the edit for the history.

        Returns what was saved: approvals carried over from the last version are void where
        the flow or the sides changed under them (`ProjectState.checked_against`).
        """
        with self._locked(key):
            now, timeline = self._now(key), self._timeline(key)
            state = state.checked_against(ProjectState.from_dict(now["state"]))
            schema = Schema.from_dict(now["corpus"]["schema"])
            for partition in state.partitions.values():
                partition.check(schema)
            self._append(key, {"corpus": now["corpus"], "state": state.to_dict()}, what, timeline)
        return state

    def history(self, key: str) -> list[tuple[str, str]]:
        """(ISO time, what) of every kept version, oldest first."""
        return [(v["when"], v["what"]) for v in self._timeline(key)["versions"]]

    def position(self, key: str) -> int:
        """Index into `history` of the version in use."""
        return self._timeline(key)["at"]

    def undo(self, key: str) -> ProjectState:
        """Back to the version before (corpus and state). Raises BadInput when there is none."""
        return self._move(key, -1)

    def redo(self, key: str) -> ProjectState:
        """Forward again. Raises BadInput when there is nothing to redo."""
        return self._move(key, +1)

    def _move(self, key: str, step: int) -> ProjectState:
        with self._locked(key):
            timeline = self._timeline(key)
            at = timeline["at"] + step
            if not 0 <= at < len(timeline["versions"]):
                raise BadInput(f"there is nothing to {'undo' if step < 0 else 'redo'}.", where="history")
            write_json(self._folder(key) / "timeline.json", {**timeline, "at": at})
        return self.state(key)

    # ---- runs

    @property
    def insights(self) -> Path:
        """The folder of all insights runs (see `insights.store`); it need not exist."""
        return self.root / "insights"

    def run_folder(self, run_id: str) -> Path:
        return make_folder(self.root / "runs") / run_id

    def runs(self, key: str) -> list[StoredRun]:
        """Every run of this corpus, also under its earlier schemas; oldest first."""
        folders = [RunFolder(p) for p in self._run_paths()]
        return sorted(
            (f.stored() for f in folders if f.work.exists and f.work.meta().get("corpus_key") == key),
            key=lambda r: (r.started, r.run_id),
        )

    def comparison(self, key: str) -> Comparison:
        """All finished runs of the corpus as it is now, under the partitions as they are now."""
        return comparison_of(self.runs(key), self.corpus(key), self.state(key).partitions)

    def _run_paths(self) -> list[Path]:
        folder = self.root / "runs"
        return (
            [p for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".")]
            if folder.exists()
            else []
        )

    # ---- storage of versions

    def _write(
        self, key: str, corpus: Corpus, state: ProjectState, what: str, after: Mapping[str, Any] | None
    ) -> None:
        folder = make_folder(self._folder(key, check=False))
        for partition in state.partitions.values():
            partition.check(corpus.schema)
        version = {"corpus": save_corpus(corpus, folder / "parts"), "state": state.to_dict()}
        self._append(key, version, what, after or {"added": now(), "versions": [], "at": -1})

    def _append(self, key: str, version: dict[str, Any], what: str, timeline: Mapping[str, Any]) -> None:
        folder = self._folder(key, check=False)
        name = uuid.uuid4().hex[:16]
        write_json(folder / "versions" / f"{name}.json", version)
        line = {
            "id": name,
            "when": now(),
            "what": what,
            "name": version["corpus"]["name"],
            "n_records": version["corpus"]["n_records"],
            "digest": version["corpus"]["digest"],
            "parts": [version["corpus"]["records"], version["corpus"]["values"]],
        }
        # An edit after an undo drops the versions that could have been redone.
        kept = [*timeline["versions"][: timeline["at"] + 1], line][-KEPT_VERSIONS:]
        write_json(folder / "timeline.json", {**timeline, "versions": kept, "at": len(kept) - 1})
        self._drop_unused(folder, kept)

    def _drop_unused(self, folder: Path, kept: list[dict[str, Any]]) -> None:
        """Versions and parts that no line of the timeline names (also those of a killed edit)."""
        names = {line["id"] for line in kept}
        with explained(folder):
            for path in (folder / "versions").glob("*.json"):
                if path.stem not in names:
                    path.unlink()
            used = {part_name(digest) for line in kept for digest in line["parts"]}
            for path in (folder / "parts").glob("*.jsonl"):
                if path.name not in used:
                    path.unlink()

    def _timeline(self, key: str) -> dict[str, Any]:
        path = self._folder(key) / "timeline.json"
        timeline = read_json(path)
        if not (
            isinstance(timeline, dict)
            and timeline.get("versions")
            and 0 <= timeline.get("at", -1) < len(timeline["versions"])
        ):
            raise damaged(path)
        return timeline

    def _now(self, key: str) -> dict[str, Any]:
        timeline = self._timeline(key)
        return read_json(
            self._folder(key) / "versions" / f"{timeline['versions'][timeline['at']]['id']}.json"
        )

    def _folder(self, key: str, check: bool = True) -> Path:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", key):
            raise BadInput(f"{key!r} is no corpus of this workspace.", where="workspace")
        folder = self.root / "corpora" / key
        if check and not (folder / "timeline.json").exists():
            raise BadInput(
                f"there is no corpus {key!r}.", where="workspace", fix="Load it on the Corpus page."
            )
        return folder

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        """One edit at a time per corpus, also between the app and the command line."""
        busy = "another ctxpriv process has been editing this corpus for half a minute."
        with locked(self.root / "locks" / f"{key}.lock", busy):
            yield


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "corpus"
