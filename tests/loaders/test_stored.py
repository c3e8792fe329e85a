from __future__ import annotations

from pathlib import Path

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.loaders import stored
from ctxpriv.loaders.samples import load_sample
from ctxpriv.loaders.stored import load_corpus, save_corpus


@pytest.mark.parametrize("name", ["forum", "biomed"])
def test_a_corpus_comes_back_whole(tmp_path, name) -> None:
    corpus = load_sample(name)
    save_corpus(corpus, tmp_path / "deep" / "c")
    back = load_corpus(tmp_path / "deep" / "c")
    assert back.digest == corpus.digest and back.facts() == corpus.facts()
    assert (back.ids, back.texts, back.authors, back.label) == (
        corpus.ids,
        corpus.texts,
        corpus.authors,
        corpus.label,
    )
    assert back.schema == corpus.schema and back.context == corpus.context and back.table.equals(corpus.table)
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["c"]


def test_saving_again_replaces_and_a_failure_keeps_the_old(tmp_path, monkeypatch) -> None:
    first, second = load_sample("reviews"), load_sample("complaints")
    save_corpus(first, tmp_path / "c")

    def disk_full(self: Path, *args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", disk_full)
        with pytest.raises(BadInput, match="No space left"):
            save_corpus(second, tmp_path / "c")
    assert load_corpus(tmp_path / "c").digest == first.digest
    assert [p.name for p in tmp_path.iterdir()] == ["c"]
    save_corpus(second, tmp_path / "c")
    assert load_corpus(tmp_path / "c").digest == second.digest
    assert [p.name for p in tmp_path.iterdir()] == ["c"]


def test_a_replacement_cut_between_its_renames_is_undone(tmp_path) -> None:
    corpus = load_sample("reviews")
    save_corpus(corpus, tmp_path / "c")
    (tmp_path / "c").rename(stored._old(tmp_path / "c"))
    assert load_corpus(tmp_path / "c").digest == corpus.digest


def test_missing_broken_and_edited_folders_are_told_apart(tmp_path) -> None:
    with pytest.raises(BadInput, match="no stored corpus"):
        load_corpus(tmp_path / "c")
    save_corpus(load_sample("reviews"), tmp_path / "c")
    meta = tmp_path / "c" / stored.META
    text = meta.read_text("utf-8")
    meta.write_text(text.replace('"label": "rating"', '"label": "business_category"'), "utf-8")
    with pytest.raises(BadInput, match="changed outside"):
        load_corpus(tmp_path / "c")
    meta.write_text(text[:50], "utf-8")
    with pytest.raises(BadInput, match="cannot be read"):
        load_corpus(tmp_path / "c")
