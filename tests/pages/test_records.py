"""The record view: who sees what of an episode, and that no text ever acts."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from ctxpriv.privacy.guarantee import empirical
from ctxpriv.privatize.anon.episode import (
    MODEL_FAILED,
    SAFE_AND_USEFUL,
    SAFE_SOME_LOST,
    UNSAFE,
    Decision,
    Episode,
    Round,
)
from ctxpriv.privatize.anon.episode_file import EPISODES, EpisodeFile
from ctxpriv.privatize.release import Release
from ctxpriv.run_store import RunFolder
from ctxpriv.word_diff import Segment, word_diff

HOSTILE = "![x](http://example.invalid/x.png) <img src=x onerror=alert(1)> <b>bold</b> `code` $x$ </div>"
TOLD = (Decision("town", "Bonn", "Bonn", True, "same words", 1.0),)
HIDDEN = (
    Decision("town", "Ulm", "Bonn", False, "another value"),
    Decision("job", "", "job 01", False, "no guess"),
)
TOPIC = (Decision("topic", "work", "work", True, "same words", 1.0),)


def original(text: str = "I live in Bonn and work hard.") -> Round:
    spans = {"town": ("Bonn",)} if "Bonn" in text else {}
    return Round(0, text, privacy=TOLD, spans=spans, leaked=("town",), utility=TOPIC, kept=("topic",))


def episodes() -> list[Episode]:
    safe = Round(2, "I live in a town and work hard.", privacy=HIDDEN, utility=TOPIC, kept=("topic",))
    town = {"town": ("Bonn",)}
    leaks = Round(
        1, "I live near Bonn and work.", privacy=TOLD, spans=town, leaked=("town",), kept=("topic",)
    )
    missed = (Decision("topic", "home", "work", False, "another value"),)
    lost = Round(1, "Hello.", privacy=HIDDEN, utility=missed, lost=("topic",), added=(("town", "Ulm"),))
    hostile = Round(1, f"{HOSTILE} again", privacy=HIDDEN, spans={"<i>town</i>": ("<b>bold</b>",)})
    return [
        Episode(0, "r0", (original(), leaks, safe), 2, SAFE_AND_USEFUL, seconds=1.5),
        Episode(1, "r1", (original(), leaks), 1, UNSAFE),
        Episode(2, "r2", (original(), lost), 1, SAFE_SOME_LOST),
        Episode(3, "r3", (original(), Round(1, "", "cut off")), None, MODEL_FAILED, "cut off"),
        Episode(4, "<b>r4</b>", (original(HOSTILE), hostile), 1, SAFE_AND_USEFUL),
    ]


@pytest.fixture
def rewritten(approved):
    """(workspace, key) with one finished run of ANON-CI over five records, and one unfinished."""
    workspace, key = approved
    corpus, partition = workspace.corpus(key), workspace.state(key).partitions["vendor"]
    found = episodes()
    kept = [e for e in found if e.released]
    release = Release(
        "ANON-CI", "vendor", partition, {}, empirical("ANON-CI"),
        pd.DataFrame({"text": [e.released.text for e in kept]}), 5, origin=tuple(e.row for e in kept),
    )  # fmt: skip
    store(workspace, key, corpus.digest, "c" * 20, found, release)
    store(workspace, key, corpus.digest, "d" * 20, found[:1], None)
    return workspace, key


def store(workspace, key, digest, run_id, found, release) -> None:
    folder = RunFolder(workspace.run_folder(run_id))
    meta = {"run_id": run_id, "corpus_key": key, "digest": digest, "method": "ANON-CI", "config": {}}
    folder.work.begin(meta | {"epsilon": None, "audience": "vendor", "seed": 0})
    file = EpisodeFile(folder.path / EPISODES)
    for episode in found:
        file.append(episode)
    if release is None:
        folder.work.end("cancelled")
    else:
        folder.save_release(release)
        folder.work.end("done")


def open_run(app):
    """The finished run, whichever of the two was begun last."""
    run = next(b for b in app.selectbox if b.label == "Run")
    return run.set_value("c" * 20).run()


def to_record(app, row: int):
    return next(b for b in app.selectbox if b.label == "Record").set_value(row).run()


def shown_html(app) -> str:
    return "\n".join(h.value if hasattr(h, "value") else h.proto.body for h in app.get("html"))


class Tags(HTMLParser):
    """The tags and the visible words of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.words = set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.words += data


def read(page: str) -> Tags:
    tags = Tags()
    tags.feed(re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    return tags


def test_without_rewriting_runs_the_page_says_where_to_go(opened, visit, words):
    app = visit("records")
    assert not app.exception and not app.error
    assert "no record of this corpus, as it is now, was rewritten" in words(app)


def test_the_released_round_is_shown_first(rewritten, visit, words):
    app = open_run(visit("records"))
    assert not app.exception and not app.error, words(app)
    assert "curator only" in words(app)
    assert "5 records: 3 safe, 1 unsafe, 1 withheld." in words(app)
    assert "Released and safe" in words(app) and "Rewrite of round 2" in words(app)
    page = shown_html(app)
    assert "<del>Bonn</del>" in page and "<ins>a town</ins>" in page
    assert '<span class="leaks">town</span>' in page  # what leaked in the original
    assert "another value: The guess is another of the possible values" in words(app)
    assert "no guess: The guess is empty" in words(app)
    assert "The rewrite states no value of the schema" in words(app)


def test_the_round_slider_goes_back_to_the_original(rewritten, visit, words):
    app = open_run(visit("records"))
    slider = next(s for s in app.select_slider if s.label == "Round")
    assert slider.value == 2
    slider.set_value(1).run()
    assert "Rewrite of round 1" in words(app) and "| leaked |" in words(app)
    assert shown_html(app).count('<span class="leaks">town</span>') == 2  # on both sides
    next(s for s in app.select_slider if s.label == "Round").set_value(0).run()
    assert "Rewrite of round" not in words(app)
    assert "<del>" not in shown_html(app)


def test_filters_and_what_they_remember(rewritten, visit, words):
    app = open_run(visit("records"))
    show = next(s for s in app.get("button_group"))
    show.set_value("withheld").run()
    assert "this record is not in the release" in words(app) and "cut off" in words(app)
    assert "There is no usable rewrite in this round" in words(app)
    app.switch_page("pages/compare.py").run()
    app.switch_page("pages/records.py").run()
    assert "this record is not in the release" in words(app)
    next(s for s in app.get("button_group")).set_value("lost public values").run()
    assert "The rewrite says what the original does not." in words(app) and "| lost |" in words(app)
    app.multiselect[0].set_value(["town"]).run()
    assert "No record of this run is like that" in words(app)
    next(s for s in app.get("button_group")).set_value("unsafe").run()
    assert "Released although unsafe" in words(app)


def test_stepping_and_order(rewritten, visit, words):
    app = open_run(visit("records"))
    assert next(b for b in app.selectbox if b.label == "Record").value == 0
    app.button(key="records_after").click().run()
    assert next(b for b in app.selectbox if b.label == "Record").value == 1
    next(b for b in app.selectbox if b.label == "Order").set_value("most lost first").run()
    assert next(b for b in app.selectbox if b.label == "Record").value == 1
    grid = next(d.value for d in app.dataframe if "standing" in d.value.columns)
    assert list(grid["record"])[0] == "r2" and list(grid["standing"]).count("withheld") == 1


def test_a_run_without_a_release_shows_what_it_has(rewritten, visit, words):
    app = visit("records")
    next(b for b in app.selectbox if b.label == "Run").set_value("d" * 20).run()
    assert "1 record: 1 safe, 0 unsafe, 0 withheld. The run is cancelled" in words(app)
    assert "Chosen for release and safe" in words(app)


def test_hostile_texts_names_and_values_never_act(rewritten, visit):
    app = to_record(open_run(visit("records")), 4)
    assert not app.exception and not app.error
    seen = read(shown_html(app))
    assert seen.tags <= {"div", "span", "del", "ins"}
    assert HOSTILE in seen.words and "<i>town</i>" in seen.words
    drawn = [*app.markdown, *app.caption, *app.info, *app.warning, *app.success, *app.error]
    assert not [m for m in drawn if "![x](" in str(m.value) or "<b>" in str(m.value)]


def test_marking_loses_no_character(rewritten):
    from pages.parts.records_text import marked

    before, after = f"{HOSTILE} in Bonn, Bonn", f"{HOSTILE} in a town & Bonn"
    segments = [s for s in word_diff(before, after) if s.kind != "removed"]
    page = marked(segments, {"town": ("Bonn", "town & Bonn"), "x": ("<b>",), "y": ("",)})
    bare = re.sub(r'<span class="leaks">.*?</span>', "", page)
    assert html.unescape(re.sub(r"<[^>]*>", "", bare)) == after
    assert page.count('<span class="leaks">town</span>') == 1  # the shorter span lies inside the longer
    assert marked([Segment("same", "")], {}) == '<div class="record" dir="auto"></div>'


def test_a_long_list_comes_in_pages(approved, visit, words):
    workspace, key = approved
    found = [Episode(i, f"r{i}", (original(), Round(1, f"Text {i}.")), 1, SAFE_AND_USEFUL) for i in range(25)]
    store(workspace, key, workspace.corpus(key).digest, "e" * 20, found, None)
    app = visit("records")
    assert "Page 1 of 3. 25 records; the one below" in words(app)
    next(n for n in app.number_input if n.label == "Page").set_value(3).run()
    assert "Page 3 of 3" in words(app)
    assert next(b for b in app.selectbox if b.label == "Record").value == 20
    grid = next(d.value for d in app.dataframe if "standing" in d.value.columns)
    assert len(grid) == 5
