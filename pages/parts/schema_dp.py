"""Schema page: a schema found with differential privacy: its plan, its charge, and going on with one
that was interrupted."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.extract.asking import MOST_ATTRIBUTES
from ctxpriv.extract.dp_schema import DPSchema, DPSchemaPlan
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.proposal_store import Pending
from pages.parts import background, shell
from pages.parts.schema_request import SchemaRequest
from pages.parts.text import count, plain, when

STEP = "schema dp"
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


def draw(request: SchemaRequest) -> None:
    n, waiting = request.corpus.facts().n_private, request.store.pending()
    left, right = st.columns(2, gap="large")
    epsilon = left.select_slider(
        "ε", EPSILONS, 1.0, key="dp_epsilon", help="Smaller protects more and lets fewer names through."
    )
    most = right.number_input("Attributes at most", 1, MOST_ATTRIBUTES, 20, key="dp_attributes")
    config = DPSchema(epsilon=float(epsilon), max_attributes=int(most), guided=request.guided)
    _plan(request.corpus, config.plan(n))
    busy = background.running(request.key, STEP)
    if st.button(
        f"Run it and charge ε = {epsilon:g}", key="propose_dp", type="primary", disabled=busy or bool(waiting)
    ):
        request.ready()
        run_id = config.run_id(request.corpus, request.model(), request.description)
        request.store.begin(run_id, asdict(config))
        _start(request, config, run_id)
        st.rerun()
    for pending in () if busy else waiting:
        _go_on(request, pending)


def ended(key: str) -> None:
    """Draws the pass where it runs or has ended; the work itself has kept its proposal."""
    ended = background.take(key, STEP)
    if ended is not None:
        shell.keep(f"{key}/{STEP}", ended)
    if told := shell.kept(f"{key}/{STEP}", ()):
        shell.curator_only("How the texts were read")
        st.caption(plain(" ".join(told)))


def _start(request: SchemaRequest, config: DPSchema, run_id: str) -> None:
    """Starts the pass, or goes on with it: `run_id` is charged once, and what it released is kept."""
    model, embedder, ledger = request.model(), request.embedder(), shell.workspace().ledger

    def work(progress, cancel) -> list[str]:
        told: list[str] = []
        with request.store.working_on(run_id):
            proposal = config.run(
                request.corpus,
                model,
                embedder,
                description=request.description,
                workload=request.workload,
                ledger=ledger,
                run_id=run_id,
                checkpoint=request.store.checkpoint(run_id),
                curator=told.append,
                progress=progress,
                cancel=cancel,
            )
            request.store.keep(proposal, ended=run_id)
        return told

    shell.keep(f"{request.key}/{STEP}", ())
    background.start(request.key, STEP, f"Schema with DP, ε = {config.epsilon:g}", work)


def _plan(corpus: Corpus, plan: DPSchemaPlan) -> None:
    """What will be done and what it costs: nothing private is read for this."""
    for sentence in plan.sentences():
        st.markdown(plain(sentence))
    price = plan.price
    if price is None:  # ε = ∞ is not offered here
        return
    st.markdown(
        plain(
            f"The ledger is charged ε = {price.epsilon:g}, δ = {price.delta:.2g} (ρ = {price.rho:.3g}) for "
            "every audience, before any name comes out. If no model answers, nothing is charged; the same "
            "settings are never charged twice."
        )
    )
    spent = shell.workspace().ledger.total(
        corpus.digest, price.delta_conversion, records=corpus.records_digest
    )
    if spent.runs:
        rho = spent.rho + price.rho
        then = epsilon_from(rho, price.delta_conversion)
        lines = count(spent.runs, "counted line", "counted lines")
        st.caption(
            plain(
                f"These records have cost ε = {spent.epsilon:.3g} so far ({lines} in the ledger), and ε = "
                f"{then:.3g} with this pass, at δ = {spent.delta + price.delta_threshold:.2g}."
            )
        )


def _go_on(request: SchemaRequest, pending: Pending) -> None:
    """A pass without a result: it failed, was cancelled, or the program ended."""
    config, line = DPSchema(**pending.settings), shell.workspace().ledger.line(pending.run_id)
    with st.container(border=True, key=f"pending_{pending.run_id}"):
        cost = (
            f"ε = {config.epsilon:g} is charged already, and is not charged again"
            if line
            else "nothing is charged yet"
        )
        st.markdown(
            plain(f"A pass with ε = {config.epsilon:g}, begun {when(pending.begun)}, has no result: {cost}.")
        )
        row = st.container(horizontal=True)
        if row.button("Go on with it", key=f"go_on_{pending.run_id}", type="primary"):
            request.ready()
            _start(request, config, pending.run_id)
            st.rerun()
        if row.button(
            "Give it up",
            key=f"give_up_{pending.run_id}",
            help="What is charged stays charged." if line else "Nothing was charged.",
        ):
            request.store.give_up(pending.run_id)
            st.rerun()
