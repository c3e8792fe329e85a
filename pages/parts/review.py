"""Audiences page: one audience's decisions, attribute by attribute, and their approval."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import streamlit as st

from ctxpriv.charts.sides import SIGNS, WORDS
from ctxpriv.classify.checks.review import Review, approve
from ctxpriv.classify.expert import Opinion
from ctxpriv.classify.order import review_order
from ctxpriv.context import SIDES, Approval, Judgement, Side
from ctxpriv.corpus import Corpus
from ctxpriv.edits import moved
from ctxpriv.errors import BadInput
from ctxpriv.project import ProjectState
from pages.parts import checks, expert, shell
from pages.parts.text import plain

LABELS: dict[Side, str] = {"private": "Private", "coarsened": "As bucket", "public": "Public"}
WIDTHS = (4, 4, 3, 7)
STYLE = """<style>
.st-key-sides [data-testid="stVerticalBlock"] { gap: 0.2rem; }
.st-key-sides [data-testid="stHorizontalBlock"] { gap: 0.6rem; }
.st-key-sides button { min-height: 1.8rem; padding: 0.05rem 0.5rem; }
</style>"""


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    decided = [a.name for a in state.audiences if a.name in state.partitions]
    if not decided:
        return
    st.subheader("Review and approve", anchor=False)
    name = _audience(key, state, decided)
    audience, partition = state.audience(name), state.partitions[name]
    st.markdown(f"**{plain(audience.recipient)}**, for: {plain(audience.purpose)}")
    for warning in partition.warnings():
        st.warning(plain(warning))
    sides(key, corpus, state, name)
    left, right = st.columns([7, 3], gap="large")
    with left, shell.guard():
        review = checks.draw(key, corpus, state, name)
    with right, shell.guard():
        approval(key, corpus, state, name, review)


def _audience(key: str, state: ProjectState, decided: list[str]) -> str:
    """Who is under review: whom a click on the matrix named, else the first who waits for approval."""
    open_first = next((n for n in decided if n not in state.approved), decided[0])
    named = shell.kept(f"{key}/review", open_first)
    chosen = st.segmented_control(
        "Audience",
        decided,
        default=named if named in decided else open_first,
        key=f"review_{shell.version()}_{shell.kept(f'{key}/picks', 0)}",
        format_func=lambda n: plain(f"✓ {n}" if n in state.approved else n),
        label_visibility="collapsed",
        required=True,
    )
    return shell.keep(f"{key}/review", chosen)


# ---- attribute by attribute


def sides(key: str, corpus: Corpus, state: ProjectState, name: str) -> None:
    """A row an attribute, whatever needs a look first; a changed side is saved at once."""
    partition = state.partitions[name]
    found = {j.attribute: j for j in state.judgements.get(name, ())}
    review = expert.loaded(state)
    told = review.on(name) if review else {}
    order = review_order(corpus.schema, partition, state.judgements.get(name, ()), review)
    picked = shell.kept(f"{key}/picked", None)
    if picked in order:
        order = (picked, *(a for a in order if a != picked))
    st.html(STYLE)
    with st.container(key="sides", border=True):
        for column, head in zip(
            st.columns(WIDTHS), ("attribute", "decision", "proposal", "why"), strict=True
        ):
            column.caption(head)
        for attribute in order:
            _row(key, corpus, state, name, attribute, found.get(attribute), told.get(attribute))
    st.caption(
        "Attributes on which samples, the expert or you and the proposal differ come first. As bucket: the "
        "audience gets the bucket of each record and nothing finer; it needs buckets on the Schema page."
    )
    if any(j.samples == 0 for j in found.values()):
        st.caption("Where no answer was usable, the attribute starts private, the safe side.")


def _row(
    key: str,
    corpus: Corpus,
    state: ProjectState,
    name: str,
    attribute: str,
    judgement: Judgement | None,
    opinion: Opinion | None,
) -> None:
    side = state.partitions[name].side(attribute)
    cells = st.columns(WIDTHS, vertical_alignment="center")
    is_label = " (utility label)" if attribute == corpus.label else ""
    cells[0].markdown(
        f"**{plain(attribute)}**{is_label}", help=plain(corpus.schema[attribute].description) or None
    )
    options = [s for s in reversed(SIDES) if s != "coarsened" or attribute in corpus.schema.coarsenings]
    widget = f"side_{state.audiences.index(state.audience(name))}_{corpus.schema.names.index(attribute)}"
    if st.session_state.get(widget) != side:  # after Undo, another proposal, another schema
        st.session_state[widget] = side
    cells[1].segmented_control(
        f"Decision on {plain(attribute)}",
        options,
        format_func=LABELS.get,
        key=widget,
        on_change=_move,
        args=(key, name, attribute, widget),
        label_visibility="collapsed",
        required=True,
    )
    proposal = _proposal(judgement, side)
    if opinion is not None:
        proposal += f"; expert: {WORDS[opinion.side]}"
    cells[2].markdown(plain(proposal))
    cells[3].caption(
        plain(judgement.reason if judgement else "Marked by hand."), help=_flow(judgement) or None
    )
    if opinion is not None and opinion.note:
        cells[3].caption(plain(f"Expert: {opinion.note}"))


def _move(key: str, name: str, attribute: str, widget: str) -> None:
    """Saves what was chosen, before the page is drawn with it."""
    side = st.session_state[widget]
    with shell.guard():
        changed = moved(shell.workspace().state(key), shell.corpus(key).schema, name, {attribute: side})
        shell.record_state(key, changed, f"{attribute} is now {WORDS[side]} for {name}")


def _proposal(judgement: Judgement | None, side: Side) -> str:
    """`● private, 2 of 3`: the side, how many of several samples agreed, and whether it was followed."""
    if judgement is None or not judgement.samples:
        return "none"
    out = f"{SIGNS[judgement.side]} {WORDS[judgement.side]}"
    if judgement.samples > 1:
        out += f", {round(judgement.agreement * judgement.samples)} of {judgement.samples}"
    return out if judgement.side == side else f"↻ {out}"


def _flow(judgement: Judgement | None) -> str:
    """The CI parameters that the classifier used, for the tooltip."""
    if judgement is None:
        return ""
    flow = judgement.flow
    parts = {
        "information": flow.information,
        "about": flow.subject,
        "from": flow.sender,
        "to": flow.recipient,
        "for": flow.purpose,
        "under": flow.principle,
    }
    return "  \n".join(f"{what}: {plain(said)}" for what, said in parts.items() if said)


# ---- approval


def approval(key: str, corpus: Corpus, state: ProjectState, name: str, review: Review | None) -> None:
    """`review` is None while the checks run: nothing can be approved before they are known."""
    partition = state.partitions[name]
    # Another tab may have changed it since this one was drawn: what nobody saw is not approved.
    now = [partition.sides_key(), state.release_context(name), corpus.digest]
    seen = shell.kept(f"{key}/{name}/seen", now)
    shell.keep(f"{key}/{name}/seen", now)
    if partition.approval is not None:
        st.success(f"Approved by {plain(partition.approval.name)} on {plain(partition.approval.date)}.")
        if partition.approval.note:
            st.text(partition.approval.note)
        st.caption("Moving an attribute or changing the audience makes this void.")
        if st.button("Withdraw the approval", key="withdraw"):
            changed = replace(partition, approval=None)
            shell.save_state(key, state.with_partition(changed), f"Approval for {name} withdrawn")
        return
    warned = review is not None and bool(review.open_warnings)
    with st.form(f"approve_{name}_{shell.version()}"):
        st.markdown("I have looked at every attribute for this audience.")
        who = st.text_input("Your name", shell.kept("reviewer", ""), key="approve_name", max_chars=80)
        when = st.date_input("Date", date.today(), key="approve_date")
        note = st.text_area(
            "Why you approve despite the open warnings" if warned else "Note",
            key="approve_note",
            height=100,
            max_chars=1000,
            help="It goes on the card, so write your reasons and no figures of the checks.",
        )
        if st.form_submit_button("Approve", type="primary", key="approve", disabled=review is None):
            if not who.strip():
                raise BadInput("Write your name: an approval is given by a person.")
            shell.keep("reviewer", who.strip())
            if seen != now:
                raise BadInput("The attributes, the audience or the corpus changed since you looked.")
            given = Approval(who.strip(), when.isoformat(), note.strip())
            approved = approve(partition, review, given)
            shell.save_state(key, state.with_partition(approved), f"Partition for {name} approved")
