"""The ledger: what was spent on a corpus, written before anybody can see an output (DESIGN 4.6).

One JSON object a line, append-only, fsynced, under a file lock. A release is marked by a
further line, never by changing an old one.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from filelock import FileLock

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.errors import BadInput
from ctxpriv.files import append_line
from ctxpriv.privacy.accounting import epsilon_from

DP_SCHEMA = "DP schema construction"
"""The mechanism under which a private pass that found attributes is charged."""


@dataclass(frozen=True)
class LedgerEntry:
    """One run that touched private data through a mechanism. ε may be `inf` (research).

    `delta` is where ρ converts to `epsilon`; the run satisfies (epsilon, delta + extra_delta).

    `card_id` names the line on cards and in file names: random, since a `run_id` is a digest of the records
    among others, by which somebody who knows all records but one could try out the last.
    """

    run_id: str
    corpus: str  # digest
    audience: str
    public: tuple[str, ...]
    private: tuple[str, ...]
    mechanism: str
    relation: str
    rho: float
    epsilon: float
    delta: float
    schema_provenance: str
    coarsened: tuple[str, ...] = ()  # disclosed as their bucket only
    records: str = ""  # digest of the texts alone: the same records under whatever schema
    date: str = ""  # ISO; filled in by `charge` when empty
    released: bool = False
    empirical: bool = False  # without a formal guarantee: ρ and ε are infinite, totals count it apart
    extra_delta: float = 0.0  # δ that ρ does not pay: a threshold's chance to let one record through
    card_id: str = field(default="", compare=False)  # filled in by `charge` when empty


@dataclass(frozen=True)
class Totals:
    """What a set of audiences knows together: Σρ of their releases and all that is public to any
    (`coarsened`: what any of them knows by its bucket, and none as it is).

    Σρ converts to `epsilon` at the δ asked for; `delta` is that and the `extra_delta` of every
    run. `runs` counts the releases that were added, `empirical` those that have no formal guarantee
    and that no ε can cover. `mixed`: some protect users and others records, so that the sum holds for one
    record alone (a user's clipped sum moves no further by one record than by the user).
    """

    audiences: tuple[str, ...]
    public: tuple[str, ...]
    rho: float
    epsilon: float
    delta: float
    runs: int
    coarsened: tuple[str, ...] = ()
    empirical: int = 0
    mixed: bool = False

    @property
    def caveat(self) -> str:
        """What ε does not cover, in sentences; "" where it covers all."""
        return " ".join(filter(None, (self._left_out(), _MIXED if self.mixed else "")))

    def _left_out(self) -> str:
        if not self.empirical:
            return ""
        what = (
            "1 rewritten release has" if self.empirical == 1 else f"{self.empirical} rewritten releases have"
        )
        return f"{what} no formal guarantee: no ε covers them, and this one leaves them out."


class Ledger:
    """At `path`, or in memory when `path` is None (notebooks, tests)."""

    def __init__(self, path: Path | None) -> None:
        self._path = Path(path) if path is not None else None
        self._memory: list[dict[str, Any]] = []

    def charge(self, entry: LedgerEntry) -> bool:
        """Appends `entry` durably; call before an output can be seen.

        Idempotent by `run_id`: a resumed run is not charged again and gets False. Raises
        BadInput when the same `run_id` comes back with another corpus, mechanism or ρ.
        """
        with self._locked():
            for old in self._entries():
                if old.run_id == entry.run_id:
                    _same_run(old, entry)
                    return False
            self._append(
                {
                    "kind": "charge",
                    **asdict(entry),
                    "epsilon": _write(entry.epsilon),
                    "rho": _write(entry.rho),
                    "date": entry.date or date.today().isoformat(),
                    "card_id": entry.card_id or secrets.token_hex(8),
                }
            )
            return True

    def mark_released(self, run_id: str) -> None:
        """Notes that the run's output was exported. Raises BadInput for an unknown run."""
        with self._locked():
            found = next((e for e in self._entries() if e.run_id == run_id), None)
            if found is None:
                raise BadInput(
                    f"run {run_id} is not in the ledger, so its output cannot be released.",
                    where=self._where(),
                    fix="Run the mechanism through ctxpriv, which charges first.",
                )
            if not found.released:
                self._append({"kind": "released", "run_id": run_id, "date": date.today().isoformat()})

    def lines(self) -> list[LedgerEntry]:
        """All charges in order, with `released` as of now. Raises BadInput as `problems` describes."""
        return list(self._entries())

    def line(self, run_id: str) -> LedgerEntry | None:
        """The line of exactly this run; None where it was not charged."""
        return next((e for e in self.lines() if e.run_id == run_id), None)

    def problems(self) -> list[str]:
        """A sentence for every line that cannot be read (a crash can leave half a last line)."""
        return [
            f"{self._where()}, line {number}: not a ledger line; the cost of that run is unknown."
            for number, data in self._raw()
            if data is None
        ]

    def total(
        self, corpus: str, delta: float, audiences: Sequence[str] | None = None, *, records: str = ""
    ) -> Totals:
        """Released runs on `corpus` seen by any of `audiences` (None: by all), composed.

        A release for `ALL_AUDIENCES` is seen by each of them and always counts.

        An edit of the schema, the label or the splits gives a corpus another digest but protects
        the same people: releases on the same records under any other digest count as well. `records`
        (`Corpus.records_digest`) finds them even before anything was run on the edited corpus.

        Raises BadInput when a line is unreadable: a total that misses a cost would be wrong.
        """
        if problems := self.problems():
            raise BadInput(
                "the total cost cannot be known. " + " ".join(problems),
                where=self._where(),
                fix="Restore the line from a backup, or start a new corpus and keep this file.",
            )
        entries = list(self._entries())
        same = {records} - {""} | {e.records for e in entries if e.corpus == corpus and e.records}
        runs = [
            e
            for e in entries
            if e.released
            and (e.corpus == corpus or e.records in same)
            and (audiences is None or e.audience in (*audiences, ALL_AUDIENCES))
        ]
        rho = sum(e.rho for e in runs if not e.empirical)
        names = tuple(sorted({e.audience for e in runs})) if audiences is None else tuple(audiences)
        public = tuple(dict.fromkeys(a for e in runs for a in e.public))
        coarsened = tuple(dict.fromkeys(a for e in runs for a in e.coarsened if a not in public))
        whole = delta + sum(e.extra_delta for e in runs)
        apart = sum(e.empirical for e in runs)
        epsilon = epsilon_from(rho, delta)
        units = {e.relation.endswith("user") for e in runs if not e.empirical}
        return Totals(names, public, rho, epsilon, whole, len(runs) - apart, coarsened, apart, len(units) > 1)

    def schema_runs(self, records: str) -> list[LedgerEntry]:
        """Released private passes that found attributes in these records (a `Corpus.records_digest`)."""
        return [
            e
            for e in self._entries()
            if e.released and e.records == records and e.mechanism.startswith(DP_SCHEMA)
        ]

    # ---- storage

    def _entries(self) -> Iterator[LedgerEntry]:
        raw = [data for _, data in self._raw() if data is not None]
        released = {data["run_id"] for data in raw if data["kind"] == "released"}
        for data in raw:
            if data["kind"] == "charge":
                entry = _read(data)
                yield replace(entry, released=entry.released or entry.run_id in released)

    def _raw(self) -> list[tuple[int, dict[str, Any] | None]]:
        if self._path is None:
            return list(enumerate(self._memory, 1))
        if not self._path.exists():
            return []
        text = self._path.read_bytes().decode("utf-8", errors="replace")
        return [(i, _parse(line)) for i, line in enumerate(text.split("\n"), 1) if line.strip()]

    def _append(self, data: dict[str, Any]) -> None:
        if self._path is None:
            self._memory.append(data)
            return
        line = json.dumps(data, ensure_ascii=False, allow_nan=False)
        # All or nothing: of half a line the cost would be unknown.
        append_line(self._path, line.encode("utf-8", "backslashreplace"))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if self._path is None:
            yield
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(str(self._path) + ".lock", timeout=30):
            yield

    def _where(self) -> str:
        return self._path.name if self._path else "ledger"


def _parse(line: str) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
        if data["kind"] == "charge":
            _read(data)
        elif data["kind"] != "released" or not isinstance(data["run_id"], str):
            return None
    except (ValueError, KeyError, TypeError):
        return None
    return data


def _read(data: dict[str, Any]) -> LedgerEntry:
    fields = {k: v for k, v in data.items() if k != "kind"}
    return LedgerEntry(
        **fields
        | {
            "public": tuple(data["public"]),
            "private": tuple(data["private"]),
            "coarsened": tuple(data.get("coarsened", ())),
            "rho": float(data["rho"]),
            "epsilon": float(data["epsilon"]),
        }
    )


def _write(value: float) -> float | str:
    return value if value != float("inf") else "inf"


_MIXED = (
    "Some of these releases protect users and others single records: this ε holds for one record, not for "
    "all records of one user."
)

_PURPOSE = (
    "corpus", "audience", "public", "private", "coarsened", "mechanism", "rho", "delta", "extra_delta",
)  # fmt: skip


def _same_run(old: LedgerEntry, new: LedgerEntry) -> None:
    if any(getattr(old, name) != getattr(new, name) for name in _PURPOSE):
        raise BadInput(
            f"run {new.run_id} was already charged with another cost or purpose.",
            where="ledger",
            fix="Use a fresh run id for a different run.",
        )
