"""Values read out of the texts, and the second reader."""

from __future__ import annotations

import threading

import pytest

from ctxpriv.edits import with_attributes
from ctxpriv.models.base import Answer
from ctxpriv.schema import Attribute
from pages.parts import extraction, second_reader


def first_values(prompt):
    """A model that always takes the first value of every list."""
    return {name: field["enum"][0] for name, field in prompt.schema["properties"].items()}


def by_town(prompt):
    """A model that reads the town and the topic, which the texts say."""
    said = prompt.user.split("Text:")[1]
    return {
        name: next((v for v in field["enum"] if v in said), field["enum"][-1])
        for name, field in prompt.schema["properties"].items()
    }


@pytest.fixture
def tab(opened, visit):
    """The Extract tab with `town` and `topic` to be read; (app, workspace, key)."""
    workspace, key = opened
    app = visit("schema")
    app.session_state["schema_tab"] = "Extract values"
    app.run()
    app.multiselect(key="extract_names").set_value(["topic", "town"]).run()
    return app, workspace, key


def test_values_are_read_shown_with_their_figures_and_accepted(tab, scripted_models, ended, words):
    app, workspace, key = tab
    model = scripted_models(by_town)
    app.button(key="extract").click().run()
    app = ended(app, key, "extract")
    assert not app.error and not app.exception, words(app)
    assert "2 attributes of 60 records; 0 records failed, 0 retries" in words(app)
    assert "Read by scripted test double: 60 texts" in words(app) and len(model.prompts) == 60
    figures = next(d.value for d in app.dataframe if "weak" in d.value)
    assert list(figures["attribute"]) == ["topic", "town"] and figures["signal"][0] == 1.0
    app.button(key="accept_values").click().run()
    assert not app.error and workspace.history(key)[-1][1] == "Extracted values accepted"


def test_failures_are_told_by_reason_and_what_is_outside_is_counted(tab, scripted_models, ended, words):
    app, _, key = tab
    scripted_models(
        lambda p: (
            Answer(failure="cut off", attempts=3)
            if "number 7." in p.user
            else {"topic": "work", "town": "Atlantis"}
        )
    )
    app.button(key="extract").click().run()
    app = ended(app, key, "extract")
    assert "1 record failed, 2 retries" in words(app) and "cut off (1)" in words(app)
    assert "59 answers were outside the list" in words(app)
    figures = next(d.value for d in app.dataframe if "weak" in d.value).set_index("attribute")
    assert figures.loc["town", "outside"] == 59
    assert "98% of the answers were outside its list" in figures.loc["town", "weak"]


def test_when_nothing_could_be_read_the_page_says_why(tab, scripted_models, ended, words):
    app, _, key = tab
    scripted_models(lambda p: Answer(failure="not JSON"))
    app.button(key="extract").click().run()
    app = ended(app, key, "extract")
    assert not app.exception and "could read none of 60 texts: not JSON (60)" in words(app)


def test_the_same_model_reads_again_and_a_habit_is_found_out(tab, scripted_models, ended, words):
    app, _, key = tab
    scripted_models(first_values)
    app.button(key="extract").click().run()
    app = ended(app, key, "extract")
    app.button(key="read_again").click().run()
    app = ended(app, key, second_reader.STEP)
    assert not app.error, words(app)
    assert "Compared with the values just extracted" in words(app)
    agreed = next(d.value for d in app.dataframe if "left out" in d.value).set_index("attribute")
    assert agreed.loc["town", "read"] == 50 and agreed.loc["town", "agree"] < 0.6
    assert "agree little better than by chance" in words(app)


def test_the_table_is_compared_where_nothing_waits(tab, scripted_models, ended, words):
    app, _, key = tab
    scripted_models(by_town)
    app.number_input(key="second_size").set_value(20)
    app.button(key="read_again").click().run()
    app = ended(app, key, second_reader.STEP)
    assert "20 records" in words(app) and "Compared with the values in the table" in words(app)
    agreed = next(d.value for d in app.dataframe if "left out" in d.value).set_index("attribute")
    assert agreed.loc["topic", "kappa values"] == 1.0  # the texts say their topic


def test_the_local_classifier_reads_only_what_it_did_not_learn_from(
    tab, double_roles, monkeypatch, ended, words
):
    from ctxpriv import casting

    app, workspace, key = tab
    monkeypatch.setattr(
        casting._Company, "__post_init__", lambda self: setattr(self, "embedder", double_roles.embedder)
    )
    app.segmented_control(key="second_way").set_value(second_reader.LOCAL).run()
    n_other = int((workspace.corpus(key).splits != "donated").sum())
    assert app.number_input(key="second_size").max == n_other
    app.button(key="read_again").click().run()
    app = ended(app, key, second_reader.STEP)
    assert not app.error, words(app)
    assert "logistic regression" in words(app)
    app.segmented_control(key="extract_player").set_value(extraction.BY_CLASSIFIER).run()
    app.button(key="extract").click().run()
    app = ended(app, key, "extract")
    assert "would agree with itself" in words(app) and app.button(key="read_again").disabled


def test_another_model_is_asked_by_name_and_a_wrong_name_is_refused(tab, scripted_models, ended, words):
    app, _, key = tab
    app.segmented_control(key="second_way").set_value(second_reader.OTHER).run()
    app.text_input(key="second_model").set_value("nonsense").run()
    app.button(key="read_again").click().run()
    app = ended(app, key, second_reader.STEP)
    assert any("names no language model" in e.value.replace("\\", "") for e in app.error)


def test_a_reading_can_be_cancelled(tab, scripted_models, ended, words):
    app, workspace, key = tab
    begun, go = threading.Event(), threading.Event()

    def slow(prompt):
        begun.set()
        go.wait(10)
        return by_town(prompt)

    scripted_models(slow)
    app.button(key="extract").click().run()
    assert begun.wait(10)
    app.run()
    app.button(key="cancel_step_extract").click().run()
    go.set()
    app = ended(app, key, "extract")
    assert "was cancelled" in words(app) and len(workspace.history(key)) == 1


def test_a_changed_corpus_makes_waiting_values_stale(tab, scripted_models, ended, words):
    app, workspace, key = tab
    scripted_models(by_town)
    app.button(key="extract").click().run()
    app = ended(app, key, "extract")
    changed = with_attributes(workspace.corpus(key), [Attribute("mood", ("good", "bad"))])
    workspace.save_corpus(key, changed, "elsewhere")
    app.run()
    assert "has changed since these values were extracted" in words(app)
