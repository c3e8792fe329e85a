"""Proposed schemas of one corpus and how they were judged, kept on disk beside its versions.

PRIVATE SIDE (curator-only): names and values may have been made by reading private records, and
the figures are computed without noise.

They are no part of the edit history: a proposal that cost privacy budget survives undo, a page
that is left, and a restart, until somebody removes it or the corpus.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.extract.quality import SchemaQuality
from ctxpriv.files import (
    damaged,
    locked,
    read_json,
    write_json,
)
from ctxpriv.schema import Schema
from ctxpriv.schema_proposal import SchemaProposal
from ctxpriv.work_folder import FolderCheckpoint, now
from ctxpriv.workspace import Workspace


@dataclass(frozen=True)
class KeptProposal:
    """`id` names it in judgings; `made` is an ISO time."""

    id: str
    made: str
    proposal: SchemaProposal


@dataclass(frozen=True)
class Pending:
    """A pass that was begun, and perhaps charged, and has given nothing yet. `settings` are its
    config's fields."""

    run_id: str
    settings: Mapping[str, Any]
    begun: str


@dataclass(frozen=True)
class JudgingSettings:
    """Only figures made under equal settings stand side by side."""

    split: str
    sample: int
    coverage_sample: int
    seed: int
    reader: str  # name of the model, for people
    second: str = ""  # "" where nobody read again
    judge: str = ""


@dataclass(frozen=True)
class Judging:
    """The last round of figures: `rows` by the id of a proposal, or by `schema_id` of a schema."""

    settings: JudgingSettings
    rows: Mapping[str, SchemaQuality]
    when: str


@dataclass(frozen=True)
class _Kept:
    proposals: tuple[KeptProposal, ...] = ()
    pending: tuple[Pending, ...] = ()
    judging: Judging | None = None


@dataclass(frozen=True)
class ProposalStore:
    """Of the corpus `key`. Raises WorkspaceFailed where the file cannot be read or written."""

    workspace: Workspace
    key: str
    _folder: Path = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.workspace.digest(self.key)  # refuses a key that is no corpus
        object.__setattr__(self, "_folder", self.workspace.root / "corpora" / self.key)

    # ---- what is there

    def proposals(self) -> tuple[KeptProposal, ...]:
        """Oldest first."""
        return self._read().proposals

    def pending(self) -> tuple[Pending, ...]:
        return self._read().pending

    def judging(self) -> Judging | None:
        return self._read().judging

    # ---- changes

    def keep(self, proposal: SchemaProposal, *, ended: str = "") -> str:
        """Keeps it and returns its id. It replaces a kept one of the same run id, or that says the same.

        `ended`: the run id of the pass, now no longer pending, that gave it.
        """
        made = KeptProposal(uuid.uuid4().hex[:12], now(), proposal)
        with self._locked():
            kept = self._read()
            same = [k for k in kept.proposals if _is_the_same(k.proposal, proposal)]
            if same:
                made = replace(made, id=same[0].id)
            others = tuple(k for k in kept.proposals if k.id != made.id)
            pending = tuple(p for p in kept.pending if p.run_id != ended)
            self._write(replace(kept, proposals=(*others, made), pending=pending))
        return made.id

    def remove(self, proposal_id: str) -> None:
        """What it cost stays in the ledger. Raises BadInput where it is not kept."""
        with self._locked():
            kept = self._read()
            left = tuple(k for k in kept.proposals if k.id != proposal_id)
            if len(left) == len(kept.proposals):
                raise BadInput("there is no such proposal any more.", where="proposals")
            judging = kept.judging
            if judging is not None:
                rows = {k: q for k, q in judging.rows.items() if k != proposal_id}
                judging = replace(judging, rows=rows)
            self._write(replace(kept, proposals=left, judging=judging))

    def begin(self, run_id: str, settings: Mapping[str, Any]) -> None:
        """Notes a pass that is about to start, so that a restart can go on with it."""
        _plain(run_id)
        with self._locked():
            kept = self._read()
            others = tuple(p for p in kept.pending if p.run_id != run_id)
            self._write(replace(kept, pending=(*others, Pending(run_id, dict(settings), now()))))

    def give_up(self, run_id: str) -> None:
        """The pass is not pending any more. Its charge stays in the ledger, and what it paid for stays
        in its checkpoint: with the same settings it costs nothing again."""
        with self._locked():
            kept = self._read()
            self._write(replace(kept, pending=tuple(p for p in kept.pending if p.run_id != run_id)))

    def checkpoint(self, run_id: str) -> FolderCheckpoint:
        """Where the pass `run_id` keeps what it has paid for."""
        return FolderCheckpoint(self._folder / "passes" / _plain(run_id))

    def keep_quality(self, settings: JudgingSettings, row: str, quality: SchemaQuality) -> None:
        """Adds one schema's figures; figures made under other settings are dropped."""
        with self._locked():
            kept = self._read()
            before = kept.judging.rows if kept.judging and kept.judging.settings == settings else {}
            self._write(replace(kept, judging=Judging(settings, {**before, row: quality}, now())))

    # ---- the file

    def _read(self) -> _Kept:
        if not self._path.exists():
            return _Kept()
        data = read_json(self._path)
        try:
            return _Kept(
                tuple(
                    KeptProposal(k["id"], k["made"], SchemaProposal.from_dict(k["proposal"]))
                    for k in data["proposals"]
                ),
                tuple(Pending(**p) for p in data["pending"]),
                _judging(data["judging"]),
            )
        except (KeyError, TypeError, AttributeError, BadInput):
            raise damaged(self._path) from None

    def _write(self, kept: _Kept) -> None:
        judging = kept.judging
        write_json(
            self._path,
            {
                "proposals": [
                    {"id": k.id, "made": k.made, "proposal": k.proposal.to_dict()} for k in kept.proposals
                ],
                "pending": [asdict(p) for p in kept.pending],
                "judging": None
                if judging is None
                else {
                    "settings": asdict(judging.settings),
                    "rows": {k: q.to_dict() for k, q in judging.rows.items()},
                    "when": judging.when,
                },
            },
        )

    @property
    def _path(self) -> Path:
        return self._folder / "proposals.json"

    @contextmanager
    def working_on(self, run_id: str) -> Iterator[None]:
        """Held during a pass: two processes that draw at once would be charged once. Raises
        WorkspaceFailed while another one holds it."""
        busy = "another ctxpriv process has been working on this pass for half a minute."
        with locked(self.workspace.root / "locks" / f"{run_id}.lock", busy):
            yield

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """A step in the background writes while the page does."""
        busy = "another ctxpriv process has been writing proposals for half a minute."
        with locked(self.workspace.root / "locks" / f"{self.key}-proposals.lock", busy):
            yield


def schema_id(schema: Schema) -> str:
    """Names a schema in judgings by its content: another schema has another name."""
    content = json.dumps(schema.to_dict(), sort_keys=True, ensure_ascii=False)
    return f"schema-{hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _is_the_same(old: SchemaProposal, new: SchemaProposal) -> bool:
    """A model that was asked again, or a pass that was resumed, gives what is there already."""
    if old.run_id or new.run_id:
        return old.run_id == new.run_id
    return replace(old, seconds=0.0) == replace(new, seconds=0.0)


def _judging(data: Mapping[str, Any] | None) -> Judging | None:
    if data is None:
        return None
    rows = {k: SchemaQuality.from_dict(q) for k, q in data["rows"].items()}
    return Judging(JudgingSettings(**data["settings"]), rows, data["when"])


def _plain(run_id: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+", run_id):
        raise BadInput(f"{run_id!r} is no run id.", where="proposals")
    return run_id
