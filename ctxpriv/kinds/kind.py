"""The kinds of study by name: a new one is one line here.

Each line names a module with the five functions of `StudyKind`. They are imported when first asked for:
a comparison should not pay for what insights need, nor the other way round.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol

from ctxpriv.errors import BadInput
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.strict import did_you_mean
from ctxpriv.workspace import Workspace

KINDS: dict[str, str] = {
    "comparison": "ctxpriv.kinds.comparison",
    "insights": "ctxpriv.kinds.insights",
}


class AnyStudy(Protocol):
    """A frozen study object of whatever kind; `kind` is a key of `KINDS`."""

    kind: ClassVar[str]
    name: str

    def to_dict(self) -> dict[str, Any]: ...

    def on_workspace_corpus(self, key: str) -> AnyStudy: ...


class Finished(Protocol):
    """What a study gives. A run that failed is in `failures` (`comparison.RunFailure`)."""

    @property
    def runs(self) -> tuple[Any, ...]: ...

    @property
    def failures(self) -> tuple[Any, ...]: ...


class StudyKind(Protocol):
    """The functions of a kind's module."""

    def read(self, data: Mapping[str, Any], where: str, base: Path) -> AnyStudy: ...

    def run(
        self, study: Any, workspace: Workspace, *, progress: Progress, cancel: CancelToken, debug: bool
    ) -> Finished: ...

    def plan(self, study: Any, workspace: Workspace) -> list[str]:
        """Lines on what `run` would do and cost; nothing private is read."""
        ...

    def write(self, finished: Any, workspace: Workspace, folder: Path, *, bundles: bool) -> list[Path]:
        """Leaves the results in `folder`."""
        ...

    def told(self, finished: Any) -> tuple[list[str], list[str]]:
        """Lines for the terminal: the result, and notes to be looked at."""
        ...


def kind(name: str, where: str = "study") -> StudyKind:
    """Raises BadInput for an unknown kind."""
    if name not in KINDS:
        raise BadInput(
            f"{name!r} is no kind of study.", where=f"{where}, kind", fix=did_you_mean(name, KINDS)
        )
    return importlib.import_module(KINDS[name])


def study_from_dict(data: Any, *, where: str = "study", base: Path | None = None) -> AnyStudy:
    """A study of whatever kind from what its `to_dict` gave. Raises BadInput."""
    named = data.get("kind", "comparison") if isinstance(data, Mapping) else "comparison"
    return kind(str(named), where).read(data, where, base or Path.cwd())


def study_from_yaml(path: str | Path) -> AnyStudy:
    """A plan file. Raises BadInput naming the file and the key path for anything that cannot be used."""
    from ctxpriv.loaders.schema_file import read_yaml

    path = Path(path)
    study = study_from_dict(read_yaml(path), where=path.name, base=path.absolute().parent)
    return study if study.name else replace(study, name=path.stem)


def run_any(
    study: AnyStudy,
    workspace: Workspace,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
    debug: bool = False,
) -> Finished:
    """`run_study` or its like for the kind of `study`."""
    return kind(study.kind).run(study, workspace, progress=progress, cancel=cancel, debug=debug)
