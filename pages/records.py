"""Records: what rewriting did to one record, round by round (curator only)."""

from __future__ import annotations

import streamlit as st

from ctxpriv.privatize.anon.episode import Episode, Round
from ctxpriv.privatize.anon.summary import RecordSummary, shown_round
from ctxpriv.run_store import StoredRun
from pages.parts import records_list, records_round, records_text, shell
from pages.parts.text import count

LEAD = (
    "Every record that was rewritten: what was changed, what still gives something away, what every "
    "evaluator guessed, and by which rule a guess counted as right."
)


def draw() -> None:
    key, _, _ = shell.corpus_or_hint()
    runs, before = records_list.runs_with_records(key)
    if not runs:
        empty(before)
        return
    shell.curator_only("Original texts and true values")
    run = records_list.choose_run(key, runs)
    found = records_list.summaries(run)
    if not found:
        st.info("This run has not finished a record yet. Come back in a moment.")
        return
    records_list.overview(run, found)
    shown = records_list.choose_records(run, found)
    if not shown:
        st.info('No record of this run is like that. Choose "all" and no attribute to see every record.')
        return
    record(run, records_list.choose_record(run, shown))


def empty(before: int) -> None:
    st.info(
        "There is nothing to look at yet: no record of this corpus, as it is now, was rewritten. Choose "
        "ANON-CI, RUPTA or 1-2-3 Check on the Privatize page and start a run."
    )
    if before:
        st.caption(
            f"{count(before, 'run')} rewrote records before the schema, the values or the splits changed. "
            "Undo the change to see them, or run again."
        )
    st.page_link("pages/privatize.py", label="Go to Privatize")


def record(run: StoredRun, summary: RecordSummary) -> None:
    episode = records_list.episode(run, summary.row)
    if episode is None:
        st.info("This record is being worked on again. Come back in a moment.")
        return
    records_round.ending(episode, summary, released=run.status == "done")
    now = choose_round(run, episode)
    records_text.beside(episode, now)
    records_round.privacy(now)
    records_round.utility(now)


def choose_round(run: StoredRun, episode: Episode) -> Round:
    """The round to show: the released one at first."""
    by_number = {r.number: r for r in episode.rounds}
    if len(by_number) == 1:
        return episode.rounds[0]
    first = shown_round(episode) or episode.rounds[-1]
    number = st.select_slider(
        "Round",
        list(by_number),
        value=first.number,
        key=f"records_round_{run.run_id}_{episode.row}",
        format_func=lambda n: _round_name(by_number[n], episode),
    )
    return by_number[number]


def _round_name(now: Round, episode: Episode) -> str:
    if now.number == 0:
        return "0: original"
    state = (
        "failed"
        if now.failure
        else "safe"
        if now.safe
        else f"leaks {len(now.open)}"
        if now.usable
        else "unknown"
    )
    return f"{now.number}: {state}" + (", chosen" if now == episode.released else "")


with shell.page("records", "Records", LEAD):
    draw()
