"""Background runs on the Privatize page: the one going on, and the earlier ones."""

from __future__ import annotations

import streamlit as st

from ctxpriv.jobs import JobStatus
from pages.parts import shell
from pages.parts.background import draw_progress
from pages.parts.text import count, plain, when

SAYS = {
    "queued": "waiting its turn",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}
SEE = {"comparison": "the Compare page", "insights": "Results, on the Insights page"}
"""Where the results of each kind of study are."""

COLOURS = {
    "done": "green",
    "failed": "red",
    "cancelled": "gray",
    "interrupted": "orange",
    "running": "blue",
    "queued": "gray",
}


def of(key: str, kind: str = "") -> list[JobStatus]:
    """The jobs of one corpus, newest first; of one kind of study where it is named."""
    return [job for job in shell.jobs().jobs() if job.corpus_key == key and kind in ("", job.kind)]


def running(key: str) -> bool:
    """The progress of what runs or waits, oldest first; nothing (and no timer) where there is none."""
    live = [job for job in reversed(of(key)) if job.live]
    for position, job in enumerate(live):
        with st.container(border=True, key="running_job" if not position else f"queued_{job.job_id}"):
            _watch(job.job_id)
    return bool(live)


@st.fragment(run_every="1s")
def _watch(job_id: str) -> None:
    with shell.guard():
        job = shell.jobs().status(job_id)
        if not job.live:
            shell.notify(*_ending(job))
            st.rerun()
        total = (
            f"Run {min(job.runs_done + 1, job.runs_total)} of {job.runs_total}"
            if job.runs_total
            else "Preparing"
        )
        draw_progress(
            total,
            job.stage or SAYS[job.state],
            job.stage_done,
            job.stage_total,
            job.elapsed_s,
            job.remaining_s,
            whole=True,
        )
        if st.button("Cancel", key=f"cancel_{job_id}"):
            shell.jobs().cancel(job_id)


def _ending(job: JobStatus) -> tuple[str, str]:
    """What to say when a run has ended, and how."""
    if job.state == "done":
        told = f"The run is finished. See {SEE[job.kind]}."
        return (f"{told} {job.message}", "info") if job.message else (told, "success")
    return job.message or f"The run is {SAYS[job.state]}.", "error" if job.state == "failed" else "info"


def earlier(key: str, kind: str = "comparison") -> None:
    """What was run before, newest first, with Resume where something is left to do."""
    ended = [job for job in of(key, kind) if not job.live]
    if not ended:
        return
    st.subheader("Earlier runs", anchor=False)
    for job in ended[:10]:
        with st.container(border=True, key=f"job_{job.job_id}"):
            name, told, go = st.columns([2, 6, 2], vertical_alignment="center")
            name.badge(SAYS[job.state], color=COLOURS[job.state])
            done = (
                f"{job.runs_done} of {count(job.runs_total, 'run')}" if job.runs_total else "no run finished"
            )
            told.markdown(f"{plain(when(job.started))}: {plain(done)}. {plain(job.message)}")
            with go:
                if job.state == "done" and kind == "comparison":
                    st.page_link("pages/compare.py", label="Compare")
                elif job.state == "done":
                    st.caption("see Results")
                elif st.button("Resume", key=f"resume_{job.job_id}", width="stretch"):
                    shell.jobs().resume(job.job_id)
                    st.rerun()
    if len(ended) > 10:
        st.caption(f"{count(len(ended) - 10, 'older job')} not shown.")
