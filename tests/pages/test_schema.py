from __future__ import annotations

import pytest

from ctxpriv.context import Approval
from ctxpriv.schema import Coarsening

HOSTILE = "![x](http://example.invalid/x.png) <b>bold</b> $x$"


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
    app.button(key="propose_prompted").click().run()
    assert "Write what the texts are" in words(app)


TOWNS = {"Bonn": "Rhine", "Ulm": "Danube", "Other": HOSTILE, "Not stated": "Not stated"}


@pytest.fixture
def bucketed(opened, with_audience):
    """`town` with buckets, public when coarsened for the vendor, whose partition is approved."""
    workspace, key = opened
    corpus = workspace.corpus(key)
    buckets = Coarsening("town", TOWNS, tuple(TOWNS.values()), "by hand")
    corpus = corpus.with_schema(corpus.schema.with_coarsening(buckets))
    workspace.save_corpus(key, corpus, "Buckets")
    state = with_audience(workspace.state(key), corpus)
    state = state.with_partition(state.partitions["vendor"].moved("town", "coarsened"))
    state = state.with_partition(
        state.partitions["vendor"].approved(Approval("A. Reviewer", "2026-11-30", "looked"))
    )
    workspace.save_state(key, state, "Approved")
    return workspace, key


def values_of(visit, name: str):
    app = visit("schema")
    app.session_state["schema_tab"] = "Values and buckets"
    app.session_state["values_attribute"] = name
    return app.run()


def test_the_bucket_table_counts_values_and_records(bucketed, visit, words):
    workspace, key = bucketed
    app = values_of(visit, "town")
    assert not app.error, words(app)
    table = next(d.value for d in app.dataframe if "holds" in d.value).set_index("bucket")
    towns = workspace.corpus(key).table["town"]
    assert table.loc["Rhine", "records"] == (towns == "Bonn").sum() and table["records"].sum() == len(towns)
    assert table.loc[HOSTILE, "values"] == 1 and table.loc[HOSTILE, "records"] == 0
    assert "one of the values declared for it" in words(app)
    assert "![x](http" not in "".join(str(e.value) for e in (*app.markdown, *app.caption, *app.info))


def test_removing_buckets_that_an_audience_needs_is_told_and_can_be_undone(bucketed, visit, words):
    workspace, key = bucketed
    app = values_of(visit, "town")
    assert "town is public when coarsened for vendor" in words(app)
    app.button(key="no_buckets").click().run()
    assert "Without its buckets town is now private for vendor" in words(app)
    assert "approval for vendor is void" in words(app)
    assert "town" in workspace.state(key).partitions["vendor"].private
    app.button(key="undo").click().run()
    assert workspace.state(key).partitions["vendor"].coarsened == ("town",)
    assert "town" in workspace.corpus(key).schema.coarsenings


def test_buckets_proposed_by_a_model_are_counted_before_they_are_accepted(
    opened, visit, words, scripted_models, ended
):
    workspace, key = opened
    scripted_models(
        lambda p: (
            {"groups": ["early", "late"]}
            if "groups" in p.schema["properties"]
            else {k: "early" if int(k) < 7 else "late" for k in p.schema["properties"]}
        )
    )
    app = values_of(visit, "job")
    app.button_group(key="coarsen_way").set_value("Language model").run()
    app.button(key="propose_buckets").click().run()
    app = ended(app, key, "coarsen_job")
    table = next(d.value for d in app.dataframe if "holds" in d.value).set_index("bucket")
    assert table["values"].to_dict() == {"early": 6, "late": 6, "Not stated": 1}
    assert table["records"].sum() == 60 and workspace.corpus(key).schema.coarsenings == {}
    app.button(key="accept_buckets").click().run()
    after = next(d.value for d in app.dataframe if "holds" in d.value).set_index("bucket")
    assert after.equals(table) and workspace.corpus(key).schema.coarsenings["job"].origin == "model"
    app.button(key="no_buckets").click().run()
    assert workspace.corpus(key).schema.coarsenings == {}
