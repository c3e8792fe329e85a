"""Showing words that came from a file or a model without letting them act.

Streamlit draws most labels and messages as Markdown, in which an image fetches from any
address. Names, values and messages therefore pass through `plain` wherever Markdown is
drawn; records and model answers are shown by `st.text`, `st.code` and table cells only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&=^@])")


def plain(text: object) -> str:
    """`text` as Markdown that shows exactly these characters, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A small Markdown table that shows exactly these words and wraps long ones, as no data grid does."""
    lines = [head, ["---"] * len(head), *([plain(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shortened(text: object, limit: int = 60) -> str:
    """At most `limit` characters, for labels; not escaped."""
    words = " ".join(str(text).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def count(n: int, one: str, many: str = "") -> str:
    """`1 record`, `2 records`, with thin thousands separators."""
    return f"{n:,}".replace(",", "\u202f") + " " + (one if n == 1 else many or one + "s")


def duration(seconds: float | None) -> str:
    """`12 s`, `3 min 05 s`, `1 h 20 min`; a dash where unknown."""
    if seconds is None:
        return "–"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def pace(per_second: float) -> str:
    """`12`, `1.3`, `0.04`: how many a second."""
    return f"{per_second:.0f}" if per_second >= 10 else f"{per_second:.2g}"


def epsilon_text(epsilon: float | None) -> str:
    """`0.5`, `1`, `∞`; a dash for methods without a formal budget."""
    if epsilon is None:
        return "–"
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"


def when(iso: str) -> str:
    """An ISO time as `29 Nov 2026, 21:05`, or as it is where it cannot be read."""
    try:
        return f"{datetime.fromisoformat(iso):%d %b %Y, %H:%M}"
    except ValueError:
        return iso
