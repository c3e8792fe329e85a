"""What the DP schema construction will do and cost, told before anything private is read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ctxpriv.privacy.guarantee import ADD_DROP
from ctxpriv.privacy.threshold import ThresholdPlan


@dataclass(frozen=True)
class DPSchemaPlan:
    """What a run will do and cost, from the number of private records alone.

    `price` is None at ε = ∞ (research: no noise, no guarantee).
    """

    n_private: int
    strings_per_record: int
    price: ThresholdPlan | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready and public; the facts of a proposal hold it."""
        out = {"n_private": self.n_private, "strings_per_record": self.strings_per_record}
        if self.price is None:
            return out
        rho, epsilon, delta = self.price.replacement
        return out | {
            **asdict(self.price),
            "relation": ADD_DROP,
            "rho_replacement": rho,
            "epsilon_replacement": epsilon,
            "delta_replacement": delta,
            "released_half": self.price.count_with_chance(0.5),
            "released_likely": self.price.count_with_chance(0.95),
        }

    def sentences(self) -> list[str]:
        """For people, before anything is read."""
        calls = f"One question about each of the {self.n_private} private texts, then a few about names."
        if self.price is None:
            return [calls, "ε is infinite: for research only, with no noise and no guarantee."]
        p = self.price
        half, likely = p.count_with_chance(0.5), p.count_with_chance(0.95)
        out = [
            calls,
            f"Each text adds at most {self.strings_per_record} names. The count of each name gets noise of "
            f"standard deviation σ = {p.sigma:.1f}; only noisy counts of {p.threshold} or more are released.",
            f"A name that {half} texts have in common is released half of the time, one of {likely} texts "
            f"nearly always; one that a single text alone has, with a probability of at most about "
            f"{p.delta_threshold:.1g}.",
        ]
        if half > self.n_private:
            out.append("No name can reach this threshold except by luck: use a larger ε or more records.")
        return out
