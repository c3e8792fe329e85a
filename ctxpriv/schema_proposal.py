"""A proposed schema, and how it came about: what the three constructions of App. A all return.

A public object: it holds no record text and knows no corpus. Its attribute names and values may
still have been made by reading private records; `way` and `reads_private` say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ctxpriv.errors import BadInput
from ctxpriv.schema import Schema

Way = Literal["prompted", "texts", "dp"]
"""From a description alone (App. A.1), from texts without a guarantee (A.2), or with DP (A.3)."""

WAYS: tuple[Way, ...] = get_args(Way)


@dataclass(frozen=True)
class SchemaProposal:
    """What a construction proposes.

    `problems`: one sentence for each thing that was mended, dropped or missing. `model`: the
    identity of the language model (`ModelIdentity.to_dict`). `epsilon`, `delta`, `rho`: what the
    proposal costs; 0 where no private text was read, None where it was read with no guarantee.
    `facts`: JSON-ready and released (k, σ, τ, noisy counts of the released strings, ...).
    `run_id`: the line in the ledger, "" where there is none.
    """

    way: Way
    schema: Schema
    problems: tuple[str, ...] = ()
    model: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    reads_private: bool = False
    epsilon: float | None = 0.0
    delta: float | None = 0.0
    rho: float | None = 0.0
    facts: Mapping[str, Any] = field(default_factory=dict)
    run_id: str = ""

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise BadInput(f"{self.way!r} is no way to a schema.", fix=f"Use one of {', '.join(WAYS)}.")

    def guarantee(self) -> str:
        """One plain sentence: what this proposal tells about any one private record."""
        if not self.reads_private:
            return "No private text was read: the proposal costs no privacy (ε = 0)."
        if self.epsilon is None or self.delta is None:
            return (
                "Private texts were read without differential privacy: names and values may repeat what a "
                "single text says, and no guarantee covers that."
            )
        return (
            f"Private texts were read with differential privacy: ε = {self.epsilon:.3g}, "
            f"δ = {self.delta:.2g}, one text as the unit."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; see `from_dict`."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        return plain | {
            "schema": self.schema.to_dict(),
            "problems": list(self.problems),
            "model": dict(self.model),
            "facts": dict(self.facts),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> SchemaProposal:
        return SchemaProposal(
            **{name: data[name] for name in _PLAIN},
            schema=Schema.from_dict(data["schema"]),
            problems=tuple(data["problems"]),
            model=dict(data["model"]),
            facts=dict(data["facts"]),
        )


_PLAIN = ("way", "seconds", "reads_private", "epsilon", "delta", "rho", "run_id")
