"""Compare: what each release kept and what it gives away, per audience."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.comparison import SYNTHETIC, Comparison, RunResult
from ctxpriv.evaluate.report import AXES
from ctxpriv.project import ProjectState
from pages.parts import attacks, charts, downloads, shell
from pages.parts.text import count, epsilon_text, plain

LEAD = (
    "Every axis is drawn so that more is better. Read the radar for the shape, the dumbbells for the size of "
    "the differences, and the table for what was measured."
)


def draw() -> None:
    key, corpus, state = shell.corpus_or_hint()
    with st.spinner("Gathering the results"):
        comparison = shell.workspace().comparison(key)
    if not comparison.runs:
        empty(key, corpus.digest)
        return
    shell.curator_only("Metrics use the private records")
    audience, epsilon = choose(comparison)
    runs = comparison.beside(audience, epsilon)
    pictures(comparison, audience, epsilon)
    if epsilon is None:
        attacks.panel(comparison, audience, runs)
    table(key, comparison, audience, epsilon)
    records(runs, state)
    downloads.panel(key, comparison, audience, epsilon)


def empty(key: str, digest: str) -> None:
    st.info("There is nothing to compare yet: no run of this corpus, as it is now, is finished.")
    if any(run.status == "done" for run in shell.workspace().runs(key)):
        st.caption(
            "Runs that were made before the schema, the values or a partition changed are kept, but they "
            "cannot stand beside new ones. Undo the change to see them, or run again."
        )
    st.page_link("pages/privatize.py", label="Go to Privatize")


def choose(comparison: Comparison) -> tuple[str, float | None]:
    """Whose releases, and which can stand side by side: synthetic ones at one ε, or rewritten ones (None)."""
    left, middle, right = st.columns([2, 1, 2])
    names = [name for name in comparison.audiences if comparison.of(name)]
    remembered = shell.kept("compare_audience", names[0])
    audience = left.segmented_control(
        "Audience",
        names,
        key="audience",
        format_func=plain,
        required=True,
        default=remembered if remembered in names else names[0],
    )
    shell.keep("compare_audience", audience)
    families = comparison.families(audience)
    wanted = shell.kept("compare_family", families[0])
    family = families[0]
    if len(families) > 1:
        family = middle.segmented_control(
            "Records",
            families,
            key=f"family_{audience}",
            format_func=str.capitalize,
            required=True,
            default=wanted if wanted in families else families[0],
            help="They are not drawn together: the leak of synthetic records is an attack on people who are "
            "not in the data, that of rewritten ones an adversary who reads the very record.",
        )
        shell.keep("compare_family", family)
    epsilon = at_epsilon(right, comparison, audience) if family == SYNTHETIC else None
    partition = comparison.audiences[audience]
    st.markdown(
        f"Private: {plain(', '.join(partition.private) or 'nothing')}. "
        + (f"As buckets: {plain(', '.join(partition.coarsened))}. " if partition.coarsened else "")
        + f"Public: {plain(', '.join(partition.public) or 'nothing')}."
    )
    return audience, epsilon


def at_epsilon(place, comparison: Comparison, audience: str) -> float:
    epsilons = comparison.epsilons(audience)
    wanted = shell.kept("compare_epsilon", 1.0)
    first = wanted if wanted in epsilons else min(epsilons, key=lambda e: abs(e - 1.0))
    epsilon = place.segmented_control(
        "ε", epsilons, key=f"epsilon_{audience}", format_func=epsilon_text, required=True, default=first
    )
    return shell.keep("compare_epsilon", epsilon)


def pictures(comparison: Comparison, audience: str, epsilon: float | None) -> None:
    runs, dark = comparison.beside(audience, epsilon), charts.dark()
    left, right = st.columns(2, gap="medium")
    with left:
        charts.plotly(
            figures.radar(comparison, audience, epsilon, dark=dark), "radar", _alt("Radar chart", runs)
        )
    with right:
        charts.altair(
            figures.dumbbells(comparison, audience, epsilon, dark=dark, width=320),
            "dumbbells",
            _alt("Dumbbell chart", runs),
        )
    if epsilon is None:
        return
    st.subheader("Over every ε run so far", anchor=False)
    if len(comparison.epsilons(audience)) < 2:
        st.caption("One value of ε was run; run more to see curves.")
    charts.altair(
        figures.tradeoff(comparison, audience, dark=dark),
        "tradeoff",
        f"MAUVE, accuracy and privacy of every run for {audience}, over ε.",
    )
    charts.altair(
        figures.privacy_utility(comparison, audience, dark=dark),
        "privacy_utility",
        f"Privacy against accuracy of every run for {audience}.",
    )


def _alt(kind: str, runs: tuple[RunResult, ...]) -> str:
    told = []
    for run in runs:
        values = [
            f"{axis.label} {place[0]:.2f}"
            if (place := axis.place(run.report.metrics[axis.metric]))
            else f"{axis.label} not computed"
            for axis in AXES
        ]
        told.append(f"{run.method}: {', '.join(values)}")
    return f"{kind}. " + "; ".join(told)


# ---- the table


NAMES = {
    "mauve": "MAUVE, more is better",
    "kl": "KL divergence, less is better",
    "tv": "total variation, less is better",
    "jsd": "JSD of attributes, less is better",
    "accuracy": "accuracy, more is better",
    "demographic_gap": "demographic gap, less is better",
    "leak": "leak, less is better",
}


def table(key: str, comparison: Comparison, audience: str, epsilon: float | None) -> None:
    """Raw values with intervals: one row a metric, one column a run."""
    st.subheader("Measured values", anchor=False)
    everything = epsilon is not None and st.toggle("Every ε of this audience", key="every_epsilon")
    runs = comparison.beside(audience, epsilon)
    if everything:
        runs = tuple(run for run in comparison.of(audience) if run.family == SYNTHETIC)
    columns: dict[str, list[str]] = {"metric": [*NAMES.values(), "released records"]}
    for run in runs:
        name = f"{run.method}, ε = {epsilon_text(run.epsilon)}" if everything else run.method
        columns[name] = [*(attacks.cell(run.report.metrics[metric]) for metric in NAMES), str(run.n_released)]
    st.dataframe(pd.DataFrame(columns), hide_index=True, key="metrics")
    missing: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        for name, metric in run.report.metrics.items():
            if metric.missing:
                missing.setdefault((name, metric.missing), []).append(run.method)
    for (name, why), methods in missing.items():
        st.caption(f"{plain(name)} not computed for {plain(', '.join(dict.fromkeys(methods)))}: {plain(why)}")
    st.caption("Intervals are 95 %; what was resampled is in comparison.json.")
    failed(key, audience)
    with st.expander("How they were measured, and per attribute"):
        details(runs)


def failed(key: str, audience: str) -> None:
    """Runs of the corpus as it is now that gave nothing, and why."""
    digest = shell.workspace().digest(key)
    for run in shell.workspace().runs(key):
        if run.status == "failed" and run.digest == digest and run.audience in ("", audience):
            at = "" if run.epsilon is None else f", ε = {epsilon_text(run.epsilon)}"
            st.warning(f"{plain(run.method)}{at} failed: {plain(run.message)}")


def details(runs: tuple[RunResult, ...]) -> None:
    told = dict.fromkeys(
        f"Embedder {r.report.embedder}; classifier {r.report.classifier}; extractor {r.report.extractor}"
        for r in runs
    )
    for line in told:
        st.caption(plain(line))
    for name, metric in runs[0].report.references.items() if runs else ():
        st.caption(f"For reference, {plain(name.replace('_', ' '))}: {attacks.cell(metric)}")
    rows = [
        {
            "method": run.method,
            "ε": epsilon_text(run.epsilon),
            "metric": kind,
            "attribute": name,
            **{k: v for k, v in row.items() if isinstance(v, int | float | str)},
        }
        for run in runs
        for kind, attributes in run.report.per_attribute.items()
        for name, row in attributes.items()
    ]
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, key="per_attribute", placeholder="–")
    seconds = [
        {"method": run.method, "ε": epsilon_text(run.epsilon), **run.release.get("seconds", {})}
        for run in runs
    ]
    st.caption("Seconds of each stage")
    st.dataframe(pd.DataFrame(seconds), hide_index=True, key="seconds", placeholder="–")


# ---- the released records


def records(runs: tuple[RunResult, ...], state: ProjectState) -> None:
    st.subheader("Released records", anchor=False)
    stored = {run.run_id: run for run in shell.workspace().runs(shell.open_key() or "")}
    releases = [(run, stored[run.run_id].release) for run in runs if run.run_id in stored]
    releases = [(run, release) for run, release in releases if release is not None]
    if not releases:
        st.caption("The released records of these runs are no longer in the workspace.")
        return
    # Rewrites of one record stand side by side; synthetic records have nothing that belongs together.
    origins = sorted({row for _, release in releases for row in release.origin})
    longest = len(origins) or max(len(release.records) for _, release in releases)
    narrow = st.columns([1, 4])[0]
    number = int(narrow.number_input("Record", 1, max(1, longest), 1, key="record_number"))
    for column, (run, release) in zip(st.columns(len(releases), gap="medium"), releases, strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{plain(run.method)}**")
            at = number - 1
            if origins:
                at = release.origin.index(origins[at]) if origins[at] in release.origin else -1
            if at < 0:
                st.caption("Withheld, or not chosen to be rewritten.")
            elif at >= len(release.records):
                st.caption(f"Has only {count(len(release.records), 'record')}.")
            else:
                released_record(release.records.iloc[at])
            for note in release.notes:
                st.caption(plain(note))


def released_record(row: pd.Series) -> None:
    st.text(row["text"])
    values = [(str(name), str(row[name])) for name in row.index if name != "text"]
    if values:
        st.markdown("  \n".join(f"**{plain(name)}**: {plain(value)}" for name, value in values))


with shell.page("compare", "Compare", LEAD):
    draw()
