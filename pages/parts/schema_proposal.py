"""Schema page: three ways to a schema, side by side (paper App. A.1 to A.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.extract.asking import MOST_ATTRIBUTES
from ctxpriv.extract.from_texts import MAX_ATTRIBUTES, MAX_VALUES, TEXTS_SHOWN, schema_from_texts
from ctxpriv.extract.menu import catalogue
from ctxpriv.extract.propose import propose_schema
from ctxpriv.models.base import LanguageModel
from ctxpriv.project import ProjectState
from ctxpriv.proposal_store import ProposalStore
from ctxpriv.schema_proposal import SchemaProposal
from pages.parts import background, models, proposals, schema_dp, schema_judging, shell
from pages.parts.proposals import TITLES
from pages.parts.schema_request import SchemaRequest
from pages.parts.text import plain


@dataclass(frozen=True)
class Told:
    """One way to a schema in three plain sentences."""

    reads: str
    guarantees: str
    costs: str


WAYS = {
    "prompted": Told(
        "What you write here, and donated examples if you say so. No private record.",
        "It tells nothing about any private record (ε = 0).",
        "No budget and one to a dozen model calls. What nobody thought of is missing.",
    ),
    "texts": Told(
        f"All private texts, to find the {TEXTS_SHOWN} that differ most; a language model then reads those.",
        "None. Names and values may repeat what one text says, and the card of a release will say so.",
        f"No budget is counted, because no bound is known. Up to {MAX_ATTRIBUTES} attributes of 2 to "
        f"{MAX_VALUES} values.",
    ),
    "dp": Told(
        "Every private text on its own, for at most five short names of facts.",
        "(ε, δ)-differential privacy with one text as the unit: a name comes out only where many texts "
        "share it.",
        "ε of your choice, added to what every audience's releases cost, and a model call for every "
        "private text.",
    ),
}  # fmt: skip


def draw(key: str, corpus: Corpus, state: ProjectState) -> None:
    store = ProposalStore(shell.workspace(), key)
    words = _words(state)
    _cards()
    way = st.segmented_control(
        "Way", list(WAYS), default="prompted", format_func=TITLES.get, key="schema_way", required=True
    )
    st.caption(plain(models.language_model_line(state.models)))
    models.stand_in_note(state.models)
    guided = st.checkbox(
        f"Only choose from a public list of {len(catalogue())} common attributes",
        models.is_stand_in(state.models),
        key="guided",
        help="For models too small to invent attributes. The list was written without any corpus.",
    )
    request = SchemaRequest(key, corpus, state, store, *words, guided)
    with shell.guard():
        {"prompted": _prompted, "texts": _from_texts, "dp": schema_dp.draw}[way](request)
    for step in (step_of("prompted"), step_of("texts")):
        background.take(key, step)  # the work itself has kept its result
    schema_dp.ended(key)
    proposals.draw(key, corpus, store)
    with shell.guard():
        schema_judging.draw(key, corpus, state, store)


def step_of(way: str) -> str:
    return f"schema {way}"


def _words(state: ProjectState) -> tuple[str, str]:
    """What the texts are, and what the table is for."""
    left, right = st.columns(2, gap="large")
    description = left.text_area(
        "What the texts are",
        state.description,
        key="description",
        placeholder="Comments by users of a discussion forum about everyday life.",
    )
    workload = right.text_area(
        "What the table is for",
        state.workload,
        key="workload",
        placeholder="Find out which topics people discuss and who is interested in them.",
    )
    return description, workload


def _cards() -> None:
    for column, (way, told) in zip(st.columns(len(WAYS)), WAYS.items(), strict=True):
        with column.container(border=True, height="stretch", key=f"card_{way}"):
            st.markdown(f"**{TITLES[way]}**")
            st.markdown(f"*Reads:* {told.reads}")
            st.markdown(f"*Guarantees:* {told.guarantees}")
            st.markdown(f"*Costs:* {told.costs}")


def _prompted(request: SchemaRequest) -> None:
    left, right = st.columns(2, vertical_alignment="bottom")
    k = left.number_input("Attributes to propose", 1, MOST_ATTRIBUTES, 8, key="k")
    n_donated = request.corpus.facts().n_donated
    show = right.checkbox(
        f"Show it a few of the {n_donated} donated examples", key="show_examples", disabled=n_donated == 0
    )
    if _pressed(request, "prompted", "Propose attributes"):
        model, examples = request.model(), request.corpus.donated() if show else None
        words = request.description, request.workload
        _start(request, "prompted", partial(propose_schema, model, *words, int(k), examples), model)


def _from_texts(request: SchemaRequest) -> None:
    left, right = st.columns(2)
    k = left.number_input("Texts shown to the model", 1, 20, TEXTS_SHOWN, key="texts_shown")
    most = right.number_input(
        "Attributes at most", 1, MOST_ATTRIBUTES, MAX_ATTRIBUTES, key="texts_attributes"
    )
    if _pressed(request, "texts", "Propose from private texts"):
        model = request.model()
        propose = partial(
            schema_from_texts,
            request.corpus,
            model,
            request.embedder(),
            description=request.description,
            workload=request.workload,
            k=int(k),
            max_attributes=int(most),
        )
        _start(request, "texts", propose, model)


def _pressed(request: SchemaRequest, way: str, label: str) -> bool:
    """The button that starts a way; True when it was pressed and there are words to start from."""
    busy = background.running(request.key, step_of(way))
    if not st.button(label, key=f"propose_{way}", type="primary", disabled=busy):
        return False
    request.ready()
    return True


def _start(
    request: SchemaRequest, way: str, propose: Callable[..., SchemaProposal], model: LanguageModel
) -> None:
    """Proposes beside the page and keeps what comes out."""

    def work(progress, cancel) -> str:
        proposal = propose(stepwise=_stepwise(model), guided=request.guided, progress=progress, cancel=cancel)
        return request.store.keep(proposal)

    title = TITLES[way]
    background.start(request.key, step_of(way), f"Schema {title[0].lower()}{title[1:]}", work)


def _stepwise(model: LanguageModel) -> bool | None:
    """The embedded stand-in is slow to satisfy one large form, and quicker with small ones."""
    return True if model.identity.kind == "openvino" else None
