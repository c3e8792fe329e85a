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


@pytest.mark.parametrize("page", ["", "corpus", "schema", "audiences", "privatize", "compare"])
def test_no_page_draws_a_name_as_markdown(workspace, tiny_corpus, with_audience, visit, double_roles, page):
    corpus = tiny_corpus(name=HOSTILE)
    corpus = described(corpus, {"town": (HOSTILE, HOSTILE), "topic": ("topic", HOSTILE)})
    key = workspace.add_corpus(replace(corpus, name=HOSTILE))
    state = with_audience(workspace.state(key), workspace.corpus(key), HOSTILE, approved=True)
    state = state.with_audience(replace(state.audience(HOSTILE), name="b", purpose=HOSTILE))
    workspace.save_state(key, state, HOSTILE)
    app = visit(page)
    assert not app.exception and not app.error
    found = [(kind, text) for kind, text in drawn_as_markdown(app._tree) if "example" in text]
    bad = [(kind, text[:300]) for kind, text in found if "![x](http" in text or "<b>bold" in text]
    assert not bad
    assert found or page in ("", "privatize", "compare")
