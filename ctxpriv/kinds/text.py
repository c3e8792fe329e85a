"""Small pieces of what the command line prints of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxpriv.comparison import RunFailure

if TYPE_CHECKING:
    import pandas as pd


def table(frame: pd.DataFrame) -> str:
    return frame.to_string(index=False, float_format=lambda x: f"{x:.3f}", na_rep="-")


def at(epsilon: float | None) -> str:
    return "" if epsilon is None else f" at epsilon {epsilon:g}"


def failure_lines(failures: Sequence[RunFailure]) -> list[str]:
    return [f"Failed: {f.method}{at(f.epsilon)}, {f.audience}: {f.message}" for f in failures]
