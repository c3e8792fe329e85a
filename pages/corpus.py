"""Corpus: choose a sample or upload records, and see what they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.corpus import Corpus, Splits
from ctxpriv.errors import BadInput
from ctxpriv.files import write_bytes
from ctxpriv.loaders.checks import corpus_warnings
from ctxpriv.loaders.formats import recognise
from ctxpriv.loaders.load import load_table
from ctxpriv.loaders.mapping import ColumnMapping
from ctxpriv.loaders.samples import load_sample, samples
from ctxpriv.loaders.sniff import FileFacts, sniff
from pages.parts import charts, shell
from pages.parts.text import count, plain, shortened

LEAD = (
    "The private records. They stay in the workspace folder on this machine; nothing on this page leaves it."
)
NO_COLUMN = "(none)"
FIRST_ROWS = 50


def draw() -> None:
    key = shell.open_key()
    shell.sidebar(key)
    if key is None:
        st.subheader("Add a corpus", anchor=False)
        add_corpus()
        return
    view = st.segmented_control(
        "View",
        ["This corpus", "Add another"],
        default="This corpus",
        key="corpus_view",
        label_visibility="collapsed",
        required=True,
    )
    if view == "Add another":
        add_corpus()
    else:
        overview(key, shell.corpus(key))


# ---- adding


def add_corpus() -> None:
    ways = ["A sample corpus", "Your own file"]
    way = st.segmented_control("Where from", ways, default=ways[0], key="add_way", required=True)
    if way == ways[0]:
        choose_sample()
    else:
        upload()


def choose_sample() -> None:
    available = samples()
    name = st.radio(
        "Sample corpus",
        list(available),
        key="sample",
        captions=[plain(available[n].description) for n in available],
        format_func=lambda n: plain(available[n].title),
    )
    splits = splits_form("sample")
    with st.expander("Data card"):
        # A file of this project, so its Markdown may act; its headings are kept below the page's own.
        st.markdown(available[name].card_path.read_text("utf-8").replace("## ", "##### ").removeprefix("# "))
    if st.button("Open this sample", key="open_sample", type="primary"):
        with st.spinner("Reading the sample"):
            added(load_sample(name, splits=splits))


def splits_form(prefix: str) -> Splits:
    """Shares and seed; what each split is for is said beside it."""
    with st.expander("How records are divided"):
        st.caption(
            "By author where there is one, else by record. Private records are the ones protected; test "
            "records measure usefulness and are never released; donated records are public examples that "
            "a language model may read."
        )
        a, b, c = st.columns(3)
        test = a.number_input("Test share, %", 0, 60, 20, 5, key=f"{prefix}_test")
        donated = b.number_input("Donated share, %", 0, 60, 20, 5, key=f"{prefix}_donated")
        seed = c.number_input("Seed", 0, 2**31 - 1, 0, key=f"{prefix}_seed")
        private = 100 - test - donated
        st.caption(f"{private} % private.")
    return Splits(private / 100, test / 100, donated / 100, int(seed))


def added(corpus: Corpus) -> None:
    key = shell.workspace().add_corpus(corpus)
    shell.open_corpus(key)
    st.session_state.pop("corpus_view", None)
    shell.notify(
        f"{corpus.name} is open: {count(len(corpus), 'record')}. Next: look it over, then go to Schema."
    )
    st.rerun()


def upload() -> None:
    st.caption("CSV, JSON Lines or Parquet, UTF-8, one record a row.")
    file = st.file_uploader("File", type=["csv", "jsonl", "ndjson", "json", "parquet"], key="upload")
    if file is None:
        st.info("Choose a file to see its columns. Nothing is added before you say so.")
        return
    path = stored(file)
    known = recognise(path)
    if known is not None:
        st.markdown(f"This looks like **{plain(known.title)}**. {plain(known.description)}")
        if st.toggle("Read it as such", value=True, key="as_format"):
            splits = splits_form("format")
            if st.button("Add this corpus", key="add_format", type="primary"):
                with st.spinner("Reading the file"):
                    added(known.load(path, splits=splits))
            return
    map_columns(path)


def stored(file) -> Path:
    """The upload as a file in the workspace, written once per upload."""
    folder = shell.workspace().root / "uploads"
    path = folder / file.file_id[:8] / (Path(file.name).name or "upload")
    if not path.exists():
        write_bytes(path, bytes(file.getbuffer()))
    return path


def map_columns(path: Path) -> None:
    with st.spinner("Reading the file"):
        facts = read_once(path)
    st.caption(f"{count(facts.n_rows, 'row')}, {count(len(facts.columns), 'column')}.")
    columns_table(facts)
    mapping = mapping_fields(facts)
    splits = splits_form("table")
    name = st.text_input("Name of the corpus", path.stem, key="corpus_name")
    if st.button("Add this corpus", type="primary", key="add_table"):
        with st.spinner("Reading the records"):
            added(load_table(path, mapping, name=name.strip() or "corpus", splits=splits))


@st.cache_data(show_spinner=False, max_entries=4)
def read_once(path: Path) -> FileFacts:
    return sniff(path)


def columns_table(facts: FileFacts) -> None:
    with st.expander("Columns of the file"):
        shell.curator_only("Real values")
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        "column": c.name,
                        "kind": c.kind,
                        "different": c.distinct,
                        "missing": c.missing,
                        "most frequent": ", ".join(f"{value} ({n})" for value, n in c.top[:4]),
                        "note": c.note,
                    }
                    for c in facts.columns
                ]
            ),
            hide_index=True,
            key="columns",
        )


def mapping_fields(facts: FileFacts) -> ColumnMapping:
    """One widget a role, set to the guess where there is one."""
    columns = [c.name for c in facts.columns]
    guess = facts.guess or ColumnMapping("")
    if facts.guess is None:
        st.warning("No column looks like text. Say which one holds it, or choose another file.")

    def one(label: str, guessed: str | None, key: str, help_text: str, free: str = NO_COLUMN) -> str | None:
        options = [free, *columns]
        chosen = st.selectbox(
            label, options, options.index(guessed) if guessed in columns else 0, key=key, help=help_text
        )
        return None if chosen == free else chosen

    left, right = st.columns(2)
    with left:
        text = one("Text", guess.text, "map_text", "The column that holds the text of a record.", "(choose)")
        attributes = st.multiselect(
            "Attributes",
            columns,
            [c for c in guess.attributes or () if c in columns],
            key="map_attributes",
            help="Columns with facts about a record.",
        )
        label = one(
            "Utility label",
            guess.label,
            "map_label",
            "The attribute that a user of the release will predict.",
        )
    with right:
        author = one("Author", guess.author, "map_author", "Keeps the records of one person in one split.")
        identity = one("Record id", guess.id, "map_id", "Must be unique; numbered where there is none.")
        split = one(
            "Split", guess.split, "map_split", "Holds private, test or donated; overrides the shares below."
        )
    if text is None:
        raise BadInput("Choose the column that holds the text.")
    return ColumnMapping(text, tuple(attributes), label, author, identity, split)


# ---- looking


def overview(key: str, corpus: Corpus) -> None:
    for warning in corpus_warnings(corpus):
        st.warning(plain(warning))
    facts = corpus.facts()
    tiles = st.columns(5)
    for tile, (label, value) in zip(
        tiles,
        [
            ("Records", len(corpus)),
            ("Private", facts.n_private),
            ("Test", facts.n_test),
            ("Donated", facts.n_donated),
            ("Attributes", len(corpus.schema.names)),
        ],
        strict=True,
    ):
        tile.metric(label, f"{value:,}")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Length", anchor=False)
        lengths = [len(text.split()) for text in corpus.texts]
        charts.altair(
            figures.length_histogram(lengths, width=340, dark=charts.dark()),
            "lengths",
            f"Histogram of words per record, {min(lengths)} to {max(lengths)}.",
        )
    with right:
        st.subheader("Values", anchor=False)
        name = st.selectbox(
            "Attribute",
            corpus.schema.names,
            key=f"values_of_{key}",
            index=corpus.schema.names.index(corpus.label) if corpus.label else 0,
        )
        if name:
            values = corpus.table[name].tolist()
            charts.altair(
                figures.value_counts(values, width=220, dark=charts.dark()),
                "values",
                f"Records per value of {name}.",
            )
    first_rows(corpus)
    with st.expander("Divide again, or remove this corpus"):
        divide_again(key, corpus)
        remove(key, corpus)


def first_rows(corpus: Corpus) -> None:
    st.subheader("First records", anchor=False)
    shell.curator_only("Real records")
    shown = corpus.subset(range(min(FIRST_ROWS, len(corpus))))
    frame = pd.DataFrame({"id": shown.ids, "split": shown.splits, "text": shown.texts}).join(shown.table)
    chosen = st.dataframe(
        frame,
        key="rows",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        column_config={"text": st.column_config.TextColumn(width="large")},
        height=320,
    )
    if rows := chosen.selection.rows:
        st.text(shown.texts[rows[0]])


def divide_again(key: str, corpus: Corpus) -> None:
    splits = splits_form("again")
    if st.button("Divide again", key="divide"):
        units = corpus.authors if corpus.authors is not None else corpus.ids
        shell.save_corpus(
            key, replace(corpus, splits=splits.assign(units)), f"divided again with seed {splits.seed}"
        )


def remove(key: str, corpus: Corpus) -> None:
    st.caption(
        "Removing deletes the records, the edits and the runs of this corpus from the workspace. "
        "The privacy ledger keeps its lines."
    )
    sure = st.checkbox(f"Yes, remove {plain(shortened(corpus.name))}", key="sure_remove")
    if st.button("Remove this corpus", key="remove", disabled=not sure):
        shell.workspace().remove_corpus(key)
        shell.notify(f"{corpus.name} was removed.")
        st.rerun()


with shell.page("corpus", "Corpus", LEAD):
    draw()
