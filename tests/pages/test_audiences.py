from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from ctxpriv.classify.by_norms import NormsClassifier
from ctxpriv.context import Approval
from ctxpriv.edits import moved, without_attribute
from ctxpriv.extract.coarsen import by_hand
from ctxpriv.privacy.ledger import LedgerEntry
from pages.parts import background, checks


@pytest.fixture
def proposed(opened, with_audience):
    """A workspace in which one audience waits for approval: (workspace, key)."""
    workspace, key = opened
    workspace.save_state(key, with_audience(workspace.state(key), workspace.corpus(key)), "x")
    return workspace, key


def decide(app, attribute: int, side: str):
    """Another side for an attribute (by its place in the schema) of the first audience."""
    return app.button_group(key=f"side_0_{attribute}").set_value(side).run()


def test_an_audience_of_ones_own_is_added_and_classified_by_norms(opened, visit, words):
    workspace, key = opened
    app = visit("audiences")
    assert not app.exception and "There is no audience yet" in words(app)
    app.text_input(key="own_name_A new audience_0").set_value("Lab")
    app.text_input(key="own_recipient_A new audience_0").set_value("A university research group")
    app.text_area(key="own_purpose_A new audience_0").set_value("Study what people write about")
    app.button(key="save_audience").click().run()
    assert not app.error, words(app)
    assert [a.name for a in workspace.state(key).audiences] == ["Lab"]
    app.button(key="classify").click().run()
    state = workspace.state(key)
    partition = state.partitions["Lab"]
    assert {*partition.disclosed, *partition.private} == {"topic", "town", "job"}
    assert state.approved == ()


def test_moving_an_attribute_voids_the_approval(opened, visit, words, with_audience):
    workspace, key = opened
    workspace.save_state(key, with_audience(workspace.state(key), workspace.corpus(key), approved=True), "x")
    app = visit("audiences")
    assert "Approved by A. Reviewer" in words(app)
    decide(app, 1, "public")
    state = workspace.state(key)
    assert "town" in state.partitions["vendor"].public and state.approved == ()
    assert "approval for vendor is void" in words(app)
    assert "↻ ● private" in words(app)


def test_only_an_attribute_with_buckets_can_be_told_as_its_bucket(proposed, visit, words):
    workspace, key = proposed
    corpus = workspace.corpus(key)
    buckets = {v: "in Germany" if v in ("Bonn", "Ulm") else v for v in corpus.schema["town"].values}
    coarse = corpus.schema.with_coarsening(by_hand(corpus.schema["town"], buckets))
    workspace.save_corpus(key, corpus.with_schema(coarse), "x")
    app = visit("audiences")
    schema = workspace.corpus(key).schema
    for i, name in enumerate(schema.names):
        offered = app.button_group(key=f"side_0_{i}").options
        assert any("As bucket" in str(o) for o in offered) == (name in schema.coarsenings)
    bucketed = next(n for n in schema.names if n in schema.coarsenings)
    decide(app, schema.names.index(bucketed), "coarsened")
    assert workspace.state(key).partitions["vendor"].coarsened == (bucketed,)
    assert f"{bucketed} is now public when coarsened for vendor" in words(app)


def test_checks_are_shown_and_follow_a_move(proposed, visit, words):
    """Making an attribute public makes records stand out, or the sentence would be made up."""
    app = visit("audiences")
    assert "Checks before approval" in words(app) and "curator only" in words(app)
    for title in ("Guessing the private attributes", "People with several texts"):
        assert any(title in e.label for e in app.expander), title

    def standing_out() -> str:
        check = next(e for e in app.expander if "Records that stand out" in e.label)
        return " ".join(m.value for m in check.markdown)

    before = standing_out()
    decide(app, 2, "public")
    assert not app.exception and not app.error
    assert "job" in standing_out() and "job" not in before


def test_approving_needs_a_name_and_a_reason_where_the_checks_warn(proposed, visit, words):
    """The tiny corpus has three texts an author, so one warning is always open."""
    workspace, key = proposed
    app = visit("audiences")
    app.button(key="approve").click().run()
    assert "Write your name" in words(app) and workspace.state(key).approved == ()
    app.text_input(key="approve_name").set_value("B. Checker")
    app.button(key="approve").click().run()
    assert "Write why you approve despite" in words(app) and workspace.state(key).approved == ()
    app.text_area(key="approve_note").set_value("Authors were asked.")
    app.button(key="approve").click().run()
    approval = workspace.state(key).partitions["vendor"].approval
    assert (approval.name, approval.note) == ("B. Checker", "Authors were asked.") and approval.date


def test_nothing_private_is_warned_about(proposed, visit, words):
    workspace, key = proposed
    state, schema = workspace.state(key), workspace.corpus(key).schema
    state = moved(state, schema, "vendor", {"town": "public", "job": "public"})
    workspace.save_state(key, state, "x")
    assert "Nothing is private for vendor" in words(visit("audiences"))


def test_audiences_that_share_are_put_together(opened, visit, words, with_audience):
    workspace, key = opened
    corpus = workspace.corpus(key)
    state = with_audience(with_audience(workspace.state(key), corpus), corpus, "lab")
    workspace.save_state(key, moved(state, corpus.schema, "lab", {"town": "public"}), "x")
    app = visit("audiences")
    assert "If audiences share what they got" in words(app)
    shared = next(e for e in app.expander if "Audiences that share" in e.label)
    said = " ".join(m.value for m in shared.markdown)
    assert "town" in said and "vendor" in said
    chosen = next(m for m in app.multiselect if m.label == "Audiences that share")
    chosen.set_value(["lab"]).run()
    assert "Choose two or more audiences" in words(app)


def upload(app, words_: str):
    uploader = next(u for u in app.get("file_uploader") if u.key.startswith("expert_file"))
    return uploader.set_value(("review.csv", io.BytesIO(words_.encode()).read(), "text/csv")).run()


def test_an_expert_s_file_is_compared_and_taken(proposed, visit, words):
    workspace, key = proposed
    lines = ["attribute,audience,side,note", "topic,vendor,private,Too telling", "job,vendor,private,"]
    app = upload(visit("audiences"), "\n".join(lines))
    assert not app.exception and not app.error, words(app)
    assert "agreement on 1 of 2 attributes" in words(app)
    assert "Too telling" in words(app)
    app.button(key="take_expert_0").click().run()
    assert "topic" in workspace.state(key).partitions["vendor"].private
    app.button(key="forget_expert").click().run()
    assert not workspace.state(key).settings.get("expert")


def test_a_wrong_expert_s_file_is_a_message_with_its_row(proposed, visit, words):
    workspace, key = proposed
    app = upload(visit("audiences"), "attribute,audience,side\ntopik,vendor,private\n")
    said = words(app)
    assert "review.csv, row 1" in said and "topic" in said and not app.exception
    assert not workspace.state(key).settings.get("expert")


def test_a_calibration_is_made_and_reported(proposed, visit, words, tmp_path, monkeypatch):
    flows = [
        {
            "information_type": "your health",
            "recipient": "an advertiser",
            "purpose": "ads",
            "human_rating": -80,
        },
        {
            "information_type": "topic",
            "recipient": "a research group",
            "purpose": "study",
            "human_rating": 40,
        },
        {"information_type": "income", "recipient": "an advertiser", "purpose": "ads", "human_rating": -60},
    ]
    path = tmp_path / "rated.jsonl"
    path.write_text("\n".join(map(json.dumps, flows)))
    monkeypatch.setenv("CTXPRIV_CI_NORMS", str(path))
    app = visit("audiences")
    assert "has not been measured" in words(app)
    app.button(key="calibrate").click().run()
    for _ in range(100):
        if "on 3 rated flows" in words(app):
            break
        app.run()
    else:
        raise AssertionError(words(app))
    assert NormsClassifier().identity.name in words(app)


def test_presets_of_the_samples_are_offered(workspace, visit, words):
    from ctxpriv.loaders.samples import load_sample

    workspace.add_corpus(load_sample("forum"))
    app = visit("audiences")
    assert not app.error and len(app.dataframe) + len(app.get("data_editor")) >= 1


def test_an_approval_stays_visible_with_its_reason_as_text(opened, visit, words, with_audience):
    workspace, key = opened
    state = with_audience(workspace.state(key), workspace.corpus(key))
    reason = "![x](http://198.51.100.7/x.png)"
    workspace.save_state(
        key,
        state.with_partition(state.partitions["vendor"].approved(Approval("A", "2026-11-30", reason))),
        "x",
    )
    app = visit("audiences")
    assert any(t.value == reason for t in app.text)


def test_what_changed_in_another_tab_is_not_approved_unseen(proposed, visit, words):
    workspace, key = proposed
    app = visit("audiences")
    state, schema = workspace.state(key), workspace.corpus(key).schema
    workspace.save_state(key, moved(state, schema, "vendor", {"job": "public"}), "from another tab")
    app.text_input(key="approve_name").set_value("B. Checker")
    app.text_area(key="approve_note").set_value("Authors were asked.")
    app.button(key="approve").click().run()
    assert workspace.state(key).approved == () and "changed since you looked" in words(app)
    app.button(key="approve").click().run()  # now it was on the page
    assert workspace.state(key).approved == ("vendor",)


def test_a_classification_of_another_schema_is_told_and_not_taken(proposed, visit, words, monkeypatch):
    """It ran beside the page while somebody removed an attribute."""
    workspace, key = proposed
    app = visit("audiences")
    found = NormsClassifier().classify(
        workspace.corpus(key).schema, workspace.state(key).release_context("vendor")
    )
    workspace.save_corpus(key, without_attribute(workspace.corpus(key), "job"), "x")
    before = workspace.state(key).partitions
    taken = iter([{"vendor": found}])
    monkeypatch.setattr(
        background, "take", lambda key, name: next(taken, None) if name == "classify" else None
    )
    app.run()
    assert not app.error and "Classify again" in words(app)
    assert workspace.state(key).partitions == before


def test_names_in_a_drop_down_are_shown_as_they_are(opened, visit, with_audience):
    """It draws no Markdown, so an escaped name would show its backslashes."""
    workspace, key = opened
    state, corpus = workspace.state(key), workspace.corpus(key)
    workspace.save_state(key, with_audience(with_audience(state, corpus, "R&D (EU)"), corpus, "lab"), "x")
    app = visit("audiences")
    chosen = next(m for m in app.multiselect if m.label == "Audiences that share")
    assert chosen.options == ["R&D (EU)", "lab"]


@pytest.mark.parametrize("limit", ["RECORDS_AT_ONCE", "ATTRIBUTES_AT_ONCE"])
def test_checks_that_take_long_wait_until_they_are_asked_for(
    proposed, visit, words, ended, monkeypatch, limit
):
    """Many records or many attributes: else every move would stand still for seconds."""
    workspace, key = proposed
    monkeypatch.setattr(checks, limit, 2)
    app = visit("audiences")
    assert not any("People with several texts" in e.label for e in app.expander)
    assert app.button(key="approve").disabled and "before the checks have run" in words(app)
    app.button(key="run_checks").click().run()
    app = ended(app, key, "checks")
    assert any("People with several texts" in e.label for e in app.expander)
    assert not app.button(key="approve").disabled
    decide(app, 2, "public")
    assert app.button(key="approve").disabled  # what was found is about other sides


def test_an_audience_that_got_a_release_keeps_its_name(proposed, visit, words):
    """The ledger knows it by this name: under another one its cost would not be found."""
    workspace, key = proposed
    corpus = workspace.corpus(key)
    line = LedgerEntry(
        "r", "d", "vendor", (), (), "SDG-CI", "add/drop", 0.1, 1.0, 0.01, "declared",
        records=corpus.records_digest, released=True,
    )  # fmt: skip
    for released in (False, True):
        workspace.ledger.charge(replace(line, run_id=f"r{released}", released=released))
    app = visit("audiences")
    app.selectbox(key="own_which").set_value("vendor").run()
    app.text_input(key="own_name_vendor_0").set_value("buyer")
    app.button(key="save_audience").click().run()
    assert "was released to it under this name" in words(app)
    assert [a.name for a in workspace.state(key).audiences] == ["vendor"]
