"""What a run will do and cost, told before it reads anything private (DESIGN section 3)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class BudgetPart:
    """One part of the split: its zCDP cost, the σ of its noise (None for a selection), in words."""

    name: str
    rho: float
    sigma: float | None
    what: str


@dataclass(frozen=True)
class RunPlan:
    """The plan of one run. Infinite numbers (ε = ∞) stay `inf` here and become "inf" in JSON.

    `expected_error_records`: expected absolute error, in records, of one cell of a one-way
    marginal as first measured; None where no table is measured. `minutes` is None where the
    generator's speed is unknown. ρ, ε and δ are None for methods without a formal guarantee.
    """

    method: str
    audience: str
    relation: str  # a sentence on what is protected
    rho: float | None
    epsilon: float | None
    delta: float | None
    parts: tuple[BudgetPart, ...]
    expected_error_records: float | None
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    minutes: float | None
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        data = asdict(self)
        data["warnings"] = list(self.warnings)
        data["parts"] = [{k: _plain(v) for k, v in part.items()} for part in data["parts"]]
        return {key: _plain(value) for key, value in data.items()}


def _plain(value: Any) -> Any:
    return "inf" if isinstance(value, float) and math.isinf(value) else value
