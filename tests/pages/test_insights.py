"""The page Insights: atoms, what to expect before a release, the release, two side by side, experiments."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from ctxpriv.insights.runner import run_insights
from ctxpriv.insights.store import stored_insights
from ctxpriv.jobs import JobRegistry
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.template import TemplateDecoder
from ctxpriv.roles import Roles

HOSTILE = "![x](http://example.invalid/x.png) <b>bold</b>"
TYPED = "late fee: a charge that came late\nrude staff\nwork at home\nlife in Bonn\nlife in Ulm"


class InventingDecoderDouble:
    """A model that tells of a theme that nobody measured, in Markdown."""

    identity = ModelIdentity("local", "inventing decoder (test double)")

    def decode(self, plan, mode, rejected, *, seed, progress=None, cancel=None):
        return f"Most records are about alien landings {HOSTILE}.", ""


@pytest.fixture
def cast(monkeypatch, double_roles):
    """Puts `decoder` on stage for the page and for its jobs; gives the registry."""
    from pages.parts import models, shell

    def put(workspace, decoder=None):
        roles = Roles(double_roles.embedder, double_roles.generator, decoder=decoder or TemplateDecoder())
        monkeypatch.setattr(models, "roles", lambda choice: roles)
        registry = JobRegistry(workspace, run=partial(run_insights, roles=roles))
        monkeypatch.setattr(shell, "jobs", lambda: registry)
        return registry

    return put


@pytest.fixture
def on(visit):
    """The page, turned to a tab."""

    def turn(app, tab):
        app.session_state["insights_tab"] = tab
        return app.run()

    return lambda tab, app=None: turn(app or visit("insights"), tab)


def with_atoms(workspace, key, labels=TYPED):
    rows = [line.partition(": ") for line in labels.split("\n")]
    atoms = AtomSet.from_list({"label": a, "description": b} for a, _, b in rows)
    settings = {"atoms": atoms.to_list(), "size": 2, "k": 2}
    workspace.save_state(key, workspace.state(key).with_settings(insights=settings), "Atoms typed")
    return atoms


def run_it(app, registry):
    """Presses Run and waits for the end, which the page draws."""
    app.button(key="run_insights").click().run()
    for job in registry.jobs():
        registry.wait(job.job_id, 60)
    return app.run()


# ---- atoms


def test_without_a_corpus_the_page_leads_to_one(workspace, visit, words):
    app = visit("insights")
    assert not app.exception and "No corpus is open yet" in words(app)


def test_the_empty_page_says_what_to_do(opened, visit, words, cast, on):
    cast(opened[0])
    app = visit("insights")
    assert not app.exception and not app.error, words(app)
    assert "There are no atoms yet" in words(app)
    app = on("New release", app)
    assert "build the atoms first" in words(app)
    app = on("Results", app)
    assert "Nothing is released yet" in words(app)
    app = on("Compare", app)
    assert "Two releases are needed" in words(app)
    app = on("Experiments", app)
    assert not app.error and "build the atoms first" in words(app)


def test_atoms_are_built_from_donated_columns_and_told_where_they_come_from(opened, visit, words, cast):
    workspace, key = opened
    cast(workspace)
    app = visit("insights")
    app.multiselect(key="atoms_columns").set_value(["topic", "town"]).run()
    app.button(key="build_atoms").click().run()
    assert not app.error, words(app)
    atoms = AtomSet.from_list(workspace.state(key).settings["insights"]["atoms"])
    assert atoms.sources == ("taxonomy",) and atoms.digest[:12] in words(app)
    assert set(app.dataframe[0].value["source"]) == {"values of the donated records"}
    assert "no phrase is frequent enough to fill up with" in words(app)  # said, and no failure
    app.button(key="to_New release").click().run()
    assert not app.error and app.number_input(key="insight_size").value == max(1, len(atoms) // 3)


def test_a_sample_needs_one_click_to_get_atoms_that_a_plan_can_choose_among(workspace, visit, words, cast):
    from ctxpriv.corpus_source import SampleCorpus

    key = workspace.add_corpus(SampleCorpus("complaints").load())
    cast(workspace)
    app = visit("insights")
    assert app.multiselect(key="atoms_columns").value == ["product", "issue", "sub_issue"]
    app.button(key="build_atoms").click().run()
    assert not app.error, words(app)
    atoms = AtomSet.from_list(workspace.state(key).settings["insights"]["atoms"])
    assert len(atoms) == 36 and atoms.sources == ("taxonomy",)
    app.multiselect(key="atoms_columns").set_value(["product"]).run()  # nine labels: too few
    app.button(key="build_atoms").click().run()
    atoms = AtomSet.from_list(workspace.state(key).settings["insights"]["atoms"])
    assert len(atoms) == 44 and atoms.sources == ("taxonomy", "phrases")
    app.button(key="to_New release").click().run()
    assert app.number_input(key="insight_size").value == 10


def test_without_a_donated_split_the_page_says_what_is_left(workspace, tiny_corpus, visit, words, cast):
    from dataclasses import replace

    import numpy as np

    corpus = tiny_corpus()
    workspace.add_corpus(replace(corpus, splits=np.full(len(corpus), "private", object)))
    cast(workspace)
    app = visit("insights")
    assert "Nothing is donated in this corpus" in words(app)
    assert app.button_group(key="atoms_way").options == ["Typed", "A file", "Proposed by a model"]


def test_typed_labels_are_checked_and_hostile_ones_never_act(opened, visit, words, cast):
    workspace, key = opened
    cast(workspace)
    app = visit("insights")
    app.button_group(key="atoms_way").set_value("typed").run()

    def type_in(text):
        (area,) = (a for a in app.text_area if str(a.key).startswith("atoms_typed"))
        area.set_value(text)
        app.button(key="build_atoms").click().run()

    type_in("late fee\nLate  Fee")
    assert "is there already" in words(app) and "insights" not in workspace.state(key).settings
    type_in(f"late fee\n{HOSTILE}")
    assert not app.error, words(app)
    stored = workspace.state(key).settings["insights"]["atoms"]
    assert [a["label"] for a in stored] == ["late fee", "![x](http"]  # the colon begins the description
    assert not [m for m in app.markdown if HOSTILE in str(m.value)]
    type_in("late fee")
    assert "Nothing changed" in words(app)
    app.button(key="save_atoms").click().run()
    assert "Nothing was changed" in words(app)
    assert workspace.state(key).settings["insights"]["atoms"] == stored


def test_a_model_proposes_from_the_description_alone(
    opened, visit, words, cast, scripted, double_roles, monkeypatch, ended
):
    from dataclasses import replace

    from pages.parts import models

    workspace, key = opened
    cast(workspace)
    model = scripted(lambda prompt: {"topics": [{"label": "late fee", "description": "charged late"}]})
    roles = replace(double_roles, mapper=model)
    monkeypatch.setattr(models, "roles", lambda choice: roles)
    app = visit("insights")
    app.button_group(key="atoms_way").set_value("model").run()
    app.text_area(key="atoms_description").set_value("Notes about everyday life")
    app.button(key="build_atoms").click().run()
    app = ended(app, key, "insight atoms")
    stored = workspace.state(key).settings["insights"]["atoms"]
    assert [(a["label"], a["source"]) for a in stored] == [("late fee", "model")]
    app.toggle(key="atoms_add").set_value(True).run()  # a second proposal joins the first
    model.reply = lambda prompt: {"topics": [{"label": "rude staff", "description": ""}]}
    app.text_area(key="atoms_description").set_value("Notes about work").run()
    app.button(key="build_atoms").click().run()
    app = ended(app, key, "insight atoms")
    assert len(workspace.state(key).settings["insights"]["atoms"]) == 2
    seen = "".join(prompt.user for prompt in model.prompts)
    assert "Notes about everyday life" in seen and "today I write" not in seen


# ---- before, running, failed


def test_what_to_expect_stands_there_before_anything_is_drawn(opened, words, cast, on):
    workspace, key = opened
    cast(workspace)
    with_atoms(workspace, key)
    app = on("New release")
    assert not app.error, words(app)
    (expected,) = app.metric
    assert expected.label == "DP-SPIN, Laplace, ε = 1" and expected.value.endswith("%")
    assert "Nothing private was read for this" in words(app)
    assert "1 private release to draw; 1 reference" in words(app)
    assert stored_insights(workspace) == [] and workspace.ledger.lines() == []
    before = expected.value
    assert "admits every atom" not in words(app)
    app.select_slider(key="insight_epsilon").set_value(0.1).run()
    assert float(app.metric[0].value[:-1]) <= float(before[:-1])
    app.number_input(key="insight_size").set_value(5).run()
    assert app.metric[0].value == "100%" and "admits every atom" in words(app)


def test_more_methods_and_budgets_make_more_runs(opened, words, cast, on):
    workspace, key = opened
    cast(workspace)
    with_atoms(workspace, key)
    app = on("New release")
    app.button_group(key="insight_mechanisms").set_value(["laplace", "gaussian"]).run()
    app.button_group(key="insight_more").set_value([4.0]).run()
    assert "4 private releases to draw" in words(app) and not app.metric
    assert "they cost at most ε = " in words(app)
    expected = next(d.value for d in app.dataframe if "Overlap@L" in d.value)
    assert list(expected["ε"]) == ["1", "4", "1", "4"]
    app.button_group(key="insight_unit").set_value("user").run()
    app.button_group(key="insight_bound").set_value(2).run()
    assert not app.error, words(app)
    assert "unit: one user, B = 2" in words(app)
    app.selectbox(key="insight_only").set_value("town").run()
    assert "No value is chosen: all records are measured" in words(app)
    app.multiselect(key="insight_methods").set_value([]).run()
    assert "Choose at least one method" in words(app)


def test_each_corpus_has_its_own_choices(opened, tiny_corpus, words, cast, on):
    workspace, key = opened
    cast(workspace)
    with_atoms(workspace, key)
    other = workspace.add_corpus(tiny_corpus(90, "other"))
    with_atoms(workspace, other, "one thing\nanother thing\na third")
    app = on("New release")  # of the corpus added last
    app.select_slider(key="insight_epsilon").set_value(0.2).run()
    app.selectbox(key="insight_only").set_value("town").run()
    app.multiselect(key="insight_only_town").set_value(["Bonn"]).run()
    app.selectbox(key=f"open_{other}").set_value(key).run()
    assert not app.error, words(app)
    assert app.select_slider(key="insight_epsilon").value == 1.0
    assert app.selectbox(key="insight_only").value is None
    app.selectbox(key=f"open_{key}").set_value(other).run()
    assert app.select_slider(key="insight_epsilon").value == 0.2
    assert app.multiselect(key="insight_only_town").value == ["Bonn"]


def test_a_run_goes_on_beside_the_page_and_can_be_cancelled(opened, visit, words, monkeypatch, cast, on):
    workspace, key = opened
    cast(workspace)
    with_atoms(workspace, key)
    begun, studies = threading.Event(), []

    def endless(study, workspace, *, progress, cancel):
        studies.append(study)
        progress("DP-SPIN, Laplace: assign records to atoms", 3, 10)
        begun.set()
        while True:
            cancel.check()
            time.sleep(0.01)

    from pages.parts import shell

    registry = JobRegistry(workspace, run=endless)
    monkeypatch.setattr(shell, "jobs", lambda: registry)
    app = on("New release")
    app.button(key="run_insights").click().run()
    assert begun.wait(10)
    app.run()
    assert "Run after the present one" in [b.label for b in app.button]
    (job,) = registry.jobs()
    app.button(key=f"cancel_{job.job_id}").click().run()
    assert registry.wait(job.job_id, 10).state == "cancelled"
    app = on("New release")
    assert "Cancelled" in words(app) and "Resume" in [b.label for b in app.button]
    assert studies[0].kind == "insights" and studies[0].measure["size"] == 2
    assert "Earlier runs" not in [s.value for s in visit("privatize").subheader]  # it is no comparison


def test_a_label_that_quotes_a_protected_record_is_refused(opened, words, cast, on):
    workspace, key = opened
    registry = cast(workspace)
    corpus = workspace.corpus(key)
    text = corpus.part("private").texts[0]
    with_atoms(workspace, key, f"{TYPED}\n{text[:100].strip('.')}")
    app = run_it(on("New release"), registry)
    assert registry.jobs()[0].state == "failed" and "stand in a protected record" in words(app)
    assert workspace.ledger.lines() == []


# ---- done


def test_a_release_is_shown_with_its_words_guarantee_and_cost(opened, words, cast, on):
    workspace, key = opened
    registry = cast(workspace)
    atoms = with_atoms(workspace, key)
    app = run_it(on("New release"), registry)
    assert registry.jobs()[0].state == "done", registry.jobs()[0].message
    assert "see Results" in words(app)
    app = on("Results", app)
    assert not app.exception and not app.error, words(app)
    told = words(app)
    assert atoms.digest[:12] in told and "rests on" in told
    assert "in the data, any outcome of this release" in told and "In the ledger since" in told
    assert "curator only" in told or [m for m in app.markdown if "curator only" in str(m.value)]
    sentences = [t.value for t in app.text]
    assert sentences and sentences[0].startswith("1  ")
    (pills,) = (p for p in app.button_group if str(p.key).startswith("sentence_"))
    pills.set_value(int(pills.options[0])).run()
    assert not app.error

    app.button(key="make_insight_bundle").click().run()
    assert "Write your name" in words(app)
    (who,) = (t for t in app.text_input if t.label == "Your name")
    who.set_value("A. Reviewer").run()
    app.button(key="make_insight_bundle").click().run()
    assert not app.error, words(app)
    assert [line.released for line in workspace.ledger.lines()] == [True]
    assert len(list((workspace.root / "exports").rglob("*.zip"))) == 1


def test_a_reference_stays_with_the_curator(opened, words, cast, on):
    workspace, key = opened
    registry = cast(workspace)
    with_atoms(workspace, key)
    app = run_it(on("New release"), registry)
    app = on("Results", app)
    (reference,) = (s.run_id for s in stored_insights(workspace) if s.title == "Non-private top-L")
    app.selectbox(key="insight_run").set_value(reference).run()
    assert not app.error, words(app)
    assert "has no noise: it is a reference for the curator" in words(app)
    assert not [b for b in app.button if b.key == "make_insight_bundle"]


def test_rejected_words_can_be_opened_and_the_fallback_is_named(opened, words, cast, on):
    workspace, key = opened
    registry = cast(workspace, InventingDecoderDouble())
    with_atoms(workspace, key)
    app = run_it(on("New release"), registry)
    assert registry.jobs()[0].state == "done", registry.jobs()[0].message
    app = on("Results", app)
    assert not app.error, words(app)
    assert "This is the fallback, the template's text" in words(app)
    assert [e for e in app.expander if "3 attempts, 3 rejected" in e.label]
    assert len([c for c in app.code if "alien landings" in c.value]) == 3
    reasons = [d.value for d in app.dataframe if "what to do instead" in d.value]
    assert len(reasons) == 3 and (reasons[0]["kind"] != "").all()
    assert not [m for m in (*app.markdown, *app.caption) if HOSTILE in str(m.value)]


def test_two_releases_on_the_same_atoms_are_compared(opened, words, cast, on):
    workspace, key = opened
    registry = cast(workspace)
    with_atoms(workspace, key)
    app = on("New release")
    app.button_group(key="insight_more").set_value([4.0]).run()
    app = on("Compare", run_it(app, registry))
    assert not app.error, words(app)
    assert "cannot be told apart" in words(app)
    (table,) = (d.value for d in app.dataframe)
    assert list(table.columns) == ["atom", "first", "second", "verdict"] and len(table) == 5


def test_experiments_run_with_one_click_and_are_kept(opened, words, cast, on, ended):
    workspace, key = opened
    cast(workspace)
    with_atoms(workspace, key)
    app = on("Experiments")
    app.button_group(key="trials").set_value(["size"]).run()
    app.button(key="run_trials").click().run()
    app = ended(app, key, "insight experiments")
    assert not app.error, words(app)
    assert "figures in" in words(app) and workspace.ledger.lines() == []
    app = on("Experiments")  # another visit
    assert app.button_group(key="trial").options == ["How many atoms a plan admits \\(L\\)"]
