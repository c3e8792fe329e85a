from __future__ import annotations


def test_without_a_corpus_a_sample_can_be_opened(workspace, visit, words):
    app = visit("corpus")
    assert not app.exception and not app.error
    assert "Add a corpus" in words(app)
    app.button(key="open_sample").click().run()
    assert not app.error, words(app)
    assert [e.name for e in workspace.corpora()] == ["forum"]
    assert "forum is open: 450 records" in words(app)


def test_overview_of_an_open_corpus(opened, visit, words):
    app = visit("corpus")
    assert not app.exception and not app.error, words(app)
    assert {m.label: m.value for m in app.metric}["Records"] == "60"
    assert "curator only" in " ".join(str(m.value) for m in app.markdown)
    shown = app.dataframe[-1].value
    assert list(shown["text"])[0].startswith("I live in")


def test_an_upload_is_mapped_and_added(workspace, visit, words):
    app = visit("corpus")
    app.button_group(key="add_way").set_value("Your own file").run()
    rows = "".join(
        f"note {i} about work and home and more words here,{'a' if i % 2 else 'b'},p{i // 2}\n"
        for i in range(30)
    )
    app.file_uploader(key="upload").upload("my notes.csv", ("text,kind,author\n" + rows).encode(), "text/csv")
    app.run()
    assert not app.error, words(app)
    assert app.selectbox(key="map_text").value == "text" and app.selectbox(key="map_author").value == "author"
    app.button(key="add_table").click().run()
    assert [e.n_records for e in workspace.corpora()] == [30], words(app)


def test_a_bad_file_is_a_message_and_nothing_is_kept(workspace, visit, words):
    app = visit("corpus")
    app.button_group(key="add_way").set_value("Your own file").run()
    app.file_uploader(key="upload").upload("bad.csv", b"text,kind\n\xff\xfe\xfa,a\n", "text/csv")
    app.run()
    assert not app.exception and len(app.error) == 1
    assert "bad.csv, line 2: is not UTF-8" in words(app)
    assert workspace.corpora() == []


def test_dividing_again_moves_whole_authors(opened, visit, words):
    workspace, key = opened
    before = workspace.corpus(key).splits.tolist()
    app = visit("corpus")
    app.number_input(key="again_seed").set_value(7).run()
    app.button(key="divide").click().run()
    corpus = workspace.corpus(key)
    assert corpus.splits.tolist() != before
    of_author = {}
    for author, split in zip(corpus.authors, corpus.splits, strict=True):
        of_author.setdefault(author, set()).add(split)
    assert all(len(splits) == 1 for splits in of_author.values())


def test_removing_needs_a_tick(opened, visit, words):
    workspace, _ = opened
    app = visit("corpus")
    assert app.button(key="remove").disabled
    app.checkbox(key="sure_remove").check().run()
    app.button(key="remove").click().run()
    assert workspace.corpora() == [] and "was removed" in words(app)
