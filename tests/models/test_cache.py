from __future__ import annotations

import os
import stat
import threading
from dataclasses import replace

import numpy as np
import pytest

from ctxpriv.files import DiskFull, WorkspaceFailed
from ctxpriv.models.base import Answer, ModelIdentity, Prompt, Speed
from ctxpriv.models.cache import CHUNK, CachedEmbedder, CachedModel
from ctxpriv.progress import NEVER, Cancelled, CancelToken, silent


class CountingModelDouble:
    """Answers with the prompt in capitals; "[bad]" fails; `asked` counts."""

    context_tokens = 100

    def __init__(self, name="double", fail_after=None):
        self.identity = ModelIdentity("local", name)
        self.asked, self.fail_after = [], fail_after

    def complete(self, prompts, *, progress=silent, cancel=NEVER, stage="model calls"):
        answers = []
        for prompt in prompts:
            cancel.check()
            self.asked.append(prompt)
            bad = "[bad]" in prompt.user
            answers.append(
                Answer(failure="empty")
                if bad
                else Answer(
                    text=prompt.user.upper(), parsed={"n": 1} if prompt.schema else None, completion_tokens=2
                )
            )
        return answers

    def count_tokens(self, text):
        return len(text.split())

    def speed(self):
        return Speed(1.0, 1)


class HandingModelDouble(CountingModelDouble):
    """Hands answers over one by one and breaks down after `fail_after` of them."""

    def complete_each(self, prompts, on_answer, *, progress=silent, cancel=NEVER, stage="model calls"):
        for index, prompt in enumerate(prompts):
            if index == self.fail_after:
                raise KeyboardInterrupt
            on_answer(index, self.complete([prompt], cancel=cancel)[0])


class CountingEmbedderDouble:
    dimension = 3

    def __init__(self):
        self.identity, self.seen = ModelIdentity("local", "e"), []

    def embed(self, texts, *, progress=silent, cancel=NEVER):
        cancel.check()
        self.seen += texts
        rows = np.array([[len(text), 1, 2] for text in texts], dtype=np.float32).reshape(-1, 3)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.sqlite"


def _prompts(n):
    return [Prompt(user=f"number {i}", seed=i) for i in range(n)]


def test_second_time_costs_no_call_even_in_a_new_process(path):
    model = CountingModelDouble()
    first = CachedModel(model, path).complete([Prompt(user="a", schema={"type": "object"}), Prompt(user="b")])
    again = CachedModel(CountingModelDouble(), path)
    second = again.complete([Prompt(user="a", schema={"type": "object"}), Prompt(user="b")])
    assert again._model.asked == []
    assert [replace(answer, cached=False) for answer in second] == first and all(a.cached for a in second)


@pytest.mark.parametrize(
    "change",
    [
        {"user": "B"},
        {"system": "s"},
        {"schema": {"type": "string"}},
        {"max_tokens": 9},
        {"temperature": 0.5},
        {"seed": 4},
        {"allow_cut": True},
    ],
)
def test_every_field_of_a_prompt_counts(path, change):
    cached = CachedModel(CountingModelDouble(), path)
    cached.complete([Prompt(user="a")])
    assert not cached.complete([replace(Prompt(user="a"), **change)])[0].cached


def test_model_and_context_size_count(path):
    CachedModel(CountingModelDouble(), path).complete([Prompt(user="a")])
    other, wider = CountingModelDouble("other"), CountingModelDouble()
    wider.context_tokens = 200
    assert not CachedModel(other, path).complete([Prompt(user="a")])[0].cached
    assert not CachedModel(wider, path).complete([Prompt(user="a")])[0].cached


def test_failures_are_never_kept(path):
    cached = CachedModel(CountingModelDouble(), path)
    assert [a.failure for a in cached.complete([Prompt(user="[bad]"), Prompt(user="a")])] == ["empty", ""]
    assert cached.count_missing([Prompt(user="[bad]"), Prompt(user="a")]) == 1


def test_equal_prompts_are_asked_once(path):
    cached = CachedModel(CountingModelDouble(), path)
    answers = cached.complete([Prompt(user="a"), Prompt(user="b"), Prompt(user="a")])
    assert len(cached._model.asked) == 2 and [a.text for a in answers] == ["A", "B", "A"]


def test_progress_counts_cached_answers_as_done(path):
    cached, calls = CachedModel(CountingModelDouble(), path), []
    cached.complete(_prompts(2))
    cached.complete(_prompts(4), progress=lambda stage, done, total: calls.append((done, total)))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("kept", [0, 1, 7])
def test_a_kill_keeps_every_finished_answer(path, kept):
    with pytest.raises(KeyboardInterrupt):
        CachedModel(HandingModelDouble(fail_after=kept), path).complete(_prompts(10))
    assert CachedModel(CountingModelDouble(), path).count_missing(_prompts(10)) == 10 - kept


def test_cancel_keeps_finished_chunks_of_a_model_that_answers_at_once(path):
    cancel = CancelToken()
    cached = CachedModel(CountingModelDouble(), path)
    with pytest.raises(Cancelled):
        cached.complete(_prompts(3 * CHUNK), cancel=cancel, progress=lambda *call: cancel.cancel())
    assert cached.count_missing(_prompts(3 * CHUNK)) == 2 * CHUNK


def test_file_is_private_and_holds_no_prompt(path):
    path.touch(mode=0o644)
    cached = CachedModel(CountingModelDouble(), path)
    cached.complete([Prompt(user="my own secret words")])
    for file in path.parent.iterdir():
        assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    cached.close()
    assert b"my own secret words" not in path.read_bytes()


def test_threads_share_one_cache(path):
    cached = CachedModel(CountingModelDouble(), path)
    threads = [threading.Thread(target=cached.complete, args=(_prompts(50),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cached.count_missing(_prompts(50)) == 0


def test_a_damaged_file_is_a_message(path):
    path.write_text("this is no database, and long enough to be seen as such " * 20)
    with pytest.raises(WorkspaceFailed, match=r"answers\.sqlite"):
        CachedModel(CountingModelDouble(), path)


def test_a_full_disk_is_a_message_and_keeps_what_was_written(path):
    cached = CachedModel(CountingModelDouble(), path)
    cached.complete([Prompt(user="a")])
    pages = cached._store._db.execute("PRAGMA page_count").fetchone()[0]
    cached._store._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFull, match="disk is full"):
        cached.complete([Prompt(user="x" * 100_000)])
    assert cached.complete([Prompt(user="a")])[0].cached


def test_vectors_come_back_bit_for_bit_and_in_order(path):
    inner = CountingEmbedderDouble()
    texts = ["aa", "b", "aa", "cccc"]
    first = CachedEmbedder(inner, path).embed(texts)
    again = CachedEmbedder(inner, path).embed(texts[::-1])
    assert sorted(inner.seen) == ["aa", "b", "cccc"]
    assert first.dtype == again.dtype == np.float32 and np.array_equal(first, again[::-1])
    assert np.array_equal(first, CountingEmbedderDouble().embed(texts))


def test_no_texts_no_vectors(path):
    assert CachedEmbedder(CountingEmbedderDouble(), path).embed([]).shape == (0, 3)
