from __future__ import annotations


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
    assert set(state.partitions["Lab"].public) | set(state.partitions["Lab"].private) == {
        "topic",
        "town",
        "job",
    }
    assert state.approved == ()


def test_flipping_a_cell_voids_the_approval(opened, visit, words, with_audience):
    workspace, key = opened
    workspace.save_state(key, with_audience(workspace.state(key), workspace.corpus(key), approved=True), "x")
    app = visit("audiences")
    assert "Approved by A. Reviewer" in words(app)
    app.button(key="cell_1_0").click().run()
    state = workspace.state(key)
    assert "town" in state.partitions["vendor"].public and state.approved == ()
    assert "approval for vendor is void" in words(app)
    assert app.button(key="cell_1_0").label == "Public \\*"


def test_approving_needs_a_name(opened, visit, words, with_audience):
    workspace, key = opened
    workspace.save_state(key, with_audience(workspace.state(key), workspace.corpus(key)), "x")
    app = visit("audiences")
    app.button(key="approve").click().run()
    assert "Write your name" in words(app) and workspace.state(key).approved == ()
    app.text_input(key="approve_name").set_value("B. Checker")
    app.button(key="approve").click().run()
    approval = workspace.state(key).partitions["vendor"].approval
    assert approval.name == "B. Checker" and approval.date


def test_nothing_private_is_warned_about(opened, visit, words, with_audience):
    workspace, key = opened
    state = with_audience(workspace.state(key), workspace.corpus(key))
    for name in ("town", "job"):
        state = state.with_partition(state.partitions["vendor"].flipped(name))
    workspace.save_state(key, state, "x")
    assert "Nothing is private for vendor" in words(visit("audiences"))


def test_presets_of_the_samples_are_offered(workspace, visit, words):
    from ctxpriv.loaders.samples import load_sample

    workspace.add_corpus(load_sample("forum"))
    app = visit("audiences")
    assert not app.error and len(app.dataframe) + len(app.get("data_editor")) >= 1
