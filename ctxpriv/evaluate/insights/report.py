"""What one insight's evaluation says: figures of the plan and of the summary, or why one is missing.

CURATOR-ONLY (DESIGN section 4.7): plans are held against the sketch without noise, and summaries against
one decoded from it, so a report is never part of a release bundle. One release gives one figure each;
how they vary over releases is what `privatize.spin.experiments` measures.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxpriv.evaluate.insights import bounds, plan_metrics, text_similarity, values
from ctxpriv.evaluate.insights.judge import CRITERIA, judge_summary, no_opinion, released_words
from ctxpriv.evaluate.metric import Metric
from ctxpriv.models.base import LanguageModel
from ctxpriv.privatize.spin.insight import InsightMethod, Outcome
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Summary
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles

INSIGHT_METRICS = {
    "overlap": "Overlap@L: share of the exact top L that was admitted",
    "mass_retained": "MassRetained: mass of the admitted atoms, of that of the exact top L",
    "loss": "Loss_L: mass lost beside the exact top L, in records or users",
    "loss_bound": "what Loss_L stays below with 95 % probability",
    "margin": "Γ_L: mass of the L-th atom above the next, in records or users",
    "value_l1": "summed error of the released masses",
    "value_l2": "root of the summed squared error of the released masses",
    "value_linf": "largest error of a released mass",
    "tau": "what the largest error stays below with 95 % probability",
    "acceptance": "attempts that the verifier accepted",
    "uar": "UAR: mentions of atoms that the plan does not admit, of all mentions",
    "ucr": "UCR: unsupported comparisons, of all comparisons",
    "mention_rate": "admitted atoms that the summary mentions",
    "token_jaccard": "words shared with the non-private summary",
    "bigram_jaccard": "word pairs shared with the non-private summary",
    "keyphrase_jaccard": "key phrases shared with the non-private summary",
    "tfidf_cosine": "TF–IDF cosine to the non-private summary",
    "embedding_cosine": "embedding cosine to the non-private summary (a secondary measure)",
}
"""Every report holds exactly these, in this order, each with what it is in words."""

ON_VALUES = ("value_l1", "value_l2", "value_linf", "tau")
ON_ATTEMPTS = ("acceptance", "uar", "ucr")
ON_TEXTS = ("token_jaccard", "bigram_jaccard", "keyphrase_jaccard", "tfidf_cosine", "embedding_cosine")

OTHER_ATOMS = "the release is on other atoms than the measurement's"


@dataclass(frozen=True)
class InsightReport:
    """`metrics` has the keys of `INSIGHT_METRICS`, `judge` those of `judge.CRITERIA`: the opinions of the
    named model, or why there is none. A metric's `n` counts what it rests on (atoms, attempts, mentions)."""

    metrics: Mapping[str, Metric]
    judge: Mapping[str, Metric] = field(default_factory=no_opinion)
    judge_name: str = ""
    embedder: str = ""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if tuple(self.metrics) != tuple(INSIGHT_METRICS) or tuple(self.judge) != tuple(CRITERIA):
            raise ValueError("a report holds exactly INSIGHT_METRICS and CRITERIA, in their order")

    def to_dict(self) -> dict[str, Any]:
        return {
            "metrics": {name: m.to_dict() for name, m in self.metrics.items()},
            "judge": {name: m.to_dict() for name, m in self.judge.items()},
            "judge_name": self.judge_name,
            "embedder": self.embedder,
            "seconds": self.seconds,
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> InsightReport:
        return InsightReport(
            {name: Metric.from_dict(data["metrics"][name]) for name in INSIGHT_METRICS},
            {name: Metric.from_dict(data["judge"][name]) for name in CRITERIA},
            data.get("judge_name", ""),
            data.get("embedder", ""),
            data.get("seconds", 0.0),
        )


def evaluate_insight(
    outcome: Outcome,
    summary: Summary | None,
    exact: NDArray[np.int64],
    measurement: Measurement,
    reference: Summary | None,
    roles: Roles,
    *,
    method: InsightMethod | None = None,
    judge: bool = True,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> InsightReport:
    """`exact`: `contributions.sketch` of the protected records on the measurement's atoms. `reference`: the
    summary of the non-private plan, by the same decoder in the same mode. `method`: needed for the loss
    bound of private admission alone. `judge`: whether `roles.judge` is asked, in one call. Two texts are
    embedded. Raises Cancelled, and ModelFailed when the judge is gone."""
    started = time.perf_counter()
    progress("evaluate the insight", 0, 2)
    text = outcome.text if summary is None else summary.text
    figures = {
        **_of_plan(outcome, exact, measurement, method),
        **_of_values(outcome, exact, measurement),
        **_of_attempts(summary),
        "mention_rate": _mentioned(outcome, summary),
        **_of_texts(text, reference, roles, cancel),
    }
    progress("evaluate the insight", 1, 2)
    cancel.check()
    opinions, judge_name = no_opinion("no opinion was asked for"), ""
    if judge:
        opinions, judge_name = _opinion(text, outcome, method, roles.judge, seed, progress, cancel)
    progress("evaluate the insight", 2, 2)
    return InsightReport(
        {name: figures[name] for name in INSIGHT_METRICS},
        opinions,
        judge_name,
        roles.embedder.identity.name,
        time.perf_counter() - started,
    )


def _opinion(
    text: str,
    outcome: Outcome,
    method: InsightMethod | None,
    judge: LanguageModel | None,
    seed: int,
    progress: Progress,
    cancel: CancelToken,
) -> tuple[dict[str, Metric], str]:
    """The criteria and the judge's name."""
    if judge is None:
        return no_opinion(), ""
    if not text:
        return no_opinion("there is no summary"), ""
    if outcome.plan is None and (method is None or method.family == "reference"):
        # Such a text may quote records, and a judge reads none.
        return no_opinion("nothing was released that the text could be judged against"), ""
    released = released_words(outcome)
    found = judge_summary(text, released, judge, seed=seed, progress=progress, cancel=cancel)
    return found, judge.identity.name


def _of_plan(
    outcome: Outcome, exact: NDArray[np.int64], measurement: Measurement, method: InsightMethod | None
) -> dict[str, Metric]:
    size, atoms, m = measurement.size, outcome.atoms, len(exact)
    margin = bounds.margin(exact, size)
    return {
        "overlap": Metric(plan_metrics.overlap(atoms, exact, size), n=size),
        "mass_retained": Metric(plan_metrics.mass_retained(atoms, exact, size), n=size),
        "loss": Metric(plan_metrics.loss(atoms, exact, size), n=size),
        "loss_bound": _loss_bound(outcome, measurement, method),
        "margin": Metric.not_computed("every atom is admitted")
        if margin is None
        else Metric(margin, n=m),
    }  # fmt: skip


def _loss_bound(outcome: Outcome, measurement: Measurement, method: InsightMethod | None) -> Metric:
    if (plan := _on_its_atoms(outcome, measurement)) is None:
        return Metric.not_computed(OTHER_ATOMS)
    bound = bounds.most_lost(plan, measurement, method if isinstance(method, Spin) else None)
    if bound is None:
        return Metric.not_computed("how noisy the admission was is not part of the plan")
    return Metric(bound, n=len(plan.atoms), detail={"beta": bounds.BETA})


def _of_values(outcome: Outcome, exact: NDArray[np.int64], measurement: Measurement) -> dict[str, Metric]:
    if (plan := _on_its_atoms(outcome, measurement)) is None:
        return {name: Metric.not_computed(OTHER_ATOMS) for name in ON_VALUES}
    off = values.value_errors(plan, exact)
    over = {"over": "all atoms" if off.whole else "admitted atoms"}
    return {
        "value_l1": Metric(off.l1, n=off.n, detail=over),
        "value_l2": Metric(off.l2, n=off.n, detail=over),
        "value_linf": Metric(off.linf, n=off.n, detail=over),
        "tau": Metric(bounds.most_off(plan), n=off.n, detail={**over, "beta": bounds.BETA}),
    }


def _on_its_atoms(outcome: Outcome, measurement: Measurement) -> SemanticPlan | None:
    """The plan where it is one on the measurement's atoms."""
    plan = outcome.plan
    return plan if plan is not None and plan.atoms.digest == measurement.atoms.digest else None


def _of_attempts(summary: Summary | None) -> dict[str, Metric]:
    """Over all attempts together (App. B.4). A fallback is no attempt."""
    attempts = () if summary is None else summary.attempts
    if not attempts:
        why = "there is no summary" if summary is None else "no attempt was kept"
        return {name: Metric.not_computed(why) for name in ON_ATTEMPTS}
    verdicts = [a.verdict for a in attempts if not a.failure]
    accepted = sum(v.accepted for v in verdicts)
    mentions, wrong = sum(v.mentions for v in verdicts), sum(v.unadmitted for v in verdicts)
    compared, unborne = sum(v.comparisons for v in verdicts), sum(v.unsupported for v in verdicts)
    fallback = bool(summary and summary.fallback)
    return {
        "acceptance": Metric(accepted / len(attempts), n=len(attempts), detail={"fallback": fallback}),
        "uar": Metric(wrong / mentions if mentions else 0.0, n=mentions),
        "ucr": Metric(unborne / compared if compared else 0.0, n=compared),
    }


def _mentioned(outcome: Outcome, summary: Summary | None) -> Metric:
    if summary is None or outcome.plan is None or not outcome.plan.rows:
        return Metric.not_computed("there is no summary" if summary is None else "the release has no atoms")
    admitted = set(outcome.plan.admitted)
    said = {atom for sentence in summary.sentences for atom in sentence.atoms}
    return Metric(len(admitted & said) / len(admitted), n=len(admitted))


def _of_texts(text: str, reference: Summary | None, roles: Roles, cancel: CancelToken) -> dict[str, Metric]:
    if reference is None or not text:
        why = "there is no non-private summary" if reference is None else "there is no summary"
        return {name: Metric.not_computed(why) for name in ON_TEXTS}
    near = text_similarity.embedding_cosine(text, reference.text, roles.embedder, cancel=cancel)
    return {
        "token_jaccard": Metric(text_similarity.token_jaccard(text, reference.text)),
        "bigram_jaccard": Metric(text_similarity.bigram_jaccard(text, reference.text)),
        "keyphrase_jaccard": Metric(text_similarity.keyphrase_jaccard(text, reference.text)),
        "tfidf_cosine": Metric(text_similarity.tfidf_cosine(text, reference.text)),
        "embedding_cosine": Metric(near, detail={"embedder": roles.embedder.identity.name}),
    }
