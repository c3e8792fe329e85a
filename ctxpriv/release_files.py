"""What every export shares: the ledger line that paid for it, the mark that it went out, words as text.

RELEASE SIDE.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from filelock import Timeout

from ctxpriv.errors import CtxprivError, NotReleasable
from ctxpriv.privacy.ledger import Ledger


def paid_line(ledger: Ledger, run_id: str, rho: float, who: str) -> str:
    """The id of the ledger line that paid for a run: of one done anew, the last ("RUN#2").

    Raises NotReleasable when the run was never charged, or less than the ρ that it states; `who` names
    the release.
    """
    lines = [e for e in ledger.lines() if e.run_id == run_id or e.run_id.startswith(f"{run_id}#")]
    lines = [e for e in lines if "/" not in e.run_id]  # stages that were paid for twice
    if not lines:
        raise NotReleasable(
            f"{who}: run {run_id} is not in the ledger. Only what was charged there can be released."
        )
    if rho > lines[-1].rho * (1 + 1e-9):
        raise NotReleasable(
            f"{who}: the release states a higher cost than the ledger charged for run {run_id}."
        )
    return lines[-1].run_id


def told_line(ledger: Ledger, run_id: str) -> str:
    """How a card names a ledger line: never by its run id, which is a digest of the records."""
    line = ledger.line(run_id)
    return (line.card_id or f"of {line.date}") if line else ""


def write_released(path: Path, data: bytes, ledger: Ledger, line: str) -> Path:
    """Puts `data` at `path` in one step and marks the ledger line `line` released.

    Raises CtxprivError when `path` cannot be written or the ledger is held by another process; then nothing
    was exported.
    """
    beside = path.with_name(f".{path.name}.tmp")
    try:
        beside.write_bytes(data)
        # Marked before it can be seen: a crash here counts a release too many, never one too few.
        ledger.mark_released(line)
        os.replace(beside, path)
    except Timeout:
        raise CtxprivError(
            "Another ctxpriv process holds the ledger. Nothing was exported; try again."
        ) from None
    except OSError as error:
        raise CtxprivError(f"{path}: cannot be written ({error.strerror}). Nothing was exported.") from None
    finally:
        with suppress(OSError):  # a path that cannot be has nothing beside it either
            beside.unlink(missing_ok=True)
    return path


def shown(text: str) -> str:
    """On one line, and without what makes links, pictures, HTML or tables in Markdown."""
    return re.sub(r"([\\`*\[\]<>|])", r"\\\1", " ".join(text.split()))
