"""A study from its corpus to its comparison: what is finished is reused, what broke is told.

PRIVATE SIDE. Every run has an id made from all that decides its result, so that asking for
the same thing again costs no privacy budget and no model call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ctxpriv.casting import study_roles
from ctxpriv.classify.checks.review import require_reasons
from ctxpriv.comparison import Comparison, RunFailure, RunResult
from ctxpriv.context import Judgement, Partition, ReleaseContext, partition_from
from ctxpriv.corpus import Corpus
from ctxpriv.corpus_source import WorkspaceCorpus
from ctxpriv.errors import CtxprivError, ModelFailed
from ctxpriv.evaluate.report import Report, epsilon_to_json
from ctxpriv.failures import message_of, understood
from ctxpriv.files import WorkspaceFailed
from ctxpriv.privatize.method import epsilon_of
from ctxpriv.privatize.plan import RunPlan
from ctxpriv.privatize.release import Release
from ctxpriv.progress import NEVER, Cancelled, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.run_store import RunFolder, corpus_summary, for_audience
from ctxpriv.runs import Run, evaluation_id, runs_of
from ctxpriv.study import Study, method_dict
from ctxpriv.workspace import Workspace

RUNS = "runs"
"""The stage under which `run_study` reports finished and total runs."""

STOPPERS = (ModelFailed, WorkspaceFailed)
"""Errors after which the next run would fail as well."""


class StudyStopped(CtxprivError):
    """A model or the disk is gone. `comparison` holds what was finished, and the failures."""

    def __init__(self, message: str, comparison: Comparison) -> None:
        super().__init__(message)
        self.comparison = comparison


@dataclass(frozen=True)
class PlannedRun:
    """What a run would do. `finished`: it is in the workspace and would be reused."""

    run: Run
    plan: RunPlan
    finished: bool


def run_study(
    study: Study,
    workspace: Workspace,
    *,
    roles: Roles | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
    debug: bool = False,
) -> Comparison:
    """Runs what is not finished yet, evaluates every release for its audiences.

    `roles` replaces the models that `study.models` would choose. A run that fails is in
    `comparison.failures` and the others go on. Raises BadInput when the study does not fit
    its corpus, or when a partition was approved without a reason although the checks before
    approval warn, StudyStopped when a model or the disk is gone, Cancelled when cancelled; what
    was finished then stays in the workspace. `debug` raises unforeseen errors as they are.
    """
    corpus, key = place_corpus(study, workspace)
    roles = roles or study_roles(study.models, workspace)
    partitions, judgements = decide_partitions(study, corpus, roles, progress=progress, cancel=cancel)
    finite = [e for e in map(epsilon_of, study.methods) if e is not None and math.isfinite(e)]
    require_reasons(
        corpus, partitions.values(), epsilon=max(finite, default=1.0), progress=progress, cancel=cancel
    )
    remember(study, workspace, key, partitions, judgements)
    work = _Work(study, workspace, key, corpus, roles, progress, cancel, debug)
    runs = runs_of(study, corpus, roles, partitions)
    for done, run in enumerate(runs):
        progress(RUNS, done, len(runs))
        cancel.check()
        work.one(run)
        if work.stopped:
            raise StudyStopped(work.stopped, work.comparison(partitions, runs[done + 1 :]))
    progress(RUNS, len(runs), len(runs))
    return work.comparison(partitions)


def plan_study(study: Study, workspace: Workspace, *, roles: Roles | None = None) -> list[PlannedRun]:
    """What `run_study` would do, without any mechanism or model reading a private record.

    Audiences that are still to be classified are classified (from the schema alone).
    """
    corpus, _ = place_corpus(study, workspace)
    roles = roles or study_roles(study.models, workspace)
    partitions, _ = decide_partitions(study, corpus, roles)
    facts = corpus.facts()
    return [
        PlannedRun(
            run,
            run.config.plan(facts, run.partition, roles),
            RunFolder(workspace.run_folder(run.run_id)).is_finished,
        )
        for run in runs_of(study, corpus, roles, partitions)
    ]


def place_corpus(study: Study, workspace: Workspace) -> tuple[Corpus, str]:
    """The study's corpus, kept in the workspace, and its key there."""
    if isinstance(study.corpus, WorkspaceCorpus):
        return workspace.corpus(study.corpus.key), study.corpus.key
    corpus = study.corpus.load()
    return corpus, workspace.add_corpus(corpus)


def decide_partitions(
    study: Study, corpus: Corpus, roles: Roles, *, progress: Progress = silent, cancel: CancelToken = NEVER
) -> tuple[dict[str, Partition], dict[str, tuple[Judgement, ...]]]:
    """Each audience's partition: the given one, else the classifier's, which nobody approved.

    Raises BadInput unless every partition covers the schema exactly once.
    """
    partitions, judgements = {}, {}
    for entry in study.audiences:
        partition = entry.partition
        if partition is None:
            context = ReleaseContext(entry.audience, corpus.context)
            judgements[entry.name] = roles.classifier.classify(
                corpus.schema, context, progress=progress, cancel=cancel
            )
            partition = partition_from(entry.name, judgements[entry.name])
        partition.check(corpus.schema)
        partitions[entry.name] = partition
    return partitions, judgements


def remember(
    study: Study,
    workspace: Workspace,
    key: str,
    partitions: dict[str, Partition],
    judgements: dict[str, tuple[Judgement, ...]],
) -> None:
    """Audiences that the project does not have yet are added to it, so that the app shows them.

    What is there is the user's and stays as it is.
    """
    state = workspace.state(key)
    known = {a.name for a in state.audiences}
    missing = [a for a in study.audiences if a.name not in known]
    for entry in missing:
        state = state.with_audience(entry.audience, partitions[entry.name])
        if entry.name in judgements:
            state = state.with_judgements(entry.name, judgements[entry.name])
    if missing:
        if not known:
            state = replace(state, models=study.models)
        workspace.save_state(key, state, f"Audiences of the study {study.name!r}")


@dataclass
class _Work:
    """A study being worked on: results and failures so far, the reference built when first needed."""

    study: Study
    workspace: Workspace
    key: str
    corpus: Corpus
    roles: Roles
    progress: Progress
    cancel: CancelToken
    debug: bool
    results: list[RunResult] = field(default_factory=list)
    failures: list[RunFailure] = field(default_factory=list)
    stopped: str = ""
    _reference: Any = None

    def one(self, run: Run) -> None:
        """Run or reuse, evaluate for each audience; errors become failures."""
        try:
            release = self._release(run)
        except Cancelled:
            raise
        except Exception as error:
            self._failed(run, run.audiences, error)
            return
        for partition in run.audiences:
            try:
                self._evaluate(run, release, partition)
            except Cancelled:
                raise
            except Exception as error:
                self._failed(run, (partition,), error)
                if self.stopped:
                    return

    def _release(self, run: Run) -> Release:
        folder = RunFolder(self.workspace.run_folder(run.run_id))
        with folder.work.held():
            # A kill between the release and its "done" leaves a whole release: it is reused.
            kept = folder.release()
            if kept is None:
                return self._fresh(run, folder)
            if folder.work.meta()["status"] != "done":
                folder.work.end("done")
            return kept

    def _fresh(self, run: Run, folder: RunFolder) -> Release:
        asked = {
            "run_id": run.run_id,
            "corpus_key": self.key,
            "digest": self.corpus.digest,
            "method": run.config.name,
            "config": method_dict(run.config),
            "epsilon": epsilon_to_json(run.epsilon),
            "audience": "" if run.shared else run.partition.audience,
            "seed": self.study.seed,
        }
        with folder.work.recorded(asked):
            release = run.config.run(
                self.corpus,
                run.partition,
                self.roles,
                ledger=self.workspace.ledger,
                run_id=run.run_id,
                checkpoint=folder.checkpoint(),
                seed=self.study.seed,
                progress=self._within(run),
                cancel=self.cancel,
            )
            folder.save_release(release)
        return release

    def _evaluate(self, run: Run, release: Release, partition: Partition) -> None:
        folder = RunFolder(self.workspace.run_folder(run.run_id))
        release = for_audience(release, partition)
        evaluation = evaluation_id(self.study.evaluation, self.roles)
        report = folder.report(evaluation, partition.audience, partition)
        if report is None:
            report = self._fresh_report(run, release, partition)
        # Written again when reused: the newest report is the one the user asked for last.
        folder.save_report(evaluation, partition.audience, partition, report)
        told = release.to_dict()
        told["seconds"] = {**told["seconds"], "evaluation": report.seconds}
        self.results.append(RunResult(partition.audience, told, report, run.run_id))

    def _fresh_report(self, run: Run, release: Release, partition: Partition) -> Report:
        from ctxpriv.evaluate.reference import Reference, evaluate

        if self._reference is None:
            self._reference = Reference.build(
                self.corpus,
                self.roles,
                settings=self.study.evaluation,
                progress=self.progress,
                cancel=self.cancel,
            )
        return evaluate(release, self._reference, partition, progress=self._within(run), cancel=self.cancel)

    def _within(self, run: Run) -> Progress:
        return lambda stage, done, total: self.progress(f"{run.title}: {stage}", done, total)

    def _failed(self, run: Run, audiences: Sequence[Partition], error: Exception) -> None:
        known = understood(error, self.workspace.root)
        if self.debug and not isinstance(known, CtxprivError):
            raise error
        message = message_of(known)
        self.failures += [RunFailure(p.audience, run.config.name, run.epsilon, message) for p in audiences]
        if isinstance(known, STOPPERS):
            self.stopped = message

    def comparison(self, partitions: dict[str, Partition], not_run: Sequence[Run] = ()) -> Comparison:
        left = [
            RunFailure(p.audience, r.config.name, r.epsilon, "Not run: an earlier error stopped the study.")
            for r in not_run
            for p in r.audiences
        ]
        return Comparison(
            corpus_summary(self.corpus), partitions, tuple(self.results), (*self.failures, *left)
        )
