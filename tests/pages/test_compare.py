from __future__ import annotations

from dataclasses import replace

from ctxpriv.context import Approval


def test_without_runs_the_page_says_where_to_go(opened, visit, words):
    app = visit("compare")
    assert not app.exception and not app.error
    assert "There is nothing to compare yet" in words(app)


def test_values_intervals_and_what_is_missing(compared, visit, words):
    app = visit("compare")
    assert not app.exception and not app.error, words(app)
    table = next(d.value for d in app.dataframe if "metric" in d.value.columns)
    mauve = table.iloc[0]
    assert (
        mauve["SDG-CI"] == "0.700 (0.600 to 0.800)"
        and mauve["MAPLE"] == "not computed: needs 40 records, has 3"
    )
    assert "mauve not computed for MAPLE: needs 40 records, has 3" in words(app)
    assert "curator only" in " ".join(str(m.value) for m in app.markdown)


def test_the_charts_are_there(compared, visit):
    app = visit("compare")
    assert len(app.get("plotly_chart")) == 1 and len(app.get("vega_lite_chart")) >= 2


def test_released_text_is_never_markdown(compared, visit):
    app = visit("compare")
    assert any("![x](http://example.invalid" in t.value for t in app.text)
    drawn = [*app.markdown, *app.caption, *app.info, *app.warning]
    assert not [m for m in drawn if "![x](http" in str(m.value)]


def test_runs_under_another_partition_do_not_stand_beside(compared, visit, words):
    workspace, key = compared
    state = workspace.state(key)
    workspace.save_state(
        key, state.with_partition(state.partitions["vendor"].moved("town", "public")), "flip"
    )
    app = visit("compare")
    assert "There is nothing to compare yet" in words(app) and "Undo the change" in words(app)


def test_an_old_approval_without_the_reason_that_is_due_now_exports_nothing(compared, visit, words):
    workspace, key = compared
    state = workspace.state(key)
    bare = replace(state.partitions["vendor"], approval=Approval("A. Reviewer", "2026-11-29"))
    workspace.save_state(key, state.with_partition(bare), "as approved by an earlier version")
    app = visit("compare")
    app.button(key="make_bundle").click().run()
    assert "Write why you approve despite" in words(app)
    assert not list((workspace.root / "exports").rglob("*.zip"))


def test_what_may_not_leave_is_not_offered(compared, visit, words):
    workspace, key = compared
    app = visit("compare")
    app.button(key="make_bundle").click().run()
    assert "is not in the ledger" in words(app)
