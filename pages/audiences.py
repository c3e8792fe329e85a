"""Audiences: who asks and what for, and what is private towards each of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.classify.by_norms import NormsClassifier
from ctxpriv.context import Approval, Audience, CorpusContext, Judgement
from ctxpriv.corpus import Corpus
from ctxpriv.edits import adopted, all_private, flipped, judged, renamed_audience
from ctxpriv.errors import BadInput
from ctxpriv.loaders.samples import Preset, samples
from ctxpriv.progress import NEVER, silent
from ctxpriv.project import ProjectState
from pages.parts import background, charts, models, shell
from pages.parts.matrix import matrix
from pages.parts.text import count, plain, table

LEAD = (
    "The same fact can be fit for one reader and not for another. For each audience, every attribute is "
    "either public (released as it is) or private (protected). Nothing runs before a person has approved it."
)
NORMS, MODEL, HAND = "Table of norms", "Language model", "By hand, all private to begin with"
TASK = "classify"


def draw() -> None:
    key, corpus, state = shell.corpus_or_hint()
    collect(key, state)
    if not state.audiences:
        st.info("There is no audience yet. Take ready-made ones or describe your own below.")
        define(key, corpus, state)
        return
    classify(key, corpus, state)
    matrix(key, corpus, state, on_flip=lambda audience, attribute: flip(key, state, audience, attribute))
    review(key, corpus, state)
    if state.partitions:
        with st.expander("The matrix as a picture"):
            picture(corpus, state)
    with st.expander("Add, change or remove audiences"):
        define(key, corpus, state)


def flip(key: str, state: ProjectState, audience: str, attribute: str) -> None:
    side = "public" if attribute in state.partitions[audience].private else "private"
    shell.save_state(key, flipped(state, audience, attribute), f"{attribute} is now {side} for {audience}")


def picture(corpus: Corpus, state: ProjectState) -> None:
    """Attributes that most audiences may not see come first, so that the picture is a staircase."""

    def drawn(dark: bool):
        return figures.matrix(corpus.schema.names, state.partitions, state.judgements, dark=dark)

    private = ", ".join(f"{name}: {len(p.private)} private" for name, p in state.partitions.items())
    charts.altair(drawn(charts.dark()), "matrix_picture", f"Attributes by audiences. {private}.")
    row = st.container(horizontal=True)
    row.download_button(
        "SVG", lambda: figures.to_svg(drawn(False)), "matrix.svg", key="matrix_svg", on_click="ignore"
    )
    row.download_button(
        "PNG",
        lambda: figures.to_png(drawn(False), background="#ffffff"),
        "matrix.png",
        key="matrix_png",
        on_click="ignore",
    )


# ---- who they are


def define(key: str, corpus: Corpus, state: ProjectState) -> None:
    tabs = st.tabs(["Ready-made audiences", "Your own audience", "The corpus's context"])
    with tabs[0], shell.guard():
        presets(key, corpus, state)
    with tabs[1], shell.guard():
        own(key, corpus, state)
    with tabs[2], shell.guard():
        context(key, state)


def presets(key: str, corpus: Corpus, state: ProjectState) -> None:
    """Those of the samples, first the ones that know most of this corpus's attributes."""
    taken = {a.name for a in state.audiences}
    offered = sorted(
        (
            (len(set(p.reasons) & set(corpus.schema.names)), s.title, p)
            for s in samples().values()
            for p in s.presets
            if p.audience.name not in taken
        ),
        key=lambda item: -item[0],
    )
    offered = [(known, title, p) for known, title, p in offered if known]
    if not offered:
        st.caption("No ready-made audience knows the attributes of this corpus. Describe your own.")
        return
    frame = pd.DataFrame(
        [
            {
                "take": False,
                "audience": p.audience.name,
                "known": f"{known} of {len(corpus.schema.names)}",
                "recipient": p.audience.recipient,
                "purpose": p.audience.purpose,
                "from": f"{p.origin}; {title}",
            }
            for known, title, p in offered
        ]
    )
    edited = st.data_editor(
        frame,
        key=f"presets_{shell.version()}",
        hide_index=True,
        num_rows="fixed",
        disabled=list(frame.columns[1:]),
        column_config={
            "take": st.column_config.CheckboxColumn("Take", width="small"),
            "known": st.column_config.TextColumn("knows", help="Attributes of this corpus that it knows."),
        },
    )
    if st.button("Add what is ticked", key="add_presets", type="primary"):
        chosen: list[Preset] = [p for (_, _, p), take in zip(offered, edited["take"], strict=True) if take]
        if not chosen:
            raise BadInput("Nothing is ticked.")
        for preset in chosen:
            state = adopted(state, preset, corpus.schema.names)
        shell.save_state(key, state, f"{count(len(chosen), 'audience')} added; review and approve each")


def own(key: str, corpus: Corpus, state: ProjectState) -> None:
    new = "A new audience"
    names = [a.name for a in state.audiences]
    which = st.selectbox("Which", [new, *names], key="own_which")
    old = None if which == new else state.audience(which)
    suffix = f"{which}_{shell.version()}"
    with st.form(f"own_{suffix}"):
        name = st.text_input("Name", old.name if old else "", max_chars=60, key=f"own_name_{suffix}")
        recipient = st.text_input(
            "Recipient",
            old.recipient if old else "",
            key=f"own_recipient_{suffix}",
            placeholder="A company that trains text classifiers",
        )
        purpose = st.text_area(
            "Purpose",
            old.purpose if old else "",
            key=f"own_purpose_{suffix}",
            placeholder="Train a model that recognises the topic of a comment",
        )
        save = st.form_submit_button(
            "Add the audience" if old is None else "Save the audience", type="primary", key="save_audience"
        )
    if save:
        audience = Audience(name.strip(), recipient.strip(), purpose.strip())
        if not audience.recipient or not audience.purpose:
            raise BadInput("An audience needs a recipient and a purpose: privacy is judged for this flow.")
        if old is None and audience.name in names:
            raise BadInput(f"There is already an audience {audience.name!r}.")
        if old is not None:
            state = renamed_audience(state, old.name, audience.name)
        shell.save_state(
            key,
            state.with_audience(audience),
            f"Audience {audience.name} {'added' if old is None else 'changed'}",
        )
    if old is not None and st.button(f"Remove {plain(old.name)}", key="remove_audience"):
        shell.save_state(key, state.without_audience(old.name), f"Audience {old.name} removed")


def context(key: str, state: ProjectState) -> None:
    st.caption("These three hold for every audience of this corpus. Changing them makes every approval void.")
    with st.form(f"context_{shell.version()}"):
        subject = st.text_input(
            "Whom the texts are about",
            state.context.subject,
            key="subject",
            placeholder="Users of the forum who wrote the comments",
        )
        sender = st.text_input(
            "Who would send them", state.context.sender, key="sender", placeholder="The operator of the forum"
        )
        principle = st.text_area(
            "Under which rule",
            state.context.transmission_principle,
            key="principle",
            placeholder="Comments are public to members; no further use was agreed to",
        )
        if st.form_submit_button("Save the context", key="save_context"):
            changed = CorpusContext(subject.strip(), sender.strip(), principle.strip())
            shell.save_state(key, state.with_context(changed), "Context of the corpus changed")


# ---- what a classifier proposes


def classify(key: str, corpus: Corpus, state: ProjectState) -> None:
    waiting = [a.name for a in state.audiences if a.name not in state.partitions]
    busy = background.running(key, TASK)
    with st.expander("Classify attributes", expanded=bool(waiting)):
        left, middle, right = st.columns([4, 4, 2], vertical_alignment="bottom")
        chosen = left.multiselect(
            "Audiences",
            [a.name for a in state.audiences],
            waiting,
            key=f"classify_audiences_{shell.version()}",  # anew with every change: who waits has changed
            placeholder="Choose audiences",
            wrap=True,
        )
        way = middle.selectbox("Who proposes", [NORMS, MODEL, HAND], key="classify_way")
        samples_wanted = right.number_input("Samples", 1, 9, 3, key="classify_samples", disabled=way != MODEL)
        if way == MODEL:
            st.caption(plain(models.language_model_line(state.models)))
        st.caption(
            "The proposal rests on the names and descriptions of attributes and on the audience alone; no "
            "record is read. "
            + (
                "It replaces the present decision and makes an approval void."
                if set(chosen) & set(state.partitions)
                else ""
            )
        )
        if st.button("Classify", key="classify", type="primary", disabled=not chosen or busy):
            run_classifier(key, corpus, state, chosen, way, int(samples_wanted))


def run_classifier(
    key: str, corpus: Corpus, state: ProjectState, chosen: list[str], way: str, samples_wanted: int
):
    if way == HAND:
        for name in chosen:
            state = all_private(state, name, corpus.schema.names)
        shell.save_state(key, state, f"All attributes private for {', '.join(chosen)}")
    classifier = NormsClassifier() if way == NORMS else models.model_classifier(state.models)
    contexts = {name: state.release_context(name) for name in chosen}

    def work(progress, cancel):
        return {
            name: classifier.classify(
                corpus.schema, context, samples=samples_wanted, progress=progress, cancel=cancel
            )
            for name, context in contexts.items()
        }

    if way == NORMS:
        save_judgements(key, state, work(silent, NEVER))
    background.start(key, TASK, f"Classifying for {', '.join(chosen)}", work)
    st.rerun()


def collect(key: str, state: ProjectState) -> None:
    """A finished classification becomes the proposal; an audience removed meanwhile is passed over."""
    found = background.take(key, TASK)
    if found is not None:
        known = {a.name for a in state.audiences}
        save_judgements(key, state, {k: v for k, v in found.items() if k in known})


def save_judgements(key: str, state: ProjectState, found) -> None:
    for name, judgements in found.items():
        state = judged(state, name, judgements)
    shell.save_state(key, state, f"Attributes classified for {', '.join(found)}; review and approve")


# ---- review


def review(key: str, corpus: Corpus, state: ProjectState) -> None:
    decided = [a.name for a in state.audiences if a.name in state.partitions]
    if not decided:
        return
    st.subheader("Review and approve", anchor=False)
    open_first = next((n for n in decided if n not in state.approved), decided[0])
    name = st.segmented_control(
        "Audience",
        decided,
        default=open_first,
        key=f"review_{shell.version()}",
        format_func=plain,
        label_visibility="collapsed",
        required=True,
    )
    audience, partition = state.audience(name), state.partitions[name]
    st.markdown(f"**{plain(audience.recipient)}**, for: {plain(audience.purpose)}")
    for warning in partition.warnings():
        st.warning(plain(warning))
    left, right = st.columns([7, 3], gap="medium")
    with left:
        reasons(corpus, state, name)
    with right:
        approve(key, state, name)


def reasons(corpus: Corpus, state: ProjectState, name: str) -> None:
    partition = state.partitions[name]
    found = {j.attribute: j for j in state.judgements.get(name, ())}
    rows = [
        (
            attribute,
            "private" if attribute in partition.private else "public",
            _proposal(found.get(attribute)),
            found[attribute].reason if attribute in found else "Marked by hand.",
        )
        for attribute in corpus.schema.names
    ]
    st.markdown(table(("attribute", "decision", "proposal", "reason"), rows))
    if any(j.samples == 0 for j in found.values()):
        st.caption("Where no answer was usable, the attribute starts private, the safe side.")


def _proposal(judgement: Judgement | None) -> str:
    """`private, 2 of 3`: the side and, of several samples, how many agreed on it."""
    if judgement is None or not judgement.samples:
        return "none"
    side = "private" if judgement.private else "public"
    if judgement.samples == 1:
        return side
    return f"{side}, {round(judgement.agreement * judgement.samples)} of {judgement.samples}"


def approve(key: str, state: ProjectState, name: str) -> None:
    approval = state.partitions[name].approval
    if approval is not None:
        st.success(f"Approved by {plain(approval.name)} on {plain(approval.date)}.")
        if approval.note:
            st.text(approval.note)
        st.caption("Flipping an attribute or changing the audience makes this void.")
        if st.button("Withdraw the approval", key="withdraw"):
            partition = replace(state.partitions[name], approval=None)
            shell.save_state(key, state.with_partition(partition), f"Approval for {name} withdrawn")
        return
    with st.form(f"approve_{name}_{shell.version()}"):
        st.markdown("I have looked at every attribute for this audience.")
        who = st.text_input("Your name", shell.kept("reviewer", ""), key="approve_name", max_chars=80)
        when = st.date_input("Date", date.today(), key="approve_date")
        note = st.text_area("Note", key="approve_note", height=80, max_chars=1000)
        if st.form_submit_button("Approve", type="primary", key="approve"):
            if not who.strip():
                raise BadInput("Write your name: an approval is given by a person.")
            shell.keep("reviewer", who.strip())
            approval = Approval(who.strip(), when.isoformat(), note.strip())
            shell.save_state(key, state.with_approval(name, approval), f"Partition for {name} approved")


with shell.page("audiences", "Audiences", LEAD):
    draw()
