from __future__ import annotations


def test_without_a_corpus_the_page_says_where_to_go(workspace, visit, words):
    app = visit("schema")
    assert not app.exception and "No corpus is open yet" in words(app)


def test_wide_attributes_are_pointed_out(opened, visit, words):
    app = visit("schema")
    assert not app.exception and not app.error, words(app)
    assert "1 attribute has more than 10 values" in words(app)


def test_buckets_are_proposed_shown_and_accepted(opened, visit, words):
    workspace, key = opened
    app = visit("schema")
    app.session_state["schema_tab"] = "Values and buckets"
    app.run()
    assert app.selectbox(key="values_attribute").value == "job"
    app.button_group(key="coarsen_way").set_value("Most frequent values").run()
    app.button(key="propose_buckets").click().run()
    assert not app.error and workspace.corpus(key).schema.coarsenings == {}
    app.button(key="accept_buckets").click().run()
    assert not app.error, words(app)
    assert len(workspace.corpus(key).schema.coarse_values("job")) <= 5
    app.button(key="undo").click().run()
    assert workspace.corpus(key).schema.coarsenings == {}


def test_the_label_can_be_changed(opened, visit):
    workspace, key = opened
    app = visit("schema")
    app.selectbox(key="label_0").set_value("town").run()
    app.button(key="save_label").click().run()
    assert workspace.corpus(key).label == "town"


def test_removing_an_attribute_voids_approvals_and_says_so(opened, visit, words, with_audience):
    workspace, key = opened
    workspace.save_state(key, with_audience(workspace.state(key), workspace.corpus(key), approved=True), "x")
    app = visit("schema")
    app.selectbox(key="remove_name_0").set_value("town").run()
    app.button(key="remove_attribute").click().run()
    assert workspace.corpus(key).schema.names == ("topic", "job")
    assert workspace.state(key).approved == () and "approval for vendor is void" in words(app)


def test_a_proposal_needs_a_description(opened, visit, words):
    app = visit("schema")
    app.session_state["schema_tab"] = "Propose a schema"
    app.run()
    app.button(key="propose_schema").click().run()
    assert "Write what the texts are" in words(app)
