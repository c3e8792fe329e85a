"""Experiments of a page, without a study's releases: run for one corpus and kept beside it.

PRIVATE SIDE, curator-only: they hold draws against the exact sketch. Nothing is charged, since nothing of
them may leave the curator; they are removed with their corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.files import damaged, read_json, write_json
from ctxpriv.insights.desk import set_up
from ctxpriv.insights.study import InsightStudy
from ctxpriv.privatize.spin.experiments.choice import experiment_from, run_experiment
from ctxpriv.privatize.spin.experiments.results import ExperimentResult
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.runner import place_corpus
from ctxpriv.workspace import Workspace

NAME = "insight_experiments.json"


def run_experiments(
    study: InsightStudy,
    chosen: Sequence[str | Mapping[str, Any]],
    workspace: Workspace,
    roles: Roles,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> tuple[ExperimentResult, ...]:
    """Those experiments on what `study` measures; its methods are not released. The last result of each
    name is kept in the workspace as soon as it is there.

    Raises BadInput where the study does not fit its corpus, or an experiment not the study; Cancelled.
    """
    if not chosen:
        raise BadInput("no experiment is chosen.", where="experiments")
    asked = [experiment_from(c, f"experiments[{i}]") for i, c in enumerate(chosen)]
    corpus, key = place_corpus(study, workspace)
    desk = set_up(study, corpus, key, roles, progress=progress, cancel=cancel)
    out = []
    for one in asked:
        cancel.check()
        name = str(one["experiment"])

        def within(stage: str, done: int, total: int, name: str = name) -> None:
            progress(f"{name}: {stage}", done, total)

        out.append(run_experiment(one, desk, progress=within, cancel=cancel))
        keep_experiment(workspace, key, corpus.digest, out[-1])
    return tuple(out)


def kept_experiments(workspace: Workspace, key: str) -> dict[str, ExperimentResult]:
    """By name, the last of each on the corpus as it is now. Raises WorkspaceFailed for a damaged file."""
    path = workspace.root / "corpora" / key / NAME
    if not path.exists():
        return {}
    data = read_json(path)
    try:
        if data["digest"] != workspace.digest(key):
            return {}
        return {name: ExperimentResult.from_dict(rows) for name, rows in data["results"].items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise damaged(path) from None


def keep_experiment(workspace: Workspace, key: str, digest: str, result: ExperimentResult) -> None:
    """Beside the corpus, in place of the last of its name. Raises WorkspaceFailed."""
    kept = kept_experiments(workspace, key) | {result.name: result}
    write_json(
        workspace.root / "corpora" / key / NAME,
        {"digest": digest, "results": {name: r.to_dict() for name, r in kept.items()}},
    )
