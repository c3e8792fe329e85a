"""What went wrong in a run, in words that hold no record text."""

from __future__ import annotations

import errno
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from ctxpriv.errors import CtxprivError
from ctxpriv.files import explain

if TYPE_CHECKING:
    from ctxpriv.kinds.kind import Finished


def understood(error: Exception, path: Path) -> Exception:
    """A full or unwritable disk as the error that says so; anything else as it is."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        return explain(error, path)
    return error


def message_of(error: Exception) -> str:
    return str(error) if isinstance(error, CtxprivError) else where_it_broke(error)


def where_it_broke(error: BaseException) -> str:
    """A message for an unforeseen error: its type and place, never its text (it could hold a record)."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"Internal error: {type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}. "
        "Finished runs are kept. Please report this."
    )


def failures_told(finished: Finished) -> str:
    """One sentence on what failed; "" when nothing did."""
    if not finished.failures:
        return ""
    first = finished.failures[0]
    total = len(finished.runs) + len(finished.failures)
    told = f"{len(finished.failures)} of {total} results are missing."
    return f"{told} {first.method} for {first.audience}: {first.message}"
