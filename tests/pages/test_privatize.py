from __future__ import annotations

import threading

import pytest

from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.errors import ModelFailed
from ctxpriv.evaluate.report import METRICS, Metric, Report
from ctxpriv.jobs import JobRegistry


class RunDouble:
    """Stands in for `run_study`: reports one stage, then waits to be let go, cancelled or to fail."""

    def __init__(self) -> None:
        self.begun, self.go, self.fails, self.studies = threading.Event(), threading.Event(), "", []

    def __call__(self, study, workspace, *, progress, cancel):
        self.studies.append(study)
        progress("runs", 0, len(study.methods))
        progress("measure marginals", 3, 10)
        self.begun.set()
        while not self.go.wait(0.02):
            cancel.check()
        if self.fails:
            raise ModelFailed(self.fails)
        release = RunResult(
            "vendor", {}, Report("MAPLE", "vendor", 1.0, {m: Metric(0.5, n=9) for m in METRICS})
        )
        return Comparison({}, {}, (release,))


@pytest.fixture
def run(monkeypatch, workspace):
    from pages.parts import shell

    double = RunDouble()
    registry = JobRegistry(workspace, run=double)
    monkeypatch.setattr(shell, "jobs", lambda: registry)
    double.registry = registry
    yield double
    double.go.set()
    for job in registry.jobs():
        registry.wait(job.job_id, 10)


def test_nothing_may_run_before_an_approval(opened, visit, words, with_audience, double_roles):
    workspace, key = opened
    workspace.save_state(key, with_audience(workspace.state(key), workspace.corpus(key)), "x")
    app = visit("privatize")
    assert not app.exception and not app.error, words(app)
    assert "No partition is approved yet" in words(app)
    assert "vendor cannot be run: its partition is not approved" in words(app)
    assert not [b for b in app.button if b.key == "run"]


def test_the_plan_is_shown_before_anything_runs(approved, visit, words, double_roles, run):
    app = visit("privatize")
    assert not app.error, words(app)
    assert "3 runs to do" in words(app) and not run.studies
    plan, stages = app.dataframe[0].value, app.dataframe[1].value
    assert list(plan["method"]) == ["SDG-CI", "MAPLE", "Aug-PE"] and (plan["state"] == "to do").all()
    assert {"ρ", "σ"} <= set(stages.columns) and len(stages) > 3


def test_more_epsilons_make_more_runs(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.button_group(key="more_epsilons").set_value([5.0]).run()
    app.multiselect(key="run_methods").set_value(["SDG-CI"]).run()
    assert "2 runs to do" in words(app)


def test_a_run_shows_progress_and_can_be_cancelled_and_resumed(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.button(key="run").click().run()
    assert run.begun.wait(10)
    app.run()
    assert not [b for b in app.button if b.key == "run"]
    job = run.registry.jobs()[0]
    app.button(key=f"cancel_{job.job_id}").click().run()
    assert run.registry.wait(job.job_id, 10).state == "cancelled"
    app = visit("privatize")
    assert "Cancelled. Finished runs are kept" in words(app)
    run.go.set()
    app.button(key=f"resume_{job.job_id}").click().run()
    assert run.registry.wait(job.job_id, 10).state == "done"
    assert len(run.studies) == 2 and run.studies[0].to_dict() == run.studies[1].to_dict()


def test_a_failed_run_says_why(approved, visit, words, double_roles, run):
    run.fails = "the model at ![x](y) is gone"
    run.go.set()
    app = visit("privatize")
    app.button(key="run").click().run()
    run.registry.wait(run.registry.jobs()[0].job_id, 10)
    app = visit("privatize")
    assert "the model at ![x](y) is gone" in words(app)
    assert not [m for m in app.markdown if "![x](y)" in str(m.value)]


def test_the_choices_come_back_after_another_page(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.multiselect(key="run_methods").set_value(["MAPLE"]).run()
    app.switch_page("pages/corpus.py").run()
    app.switch_page("pages/privatize.py").run()
    assert app.multiselect(key="run_methods").value == ["MAPLE"]


def test_the_number_of_records_follows_the_budget_until_somebody_says_one(
    approved, tiny_corpus, with_audience, visit, words, double_roles, run
):
    workspace, key = approved
    workspace.save_corpus(key, tiny_corpus(1200), "more records")
    state = with_audience(workspace.state(key), workspace.corpus(key), approved=True)
    workspace.save_state(key, state, "approved")
    app = visit("privatize")
    first = app.number_input(key="n_synthetic").value
    app.multiselect(key="run_methods").set_value(["SDG-CI"]).run()
    assert app.number_input(key="n_synthetic").value > first
    assert not app.warning, words(app)
    app.number_input(key="n_synthetic").set_value(150).run()
    app.multiselect(key="run_methods").set_value(["Aug-PE"]).run()
    assert app.number_input(key="n_synthetic").value == 150
    assert "Aug-PE: The vote noise" in words(app)


def test_a_finished_run_is_reused_and_the_plan_says_so(approved, visit, words, double_roles, monkeypatch):
    from ctxpriv.run_store import RunFolder

    monkeypatch.setattr(RunFolder, "is_finished", property(lambda self: True))
    app = visit("privatize")
    assert (app.dataframe[0].value["state"] == "finished, no cost").all()
    assert "3 finished, will be reused: no cost" in words(app)


REWRITING = ["ANON-CI", "RUPTA"]


def test_rewriting_has_settings_of_its_own_and_no_epsilon(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.multiselect(key="run_methods").set_value(REWRITING).run()
    assert not app.exception and not app.error, words(app)
    assert not [s for s in app.select_slider if s.key == "epsilon"]
    assert not [n for n in app.number_input if n.key == "n_synthetic"]
    assert not {"ε", "δ", "ρ"} & set(app.dataframe[0].value.columns)
    assert "no formal guarantee" in words(app)
    app.number_input(key="n_records").set_value(5).run()
    app.number_input(key="max_rounds").set_value(4).run()
    app.checkbox(key="withhold_unsafe").check().run()
    app.button(key="run").click().run()
    assert run.begun.wait(10)
    study = run.studies[0]
    told = [(m.name, m.n_records, m.max_rounds, m.guesses, m.withhold_unsafe) for m in study.methods]
    assert told == [("ANON-CI", 5, 4, 3, True), ("RUPTA", 5, 4, 3, True)]
    sides = study.audiences[0].partition
    assert study.default_partition.same_sides(sides) and study.default_partition.approval is None


def test_both_families_stand_side_by_side(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.multiselect(key="run_methods").set_value(["MAPLE", "1-2-3 Check"]).run()
    assert not app.exception and not app.error, words(app)
    assert sorted(app.dataframe[0].value["ε"]) == ["1", "–"]
    assert "beside 1 run whose time shows once it runs" in words(app) or "2 runs to do" in words(app)


def test_without_a_default_partition_only_the_label_is_public(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.multiselect(key="run_methods").set_value(["RUPTA"]).run()
    app.selectbox(key="default_partition").select_index(1).run()
    app.button(key="run").click().run()
    assert run.begun.wait(10) and run.studies[0].default_partition is None


def test_one_model_in_two_roles_is_told(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.multiselect(key="run_methods").set_value(["ANON-CI"]).run()
    assert "same model" not in words(app)
    for role in ("privacy_evaluator", "adversary"):
        app.selectbox(key=f"player_{role}").set_value("model").run()
    assert "The evaluator in the loop and the attacker afterwards are the same model" in words(app)


def test_rewriting_choices_come_back(approved, visit, words, double_roles, run):
    app = visit("privatize")
    app.multiselect(key="run_methods").set_value(["ANON-CI"]).run()
    app.number_input(key="n_records").set_value(7).run()
    app.selectbox(key="player_adversary").set_value("local").run()
    app.switch_page("pages/corpus.py").run()
    app.switch_page("pages/privatize.py").run()
    assert app.number_input(key="n_records").value == 7
    assert app.selectbox(key="player_adversary").value == "local"
