"""Answers and embeddings cached by content, so that asking again costs nothing.

The file lies in the workspace (mode 0600): answers of a model may repeat private text. Each
answer is written the moment it is final and survives a cancel or a kill; failures are never
kept, so that a resumed run asks for them again. Keys are hashes; prompts are not stored.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from ctxpriv.files import WorkspaceFailed, explain
from ctxpriv.models.base import (
    Answer,
    AnswersAsTheyCome,
    Embedder,
    LanguageModel,
    ModelIdentity,
    Prompt,
    Speed,
)
from ctxpriv.models.pool import ignore
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

CHUNK = 16
"""Prompts per call of a model that cannot hand over its answers one by one."""

EMBED_CHUNK = 512
LOOKUP = 500  # keys per query; SQLite allows 999 and more

_TABLES = """
CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, text TEXT NOT NULL, parsed TEXT,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, attempts INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
"""


class _Store:
    """One SQLite file; safe for many threads here and for other processes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._explained():
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            os.chmod(self.path, 0o600)  # SQLite gives its side files the same mode
            self._db = sqlite3.connect(self.path, timeout=30.0, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_TABLES)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turns trouble with the file into a message."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "full" in str(error):
                raise explain(OSError(errno.ENOSPC, "full"), self.path) from None
            raise WorkspaceFailed(
                f"{self.path.name} cannot be used as a cache of model answers. "
                "Delete it (only time is lost) or check the rights of its folder."
            ) from None
        except OSError as error:
            raise explain(error, self.path) from None

    def rows(self, table: str, keys: Sequence[bytes]) -> dict[bytes, tuple]:
        """The rows of `keys` that are there, by key."""
        found: dict[bytes, tuple] = {}
        for start in range(0, len(keys), LOOKUP):
            some = list(keys[start : start + LOOKUP])
            marks = ",".join("?" * len(some))
            with self._lock, self._explained():
                for row in self._db.execute(f"SELECT * FROM {table} WHERE key IN ({marks})", some):
                    found[row[0]] = row[1:]
        return found

    def put(self, table: str, rows: Iterable[tuple]) -> None:
        rows = list(rows)
        if not rows:
            return
        marks = ",".join("?" * len(rows[0]))
        with self._lock, self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _hash(*parts: object) -> bytes:
    text = json.dumps(parts, ensure_ascii=False, default=dict)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class CachedModel:
    """A `LanguageModel` that asks `model` only what `path_to_sqlite` does not hold.

    The key is the model's identity and context size and every field of the prompt.
    Raises WorkspaceFailed when the file cannot be read or written, DiskFull on a full disk.
    """

    def __init__(self, model: LanguageModel, path_to_sqlite: str | Path) -> None:
        self._model, self._store = model, _Store(path_to_sqlite)

    @property
    def identity(self) -> ModelIdentity:
        return self._model.identity

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def speed(self) -> Speed:
        """Of the model behind the cache."""
        return self._model.speed()

    def close(self) -> None:
        self._store.close()

    def count_missing(self, prompts: Sequence[Prompt]) -> int:
        """How many distinct prompts would be asked: what a plan shows as its model calls."""
        keys = {self._key(prompt) for prompt in prompts}
        return len(keys) - len(self._store.rows("answers", list(keys)))

    def complete(
        self,
        prompts: Sequence[Prompt],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
        stage: str = "model calls",
    ) -> list[Answer]:
        """See `LanguageModel`; equal prompts are asked once. Answers from the file have `cached`."""
        return self.complete_each(prompts, ignore, progress=progress, cancel=cancel, stage=stage)

    def complete_each(
        self,
        prompts: Sequence[Prompt],
        on_answer: Callable[[int, Answer], None],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
        stage: str = "model calls",
    ) -> list[Answer]:
        """See `AnswersAsTheyCome`."""
        cancel.check()
        keys = [self._key(prompt) for prompt in prompts]
        known = {
            key: _answer(row) for key, row in self._store.rows("answers", list(dict.fromkeys(keys))).items()
        }
        places: dict[bytes, list[int]] = {}
        for index, key in enumerate(keys):
            places.setdefault(key, []).append(index)
        answers: list[Answer] = [Answer(failure="server error")] * len(prompts)
        done = 0

        def settle(key: bytes, answer: Answer) -> None:
            nonlocal done
            for index in places[key]:
                answers[index] = answer
                on_answer(index, answer)
                done += 1
            progress(stage, done, len(prompts))

        for key, answer in known.items():
            settle(key, answer)
        missing = [key for key in places if key not in known]

        def arrived(number: int, answer: Answer) -> None:
            if answer.ok:
                self._store.put("answers", [_row(missing[number], answer)])
            settle(missing[number], answer)

        asked = [prompts[places[key][0]] for key in missing]
        if asked:
            _ask(self._model, asked, arrived, cancel, stage)
        return answers

    def _key(self, prompt: Prompt) -> bytes:
        return _hash(
            "answer",
            self._model.identity.to_dict(),
            self._model.context_tokens,
            {**asdict(replace(prompt, schema=None)), "schema": prompt.schema},
        )


def _ask(
    model: LanguageModel,
    prompts: Sequence[Prompt],
    arrived: Callable[[int, Answer], None],
    cancel: CancelToken,
    stage: str,
) -> None:
    """Calls `arrived` for each answer as early as the model allows."""
    if isinstance(model, AnswersAsTheyCome):
        model.complete_each(prompts, arrived, cancel=cancel, stage=stage)
        return
    for start in range(0, len(prompts), CHUNK):
        chunk = prompts[start : start + CHUNK]
        for offset, answer in enumerate(model.complete(chunk, cancel=cancel, stage=stage)):
            arrived(start + offset, answer)


def _row(key: bytes, answer: Answer) -> tuple:
    parsed = None if answer.parsed is None else json.dumps(answer.parsed)
    return key, answer.text, parsed, answer.prompt_tokens, answer.completion_tokens, answer.attempts


def _answer(row: tuple) -> Answer:
    text, parsed, prompt_tokens, completion_tokens, attempts = row
    return Answer(
        text=text,
        parsed=None if parsed is None else json.loads(parsed),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        attempts=attempts,
        cached=True,
    )


class CachedEmbedder:
    """An `Embedder` that computes each text's vector once per model and file."""

    def __init__(self, embedder: Embedder, path: str | Path) -> None:
        self._embedder, self._store = embedder, _Store(path)

    @property
    def identity(self) -> ModelIdentity:
        return self._embedder.identity

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def close(self) -> None:
        self._store.close()

    def embed(
        self, texts: Sequence[str], *, progress: Progress = silent, cancel: CancelToken = NEVER
    ) -> np.ndarray:
        """Float32 unit vectors (n, dimension). Written per chunk, so that a cancel loses little."""
        cancel.check()
        keys = [_hash("vector", self.identity.to_dict(), text) for text in texts]
        rows = self._store.rows("vectors", list(dict.fromkeys(keys)))
        vectors = {key: np.frombuffer(row[0], dtype="<f4") for key, row in rows.items()}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        # Longest first over all, not only within a chunk: alike lengths waste least padding.
        order = sorted(missing, key=lambda key: -len(missing[key]))
        for start in range(0, len(order), EMBED_CHUNK):
            progress("embed texts", len(texts) - len(order) + start, len(texts))
            chunk = order[start : start + EMBED_CHUNK]
            fresh = self._embedder.embed([missing[key] for key in chunk], cancel=cancel).astype("<f4")
            self._store.put("vectors", [(key, row.tobytes()) for key, row in zip(chunk, fresh, strict=True)])
            vectors.update(zip(chunk, fresh, strict=True))
        progress("embed texts", len(texts), len(texts))
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([vectors[key] for key in keys]).astype(np.float32)
