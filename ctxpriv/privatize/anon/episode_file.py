"""Episodes as they come, one JSON object a line, found again by record without reading all.

PRIVATE SIDE, CURATOR-ONLY. A record that was worked on again has a further line; the last counts.
A line that a kill cut in half is passed over: its record is done again.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ctxpriv.files import append_line, explained, make_folder
from ctxpriv.privatize.anon.episode import Episode

EPISODES = "episodes.jsonl"
"""The file's name in a run's folder."""


class EpisodeFile:
    """The episodes of one run at `path`; None keeps them in memory (notebooks, tests)."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._lines: list[bytes] = []

    def append(self, episode: Episode) -> None:
        """Kept durably when this returns. Raises WorkspaceFailed on a full disk."""
        line = json.dumps(episode.to_dict(), ensure_ascii=False).encode("utf-8", "backslashreplace")
        if self.path is None:
            self._lines.append(line + b"\n")
            return
        make_folder(self.path.parent)
        with explained(self.path):
            append_line(self.path, line)

    def __iter__(self) -> Iterator[Episode]:
        """The last episode of every record, by row; one is in memory at a time."""
        index = self._index()
        if index:
            with self._opened() as file:
                for offset in index.values():
                    yield _read(file, offset)

    def of(self, row: int) -> Episode | None:
        """The last episode of one record."""
        offset = self._index().get(row)
        if offset is None:
            return None
        with self._opened() as file:
            return _read(file, offset)

    def rows(self) -> tuple[int, ...]:
        return tuple(self._index())

    def _index(self) -> dict[int, int]:
        """row -> where its last line begins, in order of rows."""
        found, offset = {}, 0
        for line in self._raw():
            with suppress(ValueError, KeyError, TypeError):
                found[int(json.loads(line)["row"])] = offset
            offset += len(line)
        return dict(sorted(found.items()))

    def _raw(self) -> Iterator[bytes]:
        if self.path is None:
            yield from self._lines
        elif self.path.exists():
            with explained(self.path), open(self.path, "rb") as file:
                yield from file

    def _opened(self) -> BinaryIO:
        if self.path is None:
            return io.BytesIO(b"".join(self._lines))
        with explained(self.path):
            return self.path.open("rb")


def _read(file: BinaryIO, offset: int) -> Episode:
    file.seek(offset)
    return Episode.from_dict(json.loads(file.readline()))
