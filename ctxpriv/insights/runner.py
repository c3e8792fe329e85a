"""An insights study from its corpus to its summaries; what is drawn is never drawn again.

PRIVATE SIDE. A run's id is made from all that decides what is drawn, so that asking for the same
thing again costs no privacy budget. Words and measures are made anew on what was drawn.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxpriv.casting import study_roles
from ctxpriv.comparison import RunFailure
from ctxpriv.errors import CtxprivError
from ctxpriv.evaluate.insights.report import InsightReport, evaluate_insight
from ctxpriv.failures import message_of, understood
from ctxpriv.insights.desk import Desk, InsightRun, runs_of, set_up
from ctxpriv.insights.experiments import keep_experiment
from ctxpriv.insights.quotations import refuse_quotations
from ctxpriv.insights.result import InsightResult, Insights, outcome_dict, outcome_from
from ctxpriv.insights.store import InsightFolder, insight_folder
from ctxpriv.insights.study import InsightStudy
from ctxpriv.privacy.budget import Budget, Charge
from ctxpriv.privacy.guarantee import Guarantee
from ctxpriv.privacy.ledger import LedgerEntry
from ctxpriv.privacy.noise import Noise, OpenDPNoise
from ctxpriv.privatize.spin.experiments.choice import run_experiment
from ctxpriv.privatize.spin.insight import Outcome, Task
from ctxpriv.privatize.spin.references import NonPrivateTopL, exact_plan
from ctxpriv.privatize.spin.statement import guarantee, relation_of
from ctxpriv.privatize.spin.summary import Sentence, Summary
from ctxpriv.privatize.spin.verbalise import verbalise
from ctxpriv.privatize.stages import PaidStages, WatchedNoise
from ctxpriv.progress import NEVER, Cancelled, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.run_store import corpus_summary
from ctxpriv.runner import RUNS, STOPPERS, StudyStopped, place_corpus
from ctxpriv.work_folder import now
from ctxpriv.workspace import Workspace


def run_insights(
    study: InsightStudy,
    workspace: Workspace,
    *,
    roles: Roles | None = None,
    noise: Noise | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
    debug: bool = False,
) -> Insights:
    """Draws what is not drawn yet, puts it into words, measures it for the curator.

    A run that fails is in `failures` and the others go on. Raises BadInput when the study does not fit
    its corpus or a label quotes a protected record, StudyStopped when a model or the disk is gone, Cancelled
    when cancelled; what was finished stays in the workspace. `noise` other than OpenDP's makes results that
    cannot be exported.
    """
    corpus, key = place_corpus(study, workspace)
    roles = roles or study_roles(study.models, workspace)
    desk = set_up(study, corpus, key, roles, progress=progress, cancel=cancel)
    refuse_quotations(desk.atoms, corpus.part("private").texts, desk.donated.texts)
    work = _Work(desk, workspace, noise or OpenDPNoise(), progress, cancel, debug)
    runs = runs_of(desk)
    total = len(runs) + len(study.experiments)
    for done, run in enumerate(runs):
        progress(RUNS, done, total)
        cancel.check()
        work.one(run)
        if work.stopped:
            raise StudyStopped(work.stopped, work.insights(runs[done + 1 :]))
    for done, experiment in enumerate(study.experiments, len(runs)):
        progress(RUNS, done, total)
        cancel.check()
        work.experiment(experiment)
    progress(RUNS, total, total)
    return work.insights()


@dataclass
class _Work:
    """A study being worked on: results and failures so far, references made when first needed."""

    desk: Desk
    workspace: Workspace
    noise: Noise
    progress: Progress
    cancel: CancelToken
    debug: bool
    results: list[InsightResult] = field(default_factory=list)
    failures: list[RunFailure] = field(default_factory=list)
    experiments: list[Any] = field(default_factory=list)
    stopped: str = ""
    _references: dict[str, Summary] = field(default_factory=dict)

    def one(self, run: InsightRun) -> None:
        """Draw or reuse, put into words, measure; errors become failures."""
        folder = insight_folder(self.workspace, run.run_id)
        asked = {
            "run_id": run.run_id,
            "corpus_key": self.desk.key,
            "digest": self.desk.corpus.digest,
            "title": run.title,
            "audience": run.audience.name,
        }
        try:
            with folder.work.held(), folder.work.recorded(asked):
                result = self._result(run, folder)
                folder.save(result)
            self.results.append(result)
        except Cancelled:
            raise
        except Exception as error:
            self._failed(run.audience.name, run.title, run.epsilon, error)

    def _result(self, run: InsightRun, folder: InsightFolder) -> InsightResult:
        began = time.monotonic()
        outcome, stated, notes = self._drawn(run, folder)
        summary = self._in_words(outcome, run.title)
        report = self._measured(run, outcome, summary)
        return InsightResult(
            run.run_id,
            run.audience.name,
            run.title,
            run.config.family,
            run.config.to_dict(),
            run.measurement,
            outcome,
            summary,
            stated,
            self.desk.corpus_named,
            self.desk.study.only,
            report,
            {"assigner": self.desk.assigned_by(run.measurement), "decoder": dict(summary.decoder)},
            tuple(notes),
            self.desk.unmapped(run.measurement),
            run.audience.approval,
            now(),
            time.monotonic() - began,
        )

    def _drawn(
        self, run: InsightRun, folder: InsightFolder
    ) -> tuple[Outcome, Guarantee | None, Sequence[str]]:
        """What the method gives: charged first, drawn once, kept before anybody can see it."""
        measured, noise = run.measurement, WatchedNoise(self.noise)
        protected = self.desk.protected(measured)  # a mapper that fails does so before anything is paid
        task = Task(
            protected,
            measured,
            self.desk.donated,
            self.desk.roles,
            noise,
            self.desk.study.seed,
            self._within(run.title),
            self.cancel,
        )
        run.config.check(measured, self.desk.donated)
        if run.config.family == "reference":
            return run.config.draw(task), None, ()
        charges = run.config.charges(measured)
        stated = guarantee(run.title, charges, measured, self.noise, **self.desk.conditions(run.config))
        stages = PaidStages(
            folder.work.checkpoint(),
            self.workspace.ledger,
            self._ledger_entry(run, stated),
            Budget(sum(c.rho for c in charges)),
            noise,
        )
        stages.start()
        value = stages.once("draw", stages.budget.rho, lambda: _kept(run.config.draw(task), charges))
        return outcome_from(value["outcome"]), stated, stages.notes

    def _ledger_entry(self, run: InsightRun, stated: Guarantee) -> LedgerEntry:
        corpus = self.desk.corpus
        return LedgerEntry(
            run_id=run.run_id,
            corpus=corpus.digest,
            audience=run.audience.name,
            public=(),
            private=corpus.schema.names,
            mechanism=run.title,
            relation=relation_of(run.measurement),
            rho=stated.rho,
            epsilon=stated.epsilon,
            delta=run.measurement.delta,
            records=corpus.records_digest,
            schema_provenance=f"concepts: {', '.join(run.measurement.atoms.sources)}",
        )

    def _in_words(self, outcome: Outcome, title: str) -> Summary:
        words = self.desk.study.words
        if outcome.plan is None:
            told = tuple(Sentence(line) for line in outcome.text.split("\n") if line.strip())
            return Summary(outcome.text, told, words.mode, {"kind": "local", "name": f"{title}: own words"})
        return verbalise(
            outcome.plan,
            self.desk.roles.decoder,
            mode=words.mode,
            attempts=words.attempts,
            seed=self.desk.study.seed,
            progress=self._within(title),
            cancel=self.cancel,
        )

    def _measured(self, run: InsightRun, outcome: Outcome, summary: Summary) -> InsightReport:
        return evaluate_insight(
            outcome,
            summary,
            self.desk.exact(run.measurement),
            run.measurement,
            self._reference(run),
            self.desk.roles,
            method=run.config,
            judge=self.desk.study.judge,
            seed=self.desk.study.seed,
            progress=self._within(run.title),
            cancel=self.cancel,
        )

    def _reference(self, run: InsightRun) -> Summary:
        """The non-private plan in the same words, which texts are compared with."""
        name = run.measurement.atoms.digest
        if name not in self._references:
            plan = exact_plan(self.desk.protected(run.measurement), run.measurement)
            self._references[name] = self._in_words(Outcome(plan, plan.admitted), NonPrivateTopL.name)
        return self._references[name]

    def experiment(self, chosen: Any) -> None:
        """A simulation on the private sketch: curator-only, charged to nobody since nobody else sees it."""
        title = str(chosen["experiment"])
        try:
            result = run_experiment(chosen, self.desk, progress=self._within(title), cancel=self.cancel)
            keep_experiment(self.workspace, self.desk.key, self.desk.corpus.digest, result)
            self.experiments.append(result)
        except Cancelled:
            raise
        except Exception as error:
            self._failed("curator", title, None, error)

    def _within(self, title: str) -> Progress:
        return lambda stage, done, total: self.progress(f"{title}: {stage}", done, total)

    def _failed(self, audience: str, title: str, epsilon: float | None, error: Exception) -> None:
        known = understood(error, self.workspace.root)
        if self.debug and not isinstance(known, CtxprivError):
            raise error
        self.failures.append(RunFailure(audience, title, epsilon, message_of(known)))
        if isinstance(known, STOPPERS):
            self.stopped = message_of(known)

    def insights(self, not_run: Sequence[InsightRun] = ()) -> Insights:
        left = [
            RunFailure(r.audience.name, r.title, r.epsilon, "Not run: an earlier error stopped the study.")
            for r in not_run
        ]
        return Insights(
            self.desk.study.name,
            corpus_summary(self.desk.corpus),
            tuple(self.results),
            (*self.failures, *left),
            tuple(self.experiments),
        )


def _kept(outcome: Outcome, charges: Sequence[Charge]) -> dict[str, Any]:
    return {"outcome": outcome_dict(outcome), "charges": [c.to_dict() for c in charges]}
