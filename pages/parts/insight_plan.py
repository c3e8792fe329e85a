"""Insights page: one release as it may be read: the plan as a chart, the summary beside it, and what the
verifier turned down.

Summaries are a model's or a template's words and labels are a person's: all of them are drawn as text.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.privatize.spin.semantic_plan import BINS, SemanticPlan
from ctxpriv.privatize.spin.summary import VIOLATIONS, Attempt, Sentence, Summary
from pages.parts import charts
from pages.parts.text import count, plain, shortened

CUT = "its answer was longer than it may be, and was cut off"
PLAN_WIDTH, SUMMARY_WIDTH = 490, 440  # pixels
LABEL = 32  # characters of a label in a caption


def beside(plan: SemanticPlan, summary: Summary | None, key: str) -> None:
    """The plan with its summary; choosing a sentence marks the rows that it rests on."""
    # Beside each other where the window has the room, else the summary below: a chart does not shrink.
    row = st.container(horizontal=True, gap="small")
    left, right = row.container(width=PLAN_WIDTH), row.container(width=SUMMARY_WIDTH)
    with right:
        chosen = _sentences(plan, summary, key) if summary is not None else None
    with left:
        rows = chosen.atoms if chosen is not None else ()
        chart = figures.plan_bars(plan, dark=charts.dark(), highlighted=rows)
        charts.altair(chart, f"plan_{key}", in_words(plan))
        least = ", ".join(f"{name} from {limit:.0%}" for name, limit in BINS if limit > 0)
        st.caption(f"Support bins: {plain(least)}; below that very low.")


def in_words(plan: SemanticPlan) -> str:
    """The chart for those who cannot see it."""
    rows = "; ".join(f"{r.rank} {r.label} {100 * r.support:.1f} %, {r.bin}" for r in plan.rows)
    return f"Admitted atoms by rank with their support. {rows or 'None.'}"


def _sentences(plan: SemanticPlan, summary: Summary, key: str) -> Sentence | None:
    """The summary sentence by sentence, each with its rows; gives the one that was chosen."""
    st.markdown("**Summary**")
    st.caption(f"{_who(summary)} {_mode(summary)}")
    told = " ".join(summary.notes)
    if summary.fallback:
        st.warning(plain(told or "This is the fallback, the template's text: no attempt was accepted."))
    elif told:
        st.caption(plain(told))
    chosen = None
    linked = [n for n, s in enumerate(summary.sentences, 1) if s.atoms]
    if linked:
        number = st.pills(
            "Mark the rows of sentence",
            linked,
            key=f"sentence_{key}",
        )
        chosen = summary.sentences[number - 1] if number else None
    for number, sentence in enumerate(summary.sentences, 1):
        with st.container(border=sentence is chosen, key=f"sentence_{key}_{number}", gap="xxsmall"):
            st.text(f"{number}  {sentence.text}")
            st.caption(_rests_on(plan, sentence))
    return chosen


def _rests_on(plan: SemanticPlan, sentence: Sentence) -> str:
    rows = [row for atom in sentence.atoms if (row := plan.row(atom)) is not None]
    if not rows:
        return "rests on no single row"
    told = ", ".join(f"{row.rank}. {shortened(row.label, LABEL)} ({row.bin})" for row in rows)
    return f"rests on {plain(told)}"


def _who(summary: Summary) -> str:
    name = summary.decoder.get("name", "an unknown decoder")
    place = summary.decoder.get("place", "")
    return f"By {plain(name)}" + (f", on {plain(place)}." if place else ".")


def _mode(summary: Summary) -> str:
    if summary.mode == "audit":
        return "Audit: every claim carries the marker of its atom, and masses may be told."
    return "Display: labels and bins only."


# ---- attempts


def attempts(summary: Summary, key: str) -> None:
    """Every attempt with what the verifier said, the last one last."""
    if not summary.attempts:
        return
    refused = [a for a in summary.attempts if not a.accepted]
    told = count(len(summary.attempts), "attempt")
    told += f", {len(refused)} rejected: see why" if refused else ", none rejected"
    with st.expander(f"What was tried: {told}", key=f"attempts_{key}"):
        for number, attempt in enumerate(summary.attempts, 1):
            _attempt(number, attempt)


def _attempt(number: int, attempt: Attempt) -> None:
    state = "no text" if attempt.failure else "accepted" if attempt.verdict.accepted else "rejected"
    colour = {"accepted": "green", "rejected": "red", "no text": "gray"}[state]
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(f"**Attempt {number}**")
    row.badge(state, color=colour)
    if attempt.failure:
        told = CUT if attempt.failure == "cut off" else attempt.failure
        st.caption(f"The model gave no text: {plain(told)}.")
    if attempt.text:
        long = attempt.text.count("\n") > 9
        st.code(attempt.text, language=None, wrap_lines=True, height=240 if long else "content")
    _violations(attempt)


def _violations(attempt: Attempt) -> None:
    rows: Sequence[dict[str, object]] = [
        {
            "sentence": v.sentence + 1,
            "kind": v.kind,
            "the words": v.where,
            "what to do instead": v.fix,
        }
        for v in attempt.verdict.violations
    ]
    if not rows:
        return
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "the words": st.column_config.TextColumn(width="medium"),
            "what to do instead": st.column_config.TextColumn(width="large"),
        },
    )
    kinds = dict.fromkeys(v.kind for v in attempt.verdict.violations)
    st.caption("; ".join(f"{plain(kind)}: {plain(VIOLATIONS.get(kind, kind))}" for kind in kinds) + ".")
