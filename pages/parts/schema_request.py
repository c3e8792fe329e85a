"""Schema page: what every way to a schema starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.models.base import Embedder, LanguageModel
from ctxpriv.project import ProjectState
from ctxpriv.proposal_store import ProposalStore
from pages.parts import models, shell


@dataclass(frozen=True)
class SchemaRequest:
    """The open corpus, where its proposals are kept, and the words as they stand on the page."""

    key: str
    corpus: Corpus
    state: ProjectState
    store: ProposalStore
    description: str
    workload: str
    guided: bool  # the model may only choose from the public list of common attributes

    def ready(self) -> None:
        """Keeps the words with the corpus. Raises BadInput where some are missing."""
        if (self.description, self.workload) != (self.state.description, self.state.workload):
            changed = replace(self.state, description=self.description, workload=self.workload)
            shell.workspace().save_state(self.key, changed, "Description and workload written")
        if not self.description.strip() or not self.workload.strip():
            raise BadInput("Write what the texts are and what the table is for.")

    def model(self) -> LanguageModel:
        return models.language_model(self.state.models)

    def embedder(self) -> Embedder:
        return models.roles(self.state.models).embedder
