"""Record view: which run, which records, which one."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ctxpriv.privatize.anon.episode import Episode
from ctxpriv.privatize.anon.episode_file import EpisodeFile
from ctxpriv.privatize.anon.summary import ORDERS, SHOWS, RecordSummary, narrowed, summarise
from ctxpriv.run_store import StoredRun
from pages.parts import shell
from pages.parts.text import count, plain, shortened, when

PAGE = 10  # records of the list at once: all in sight, so that nothing scrolls away when one is chosen


def runs_with_records(key: str) -> tuple[list[StoredRun], int]:
    """The rewriting runs of the corpus as it is now, newest first, and how many there are of it as it was."""
    digest = shell.workspace().digest(key)
    rewritten = [run for run in shell.workspace().runs(key) if run.episodes() is not None]
    now = [run for run in rewritten if run.digest == digest]
    return sorted(now, key=lambda run: run.started, reverse=True), len(rewritten) - len(now)


def choose_run(key: str, runs: Sequence[StoredRun]) -> StoredRun:
    by_id = {run.run_id: run for run in runs}
    remembered = shell.kept(f"{key}/records_run", runs[0].run_id)
    chosen = st.selectbox(
        "Run",
        list(by_id),
        index=list(by_id).index(remembered) if remembered in by_id else 0,
        key=f"records_run_{key}",
        format_func=lambda run_id: _title(by_id[run_id]),
    )
    return by_id[shell.keep(f"{key}/records_run", chosen)]


def _title(run: StoredRun) -> str:
    whom = run.audience or "every audience"
    return f"{run.method} for {whom}, {when(run.started)}" + (
        "" if run.status == "done" else f" ({run.status})"
    )


def summaries(run: StoredRun) -> list[RecordSummary]:
    """One line a record, read anew only when the run has written more."""
    file = run.episodes()
    size = file.path.stat().st_size if file and file.path else 0
    with st.spinner("Reading the records of this run"):
        return _summaries(str(run.folder), size, run.status, run)


@st.cache_resource(show_spinner=False, max_entries=4)
def _summaries(folder: str, size: int, status: str, _run: StoredRun) -> list[RecordSummary]:
    release = _run.release
    rows = None if release is None else set(release.origin)
    return [summarise(episode, rows) for episode in _run.episodes() or ()]


def episode(run: StoredRun, row: int) -> Episode | None:
    """The record's rounds; looked up in the file once while the run writes nothing."""
    file = run.episodes()
    size = file.path.stat().st_size if file and file.path else 0
    return _episode(str(run.folder), size, row, file)


@st.cache_resource(show_spinner=False, max_entries=16)
def _episode(folder: str, size: int, row: int, _file: EpisodeFile | None) -> Episode | None:
    return _file.of(row) if _file else None


def choose_records(run: StoredRun, found: Sequence[RecordSummary]) -> list[RecordSummary]:
    """Filters and order, remembered per run."""
    counts = {name: sum(map(test, found)) for name, test in SHOWS.items()}
    show = st.segmented_control(
        "Show",
        list(SHOWS),
        default=_remembered(run, "show", SHOWS, "all"),
        key=f"records_show_{run.run_id}",
        format_func=lambda name: f"{name} ({counts[name]})",
        required=True,
    )
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    leaking = sorted({name for s in found for name in s.leaked})
    wanted = [n for n in shell.kept(f"{run.run_id}/leaked", []) if n in leaking]
    leaked = left.multiselect(
        "That leak",
        leaking,
        default=wanted,
        key=f"records_leaked_{run.run_id}",
        format_func=str,
        placeholder="any attribute or none",
    )
    order = right.selectbox(
        "Order",
        list(ORDERS),
        index=list(ORDERS).index(_remembered(run, "order", ORDERS, "as in the corpus")),
        key=f"records_order_{run.run_id}",
    )
    for name, value in (("show", show), ("leaked", leaked), ("order", order)):
        shell.keep(f"{run.run_id}/{name}", value)
    return narrowed(found, show, leaked, order)


def _remembered(run: StoredRun, name: str, options, default: str) -> str:
    value = shell.kept(f"{run.run_id}/{name}", default)
    return value if value in options else default


def choose_record(run: StoredRun, shown: Sequence[RecordSummary]) -> RecordSummary:
    """The list, a page at a time, and the one record to look at: click a row, step, or find it by its id."""
    place = f"{run.run_id}/record"
    rows = [s.row for s in shown]
    at = rows.index(shell.kept(place, rows[0])) if shell.kept(place, rows[0]) in rows else 0
    _table(run, shown, at, place)
    before, after, find, _ = st.columns([1, 1, 4, 4], vertical_alignment="bottom")
    before.button(
        "Previous", key="records_before", width="stretch", disabled=at == 0,
        on_click=shell.keep, args=(place, rows[max(0, at - 1)]),
    )  # fmt: skip
    after.button(
        "Next", key="records_after", width="stretch", disabled=at == len(rows) - 1,
        on_click=shell.keep, args=(place, rows[min(len(rows) - 1, at + 1)]),
    )  # fmt: skip
    by_row = {s.row: s for s in shown}
    widget = f"records_find_{run.run_id}"
    st.session_state[widget] = rows[at]
    find.selectbox(
        "Record",
        rows,
        key=widget,
        format_func=lambda row: shortened(by_row[row].record_id, 40),
        on_change=lambda: shell.keep(place, st.session_state[widget]),
    )
    shell.keep(place, rows[at])
    return shown[at]


def _table(run: StoredRun, shown: Sequence[RecordSummary], at: int, place: str) -> None:
    pages = -(-len(shown) // PAGE)
    page, page_key = at // PAGE, f"records_page_{run.run_id}"
    st.session_state[page_key] = page + 1
    part = shown[page * PAGE : (page + 1) * PAGE]
    # A grid forgets what was clicked when its data change, yet takes the same click for no change: so each
    # record that is chosen has a grid of its own.
    grid = f"records_grid_{run.run_id}_{shown[at].row}_{hash(tuple(s.row for s in part))}"
    st.dataframe(
        pd.DataFrame([_line(s, s is shown[at]) for s in part]),
        hide_index=True,
        height=35 * (len(part) + 1) + 3,
        width="stretch",
        key=grid,
        on_select=lambda: _picked(grid, part, place),
        selection_mode="single-row",
        column_config={
            "": st.column_config.TextColumn("", width=30),
            "changed": st.column_config.ProgressColumn("changed", format="%d %%", min_value=0, max_value=100),
        },
    )
    told = f"{count(len(shown), 'record')}; the one below is marked ▸. Click a row to see another."
    if pages == 1:
        st.caption(told)
        return
    left, right = st.columns([2, 10], vertical_alignment="center")
    left.number_input(
        "Page", 1, pages, key=page_key, label_visibility="collapsed",
        on_change=lambda: shell.keep(place, shown[(st.session_state[page_key] - 1) * PAGE].row),
    )  # fmt: skip
    right.caption(f"Page {page + 1} of {pages}. {told}")


def _picked(grid: str, part: Sequence[RecordSummary], place: str) -> None:
    rows = st.session_state[grid]["selection"]["rows"]
    if rows:
        shell.keep(place, part[rows[0]].row)


def _line(s: RecordSummary, here: bool) -> dict[str, object]:
    return {
        "": "▸" if here else "",
        "record": s.record_id,
        "standing": s.standing,
        "stopped": s.stop,
        "leaks": ", ".join(s.leaked),
        "lost": ", ".join(s.lost),
        "added": s.added,
        "rounds": s.rounds,
        "changed": None if s.changed is None else round(100 * s.changed),
    }


def overview(run: StoredRun, found: Sequence[RecordSummary]) -> None:
    """The run in a line: how many records are safe, unsafe, withheld."""
    n = {standing: sum(s.standing == standing for s in found) for standing in ("safe", "unsafe", "withheld")}
    told = f"{count(len(found), 'record')}: {n['safe']} safe, {n['unsafe']} unsafe, {n['withheld']} withheld."
    if run.status != "done":
        told += f" The run is {run.status}: records that it has not finished are not here."
    st.markdown(plain(told))
