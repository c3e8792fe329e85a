from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ctxpriv.evaluate.insights.judge import CRITERIA
from ctxpriv.evaluate.insights.report import INSIGHT_METRICS, InsightReport, evaluate_insight
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.insight import Outcome
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.references import NonPrivateTopL
from ctxpriv.privatize.spin.summary import Attempt, Sentence, Summary, Verdict, Violation
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.roles import Roles


class LettersEmbedderDouble:
    """Counts of letters as unit vectors."""

    identity = ModelIdentity("local", "letters (test double)")
    dimension = 26

    def embed(self, texts, *, progress=None, cancel=None):
        rows = np.array([[t.count(chr(97 + i)) for i in range(26)] for t in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def summary_of(text: str, atoms=(0,), attempts=(), fallback=False) -> Summary:
    return Summary(text, (Sentence(text, tuple(atoms)),), "display", {}, tuple(attempts), fallback)


def attempt(*, ok: bool, mentions=4, unadmitted=0, comparisons=0, unsupported=0, failure="") -> Attempt:
    wrong = () if ok else (Violation("unadmitted atom", "rude staff", 0),)
    return Attempt("text", Verdict(wrong, (), mentions, unadmitted, comparisons, unsupported), failure)


@pytest.fixture
def roles() -> Roles:
    return Roles(embedder=LettersEmbedderDouble(), generator=None)


@pytest.fixture
def outcome(plan) -> Outcome:
    made = plan({0: 33.0, 1: 20.0, 4: 9.0}, sketch=(33.0, 20.0, 6.0, 8.0, 9.0, -2.0))
    return Outcome(made, made.admitted)


def test_every_metric_of_a_full_sketch(outcome, exact, measurement, roles) -> None:
    attempts = (
        attempt(ok=False, mentions=4, unadmitted=1, comparisons=2, unsupported=1),
        attempt(ok=True, mentions=4, comparisons=2),
    )
    text = summary_of("late fees and long wait", (0, 1), attempts)
    report = evaluate_insight(outcome, text, exact, measurement, summary_of("late fees and long wait"), roles)
    value = {name: m.value for name, m in report.metrics.items()}
    assert tuple(value) == tuple(INSIGHT_METRICS)
    assert value["overlap"] == pytest.approx(2 / 3)
    assert value["mass_retained"] == pytest.approx(55 / 60) and value["loss"] == 5
    assert value["loss_bound"] == pytest.approx(2 * 3 * value["tau"]) and value["margin"] == 0
    assert value["value_linf"] == 4 and value["value_l1"] == 3 + 0 + 4 + 2 + 4 + 2
    assert value["acceptance"] == 0.5 and value["uar"] == 1 / 8 and value["ucr"] == 1 / 4
    assert value["mention_rate"] == pytest.approx(2 / 3)
    assert value["token_jaccard"] == 1 and value["tfidf_cosine"] == pytest.approx(1)
    assert value["embedding_cosine"] == pytest.approx(1)
    assert report.embedder == "letters (test double)" and not report.judge_name
    assert all("no judge" in m.missing for m in report.judge.values())


def test_admission_says_why_it_has_no_bound_unless_its_config_is_given(
    plan, exact, measurement, roles
) -> None:
    made = plan({0: 33.0, 1: 20.0, 4: 9.0}, law="Gaussian")
    admitted = Outcome(made, made.admitted)
    bare = evaluate_insight(admitted, None, exact, measurement, None, roles)
    assert bare.metrics["loss_bound"].value is None and bare.metrics["loss_bound"].missing
    assert bare.metrics["value_l1"].detail["over"] == "admitted atoms"
    spin = Spin(1.0, "admission")
    known = evaluate_insight(admitted, None, exact, measurement, None, roles, method=spin)
    assert known.metrics["loss_bound"].value > known.metrics["loss"].value


def test_a_method_on_its_own_atoms_has_no_value_errors(plan, exact, measurement, roles) -> None:
    keywords = AtomSet((Atom("fees"), Atom("parcel")))
    other = Outcome(plan({0: 3.0}, atoms=keywords), (0, 4))
    report = evaluate_insight(other, None, exact, measurement, None, roles)
    assert "other atoms" in report.metrics["value_l1"].missing
    assert "other atoms" in report.metrics["tau"].missing
    assert report.metrics["overlap"].value == pytest.approx(1 / 3)


def test_without_a_summary_its_figures_are_missing_not_0(outcome, exact, measurement, roles) -> None:
    report = evaluate_insight(outcome, None, exact, measurement, None, roles)
    for name in ("acceptance", "uar", "ucr", "mention_rate", "token_jaccard", "embedding_cosine"):
        assert report.metrics[name].value is None and report.metrics[name].missing


def test_a_failed_attempt_is_an_attempt_that_was_not_accepted(outcome, exact, measurement, roles) -> None:
    attempts = (attempt(ok=True, mentions=0, failure="timed out"), attempt(ok=True))
    text = summary_of("late fees", attempts=attempts, fallback=True)
    report = evaluate_insight(outcome, text, exact, measurement, None, roles)
    assert report.metrics["acceptance"].value == 0.5
    assert report.metrics["acceptance"].detail["fallback"] is True


def test_the_judge_is_asked_once_and_only_when_wanted(outcome, exact, measurement, scripted) -> None:
    judge = scripted(lambda prompt: dict.fromkeys(CRITERIA, 4))
    roles = Roles(embedder=LettersEmbedderDouble(), generator=None, judge=judge)
    text = summary_of("late fees come first")
    silent = evaluate_insight(outcome, text, exact, measurement, None, roles, judge=False)
    assert not judge.prompts and silent.judge["clarity"].missing
    report = evaluate_insight(outcome, text, exact, measurement, None, roles)
    assert len(judge.prompts) == 1 and report.judge["clarity"].value == 4
    assert report.judge_name == "scripted test double"


def test_a_text_that_may_quote_records_is_shown_to_no_judge(exact, measurement, scripted) -> None:
    judge = scripted(lambda prompt: dict.fromkeys(CRITERIA, 4))
    roles = Roles(embedder=LettersEmbedderDouble(), generator=None, judge=judge)
    quoted = Outcome(None, (0,), "I was charged late fees.", {"records": 5})
    for method in (None, NonPrivateTopL()):
        report = evaluate_insight(quoted, None, exact, measurement, None, roles, method=method)
        assert "nothing was released" in report.judge["faithfulness"].missing and not report.judge_name
    assert not judge.prompts
    released = SimpleNamespace(family="baseline")
    evaluate_insight(quoted, None, exact, measurement, None, roles, method=released)
    assert len(judge.prompts) == 1


def test_a_report_survives_json(outcome, exact, measurement, roles) -> None:
    report = evaluate_insight(outcome, summary_of("late fees"), exact, measurement, None, roles)
    assert InsightReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report


def test_a_report_without_all_its_metrics_is_refused() -> None:
    with pytest.raises(ValueError, match="INSIGHT_METRICS"):
        InsightReport({})


def test_every_figure_is_explained_in_the_docs() -> None:
    told = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in told.splitlines() if line.startswith("| ")]
    explained = {name.strip() for row in rows for name in row.split(",")}
    assert set(INSIGHT_METRICS) <= explained
    assert all(name.replace("_", " ") in told for name in CRITERIA)


def test_cancel(outcome, exact, measurement, roles) -> None:
    stop = CancelToken()
    stop.cancel()
    with pytest.raises(Cancelled):
        evaluate_insight(outcome, None, exact, measurement, None, roles, cancel=stop)
