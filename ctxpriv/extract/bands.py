"""Numbers to a few named bands: the shared part of coarsening and word counts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ctxpriv.errors import BadInput
from ctxpriv.schema import MAX_BUCKETS

_NUMBER = re.compile(
    r"(?P<sign>(?<!\w)[-−])?(?P<digits>\d{1,3}(?:[,\u202f' ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s*(?P<scale>thousand|million|billion|lakh|crore|tsd|mio|k|m|bn)(?![a-z]))?",
    re.IGNORECASE,
)
_SCALES = {
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "lakh": 1e5, "m": 1e6, "mio": 1e6, "million": 1e6,
    "crore": 1e7, "bn": 1e9, "billion": 1e9,
}  # fmt: skip


def parse_number(value: object) -> float | None:
    """The first number in a value as people write it: "$520,000", "2 bed", "95k a month".

    None where there is no finite number. Units and currencies are not converted.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | np.number):
        return float(value) if math.isfinite(value) else None
    match = _NUMBER.search(str(value))
    if match is None:
        return None
    number = float(re.sub(r"[,\u202f' ]", "", match["digits"]))
    if match["scale"]:
        number *= _SCALES[match["scale"].lower()]
    return -number if match["sign"] else number


@dataclass(frozen=True)
class Bands:
    """k bands cut at k−1 increasing edges; band i holds edges[i−1] ≤ x < edges[i]."""

    edges: tuple[float, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.edges) + 1 or len(set(self.labels)) != len(self.labels):
            raise BadInput("needs one label a band, all different.", where="bands")
        if any(a >= b for a, b in zip(self.edges, self.edges[1:], strict=False)):
            raise BadInput("edges must increase.", where="bands")

    def label(self, number: float) -> str:
        return self.labels[int(np.searchsorted(self.edges, number, side="right"))]


def bands_at(edges: Iterable[float], unit: str = "") -> Bands:
    """Bands named after their edges: "under 25", "25–49", "50+"; whole edges read as counts."""
    edges = tuple(float(e) for e in edges)
    tail = f" {unit}" if unit else ""
    if not edges:
        return Bands((), (f"any{tail}",))
    whole = all(e == int(e) for e in edges)
    labels = [f"under {_plain(edges[0])}{tail}"]
    for low, high in zip(edges, edges[1:], strict=False):
        if not whole:
            labels.append(f"{_plain(low)} to {_plain(high)}{tail}")
        elif high - low == 1:
            labels.append(f"{_plain(low)}{tail}")
        else:
            labels.append(f"{_plain(low)}–{_plain(high - 1)}{tail}")
    labels.append(f"{_plain(edges[-1])}+{tail}")
    return Bands(edges, tuple(labels))


def quantile_bands(numbers: Iterable[float], k: int = MAX_BUCKETS, unit: str = "") -> Bands:
    """At most k bands that hold about equally many of `numbers`.

    Fewer where numbers repeat so much that quantiles coincide. Whole numbers get whole
    edges, others edges of at most 12 significant digits. Raises BadInput without a number.
    """
    data = np.sort(np.asarray([x for x in numbers if math.isfinite(x)], float))
    if not len(data):
        raise BadInput("there is no number to cut into bands.", where="quantile bands")
    if k < 1:
        raise BadInput(f"needs at least one band, not {k}.", where="quantile bands")
    # Edges are data points at the ranks, not interpolated, so that a whole number stays one.
    ranks = [len(data) * i // k for i in range(1, k)]
    edges = sorted({float(f"{data[r]:.12g}") for r in ranks if data[r] > data[0]})
    return bands_at(edges, unit)


def _plain(number: float) -> str:
    if number != int(number):
        return f"{number:.12g}"
    # No comma below 10,000: it would make years unreadable.
    return f"{int(number):,}" if abs(number) >= 10_000 else str(int(number))
