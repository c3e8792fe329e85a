"""Insights page: what was released, one run at a time: plan, words, guarantee, and what may go out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date

import pandas as pd
import streamlit as st

from ctxpriv.context import Approval
from ctxpriv.errors import BadInput, NotReleasable
from ctxpriv.evaluate.insights.judge import CRITERIA
from ctxpriv.evaluate.insights.report import INSIGHT_METRICS
from ctxpriv.files import make_folder
from ctxpriv.insights.bundle import export_insight, plan_csv
from ctxpriv.insights.outputs import file_name, release_of
from ctxpriv.insights.result import InsightResult
from ctxpriv.insights.store import StoredInsight, stored_insights
from ctxpriv.outputs import slug
from ctxpriv.release_files import paid_line
from pages.parts import insight_plan, insight_tabs, job_panel, shell
from pages.parts.attacks import cell
from pages.parts.insight_purpose import OF_ALL
from pages.parts.text import count, duration, epsilon_text, plain, shortened, when

COLUMNS = {
    "overlap": "Overlap@L",
    "mass_retained": "MassRetained",
    "loss": "Loss",
    "acceptance": "accepted",
    "uar": "UAR",
    "tfidf_cosine": "text cosine",
}
"""Figures that stand side by side, by short names."""


def draw(key: str) -> None:
    runs = stored_insights(shell.workspace(), key)[::-1]
    done = [(run, result) for run in runs if (result := run.result()) is not None]
    _not_done([run for run in runs if run.status != "done"])
    if not done:
        st.info(
            "Nothing is released yet. Choose methods and ε under New release, look at the plan, and run it."
        )
        insight_tabs.lead_to(insight_tabs.RELEASE)
        return
    results = {run.run_id: result for run, result in done}
    chosen = st.selectbox(
        "Release",
        list(results),
        first_plan(results),
        key="insight_run",
        format_func=lambda run_id: title(results[run_id]),
        help="Newest first.",
    )
    result = results[chosen]
    _head(key, result)
    _body(result)
    _guarantee(result)
    _measured(result)
    _take_away(result)
    _side_by_side([r for r in results.values() if r.report])


def first_plan(results: Mapping[str, InsightResult]) -> int:
    """Where the newest private plan stands: what one came for."""
    return next((i for i, r in enumerate(results.values()) if r.family == "plan"), 0)


def title(result: InsightResult) -> str:
    """The run in a line, for lists; not escaped."""
    at = "" if result.epsilon is None else f", ε = {epsilon_text(result.epsilon)}"
    only = _of_records(result)
    of = f", users, B = {result.measurement.bound}" if result.measurement.unit == "user" else ""
    return f"{result.title}{at}, {result.audience}{of}{f', {only}' if only else ''}, {when(result.when)}"


def _of_records(result: InsightResult) -> str:
    """The values that its records have; empty for all records."""
    return shortened("; ".join(", ".join(v) for v in result.only.values()), 40)


def _not_done(runs: list[StoredInsight]) -> None:
    for run in runs[:5]:
        if run.status == "running":
            continue
        with st.container(border=True, key=f"insight_{run.run_id}"):
            row = st.container(horizontal=True, vertical_alignment="center")
            row.badge(job_panel.SAYS[run.status], color=job_panel.COLOURS[run.status])
            row.markdown(f"{plain(run.title)} for {plain(run.audience)}, {plain(when(run.started))}")
            if run.message:
                st.caption(plain(run.message))


def _head(key: str, result: InsightResult) -> None:
    if result.guarantee is None:
        shell.curator_only("A reference without any noise")
    if result.corpus.get("digest") != shell.workspace().digest(key):
        st.caption("It was made before the corpus was edited, and tells of the records as they were then.")
    measured = result.measurement
    st.caption(
        f"{count(len(measured.atoms), 'atom')}, digest {measured.atoms.digest[:12]}; K = {measured.k}, "
        f"L = {measured.size}, protected unit: one {measured.unit}; made in "
        f"{'under a second' if result.seconds < 1 else plain(duration(result.seconds))}."
    )
    for name, values in result.only.items():
        st.caption(f"Only records with {plain(name)}: {plain(shortened(', '.join(values), 300))}. {OF_ALL}")
    for note in (*result.notes, *result.outcome.notes):
        st.caption(plain(note))


def _body(result: InsightResult) -> None:
    if result.plan is None:
        st.markdown("**Summary**")
        st.caption("This method releases no atoms, so there is no plan to link sentences to.")
        st.code(result.summary.text, language=None, wrap_lines=True)
    else:
        if not result.measures_atoms:
            st.caption("This method counts its own public words, not the atoms.")
        insight_plan.beside(result.plan, result.summary, result.run_id)
    if result.outcome.details:
        with st.expander("What else was released"):
            st.code(json.dumps(dict(result.outcome.details), indent=1, ensure_ascii=False), language="json")
    insight_plan.attempts(result.summary, result.run_id)


# ---- guarantee and ledger


def _guarantee(result: InsightResult) -> None:
    stated = result.guarantee
    if stated is None:
        return
    st.subheader("What is guaranteed", anchor=False)
    for sentence in stated.sentences():
        st.markdown(f"- {plain(sentence)}")
    ledger = shell.workspace().ledger
    try:
        line = ledger.line(paid_line(ledger, result.run_id, stated.rho, result.title))
    except NotReleasable:
        line = None
    if line is None:
        st.warning("The ledger has no line for this run: its cost is not counted.")
        return
    told = f"In the ledger since {when(line.date).split(',')[0]}: ρ = {line.rho:.3g}, ε = {line.epsilon:.3g}"
    total = ledger.total(result.corpus["digest"], result.measurement.delta)
    st.caption(plain(f"{told} at δ = {line.delta:.2g}; {'released' if line.released else 'not exported'}."))
    if total.runs:
        st.caption(
            plain(
                f"Released so far from these records: {count(total.runs, 'release')}, together ε = "
                f"{total.epsilon:.3g} at δ = {total.delta:.2g}."
            )
        )


# ---- measures, for the curator


def _measured(result: InsightResult) -> None:
    if result.report is None:
        return
    with st.expander("Measured against the records, for the curator", key=f"measured_{result.run_id}"):
        shell.curator_only("Measures against the exact sketch")
        rows = [
            {"figure": words, "value": cell(result.report.metrics[name])}
            for name, words in INSIGHT_METRICS.items()
        ]
        st.dataframe(pd.DataFrame(rows), hide_index=True, key=f"metrics_{result.run_id}")
        opinions = result.report.judge
        if result.report.judge_name:
            st.caption(f"Opinion of {plain(result.report.judge_name)}, from 1 to 5: no measurement.")
            told = [{"criterion": CRITERIA[name], "opinion": cell(opinions[name])} for name in CRITERIA]
            st.dataframe(pd.DataFrame(told), hide_index=True, key=f"opinions_{result.run_id}")


def _side_by_side(results: list[InsightResult]) -> None:
    """All runs on the atoms of the first, with the figures that tell how good a plan is."""
    if len(results) < 2:
        return
    st.subheader("All releases side by side", anchor=False)
    shell.curator_only("Measures against the exact sketch")
    rows = [
        {
            "method": r.title,
            "ε": epsilon_text(r.epsilon),
            "for": r.audience,
            "records": _of_records(r) or "all",
        }
        | {"atoms": r.measurement.atoms.digest[:8], "made": when(r.when)}
        | {words: r.report.metrics[name].value for name, words in COLUMNS.items() if r.report}
        for r in results
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="insights_table",
        placeholder="–",
        column_config={
            words: st.column_config.NumberColumn(format="%.2f", help=INSIGHT_METRICS[name])
            for name, words in COLUMNS.items()
        },
    )


# ---- what can be taken away


def _take_away(result: InsightResult) -> None:
    st.subheader("Take away", anchor=False)
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.markdown("**Files of this run**")
        if result.guarantee is None:
            st.caption("Without any noise: for your own eyes, not to be handed out.")
        else:
            st.caption("A file without its card is no release: hand out the bundle.")
        row = st.container(horizontal=True)
        name = file_name(result)
        if result.plan is not None:
            _download(
                row,
                "plan.json",
                json.dumps(result.plan.to_dict(), indent=1, ensure_ascii=False),
                name,
                "json",
            )
            _download(row, "Plan, CSV", plan_csv(result.plan), name, "csv")
        _download(row, "Summary", result.summary.text, name, "txt")
    with right, st.container(border=True):
        st.markdown(f"**Bundle for {plain(result.audience)}**")
        with shell.guard():
            _bundle(result)


def _download(row, label: str, text: str, name: str, ending: str) -> None:
    row.download_button(
        label, text, f"{name}.{ending}", "text/plain", key=f"insight_file_{ending}", on_click="ignore"
    )


def _bundle(result: InsightResult) -> None:
    try:
        release_of(result).check_exportable()
    except NotReleasable as why:
        st.warning(plain(why))
        return
    st.caption(
        "Summary, plan and the card with the guarantee; no measure, no rejected attempt. Exporting it is "
        "noted in the privacy ledger."
    )
    who = st.text_input("Your name", key=f"approver_{result.run_id}")
    note = st.text_input("Note", key=f"approver_note_{result.run_id}", placeholder="optional")
    folder = shell.workspace().root / "exports" / result.run_id / slug(result.audience)
    path = folder / f"{file_name(result)}.zip"
    if st.button("Approve and make the bundle", key="make_insight_bundle"):
        if not who.strip():
            raise BadInput(
                "Nobody has approved that these concepts go to this audience.", fix="Write your name."
            )
        approval = Approval(who.strip(), date.today().isoformat(), note.strip())
        make_folder(folder)
        export_insight(release_of(result), path, shell.workspace().ledger, approval)
        shell.keep("insight_bundle", str(path))
    if shell.kept("insight_bundle", "") == str(path) and path.exists():
        st.download_button(
            "Download the bundle",
            path.read_bytes(),
            path.name,
            "application/zip",
            key="insight_bundle",
            type="primary",
            on_click="ignore",
        )
