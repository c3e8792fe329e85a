"""Appending for good: nothing is left of a line for which there was no room."""

from __future__ import annotations

import os
import subprocess
import sys

from ctxpriv.files import append_line, read_json, write_json

FILLS_UP = """
import resource, signal, sys
from pathlib import Path
from ctxpriv.files import append_line

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
append_line(path, b"x" * 99)
resource.setrlimit(resource.RLIMIT_FSIZE, (150, resource.RLIM_INFINITY))
try:
    append_line(path, b"y" * 99)
except OSError as error:
    print(type(error).__name__, path.stat().st_size)
"""


def test_a_line_that_does_not_fit_leaves_nothing(tmp_path):
    """The write itself fails half-way, as on a full disk; a buffered file kept the first half."""
    told = subprocess.run(
        [sys.executable, "-c", FILLS_UP, str(tmp_path / "l.jsonl")],
        capture_output=True, text=True, check=True, env=dict(os.environ),
    )  # fmt: skip
    assert told.stdout.split() == ["OSError", "100"]
    assert (tmp_path / "l.jsonl").read_bytes() == b"x" * 99 + b"\n"


def test_lines_are_for_the_owner_alone_and_stand_apart_from_half_ones(tmp_path):
    path = tmp_path / "l.jsonl"
    append_line(path, b"one")
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(b"one\ntw")
    append_line(path, b"three")
    assert path.read_bytes() == b"one\ntw\nthree\n"


def test_half_a_character_of_a_cut_answer_fails_no_run(tmp_path):
    write_json(tmp_path / "x.json", {"text": "late fee \ud83d"})
    assert read_json(tmp_path / "x.json") == {"text": "late fee ?"}
