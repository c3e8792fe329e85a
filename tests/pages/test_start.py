from __future__ import annotations


def test_empty_workspace_points_to_the_corpus(workspace, visit, words):
    app = visit()
    assert not app.exception and app.title[0].value == "Who is asking?"
    assert "Choose a sample or upload" in words(app)
    app.button(key="go_corpus").click().run()
    assert app.title[0].value == "Corpus"


def test_the_next_step_follows_what_is_done(opened, visit, words, tiny_corpus, with_audience):
    workspace, key = opened
    app = visit()
    assert "tiny: 60 records" in words(app)
    assert "1 of them has too many values" in words(app)
    assert [b.key for b in app.button if b.key.startswith("go_")] == ["go_schema"]


def test_says_which_models_are_in_use(workspace, visit, words):
    assert "In use" in words(visit())


def test_undo_and_redo_are_in_the_side_bar(opened, visit, words):
    workspace, key = opened
    workspace.save_state(key, workspace.state(key).with_settings(a=1), "Settings changed")
    app = visit()
    assert app.button(key="undo").disabled is False and app.button(key="redo").disabled is True
    app.button(key="undo").click().run()
    assert workspace.state(key).settings == {} and "Undo: Settings changed" in words(app)
    app.button(key="redo").click().run()
    assert workspace.state(key).settings == {"a": 1}
