"""Schema page: a sample of records read a second time, to see how far a reading can be trusted."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.extract.agreement import SecondReading, read_again, sample_rows
from ctxpriv.extract.weakest import disagrees
from ctxpriv.model_choice import ModelChoice
from ctxpriv.models.choose import SPECS
from ctxpriv.roles import Extraction
from pages.parts import background, models, schema_figures, shell
from pages.parts.text import count, duration, plain

SAME, LOCAL, OTHER = "The same language model, in another order", "Local classifier", "Another language model"
STEP = "second reading"


def draw(
    key: str,
    corpus: Corpus,
    choice: ModelChoice,
    names: list[str],
    waiting: Extraction | None,
    in_buckets: bool,
) -> None:
    """Compare with `waiting` (an extraction not yet accepted), else with the table as it is.

    `in_buckets`: the waiting extraction is by a local classifier.
    """
    st.subheader("Read a sample again", anchor=False)
    what = "the values just extracted" if waiting is not None else "the values in the table"
    st.caption(f"A second reader reads some records, and what it finds is compared with {what}.")
    way = st.segmented_control(
        "Second reader", [SAME, LOCAL, OTHER], default=SAME, key="second_way", required=True
    )
    second = _choice(choice, way)
    rows = _rows(corpus, way)
    size = st.number_input(
        "Records to read again", 1, max(1, len(rows)), min(50, max(1, len(rows))), key="second_size"
    )
    itself = in_buckets and way == LOCAL
    if itself:
        st.warning("These values are by the local classifier already, and it would agree with itself.")
    if st.button(
        "Read again", key="read_again", disabled=not names or itself or background.running(key, STEP)
    ):
        if not len(rows):
            raise BadInput("every record is donated, and the local classifier learned from those.")
        first = waiting if waiting is not None else Extraction(corpus.table[names])
        picked = [rows[i] for i in sample_rows(len(rows), int(size), seed=0)]
        schema = corpus.schema.only(names)

        def work(progress, cancel):
            if way == LOCAL:
                reader = models.local_reader(second, corpus, progress, cancel)
            else:
                reader = models.model_reader(second, shuffled=way == SAME)
            return read_again(
                first, corpus.texts, schema, reader, picked,
                buckets_only=in_buckets, progress=progress, cancel=cancel,
            )  # fmt: skip

        background.start(key, STEP, f"Reading {count(len(picked), 'record')} again", work)
    result = background.take(key, STEP)
    if result is not None:
        shell.keep(f"{key}/{STEP}", (result, what, shell.workspace().digest(key)))
    done = shell.kept(f"{key}/{STEP}", None)
    if done is not None and done[2] == corpus.digest:
        show(*done[:2])


def _choice(choice: ModelChoice, way: str) -> ModelChoice:
    """Which model reads again, with what that means in one line."""
    if way == SAME:
        st.caption(
            f"{plain(models.language_model_line(choice))}: fields and values stand in another order for "
            "every record, so that a model that picks by place contradicts itself."
        )
        return choice
    if way == LOCAL:
        st.caption(
            "Learns from the donated records and answers in buckets where there are any. Only records that "
            "are not donated are compared."
        )
        return choice
    others = [s for s in models.usable_specs(choice) if s != choice.language_model]
    spec = st.text_input(
        "Its name",
        others[-1] if others else "",
        key="second_model",
        help=plain(SPECS),
        placeholder="ollama:NAME",
    )
    if others:
        st.caption(f"Usable here: {plain(', '.join(others))}.")
    return replace(choice, language_model=spec.strip() or "none")


def _rows(corpus: Corpus, way: str) -> list[int]:
    """The records a second reader may be asked: not those that a local classifier learned from."""
    return [i for i in range(len(corpus)) if way != LOCAL or corpus.splits[i] != "donated"]


def show(result: SecondReading, what: str) -> None:
    with st.container(border=True, key="second_reading"):
        seconds, n = result.again.seconds, len(result.rows)
        st.markdown(
            f"**Read again** by {plain(result.reader['name'])}: {count(n, 'record')} in {duration(seconds)}; "
            f"{count(len(result.again.failures), 'record')} failed, "
            f"{count(result.again.retries, 'retry', 'retries')}. Compared with {what}."
        )
        shell.curator_only("Agreement")
        schema_figures.agreement_table(result.fields, "agreement")
        weak = [f for f in result.fields if disagrees(f.kappa)]
        if weak:
            st.caption(
                "Two readings agree little better than by chance on "
                f"{plain(', '.join(f.attribute for f in weak))}: leave out what two readers cannot agree "
                "on, describe it better, or give it fewer values."
            )
