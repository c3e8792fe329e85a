"""Audiences page: how well the chosen classifier agrees with people, on flows that people rated."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ctxpriv.calibrations import identity_key, load_calibrations, save_calibration
from ctxpriv.classify.by_norms import NormsClassifier
from ctxpriv.classify.calibrate import JudgedFlow, RatedFlow, calibrate, flows_in, ratings_file, read_flows
from ctxpriv.errors import BadInput
from ctxpriv.loaders.tables import read_uploaded
from ctxpriv.project import ProjectState
from ctxpriv.roles import CIClassifier
from pages.parts import background, models, shell
from pages.parts.text import plain, table

TASK = "calibrate"
SHOWN = 8  # flows on which it differs most from people


def draw(key: str, state: ProjectState, *, by_norms: bool, samples: int) -> None:
    """What is known of this classifier, and a way to find out."""
    finished = background.take(key, TASK)
    if finished is not None:
        save_calibration(shell.workspace(), finished)
    classifier = NormsClassifier() if by_norms else models.model_classifier(state.models)
    kept = load_calibrations(shell.workspace()).get(identity_key(classifier.identity))
    row = st.container(horizontal=True, vertical_alignment="center")
    row.caption(
        plain(kept.sentence())
        if kept
        else "How far this classifier judges as people do has not been measured on this machine."
    )
    differs = [r for r in kept.rows if r.agrees is False] if kept else []
    if differs:
        with row.popover("Where it differs"):
            _differences(differs[:SHOWN])
    with row.popover("Calibrate"), shell.guard():
        _start(key, classifier, 1 if by_norms else samples)  # a table answers the same every time


def _start(key: str, classifier: CIClassifier, samples: int) -> None:
    st.markdown(
        "Ask it about flows that people have rated (information type, recipient, purpose, and a rating "
        "from −100 to 100). The texts of the corpus are not read."
    )
    upload = st.file_uploader("Rated flows (CSV or JSON lines)", ["csv", "jsonl"], key="calibration_file")
    flows, source = _flows(upload)
    if not flows:
        st.caption("Choose a file with the fields information_type, recipient, purpose and human_rating.")
    elif st.button(f"Ask about {len(flows)} flows", key="calibrate", disabled=background.running(key, TASK)):
        background.start(
            key,
            TASK,
            f"Calibrating on {source}",
            lambda progress, cancel: calibrate(
                classifier, flows, source=source, samples=samples, progress=progress, cancel=cancel
            ),
        )
        st.rerun()


def _flows(upload) -> tuple[tuple[RatedFlow, ...], str]:
    """From the uploaded file, else from the one that the command line would take; () without any."""
    if upload is not None:
        return flows_in(read_uploaded(upload.getvalue(), upload.name), upload.name), upload.name
    try:
        path = ratings_file(shell.workspace().root)
    except BadInput:  # there is none, and nothing is wrong with that
        return (), ""
    return read_flows(path), path.name


def _differences(judged: Sequence[JudgedFlow]) -> None:
    rows = [
        (j.flow.information, j.flow.recipient, j.flow.purpose, f"{j.flow.rating:.0f}", f"{j.score:.2f}")
        for j in judged
    ]
    st.markdown(
        table(
            ("information", "recipient", "purpose", "people (−100 to 100)", "share of public answers"), rows
        )
    )
