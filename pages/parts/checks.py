"""Audiences page: what the checks before approval say about one partition, or several together."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from ctxpriv import figures
from ctxpriv.classify.checks.finding import Finding
from ctxpriv.classify.checks.review import Review, review
from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.progress import NEVER, silent
from ctxpriv.project import ProjectState
from pages.parts import background, charts, shell
from pages.parts.text import plain

# Up to here the checks take about a second, and every move is followed by them without a click.
RECORDS_AT_ONCE, ATTRIBUTES_AT_ONCE = 5_000, 25
MOST_KEPT = 200  # findings of earlier partitions, so that Undo is quick
EPSILON = 1.0  # what a study starts with


def draw(key: str, corpus: Corpus, state: ProjectState, name: str) -> Review | None:
    """The findings on `name`'s partition; None while they are being computed."""
    st.markdown("**Checks before approval**")
    shell.curator_only("Computed from private records without noise")
    found = _review(key, corpus, state.partitions[name], epsilon(state))
    if found is None:
        return None
    for finding in found.findings:
        show(finding, f"{name}_{finding.check}")
    return found


def show(finding: Finding, key: str) -> None:
    """A sentence, a suggestion, a picture; open where it warns."""
    sign = ":material/warning:" if finding.warning else ":material/check:"
    with st.expander(f"{sign} {finding.title}", expanded=finding.warning):
        st.markdown(plain(finding.sentence))
        if finding.suggestion:
            st.markdown(f"**{plain(finding.suggestion)}**")
        if finding.rows:
            charts.remembered(
                json.dumps(finding.to_dict(), sort_keys=True),
                lambda dark: figures.check_chart(finding, dark=dark),
                f"check_{key}",
                plain(finding.sentence),
            )


def epsilon(state: ProjectState) -> float:
    """The largest finite ε that the project is set to run at, for what group privacy makes of it."""
    chosen = state.settings.get("privatize", {})
    written = [chosen.get("epsilon", EPSILON), *chosen.get("more", [])]
    return max((float(e) for e in written if math.isfinite(float(e))), default=EPSILON)


def known(key: str, task: str, corpus: Corpus, place: list[Any], what: str, work: Callable) -> Any | None:
    """The result of `work(progress=, cancel=)`, kept under `place`; None until it has been asked for.

    Small corpora are checked at once; large ones on demand, beside the page.
    """
    kept, at = _kept(), json.dumps([corpus.digest, *place])
    if at not in kept and _quick(corpus):
        _keep(at, work(progress=silent, cancel=NEVER))
    done = background.take(key, task)
    if done is not None:
        _keep(*done)
    if at in kept:
        return kept[at]
    if st.button("Run the checks", key=f"run_{task}", disabled=background.running(key, task)):
        background.start(
            key, task, what, lambda progress, cancel: (at, work(progress=progress, cancel=cancel))
        )
        st.rerun()
    return None


def _quick(corpus: Corpus) -> bool:
    n, attributes = int((corpus.splits == "private").sum()), len(corpus.schema.names)
    return n <= RECORDS_AT_ONCE and attributes <= ATTRIBUTES_AT_ONCE


def _review(key: str, corpus: Corpus, partition: Partition, at: float) -> Review | None:
    found = known(
        key,
        "checks",
        corpus,
        [partition.audience, partition.sides_key(), at],
        f"Checks for {partition.audience}",
        partial(review, corpus, partition, epsilon=at),
    )
    if found is None:
        st.caption("Nothing can be approved before the checks have run.")
    return found


def _keep(at: str, found: Any) -> None:
    kept = _kept()
    kept[at] = found
    while len(kept) > MOST_KEPT:
        kept.pop(next(iter(kept)))


@st.cache_resource(show_spinner=False)
def _kept() -> dict[str, Any]:
    """Findings by corpus and sides: an undone move costs nothing. In the process's memory only, for
    they are curator-only."""
    return {}
