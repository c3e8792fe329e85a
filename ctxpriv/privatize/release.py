"""A release: what leaves the data holder for one audience, with its guarantee.

RELEASE SIDE: holds released objects only, and cannot reach a corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from ctxpriv.context import Partition
from ctxpriv.errors import NotReleasable
from ctxpriv.privacy.guarantee import EMPIRICAL, Guarantee


class Checkpoint(Protocol):
    """Keeps finished stages of one run, so that a resumed run repeats no noisy statistic.

    Values are JSON-able and hold released objects only. `load` gives None when absent.
    `file` is where a stage may keep what it finishes as it comes (curator-only); None: nowhere.
    """

    def load(self, stage: str) -> Any | None: ...

    def save(self, stage: str, value: Any) -> None: ...

    def file(self, name: str) -> Path | None: ...


class NoCheckpoint:
    """For runs that nobody will resume."""

    def load(self, stage: str) -> Any | None:
        return None

    def save(self, stage: str, value: Any) -> None:
        return None

    def file(self, name: str) -> Path | None:
        return None


@dataclass(frozen=True)
class Release:
    """The released records of one method for one audience.

    `records`: one row a released text, columns `text` plus one per attribute that the
    method produced (specific values; buckets for those in `bucketed`). `history`: released
    facts on each evolution round.

    CURATOR-ONLY, kept in the workspace and never exported: `origin`, the row of the private split that
    each text was rewritten from (empty for synthetic texts), and `outcome`, counts of a rewriting run.
    """

    method: str
    audience: str
    partition: Partition
    config: Mapping[str, Any]
    guarantee: Guarantee
    records: pd.DataFrame = field(repr=False)
    n_private: int = 0
    models: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    history: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()  # sentences for the card: dropped candidates, failed rows
    bucketed: tuple[str, ...] = ()  # attributes of which only the bucket is released
    origin: tuple[int, ...] = ()
    outcome: Mapping[str, Any] = field(default_factory=dict)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.records["text"])

    @property
    def epsilon(self) -> float | None:
        """The ε that was asked for: math.inf for research runs, None for methods that have none."""
        asked = self.config.get("epsilon")
        return None if asked is None else float(asked)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the records, JSON-able."""
        return {
            "method": self.method,
            "audience": self.audience,
            "partition": self.partition.to_dict(),
            "config": dict(self.config),
            "guarantee": self.guarantee.to_dict(),
            "n_private": self.n_private,
            "n_released": len(self.records),
            "models": {k: dict(v) for k, v in self.models.items()},
            "seconds": dict(self.seconds),
            "history": [dict(h) for h in self.history],
            "bucketed": list(self.bucketed),
            "notes": list(self.notes),
            "origin": list(self.origin),
            "outcome": dict(self.outcome),
        }

    def save(self, folder: Path) -> None:
        """Write `release.json` and `records.jsonl` into `folder` (for the workspace, not an export)."""
        folder.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(r, ensure_ascii=False) for r in self.records.to_dict("records"))
        (folder / "records.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        # Written last: a folder with release.json is complete.
        (folder / "release.json").write_text(
            json.dumps(self.to_dict(), indent=1, ensure_ascii=False), "utf-8"
        )

    @staticmethod
    def load(folder: Path) -> Release:
        data = json.loads((folder / "release.json").read_text("utf-8"))
        rows = [
            json.loads(line) for line in (folder / "records.jsonl").read_text("utf-8").split("\n") if line
        ]
        return Release(
            data["method"],
            data["audience"],
            Partition.from_dict(data["audience"], data["partition"]),
            data["config"],
            Guarantee.from_dict(data["guarantee"]),
            pd.DataFrame(rows, columns=None if rows else ["text"]),
            data["n_private"],
            data["models"],
            data["seconds"],
            tuple(data["history"]),
            tuple(data["notes"]),
            tuple(data.get("bucketed", ())),
            tuple(data.get("origin", ())),
            data.get("outcome", {}),
        )

    def check_exportable(self) -> None:
        """Raises NotReleasable with the reason: test noise, ε = ∞, unreviewed partition, or real values
        that this audience may not have (a method that protects another partition)."""
        if not self.guarantee.exportable:
            raise NotReleasable(f"{self.method} for {self.audience}: {self.guarantee.why_not}")
        if self.partition.approval is None:
            raise NotReleasable(
                f"{self.method} for {self.audience}: nobody has approved the partition. "
                "Review and approve it on the Audiences page, or name the reviewer in the plan."
            )
        if told := self._real_values_too_many():
            raise NotReleasable(
                f"{self.method} for {self.audience}: it releases the values of {', '.join(told)} as they "
                "are, which this audience may not have. Use a method that protects this audience's partition."
            )

    def _real_values_too_many(self) -> list[str]:
        """Attributes released exactly although private, or only public when coarsened, for the audience."""
        if self.guarantee.kind != EMPIRICAL:  # else the values are made up, or copied as the partition says
            return []
        given = [c for c in self.records.columns if c != "text"]
        private, coarsened = self.partition.private, self.partition.coarsened
        return [c for c in given if c in private or c in coarsened and c not in self.bucketed]
