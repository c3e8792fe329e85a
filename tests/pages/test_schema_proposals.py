"""Ways to a schema on the Schema page, the proposals that are kept, and how they are judged."""

from __future__ import annotations

import threading

import pytest

from ctxpriv.errors import ModelFailed
from ctxpriv.extract.dp_schema import DPSchema
from ctxpriv.models.base import Answer
from ctxpriv.proposal_store import ProposalStore
from ctxpriv.schema import Attribute, Schema
from ctxpriv.schema_proposal import SchemaProposal
from pages.parts import schema_dp, schema_judging
from pages.parts.proposals import FACTS
from pages.parts.schema_proposal import step_of

HOSTILE = "![x](http://example.invalid/x.png) <b>bold</b> $x$"
FEATURES = [
    {"name": "Town", "description": "Where", "values": ["Bonn", "Ulm"], "rationale": "Needed."},
    {"name": "mood", "description": "How", "values": ["good", "bad"], "rationale": "Useful."},
]


def answers(prompt):
    """Proposes two features, gives 3 for coverage, reads the value that the text says."""
    asked = prompt.schema["properties"]
    for name, answer in (
        ("features", FEATURES),
        ("score", 3),
        ("kinds", ["town", "mood"]),
        ("values", ["good", "bad"]),
    ):
        if name in asked:
            return {name: answer}
    if "decision" in asked:
        return {"description": "What it tells", "decision": "keep"}
    said = prompt.user.split("Text:")[1]
    return {n: next((v for v in f["enum"] if v in said), "Not stated") for n, f in asked.items()}


def proposed(way: str = "prompted", **others) -> SchemaProposal:
    schema = Schema((Attribute("mood", ("good", "bad", "Not stated"), provenance="prompted"),))
    return SchemaProposal(way, schema, model={"name": "m"}, **others)


@pytest.fixture
def tab(opened, visit):
    """The tab with the ways, with the words written; (app, workspace, key)."""
    workspace, key = opened
    app = visit("schema")
    app.session_state["schema_tab"] = "Propose a schema"
    app.run()
    app.text_area(key="description").set_value("Posts about daily life")
    app.text_area(key="workload").set_value("Find out who writes about work")
    app.checkbox(key="guided").uncheck().run()
    return app, workspace, key


@pytest.fixture
def dp_tab(tab):
    """As `tab`, with the way with DP at an ε at which names of 36 texts come out."""
    app, workspace, key = tab
    app.segmented_control(key="schema_way").set_value("dp").run()
    app.select_slider(key="dp_epsilon").set_value(100.0).run()
    return app, workspace, key


def at_the_tab(visit):
    app = visit("schema")
    app.session_state["schema_tab"] = "Propose a schema"
    return app.run()


def test_three_ways_stand_side_by_side(tab, words):
    app, _, _ = tab
    told = words(app)
    assert told.count("Reads:") == told.count("Guarantees:") == told.count("Costs:") == 3
    assert "None yet" in told and app.button(key="judge").disabled is False


def test_a_proposal_is_kept_over_a_restart_and_what_is_ticked_is_added(
    tab, scripted_models, ended, words, visit
):
    app, workspace, key = tab
    scripted_models(answers)
    app.number_input(key="k").set_value(2)
    app.button(key="propose_prompted").click().run()
    app = ended(app, key, step_of("prompted"))
    assert not app.error, words(app)
    (kept,) = ProposalStore(workspace, key).proposals()
    assert kept.proposal.schema.names == ("town", "mood")
    again = at_the_tab(visit)  # another session
    assert "costs no privacy (ε = 0)" in words(again)
    again.button(key=f"add_{kept.id}").click().run()
    assert not again.error, words(again)
    assert workspace.corpus(key).schema.names == ("topic", "town", "job", "mood")
    assert workspace.corpus(key).schema["town"].values == ("Bonn", "Ulm", "Not stated")
    again.button(key="undo").click().run()
    assert workspace.corpus(key).schema.names == ("topic", "town", "job")
    assert len(ProposalStore(workspace, key).proposals()) == 1


def test_a_proposal_replaces_the_schema_with_or_without_the_label(opened, visit, words):
    workspace, key = opened
    kept = ProposalStore(workspace, key).keep(proposed())
    app = at_the_tab(visit)
    app.button(key=f"instead_{kept}").click().run()
    assert not app.error, words(app)
    assert workspace.corpus(key).schema.names == ("topic", "mood") and workspace.corpus(key).label == "topic"
    app.button(key="undo").click().run()
    app.checkbox(key=f"label_{kept}").uncheck().run()
    app.button(key=f"instead_{kept}").click().run()
    assert workspace.corpus(key).schema.names == ("mood",) and workspace.corpus(key).label is None


def test_private_texts_are_read_without_a_guarantee_and_this_is_said(tab, scripted_models, ended, words):
    app, workspace, key = tab
    model = scripted_models(answers)
    app.segmented_control(key="schema_way").set_value("texts").run()
    app.button(key="propose_texts").click().run()
    app = ended(app, key, step_of("texts"))
    assert not app.error, words(app)
    (kept,) = ProposalStore(workspace, key).proposals()
    assert kept.proposal.reads_private and kept.proposal.epsilon is None
    assert "without differential privacy" in words(app) and "curator only" in words(app)
    private = workspace.corpus(key).part("private").texts
    assert sum(text in model.prompts[0].user for text in private) == 5


def test_a_broken_answer_is_told_and_nothing_is_kept(tab, scripted_models, ended, words):
    app, workspace, key = tab
    scripted_models(lambda p: Answer(failure="not JSON"))
    app.button(key="propose_prompted").click().run()
    app = ended(app, key, step_of("prompted"))
    assert any("no usable feature" in e.value for e in app.error)
    assert ProposalStore(workspace, key).proposals() == ()


def test_without_words_nothing_is_asked(opened, visit, words, scripted_models):
    model = scripted_models(answers)
    app = at_the_tab(visit)
    for way, button in (("prompted", "propose_prompted"), ("texts", "propose_texts")):
        app.segmented_control(key="schema_way").set_value(way).run()
        app.button(key=button).click().run()
        assert "Write what the texts are" in words(app)
    assert model.prompts == []


def test_a_proposal_can_be_removed(opened, visit, words):
    workspace, key = opened
    kept = ProposalStore(workspace, key).keep(proposed("texts", reads_private=True, epsilon=None, delta=None))
    app = at_the_tab(visit)
    app.button(key=f"drop_{kept}").click().run()
    assert ProposalStore(workspace, key).proposals() == () and "Proposal removed" in words(app)


def test_names_that_a_model_made_up_are_shown_as_text(opened, visit):
    workspace, key = opened
    schema = Schema((Attribute(HOSTILE, (HOSTILE, "b"), HOSTILE, "prompted", HOSTILE),))
    facts = {"k": HOSTILE, "released": {HOSTILE: 3}}
    kept = ProposalStore(workspace, key).keep(
        SchemaProposal("prompted", schema, (HOSTILE,), {"name": HOSTILE}, facts=facts)
    )
    app = at_the_tab(visit)
    assert not app.exception and not app.error
    shown = [e.value for kind in (app.markdown, app.caption, app.error, app.info, app.warning) for e in kind]
    assert any("example" in text for text in shown)
    assert not [text for text in shown if "![x](http" in text or "<b>bold" in text]
    assert any("![x]" in str(d.value.values) for d in app.dataframe) and app.button(key=f"add_{kept}")


def test_a_proposal_that_found_nothing_can_only_be_removed(opened, visit, words):
    workspace, key = opened
    kept = ProposalStore(workspace, key).keep(SchemaProposal("dp", Schema(()), ("No name reached it.",)))
    app = at_the_tab(visit)
    assert not app.error and "No name reached it." in words(app)
    assert app.button(key=f"add_{kept}").disabled and app.button(key=f"instead_{kept}").disabled
    assert app.multiselect(key="judge_which_1").options == [schema_judging.PRESENT]
    app.button(key=f"drop_{kept}").click().run()
    assert ProposalStore(workspace, key).proposals() == ()


# ---- with differential privacy


def test_the_plan_and_the_charge_are_told_before_anything_is_read(dp_tab, words, scripted_models):
    app, workspace, _ = dp_tab
    model = scripted_models(answers)
    told = words(app)
    assert "is released half of the time" in told and "for every audience, before any name comes out" in told
    assert app.button(key="propose_dp").label == "Run it and charge ε = 100"
    app.select_slider(key="dp_epsilon").set_value(0.1).run()
    assert "No name can reach this threshold" in words(app)
    assert model.prompts == [] and workspace.ledger.lines() == []


def test_a_pass_is_charged_kept_and_never_charged_twice(dp_tab, scripted_models, ended, words):
    app, workspace, key = dp_tab
    scripted_models(answers)
    for sitting in (1, 2):
        app.button(key="propose_dp").click().run()
        app = ended(app, key, schema_dp.STEP)
        assert not app.error, words(app)
        (line,) = workspace.ledger.lines()
        (kept,) = ProposalStore(workspace, key).proposals()
        assert line.epsilon == 100.0 and kept.proposal.run_id == line.run_id and line.released
        read = "How the texts were read: curator only" in words(app)
        assert read == ("0 of 36 texts got no usable answer" in words(app)) == (sitting == 1)
    assert {a.provenance for a in kept.proposal.schema.attributes} == {"dp"}
    told = words(app)
    assert "In the ledger since" in told
    assert "have cost ε = 100 so far" in told and ProposalStore(workspace, key).pending() == ()


def test_a_pass_whose_model_fails_costs_nothing_and_can_be_given_up(dp_tab, scripted_models, ended, words):
    app, workspace, key = dp_tab
    scripted_models(lambda p: Answer(failure="timed out"))
    app.button(key="propose_dp").click().run()
    app = ended(app, key, schema_dp.STEP)
    app.run()
    assert any("named no kinds of facts" in e.value for e in app.error)
    (pending,) = ProposalStore(workspace, key).pending()
    assert "nothing is charged yet" in words(app) and workspace.ledger.lines() == []
    assert app.button(key="propose_dp").disabled
    app.button(key=f"give_up_{pending.run_id}").click().run()
    assert ProposalStore(workspace, key).pending() == () and not app.button(key="propose_dp").disabled
    app.button(key=f"dismiss_{schema_dp.STEP}").click().run()
    assert not app.error, words(app)


def test_a_pass_that_ended_after_its_charge_goes_on_without_another(
    dp_tab, scripted_models, ended, words, visit
):
    app, workspace, key = dp_tab
    begun = threading.Event()

    def fails_after_the_release(prompt):
        if "decision" in prompt.schema["properties"]:
            begun.set()
            raise ModelFailed("the server went away.")
        return answers(prompt)

    scripted_models(fails_after_the_release)
    app.button(key="propose_dp").click().run()
    app = ended(app, key, schema_dp.STEP)
    assert begun.is_set() and len(workspace.ledger.lines()) == 1
    (pending,) = ProposalStore(workspace, key).pending()
    model = scripted_models(answers)
    again = at_the_tab(visit)  # another session
    again.segmented_control(key="schema_way").set_value("dp").run()
    assert "is charged already, and is not charged again" in words(again)
    again.button(key=f"go_on_{pending.run_id}").click().run()
    again = ended(again, key, schema_dp.STEP)
    assert not again.error, words(again)
    assert len(workspace.ledger.lines()) == 1 and len(ProposalStore(workspace, key).proposals()) == 1
    assert not any("kinds" in p.schema["properties"] for p in model.prompts)  # no text is read again


# ---- judging


def test_proposals_are_judged_on_one_sample_beside_the_present_schema(
    opened, visit, scripted_models, ended, words
):
    workspace, key = opened
    scripted_models(answers)
    kept = ProposalStore(workspace, key).keep(proposed())
    app = at_the_tab(visit)
    app.number_input(key="judge_n_donated").set_value(6)
    app.number_input(key="judge_coverage_donated").set_value(4).run()
    app.button(key="judge").click().run()
    app = ended(app, key, schema_judging.STEP)
    assert not app.error, words(app)
    table = next(d.value for d in app.dataframe if "kappa" in d.value).set_index("schema")
    assert list(table["fields"]) == [3, 1] and list(table["read"]) == ["6 of 6"] * 2
    assert table["coverage"].str.startswith("3.00").all()
    assert table["signal"].iloc[1] == 0.0  # no text says a mood
    assert kept in ProposalStore(workspace, key).judging().rows
    ticks = next(d.value for d in at_the_tab(visit).dataframe if "take" in d.value)
    assert list(ticks["weak"]) == ["never stated"]
    app.selectbox(key="judged_one").select_index(1).run()
    figures = next(d.value for d in app.dataframe if "weak" in d.value)
    assert list(figures["weak"]) == ["never stated"] and "curator only" not in words(app)
    assert "read: take these figures as a hint" in words(app)


def test_judging_on_private_records_is_marked_and_warned_about(opened, visit, scripted_models, ended, words):
    workspace, key = opened
    scripted_models(answers)
    app = at_the_tab(visit)
    app.segmented_control(key="judge_split").set_value("private").run()
    assert "no guarantee covers that" in words(app)
    app.selectbox(key="judge_second").set_value(schema_judging.NOBODY)
    app.number_input(key="judge_coverage_private").set_value(0).run()
    app.button(key="judge").click().run()
    app = ended(app, key, schema_judging.STEP)
    assert "Figures of private records: curator only" in words(app)
    table = next(d.value for d in app.dataframe if "kappa" in d.value)
    assert table["coverage"].tolist() == ["–"] and table["kappa"].isna().all()


def test_one_schema_that_cannot_be_read_does_not_stop_the_others(
    opened, visit, scripted_models, ended, words
):
    workspace, key = opened
    ProposalStore(workspace, key).keep(proposed())

    def reply(prompt):
        return Answer(failure="cut off") if "mood" in prompt.schema["properties"] else answers(prompt)

    scripted_models(reply)
    app = at_the_tab(visit)
    app.button(key="judge").click().run()
    app = ended(app, key, schema_judging.STEP)
    for _ in range(2):  # the message outlives a click somewhere else
        assert any("could read none of" in e.value for e in app.error)
        app.run()
    assert len(ProposalStore(workspace, key).judging().rows) == 1


def test_judging_can_be_cancelled_and_keeps_what_is_done(opened, visit, scripted_models, ended, words):
    workspace, key = opened
    ProposalStore(workspace, key).keep(proposed())
    begun, go = threading.Event(), threading.Event()

    def reply(prompt):
        if "mood" in prompt.schema["properties"]:
            begun.set()
            go.wait(10)
        return answers(prompt)

    scripted_models(reply)
    app = at_the_tab(visit)
    app.button(key="judge").click().run()
    assert begun.wait(10)
    app.run()
    app.button(key=f"cancel_step_{schema_judging.STEP}").click().run()
    go.set()
    app = ended(app, key, schema_judging.STEP)
    assert "was cancelled" in words(app) and len(ProposalStore(workspace, key).judging().rows) == 1


def test_every_fact_of_a_construction_has_words():
    told = set(DPSchema().plan(1000).to_dict()) | {"max_attributes", "guided", "noise", "released", "merged"}
    assert told | {"unit", "asked", "donated_examples", "texts_shown"} == set(FACTS)
