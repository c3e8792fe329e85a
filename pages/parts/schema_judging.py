"""Schema page: proposals side by side, as the paper's Table 2, on one sample read by one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from ctxpriv.casting import FIELDS_PER_CALL_OF_A_STAND_IN
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.extract.coverage import MOST_TEXTS
from ctxpriv.extract.quality import SchemaQuality, judge_schema
from ctxpriv.model_choice import ModelChoice
from ctxpriv.project import ProjectState
from ctxpriv.proposal_store import Judging, JudgingSettings, ProposalStore, schema_id
from ctxpriv.roles import reasons_told
from ctxpriv.schema import Schema
from pages.parts import background, models, proposals, schema_figures, shell
from pages.parts.schema_figures import EXPLAINED
from pages.parts.text import count, epsilon_text, plain, when

STEP = "judge schemas"
PRESENT = "The present schema"
SPLITS = {"donated": "Donated records", "private": "Private records"}
NOBODY, SAME = "Nobody", "The same model, in another order"
SAMPLE, STAND_IN_SAMPLE = 200, 8  # the paper's; and what the stand-in reads in a few minutes


@dataclass(frozen=True)
class Candidate:
    """A schema to be judged: `row` names it in the store, `title` on the page."""

    row: str
    title: str
    epsilon: str
    schema: Schema


def draw(key: str, corpus: Corpus, state: ProjectState, store: ProposalStore) -> None:
    st.subheader("Judge them", anchor=False)
    st.caption(
        "One model reads the same sample of texts under each schema. More signal, more even values, less "
        "dominance, more coverage and more agreement make a better schema."
    )
    there = _candidates(corpus, store)
    titles = [c.title for c in there]
    chosen = st.multiselect("Schemas to judge", titles, titles, key=f"judge_which_{len(there)}", wrap=True)
    settings, second = _settings(corpus, state.models)
    picked = [c for c in there if c.title in chosen]
    _expect(state.models, picked, settings, bool(second))
    if st.button(
        "Judge them", key="judge", type="primary", disabled=not picked or background.running(key, STEP)
    ):
        work = _work(corpus, state.models, store, picked, settings, second)
        background.start(key, STEP, f"Judging {count(len(picked), 'schema')}", work)
    background.take(key, STEP)  # the work itself has kept its figures
    judging = store.judging()
    if judging is not None:
        show(judging, there)


def _candidates(corpus: Corpus, store: ProposalStore) -> list[Candidate]:
    """The present schema, then the proposals, oldest first; without those that found nothing."""
    schema = corpus.schema
    present = [Candidate(schema_id(schema), PRESENT, "–", schema)] if schema.names else []
    return present + [
        Candidate(kept.id, title, epsilon_text(kept.proposal.epsilon), kept.proposal.schema)
        for title, kept in proposals.numbered(store)
        if kept.proposal.schema.names
    ]


def _settings(corpus: Corpus, choice: ModelChoice) -> tuple[JudgingSettings, ModelChoice | None]:
    """What is read, by whom; the second reader's choice, or None."""
    facts = corpus.facts()
    sizes = {"donated": facts.n_donated, "private": facts.n_private}
    a, b, c, d = st.columns([3, 2, 2, 3])
    splits = [s for s in SPLITS if sizes[s]]
    split = a.segmented_control(
        "Read", splits, default=splits[0], format_func=SPLITS.get, key="judge_split", required=True
    )
    stand_in = models.is_stand_in(choice)
    most = sizes[split]
    sample = b.number_input(
        "Texts to read", 1, most, min(most, STAND_IN_SAMPLE if stand_in else SAMPLE), key=f"judge_n_{split}"
    )
    covered = c.number_input(
        "Judged for coverage", 0, MOST_TEXTS, min(most, STAND_IN_SAMPLE if stand_in else 20),
        key=f"judge_coverage_{split}", help=EXPLAINED["coverage"] + " 0: none.",
    )  # fmt: skip
    others = [s for s in models.usable_specs(choice) if s != choice.language_model]
    again = d.selectbox(
        "Who reads again", [SAME, NOBODY, *others], key="judge_second", help=EXPLAINED["kappa"]
    )
    if split == "private":
        st.warning(
            "Figures of private records are computed without noise. A schema that is chosen by them "
            "depends on those records, and no guarantee covers that. Judge on donated records where you "
            "can."
        )
    second = None if again == NOBODY else choice if again == SAME else replace(choice, language_model=again)
    reader = models.language_model_name(choice)
    settings = JudgingSettings(
        split, int(sample), min(int(covered), int(sample)), 0, reader, "" if second is None else again,
        reader if covered else "",
    )  # fmt: skip
    return settings, second


def _expect(
    choice: ModelChoice, picked: Sequence[Candidate], settings: JudgingSettings, second: bool
) -> None:
    """How many model calls this is, at least, and what to expect of the stand-in."""
    size = FIELDS_PER_CALL_OF_A_STAND_IN if models.is_stand_in(choice) else None
    forms = sum(-(-len(c.schema.names) // (size or max(1, len(c.schema.names)))) for c in picked)
    calls = forms * settings.sample * (1 + second) + len(picked) * settings.coverage_sample
    st.caption(
        f"{plain(models.language_model_line(choice))}: {count(calls, 'model call')}, more for long lists of "
        "values. What was answered once is not asked again."
    )


def _work(
    corpus: Corpus,
    choice: ModelChoice,
    store: ProposalStore,
    picked: Sequence[Candidate],
    settings: JudgingSettings,
    second: ModelChoice | None,
):
    """For a background step: every schema's figures are kept as soon as they are there.

    It raises ModelFailed at the end, naming the schemas under which nothing could be read.
    """
    texts = corpus.part(settings.split).texts
    if not texts:
        raise BadInput("there are no such records.", where="schema quality", fix="Read other records.")
    reader = models.model_reader(choice)
    again = models.model_reader(second, shuffled=second == choice) if second is not None else None
    judge = models.language_model(choice) if settings.coverage_sample else None

    def work(progress, cancel) -> None:
        failed = []
        for number, candidate in enumerate(picked, 1):

            def told(stage: str, done: int, total: int, number: int = number) -> None:
                progress(f"schema {number} of {len(picked)}, {stage}", done, total)

            try:
                quality = judge_schema(
                    texts,
                    candidate.schema,
                    reader,
                    second=again,
                    judge=judge,
                    sample=settings.sample,
                    coverage_sample=settings.coverage_sample,
                    seed=settings.seed,
                    progress=told,
                    cancel=cancel,
                )
            except ModelFailed as why:
                failed.append(f"{candidate.title}: {why}")
            else:
                store.keep_quality(settings, candidate.row, quality)
        if failed:
            raise ModelFailed(" ".join(failed))

    return work


def show(judging: Judging, there: Sequence[Candidate]) -> None:
    """Table 2, and one schema's attributes."""
    rows = [(c, judging.rows[c.row]) for c in there if c.row in judging.rows]
    if not rows:
        return
    s = judging.settings
    with st.container(border=True, key="judged"):
        told = f"{s.sample} {SPLITS[s.split].lower()}, read by {s.reader}" + (
            f", again by {s.second[0].lower()}{s.second[1:]}" if s.second else ""
        )
        st.markdown(f"**Judged** {plain(when(judging.when))} on {plain(told)}")
        if s.split == "private":
            shell.curator_only("Figures of private records")
        st.dataframe(
            pd.DataFrame([_row(c, q) for c, q in rows]),
            hide_index=True,
            key="judged_table",
            height="content",
            placeholder="–",
            column_config=_columns(),
        )
        titles = {c.title: q for c, q in rows}
        quality = titles[st.selectbox("See the attributes of", list(titles), key="judged_one")]
        st.caption(schema_figures.reading_line(quality))
        schema_figures.failures(quality)
        if quality.coverage_missing:
            st.warning(plain(quality.coverage_missing))
        elif quality.coverage and quality.coverage.failures:
            lost = plain(reasons_told(quality.coverage.failures))
            st.caption(f"Without a usable score of coverage: {lost}.")
        schema_figures.per_attribute(quality, "judged")


def _row(candidate: Candidate, quality: SchemaQuality) -> Mapping[str, object]:
    coverage = quality.coverage
    span = f" [{coverage.low:.1f}, {coverage.high:.1f}]" if coverage and coverage.low is not None else ""
    return {
        "schema": candidate.title,
        "epsilon": candidate.epsilon,
        "fields": len(quality.fields),
        "signal": quality.signal,
        "entropy": quality.balanced_entropy,
        "dominance": quality.dominance,
        "coverage": f"{coverage.mean:.2f}{span}" if coverage else "–",
        "kappa": quality.kappa,
        "read": f"{quality.n} of {quality.n + sum(quality.failures.values())}",
    }


def _columns() -> dict[str, object]:
    number = st.column_config.NumberColumn
    return {
        "schema": st.column_config.TextColumn("Schema", pinned=True),
        "epsilon": st.column_config.TextColumn("ε", width="small"),
        "fields": number("Fields", width="small"),
        "signal": number("Signal ↑", format="%.3f", help=EXPLAINED["signal"]),
        "entropy": number("Entropy ↑", format="%.2f", help=EXPLAINED["entropy"]),
        "dominance": number("Dominance ↓", format="%.2f", help=EXPLAINED["dominance"]),
        "coverage": st.column_config.TextColumn("Coverage ↑", help=EXPLAINED["coverage"]),
        "kappa": number("κ ↑", format="%.2f", help=EXPLAINED["kappa"]),
        "read": st.column_config.TextColumn("Texts read", width="small"),
    }
