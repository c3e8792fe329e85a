"""The models behind the roles, made once per process, and what to say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import streamlit as st

from ctxpriv.casting import STAND_IN, roles_for, serves_a_model, study_roles, trusted
from ctxpriv.corpus import Corpus
from ctxpriv.errors import ModelFailed
from ctxpriv.extract.agreement import in_buckets
from ctxpriv.extract.by_model import ModelExtractor
from ctxpriv.model_choice import ModelChoice
from ctxpriv.models.base import LanguageModel
from ctxpriv.models.cache import CachedModel
from ctxpriv.models.choose import SPECS, Found, choose, discover
from ctxpriv.progress import CancelToken, Progress
from ctxpriv.project import ProjectState
from ctxpriv.roles import CIClassifier, Extractor, Roles
from pages.parts import shell
from pages.parts.text import plain

STAND_IN_SAYS = (
    "Only the embedded stand-in of 135 million parameters is here. It shows how this page works; what it "
    "proposes is often beside the point, and what it reads out of a text is right less often than always "
    "answering the commonest value. For results to rely on, start Ollama with a model of 3 billion "
    "parameters or more."
)


@st.cache_data(ttl=30, show_spinner=False)
def _found() -> list[Found]:
    """What is reachable; looked at anew twice a minute, since a server may be started meanwhile."""
    return discover()


@st.cache_data(ttl=30, show_spinner=False)
def serves(choice: ModelChoice) -> bool:
    """Whether "auto" means the language model: a server answers, or the user named a model."""
    return serves_a_model(choice)


def roles(choice: ModelChoice) -> Roles:
    """Who plays which role under `choice`; models are loaded once a process."""
    return _roles(str(shell.workspace().root), choice, serves(choice))


@st.cache_resource(show_spinner=False, max_entries=4)
def _roles(root: str, choice: ModelChoice, serves: bool) -> Roles:
    return study_roles(choice, shell.workspace())


def language_model(choice: ModelChoice) -> LanguageModel:
    """The language model of `choice`, with its answers cached in the workspace."""
    model = choose(choice.language_model, allow_remote=trusted(choice))
    return CachedModel(model, shell.workspace().cache_file("answers.sqlite"))


def model_classifier(choice: ModelChoice) -> CIClassifier:
    classifier = study_roles(replace(choice, classifier="model"), shell.workspace()).classifier
    if classifier is None:
        raise ModelFailed("no language model can classify here.")
    return classifier


def is_stand_in(choice: ModelChoice) -> bool:
    """Whether the language model is only the small embedded one."""
    return choice.language_model in ("auto", STAND_IN) and not serves(choice)


def stand_in_note(choice: ModelChoice) -> None:
    """What to expect of the embedded model, where nothing better is there."""
    if is_stand_in(choice):
        st.info(STAND_IN_SAYS)


def usable_specs(choice: ModelChoice) -> list[str]:
    """Language models that can be used here and now, as `choose` takes them."""
    specs = [f.spec for f in _found() if f.role == "language model" and f.reachable]
    named = choice.language_model
    return specs if named in ("auto", "none", *specs) else [named, *specs]


def model_reader(choice: ModelChoice, *, shuffled: bool = False) -> ModelExtractor:
    """The language model of `choice` as an extractor; `shuffled` makes it a reading of its own."""
    reader = study_roles(replace(choice, extractor="model"), shell.workspace()).extractor
    if not isinstance(reader, ModelExtractor):
        raise ModelFailed("no language model can read here.")
    return replace(reader, shuffled=shuffled)


def local_reader(choice: ModelChoice, corpus: Corpus, progress: Progress, cancel: CancelToken) -> Extractor:
    """The classifier that learned from the donated records. Raises ModelFailed where there are none."""
    local = replace(choice, extractor="local")
    reader = roles_for(local, shell.workspace(), corpus, progress=progress, cancel=cancel).extractor
    if reader is None:
        raise ModelFailed("the local classifier learns from donated records, and there are none.")
    return reader


def extraction(choice: ModelChoice, corpus: Corpus, names: list[str], *, by_model: bool) -> Callable:
    """The work of reading the values of `names` out of every text, for a background step.

    It gives the extraction, the identity of the reader, and whether that answers in buckets.
    """

    def work(progress, cancel):
        reader = model_reader(choice) if by_model else local_reader(choice, corpus, progress, cancel)
        result = reader.extract(corpus.texts, corpus.schema.only(names), progress=progress, cancel=cancel)
        return result, reader.identity.to_dict(), in_buckets(reader)

    return work


def in_use(choice: ModelChoice) -> str:
    """One line: which models are used here, and what Ollama would add."""
    found = _found()
    embedder = next((f.name for f in found if f.role == "embedder" and f.reachable), "none")
    line = f"In use on this machine: {language_model_line(choice)}; {embedder} to compare texts."
    if not any(f.reachable and f.spec.startswith("ollama:") for f in found):
        line += (
            " With Ollama and a model of 3 billion parameters or more, texts and extracted values get better."
        )
    return line


def language_model_line(choice: ModelChoice) -> str:
    """`SmolLM2-135M-Instruct (...)`: the language model that `choice` leads to."""
    if choice.language_model == "none":
        return "no language model"
    taken = _taken(choice)
    if taken is None:
        return choice.language_model if choice.language_model != "auto" else "no language model is reachable"
    return f"{taken.name} ({taken.why})" if taken.spec == "embedded" else taken.name


def language_model_name(choice: ModelChoice) -> str:
    """Its name alone, as far as it is known without asking it."""
    taken = _taken(choice)
    return taken.name if taken is not None else choice.language_model


def _taken(choice: ModelChoice) -> Found | None:
    """What was found under the chosen name; for "auto" the first that can be used."""
    models = [f for f in _found() if f.role == "language model"]
    wanted = (
        f
        for f in models
        if f.spec == choice.language_model or choice.language_model == "auto" and f.reachable
    )
    return next(wanted, None)


def settings(key: str | None, state: ProjectState | None) -> None:
    """Which models there are, and the choice for the open corpus."""
    st.dataframe(
        pd.DataFrame(
            {
                "role": f.role,
                "model": f.name,
                "write it as": f.spec,
                "usable": "yes" if f.reachable else "no",
                "texts": "stay on this machine" if f.local else "leave this machine",
                "why": f.why,
            }
            for f in _found()
        ),
        hide_index=True,
        key="found_models",
    )
    if key is None or state is None:
        st.caption("Open a corpus to choose another model for it.")
        return
    with st.form(f"models_{shell.version()}"):
        model = st.text_input(
            "Language model", state.models.language_model, key="language_model", help=plain(SPECS)
        )
        hosts = st.text_input(
            "Other machines that texts may be sent to",
            ", ".join(state.models.trusted_hosts),
            key="trusted_hosts",
            placeholder="none",
            help="Host names, separated by commas. Without this, only servers on this machine are used.",
        )
        if st.form_submit_button("Use this model", key="save_models"):
            chosen = replace(
                state.models,
                language_model=model.strip() or "auto",
                trusted_hosts=tuple(h.strip() for h in hosts.split(",") if h.strip()),
            )
            if chosen.language_model not in ("auto", "none"):
                choose(
                    chosen.language_model, allow_remote=trusted(chosen)
                )  # says at once when it cannot be used
            shell.save_state(key, replace(state, models=chosen), f"Language model: {chosen.language_model}")
