"""The zip with a summary that leaves the data holder: words, plan and card.

RELEASE SIDE: sees what was released and the ledger; no corpus, no measure.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from ctxpriv.context import Approval
from ctxpriv.errors import NotReleasable
from ctxpriv.privacy.guarantee import Guarantee
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.semantic_plan import BINS, INTERVAL, SemanticPlan
from ctxpriv.privatize.spin.summary import Summary
from ctxpriv.release_files import paid_line, shown, told_line, write_released


@dataclass(frozen=True)
class InsightRelease:
    """What of a result may go out: no report, no attempt that was rejected, no reference.

    `guarantee` is None for references, which may not go out at all. `details` holds what a baseline
    released beside a plan.
    """

    run_id: str
    title: str
    audience: str
    plan: SemanticPlan | None
    details: Mapping[str, Any]
    summary: Summary
    measurement: Measurement
    config: Mapping[str, Any]
    guarantee: Guarantee | None
    only: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    models: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # role → who played it

    def check_exportable(self) -> Guarantee:
        """Raises NotReleasable with the reason: a reference, or test noise."""
        if self.guarantee is None:
            raise NotReleasable(
                f"{self.title} has no noise: it is a reference for the curator and must stay here."
            )
        if not self.guarantee.exportable:
            raise NotReleasable(f"{self.title} for {self.audience}: {self.guarantee.why_not}")
        return self.guarantee


def export_insight(
    release: InsightRelease, path: str | Path, ledger: Ledger, approval: Approval | None
) -> Path:
    """Writes summary.txt, plan.json, plan.csv, card.md and card.json to the zip `path`; marks the run
    released.

    Raises NotReleasable (a reference, test noise, nobody's approval, a run that was never charged) and then
    writes nothing; CtxprivError when `path` cannot be written.
    """
    stated = release.check_exportable()
    who = f"{release.title} for {release.audience}"
    if approval is None:
        raise NotReleasable(
            f"{who}: nobody has approved that these concepts go to this audience. "
            "Name the reviewer in the plan (approved_by) or on the Insights page."
        )
    line = paid_line(ledger, release.run_id, stated.rho, who)
    facts = card(release, approval, told_line(ledger, line))
    return write_released(Path(path), _zip(release, facts), ledger, line)


def card(release: InsightRelease, approval: Approval, ledger_line: str) -> dict[str, Any]:
    """What the recipient may know: guarantee, conditions, concepts, who wrote the words. `ledger_line`: what
    the line is called outside (`release_files.told_line`)."""
    stated, measured = release.check_exportable(), release.measurement
    return {
        "method": release.title,
        "audience": release.audience,
        "date": date.today().isoformat(),
        "guarantee": stated.to_dict(),
        "in_words": stated.sentences(),
        "measurement": measured.to_dict(),
        "concepts": {a.label: a.source for a in measured.atoms.atoms},
        "own_counts": _own_counts(release),
        "read_by": dict(release.models.get("assigner", {})),
        "records": {k: list(v) for k, v in release.only.items()} or "all protected records",
        "settings": dict(release.config),
        "words_by": dict(release.summary.decoder),
        "words_mode": release.summary.mode,
        "fallback": release.summary.fallback,
        "bins": [[name, least] for name, least in BINS if least > 0],
        "approval": asdict(approval),
        "notes": list(release.notes),
        "ledger_line": ledger_line,
    }


def _own_counts(release: InsightRelease) -> dict[str, int] | None:
    """Of a method that counts something else than the measurement's concepts; {} where it has no plan."""
    plan = release.plan
    if plan is None:
        return {}
    if plan.atoms.digest == release.measurement.atoms.digest:
        return None
    return {"told": len(plan.rows), "counted": len(plan.atoms)}


def card_text(facts: Mapping[str, Any]) -> str:
    """The card for people, in Markdown, in which labels and names are text and nothing else."""
    g, m = facts["guarantee"], facts["measurement"]
    unit = "users" if m["unit"] == "user" else "records"
    only = facts["records"]
    told = "all protected records" if only == "all protected records" else _only(only)
    bins = ", ".join(f"{name} from {least:.0%}" for name, least in facts["bins"])
    parts = [
        f"# {shown(facts['method'])}: aggregate summary for {shown(facts['audience'])}\n",
        f"Made on {facts['date']} from {told}. It holds no text of any record.\n",
        "## What is guaranteed\n",
        *(f"- {shown(sentence)}" for sentence in facts["in_words"]),
        "\n| | epsilon | delta | rho (zCDP) |\n|---|---|---|---|",
        f"| {g['relation']}, unit: {shown(g['unit'])} | {g['epsilon']:.4g} | {g['delta']:.3g} "
        f"| {g['rho']:.4g} |",
        f"| replacement | {g['epsilon_replacement']:.4g} | {g['delta']:.3g} | {g['rho_replacement']:.4g} |\n",
        "## How to read it\n",
        *_counted(facts),
        f"- A share is a noisy mass over the public number {m['denominator']:,}; it need not be the share of "
        f"{unit} and may be below 0.",
        f"- Support in words: {bins}, else very low.",
        f"- An interval covers the noise of its row with {INTERVAL:.0%} probability, and nothing else: not "
        "how well the texts were read.",
        "- The words were checked against the plan, not against the records: themes that were not admitted "
        "may exist.",
        f"- Words by {shown(facts['words_by'].get('name', ''))}"
        + (": the template, because no draft was accepted." if facts["fallback"] else "."),
        f"- Approved by {shown(facts['approval']['name'])} on {facts['approval']['date']}."
        + (f" Note: {shown(facts['approval']['note'])}" if facts["approval"].get("note") else ""),
        *(f"- {shown(note)}" for note in facts["notes"]),
        f"- Ledger line {shown(facts['ledger_line'])}\n",
    ]
    return "\n".join(parts)


def _counted(facts: Mapping[str, Any]) -> list[str]:
    m, own = facts["measurement"], facts["own_counts"]
    if own is None:
        reader = facts["read_by"].get("name", "")
        return [
            f"- {m['size']} of {m['m']} concepts, each record counting for at most {m['k']} of them"
            + (f", as {shown(reader)} read it." if reader else ".")
        ]
    return [f"- {own['told']} of {own['counted']} values or words that were counted."] if own else []


def _only(only: Mapping[str, list[str]]) -> str:
    return "records with " + " and ".join(
        f"{shown(name)} {shown(', '.join(values))}" for name, values in only.items()
    )


def _zip(release: InsightRelease, facts: dict[str, Any]) -> bytes:
    files = {
        "summary.txt": release.summary.text + "\n",
        "card.md": card_text(facts),
        "card.json": _json(facts),
    }
    if release.plan is not None:
        files |= {"plan.json": _json(release.plan.to_dict()), "plan.csv": plan_csv(release.plan)}
    if release.details:
        files["details.json"] = _json(dict(release.details))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text.encode("utf-8", "replace"))
    return out.getvalue()


def plan_csv(plan: SemanticPlan) -> str:
    """The rows of a plan; a label that a spreadsheet would take for a formula is quoted
    (some take wide signs for such as well)."""
    import pandas as pd

    columns = ("rank", "label", "mass", "low", "high", "support", "bin")
    rows = [{c: getattr(row, c) for c in columns} for row in plan.rows]
    for row in rows:
        if re.match(r"[=+\-@\t\r＝＋－＠]", row["label"]):
            row["label"] = "'" + row["label"]
    return pd.DataFrame(rows, columns=list(columns)).to_csv(index=False)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
