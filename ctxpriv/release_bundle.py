"""The zip that leaves the data holder: released records and the card that belongs to them.

RELEASE SIDE: sees a `Release` and the ledger, never a corpus, and no metric.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

from ctxpriv.errors import CtxprivError, NotReleasable
from ctxpriv.privacy.guarantee import DP, EMPIRICAL
from ctxpriv.privacy.ledger import Ledger, LedgerEntry
from ctxpriv.privatize.release import Release


def export_bundle(release: Release, path: str | Path, ledger: Ledger, *, run_id: str) -> Path:
    """Writes records.jsonl, card.md and card.json to the zip `path`, and marks the run released.

    `run_id` names the ledger line of the run that made `release`. Raises NotReleasable with
    the reason (test noise, ε = ∞, unapproved partition, a run that was never charged) and
    then writes nothing; CtxprivError when `path` cannot be written.
    """
    path = Path(path)
    release.check_exportable()
    line = _line(release, ledger, run_id)
    data = _zip(release, card(release, line))
    beside = path.with_name(f".{path.name}.tmp")
    try:
        beside.write_bytes(data)
        # Marked before it can be seen: a crash here counts a release too many, never one too few.
        ledger.mark_released(line.run_id)
        os.replace(beside, path)
    except OSError as error:
        raise CtxprivError(f"{path}: cannot be written ({error.strerror}). Nothing was exported.") from None
    finally:
        beside.unlink(missing_ok=True)
    return path


def card(release: Release, line: LedgerEntry) -> dict[str, Any]:
    """What the recipient may know: guarantee, conditions, models, partition, approval."""
    guarantee, sides = release.guarantee, release.partition.to_dict()
    approval = sides.pop("approval")
    return {
        "method": release.method,
        "audience": release.audience,
        "date": date.today().isoformat(),
        "n_released": len(release.records),
        "attributes": [c for c in release.records.columns if c != "text"],
        "partition": sides,
        "approval": approval,
        "guarantee": guarantee.to_dict(),
        "in_words": guarantee.sentences(),
        "schema_provenance": line.schema_provenance,
        "settings": dict(release.config),
        "models": {role: dict(who) for role, who in release.models.items()},
        "notes": list(release.notes),
        "run_id": line.run_id,
    }


def card_text(facts: dict[str, Any]) -> str:
    """The card for people, in Markdown, in which names and reasons are text and nothing else."""
    approval = {k: _shown(v) for k, v in facts["approval"].items()}
    note = f" Note: {approval['note']}" if approval["note"] else ""
    sides = {side: _shown(", ".join(names)) for side, names in facts["partition"].items()}
    attributes = _shown(", ".join(facts["attributes"]))
    parts = [
        f"# {facts['method']} release for {_shown(facts['audience'])}\n",
        f"{facts['n_released']} {_what(facts)}, made on {facts['date']}. Each record is a text"
        + (f" with {attributes}.\n" if attributes else ".\n"),
        "## What is guaranteed\n",
        *(f"- {_shown(sentence)}" for sentence in facts["in_words"]),
        *_numbers(facts["guarantee"]),
        "## Who may see what\n",
        f"- Public for this audience: {sides['public'] or 'nothing'}",
        *([f"- Public as its bucket only: {sides['coarsened']}"] if "coarsened" in sides else []),
        f"- Private: {sides['private'] or 'nothing'}",
        *(
            ["- No value was copied from a record: all were made up."]
            if facts["guarantee"]["kind"] == DP
            else []
        ),
        f"- Approved by {approval['name']} on {approval['date']}.{note}",
        f"- Where the value lists come from: {_shown(facts['schema_provenance'])}\n",
        "## How it was made\n",
        *(
            f"- {role}: {_shown(who['name'])} ({who['kind']}, {_shown(who['place'])})"
            for role, who in facts["models"].items()
        ),
        *(f"- {_shown(note)}" for note in facts["notes"]),
        f"- Ledger line {_shown(facts['run_id'])}\n",
    ]
    return "\n".join(parts)


def _what(facts: dict[str, Any]) -> str:
    return "rewritten records" if facts["guarantee"]["kind"] == EMPIRICAL else "synthetic records"


def _numbers(g: dict[str, Any]) -> list[str]:
    """The guarantee as a table; a method without one has no number to show."""
    if g["kind"] == EMPIRICAL:
        return ["\nKind: empirical. No noise, no epsilon.\n"]
    return [
        "\n| | epsilon | delta | rho (zCDP) |\n|---|---|---|---|",
        f"| {g['relation']} | {g['epsilon']:.4g} | {g['delta']:.3g} | {g['rho']:.4g} |",
        f"| replacement of one record's private part | {g['epsilon_replacement']:.4g} | {g['delta']:.3g} "
        f"| {g['rho_replacement']:.4g} |\n",
        f"Kind: {g['kind']}. Unit: {g['unit']}. Noise: {g['noise']}.\n",
    ]


def _shown(text: str) -> str:
    """On one line, and without what makes links, pictures, HTML or tables in Markdown."""
    return re.sub(r"([\\`*\[\]<>|])", r"\\\1", " ".join(text.split()))


def _line(release: Release, ledger: Ledger, run_id: str) -> LedgerEntry:
    """The ledger line that paid for the release: of a run done anew, the last ("RUN#2")."""
    lines = [e for e in ledger.lines() if e.run_id == run_id or e.run_id.startswith(f"{run_id}#")]
    lines = [e for e in lines if "/" not in e.run_id]  # stages that were paid for twice
    who = f"{release.method} for {release.audience}"
    if not lines:
        raise NotReleasable(
            f"{who}: run {run_id} is not in the ledger. Only what was charged there can be released."
        )
    if release.guarantee.rho > lines[-1].rho * (1 + 1e-9):
        raise NotReleasable(
            f"{who}: the release states a higher cost than the ledger charged for run {run_id}."
        )
    return lines[-1]


def _zip(release: Release, facts: dict[str, Any]) -> bytes:
    records = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in release.records.to_dict("records"))
    files = {
        "records.jsonl": records,
        "card.md": card_text(facts),
        "card.json": json.dumps(facts, ensure_ascii=False, indent=1) + "\n",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text.encode("utf-8"))
    return out.getvalue()
