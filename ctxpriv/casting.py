"""Who plays which role, from a `ModelChoice` (DESIGN section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxpriv.model_choice import ModelChoice
from ctxpriv.roles import Roles

if TYPE_CHECKING:
    from ctxpriv.corpus import Corpus
    from ctxpriv.workspace import Workspace


def roles_for(choice: ModelChoice, workspace: Workspace, corpus: Corpus) -> Roles:
    raise NotImplementedError


def study_roles(choice: ModelChoice, workspace: Workspace) -> Roles:
    raise NotImplementedError
