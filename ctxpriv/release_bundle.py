"""The zip that leaves the data holder: released records and the card that belongs to them.

RELEASE SIDE: sees a `Release` and the ledger, never a corpus, and no metric.
"""

from __future__ import annotations

import io
import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

from ctxpriv.privacy.guarantee import DP, EMPIRICAL
from ctxpriv.privacy.ledger import Ledger, LedgerEntry
from ctxpriv.privatize.release import Release
from ctxpriv.release_files import paid_line, shown, told_line, write_released


def export_bundle(release: Release, path: str | Path, ledger: Ledger, *, run_id: str) -> Path:
    """Writes records.jsonl, card.md and card.json to the zip `path`, and marks the run released.

    `run_id` names the ledger line of the run that made `release`. Raises NotReleasable with
    the reason (test noise, ε = ∞, unapproved partition, a run that was never charged) and
    then writes nothing; CtxprivError when `path` cannot be written.
    """
    release.check_exportable()
    who = f"{release.method} for {release.audience}"
    paid = paid_line(ledger, run_id, release.guarantee.rho, who)
    return write_released(
        Path(path), _zip(release, card(release, ledger.line(paid), told_line(ledger, paid))), ledger, paid
    )


def card(release: Release, line: LedgerEntry, told: str) -> dict[str, Any]:
    """What the recipient may know: guarantee, conditions, models, partition, approval. `told`: what the
    ledger line is called (`release_files.told_line`)."""
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
        "ledger_line": told,
    }


def card_text(facts: dict[str, Any]) -> str:
    """The card for people, in Markdown, in which names and reasons are text and nothing else."""
    approval = {k: shown(v) for k, v in facts["approval"].items()}
    note = f" Note: {approval['note']}" if approval["note"] else ""
    sides = {side: shown(", ".join(names)) for side, names in facts["partition"].items()}
    attributes = shown(", ".join(facts["attributes"]))
    parts = [
        f"# {facts['method']} release for {shown(facts['audience'])}\n",
        f"{facts['n_released']} {_what(facts)}, made on {facts['date']}. Each record is a text"
        + (f" with {attributes}.\n" if attributes else ".\n"),
        "## What is guaranteed\n",
        *(f"- {shown(sentence)}" for sentence in facts["in_words"]),
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
        f"- Where the value lists come from: {shown(facts['schema_provenance'])}\n",
        "## How it was made\n",
        *(
            f"- {role}: {shown(who['name'])} ({who['kind']}, {shown(who['place'])})"
            for role, who in facts["models"].items()
        ),
        *(f"- {shown(note)}" for note in facts["notes"]),
        f"- Ledger line {shown(facts['ledger_line'])}\n",
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
