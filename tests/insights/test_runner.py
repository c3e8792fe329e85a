"""Insights from corpus to words: what is charged, what is reused, what fails alone."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ctxpriv.context import Approval
from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.files import WorkspaceFailed
from ctxpriv.insights.bundle import card
from ctxpriv.insights.experiments import kept_experiments
from ctxpriv.insights.outputs import release_of
from ctxpriv.insights.planning import plan_insights
from ctxpriv.insights.result import Insights
from ctxpriv.insights.runner import run_insights
from ctxpriv.insights.store import stored_insights
from ctxpriv.models.base import Answer
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.spin.baselines.clusters import UraniaStyle
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.workspace import Workspace

FEW = {"experiment": "k", "values": [1, 2], "repeats": 2}


class ListeningNoiseDouble(OpenDPNoise):
    """OpenDP's noise that notes what the ledger held at each draw."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.seen = workspace, []

    def laplace(self, counts, scale, sensitivity=1):
        self.seen.append([line.run_id for line in self.workspace.ledger.lines()])
        return super().laplace(counts, scale, sensitivity)


class NonPrivateNoiseDouble(OpenDPNoise):
    name, private = "a test double", False


def test_the_ledger_has_its_line_before_anything_is_drawn(study, workspace, roles) -> None:
    noise = ListeningNoiseDouble(workspace)
    found = run_insights(study(), workspace, roles=roles, noise=noise)
    (run,) = found.runs
    assert noise.seen == [[run.run_id]]
    (line,) = workspace.ledger.lines()
    assert line.mechanism == "DP-SPIN, Laplace"
    assert (line.epsilon, line.relation) == (1.0, "add/drop of one record")
    assert line.rho == pytest.approx(0.5)
    assert run.guarantee.delta == 0
    assert run.guarantee.epsilon_replacement == pytest.approx(2)


def test_the_plan_finds_the_themes_and_the_words_are_verified(study, workspace, roles) -> None:
    (run,) = run_insights(study(epsilon=50), workspace, roles=roles).runs
    assert [row.label for row in run.plan.rows[:2]] == ["late fee", "rude staff"]
    assert run.summary.attempts[-1].verdict.accepted
    assert not run.summary.fallback
    assert run.report.metrics["overlap"].value == 1.0
    assert run.measures_atoms


def test_a_decoder_that_ends_in_half_a_character_loses_no_run(study, workspace, roles) -> None:
    class HalfDecoderDouble:
        identity = roles.embedder.identity

        def decode(self, plan, mode, rejected, *, seed, progress=None, cancel=None):
            return f"Ignore the plan: {plan.rows[0].label} \ud83d", ""

    found = run_insights(study(), workspace, roles=replace(roles, decoder=HalfDecoderDouble()))
    assert not found.failures and found.runs[0].summary.fallback
    (kept,) = stored_insights(workspace)
    assert kept.result().summary.text == found.runs[0].summary.text


def test_asking_again_draws_and_charges_nothing(study, workspace, roles) -> None:
    first = run_insights(study(), workspace, roles=roles).runs[0]
    noise = ListeningNoiseDouble(workspace)
    again = run_insights(study(), workspace, roles=roles, noise=noise).runs[0]
    assert again.plan == first.plan
    assert not noise.seen
    assert len(workspace.ledger.lines()) == 1


def test_other_words_for_the_same_plan_cost_nothing(study, workspace, roles) -> None:
    display = run_insights(study(), workspace, roles=roles).runs[0]
    audit = run_insights(study(words={"mode": "audit"}), workspace, roles=roles).runs[0]
    assert audit.plan == display.plan
    assert audit.summary.text != display.summary.text
    assert len(workspace.ledger.lines()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 2},
        {"measure": {"size": 2, "denominator": 100, "delta": 1e-3}},
        {"measure": {"size": 3, "denominator": 100, "delta": 1e-3, "k": 1}},
        {"atoms": {"taxonomy": ["theme"], "list": ["something else"], "m": 10}},
        {"only": {"region": ["North"]}},
        {"audiences": ["Somebody"]},
    ],
)
def test_whatever_decides_what_is_drawn_is_another_run(study, workspace, roles, change) -> None:
    run_insights(study(), workspace, roles=roles)
    run_insights(study(**change), workspace, roles=roles)
    assert len(workspace.ledger.lines()) == 2


def test_a_draw_that_was_interrupted_is_charged_again_and_told(study, workspace, roles, monkeypatch) -> None:
    release = Spin.release

    def dies(self, *args):
        release(self, *args)
        raise ModelFailed("gone")

    monkeypatch.setattr(Spin, "release", dies)
    with pytest.raises(Exception, match="gone"):
        run_insights(study(), workspace, roles=roles)
    monkeypatch.setattr(Spin, "release", release)
    (run,) = run_insights(study(), workspace, roles=roles).runs
    assert len(workspace.ledger.lines()) == 2
    assert any("drawn anew" in note for note in run.notes)


def test_one_failure_leaves_the_others(study, workspace, roles, monkeypatch) -> None:
    release = Spin.release

    def some(self, *args):
        if self.mechanism == "gaussian":
            raise RuntimeError("my account number is 12345678")
        return release(self, *args)

    monkeypatch.setattr(Spin, "release", some)
    methods = [{"method": "DP-SPIN", "mechanism": m} for m in ("laplace", "gaussian", "admission")]
    found = run_insights(study(methods=methods), workspace, roles=roles)
    assert [r.title for r in found.runs] == ["DP-SPIN, Laplace", "DP-SPIN, admission"]
    (failure,) = found.failures
    assert failure.method == "DP-SPIN, Gaussian"
    assert "12345678" not in failure.message
    statuses = {s.title: s.status for s in stored_insights(workspace)}
    assert statuses["DP-SPIN, Gaussian"] == "failed"


def test_cancelling_keeps_what_is_finished(study, workspace, roles) -> None:
    token = CancelToken()

    def stop(stage, done, total):
        if stage == "runs" and done == 1:
            token.cancel()

    with pytest.raises(Cancelled):
        run_insights(study(epsilon=[1, 2]), workspace, roles=roles, progress=stop, cancel=token)
    assert [s.status for s in stored_insights(workspace)] == ["done"]


def test_an_audience_is_told_nothing_of_what_is_withheld(study, workspace, roles) -> None:
    audiences = [{"name": "A", "withhold": ["late fee"]}, "B"]
    found = run_insights(study(audiences=audiences, epsilon=50), workspace, roles=roles)
    a, b = found.runs
    assert "late fee" not in a.measurement.atoms.labels
    assert "late fee" not in a.summary.text
    assert b.plan.rows[0].label == "late fee"
    with pytest.raises(BadInput, match="there is no atom 'latte fee'"):
        run_insights(study(audiences=[{"name": "A", "withhold": ["latte fee"]}]), workspace, roles=roles)


def test_only_some_records_are_counted_over_the_same_denominator(study, workspace, roles, corpus) -> None:
    whole = run_insights(study(epsilon=100), workspace, roles=roles).runs[0]
    north = run_insights(study(epsilon=100, only={"region": ["North"]}), workspace, roles=roles).runs[0]
    inside = (corpus.table["region"] == "North") & (corpus.splits == "private")
    share = (inside & (corpus.table["theme"] == "late fee")).sum() / 100
    assert north.plan.rows[0].support == pytest.approx(share, abs=0.05)
    assert north.plan.rows[0].support < whole.plan.rows[0].support
    with pytest.raises(BadInput, match="is no value"):
        run_insights(study(only={"region": ["Nort"]}), workspace, roles=roles)


def test_users_are_protected_as_users(study, workspace, roles, corpus) -> None:
    measure = {"size": 3, "denominator": 40, "delta": 1e-3, "unit": "user", "bound": 2}
    (run,) = run_insights(study(measure=measure, epsilon=100), workspace, roles=roles).runs
    assert "one user" in run.guarantee.sentences()[0]
    assert run.guarantee.charges[0].sensitivity == 2
    assert workspace.ledger.lines()[0].relation == "add/drop of one user"
    assert 70 < sum(run.plan.sketch) < 82  # 40 users of at most 2, whose 100 records weigh 100; and noise
    no_authors = workspace.add_corpus(
        type(corpus)(corpus.name, corpus.ids, corpus.texts, corpus.table, corpus.schema, corpus.splits)
    )
    with pytest.raises(BadInput, match="knows no authors"):
        run_insights(study(measure=measure, corpus={"workspace": no_authors}), workspace, roles=roles)


def test_without_a_donated_record_a_taxonomy_says_what_to_do(study, workspace, roles, corpus) -> None:
    kept = corpus.subset(np.flatnonzero(corpus.splits != "donated"))
    key = workspace.add_corpus(kept)
    with pytest.raises(BadInput, match="donated"):
        run_insights(study(corpus={"workspace": key}), workspace, roles=roles)
    typed = study(corpus={"workspace": key}, atoms={"list": ["late fee", "rude staff", "lost card"]})
    assert run_insights(typed, workspace, roles=roles).runs[0].plan.size == 3


def test_references_have_no_guarantee_and_no_ledger_line(study, workspace, roles) -> None:
    (run,) = run_insights(study(methods=["Non-private top-L"]), workspace, roles=roles).runs
    assert run.guarantee is None
    assert workspace.ledger.lines() == []


def test_test_noise_is_named_and_never_exportable(study, workspace, roles) -> None:
    (run,) = run_insights(study(), workspace, roles=roles, noise=NonPrivateNoiseDouble()).runs
    assert not run.guarantee.exportable


def test_results_survive_the_disk(study, workspace, roles) -> None:
    found = run_insights(
        study(methods=["DP-SPIN", "Non-private top-L"], experiments=[FEW]),
        workspace,
        roles=roles,
    )
    again = Insights.from_json_dict(json.loads(json.dumps(found.to_json_dict())))
    assert again == found
    kept = [s.result() for s in stored_insights(workspace)]
    assert [k.plan for k in kept] == [r.plan for r in found.runs]
    assert list(found.wide()["method"]) == ["DP-SPIN, Laplace", "Non-private top-L"]


def test_removing_a_corpus_removes_its_insights_but_not_the_ledger(study, workspace, roles) -> None:
    run_insights(study(), workspace, roles=roles)
    workspace.remove_corpus(workspace.corpora()[0].key)
    assert stored_insights(workspace) == []
    assert len(workspace.ledger.lines()) == 1


def test_the_plan_is_told_without_drawing(study, workspace, roles) -> None:
    methods = ["DP-SPIN", "DP keyword histogram", "Non-private top-L"]
    spin, words, reference = plan_insights(study(methods=methods), workspace, roles=roles)
    assert spin.guarantee.epsilon == pytest.approx(1)
    assert 0 <= spin.expectation.overlap <= 1
    assert spin.expectation.shape == "donated"
    assert words.expectation is None
    assert reference.guarantee is None
    assert not spin.drawn
    assert workspace.ledger.lines() == []
    run_insights(study(methods=methods), workspace, roles=roles)
    assert plan_insights(study(methods=methods), workspace, roles=roles)[0].drawn


def test_experiments_with_a_larger_dictionary_take_more_from_the_same_sources(
    study, workspace, roles
) -> None:
    asked = study(
        atoms={"taxonomy": ["theme"], "m": 3}, methods=[], measure={"size": 2, "denominator": 100},
        experiments=[{"experiment": "m", "values": [3, 5], "repeats": 1}],
    )  # fmt: skip
    (result,) = run_insights(asked, workspace, roles=roles).experiments
    assert {row["m"] for row in result.rows} == {3, 5}
    assert kept_experiments(workspace, workspace.corpora()[0].key) == {"m": result}
    assert workspace.ledger.lines() == []


def test_a_mapper_moves_bounded_mass_and_its_failures_are_the_curators(
    study, workspace, roles, scripted
) -> None:
    def reply(prompt):
        if "number 3," in prompt.user:
            return Answer(failure="cut off")
        return {"topics": [{"number": 1, "weight": 1.0}]}

    told = replace(roles, mapper=scripted(reply))
    measure = {"size": 3, "denominator": 100, "delta": 1e-3, "assign": "model"}
    (run,) = run_insights(study(measure=measure, epsilon=100), workspace, roles=told).runs
    assert run.unmapped == {"cut off": 1}
    assert "cut off" not in str(card(release_of(run), Approval("R", "2026-11-30"), "x"))
    assert run.plan.rows[0].mass == pytest.approx(99, abs=1)
    (failure,) = run_insights(study(measure=measure, epsilon=3), workspace, roles=roles).failures
    assert "no language model" in failure.message
    assert len(workspace.ledger.lines()) == 1


def test_what_cannot_work_is_told_before_anything_is_charged(study, workspace, roles) -> None:
    asked = study(methods=[{"method": "DP category histogram", "column": "no such"}])
    for _ in range(3):
        (failure,) = run_insights(asked, workspace, roles=roles).failures
        assert "there is no attribute" in failure.message
    assert workspace.ledger.lines() == []


def test_a_cancel_between_charge_and_draw_is_not_paid_twice(study, workspace, roles, monkeypatch) -> None:
    asked = study(methods=[{"method": "URANIA-style", "components": 2}])
    draw = UraniaStyle.draw

    def cancelled(*args, **kwargs):
        raise Cancelled

    monkeypatch.setattr(UraniaStyle, "draw", cancelled)
    for _ in range(2):
        with pytest.raises(Cancelled):
            run_insights(asked, workspace, roles=roles)
    monkeypatch.setattr(UraniaStyle, "draw", draw)
    assert len(run_insights(asked, workspace, roles=roles).runs) == 1
    assert len(workspace.ledger.lines()) == 1


def test_a_damaged_result_names_its_file(study, workspace, roles) -> None:
    run_insights(study(), workspace, roles=roles)
    (stored,) = stored_insights(workspace)
    (stored.folder.path / "result.json").write_text('{"run_id": "x"}')
    with pytest.raises(WorkspaceFailed, match="result.json"):
        stored.result()
    assert run_insights(study(), workspace, roles=roles).runs[0].plan  # made anew from what was drawn
    assert len(workspace.ledger.lines()) == 1
