"""Names that people or models give are shown, never obeyed: Markdown would fetch an image."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctxpriv.edits import described

HOSTILE = "![x](http://example.invalid/x.png) <b>bold</b> $x$"
SHOWN_AS_TEXT = (
    "text",
    "code",
    "selectbox",
    "multiselect",
    "text_input",
    "text_area",
    "dataframe",
    "arrow_data_frame",
    "vega_lite_chart",
    "download_button",
)


def drawn_as_markdown(node):
    """The protobuf text of every element under `node` that draws Markdown."""
    for child in getattr(node, "children", {}).values():
        kind = getattr(child, "type", "")
        if kind not in SHOWN_AS_TEXT and getattr(child, "proto", None) is not None:
            yield kind, str(child.proto)
        yield from drawn_as_markdown(child)


@pytest.fixture
def hostile(workspace, tiny_corpus, with_audience, double_roles):
    """A corpus whose names, descriptions and audiences all carry Markdown; its key."""
    corpus = tiny_corpus(name=HOSTILE)
    corpus = described(corpus, {"town": (HOSTILE, HOSTILE), "topic": ("topic", HOSTILE)})
    key = workspace.add_corpus(replace(corpus, name=HOSTILE))
    state = with_audience(workspace.state(key), workspace.corpus(key), HOSTILE, approved=True)
    state = state.with_audience(replace(state.audience(HOSTILE), name="b", purpose=HOSTILE))
    workspace.save_state(key, state, HOSTILE)
    return key


def obeyed(app):
    """What of the hostile name is drawn as Markdown without escaping."""
    found = [(kind, text) for kind, text in drawn_as_markdown(app._tree) if "example" in text]
    return found, [(kind, text[:300]) for kind, text in found if "![x](http" in text or "<b>bold" in text]


@pytest.mark.parametrize("page", ["", "corpus", "schema", "audiences", "privatize", "compare", "insights"])
def test_no_page_draws_a_name_as_markdown(hostile, visit, page):
    app = visit(page)
    assert not app.exception and not app.error
    found, bad = obeyed(app)
    assert not bad
    assert found or page in ("", "privatize", "compare", "insights")


@pytest.mark.parametrize("tab", ["Values and buckets", "Propose a schema", "Extract values"])
def test_no_tab_of_the_schema_page_draws_a_name_as_markdown(hostile, visit, scripted_models, ended, tab):
    scripted_models(lambda prompt: {"score": 3, "topic": "work"})  # no answer for the hostile attribute
    app = visit("schema")
    app.session_state["schema_tab"] = tab
    app.session_state["values_attribute"] = HOSTILE
    app.run()
    assert not app.exception and not app.error and not obeyed(app)[1]
    if tab == "Extract values":
        app.multiselect(key="extract_names").set_value([HOSTILE, "topic"]).run()
        app.button(key="extract").click().run()
        app = ended(app, hostile, "extract")
    elif tab == "Propose a schema":
        app.button(key="judge").click().run()
        app = ended(app, hostile, "judge schemas")
    found, bad = obeyed(app)
    assert not app.exception and found and not bad


@pytest.mark.parametrize("tab", ["Atoms", "New release", "Results", "Compare", "Experiments"])
def test_no_tab_of_the_insights_page_draws_a_label_as_markdown(
    hostile, workspace, visit, double_roles, monkeypatch, tab
):
    from ctxpriv.insights.experiments import run_experiments
    from ctxpriv.insights.runner import run_insights
    from ctxpriv.insights.study import InsightStudy
    from ctxpriv.privatize.spin.template import TemplateDecoder
    from pages.parts import models

    roles = replace(double_roles, decoder=TemplateDecoder())
    monkeypatch.setattr(models, "roles", lambda choice: roles)
    atoms = [{"label": HOSTILE, "description": HOSTILE}, {"label": "work"}, {"label": "home"}]
    study = InsightStudy.from_dict(
        {
            "kind": "insights",
            "corpus": {"workspace": hostile},
            "atoms": {"list": atoms},
            "measure": {"size": 3},
            "audiences": [{"name": HOSTILE, "withhold": []}],
            "methods": ["DP-SPIN", "Non-private top-L"],
            "epsilon": 100,
        }
    )
    done = run_insights(study, workspace, roles=roles)
    assert not done.failures
    run_experiments(study, [{"experiment": "k", "repeats": 2, "values": [1, 2]}], workspace, roles)
    settings = {"atoms": done.runs[0].measurement.atoms.to_list(), "audience": HOSTILE, "size": 3}
    workspace.save_state(hostile, workspace.state(hostile).with_settings(insights=settings), "atoms")
    app = visit("insights")
    app.session_state["insights_tab"] = tab
    app.run()
    found, bad = obeyed(app)
    assert not app.exception and not app.error and not bad
    assert found or tab != "Results"  # what a sentence rests on is told in a caption
