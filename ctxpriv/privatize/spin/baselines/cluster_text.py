"""Released clusters in words, by rule (DP-SPIN App. J.7).

RELEASE SIDE: noisy sizes and public keywords are all it gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReleasedCluster:
    """`size`: noisy number of protected units, with the 90 % interval of its noise; `keywords` with
    noisy counts, the largest first."""

    size: float
    low: float
    high: float
    keywords: tuple[tuple[str, float], ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "low": self.low,
            "high": self.high,
            "keywords": [{"word": word, "count": count} for word, count in self.keywords],
        }


def cluster_text(clusters: Sequence[ReleasedCluster], denominator: int, unit: str, left_out: int) -> str:
    """One sentence a cluster, the largest first; says so where none was large enough."""
    if not clusters:
        return f"No group of {unit}s stood out from the noise."
    groups = "One group" if len(clusters) == 1 else f"{len(clusters)} groups"
    out = [f"{groups} of {unit}s stood out from the noise."]
    for i, cluster in enumerate(clusters, 1):
        share = min(max(cluster.size / denominator, 0), 1)
        words = _listed([f"“{word}”" for word, _ in cluster.keywords])
        said = f"mostly about {words}" if words else "without a keyword that stood out"
        out.append(f"Group {i}: about {max(cluster.size, 0):,.0f} {unit}s ({share:.0%}), {said}.")
    if left_out:
        out.append(f"{left_out} further group{'s were' if left_out > 1 else ' was'} too small to be told.")
    return " ".join(out)


def _listed(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])
