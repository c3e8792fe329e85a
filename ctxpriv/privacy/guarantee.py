"""What a result guarantees, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from ctxpriv.errors import NotReleasable
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import Noise

Kind = Literal["DP", "Feature-DP relative to the public attributes", "empirical"]

DP: Kind = "DP"
FEATURE_DP: Kind = "Feature-DP relative to the public attributes"
EMPIRICAL: Kind = "empirical"
ADD_DROP = "add/drop of one record"
ONE_RECORD = "one record (one text with its values)"
ONE_USER = "one user (with all of their records)"


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ) and ρ of everything a run spent, under both neighbour relations.

    `delta` = 0 means pure ε-DP. `epsilon_replacement` is for replacing one record's private
    part (DESIGN 4.4): Gaussian stages double in ρ, selections and Laplace stages quadruple.
    `conditional_on` are sentences; `why_not` is empty exactly when `exportable`. Kind `EMPIRICAL` has no
    formal guarantee at all: ε and ρ are infinite, and it may still be exported, saying so.
    """

    mechanism: str
    kind: Kind
    epsilon: float
    delta: float
    rho: float
    epsilon_replacement: float
    rho_replacement: float
    charges: tuple[Charge, ...]
    noise: str
    conditional_on: tuple[str, ...] = ()
    relation: str = ADD_DROP
    unit: str = ONE_RECORD
    why_not: str = ""

    @property
    def exportable(self) -> bool:
        return not self.why_not

    def require_exportable(self) -> None:
        """Raises NotReleasable when this result must stay with the curator."""
        if self.why_not:
            raise NotReleasable(self.why_not)

    def sentences(self) -> list[str]:
        """The guarantee for people who do not know the symbols."""
        if not self.exportable:
            return [self.why_not]
        meaning = _NO_FORMAL if self.kind == EMPIRICAL else _meaning(self)
        return [*meaning, *self.conditional_on]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; infinity is written as the text "inf"."""
        out = {name: getattr(self, name) for name in _TEXT_FIELDS}
        out |= {name: _number(getattr(self, name)) for name in _NUMBER_FIELDS}
        out |= {
            "charges": [c.to_dict() for c in self.charges],
            "conditional_on": list(self.conditional_on),
            "exportable": self.exportable,
        }
        return out

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Guarantee:
        return Guarantee(
            **{name: data[name] for name in _TEXT_FIELDS},
            **{name: float(data[name]) for name in _NUMBER_FIELDS},
            charges=tuple(Charge.from_dict(c) for c in data["charges"]),
            conditional_on=tuple(data["conditional_on"]),
        )


_TEXT_FIELDS = ("mechanism", "kind", "noise", "relation", "unit", "why_not")
_NUMBER_FIELDS = ("epsilon", "delta", "rho", "epsilon_replacement", "rho_replacement")


def guarantee_from(
    mechanism: str,
    kind: Kind,
    charges: Iterable[Charge],
    delta: float,
    noise: Noise,
    *,
    conditional_on: Iterable[str] = (),
    unit: str = ONE_RECORD,
    unlimited: bool = False,
) -> Guarantee:
    """The guarantee of the composition of `charges`.

    δ = 0 asks for pure DP: every charge must then carry its ε (else ε is ∞).
    `unlimited` marks a run at ε = ∞ (research): it is stated as such and not exportable.
    """
    charges = tuple(charges)
    rho = sum((c.rho for c in charges), Fraction(0))
    rho_replacement = sum((c.rho_replacement for c in charges), Fraction(0))
    if unlimited or not noise.private:
        epsilon = replaced = math.inf
    elif delta == 0:
        epsilon = sum(math.inf if c.epsilon is None else c.epsilon for c in charges)
        replaced = 2 * epsilon
    else:
        epsilon, replaced = (epsilon_from(_up(r), delta) for r in (rho, rho_replacement))
    return Guarantee(
        mechanism=mechanism,
        kind=kind,
        epsilon=epsilon,
        delta=float(delta),
        rho=_up(rho),
        epsilon_replacement=replaced,
        rho_replacement=_up(rho_replacement),
        charges=charges,
        noise=noise.name,
        conditional_on=tuple(conditional_on),
        unit=unit,
        why_not=_why_not(noise, epsilon),
    )


_NO_FORMAL = (
    "There is no formal privacy guarantee: no ε bounds what this release tells.",
    "Every text is a real person's text, changed to hide the protected attributes. What that overlooked, "
    "a reader may find.",
    "Whatever else the texts tell, and which public values a record has, is released as it is.",
)


def empirical(mechanism: str, *, conditional_on: Iterable[str] = ()) -> Guarantee:
    """For methods that protect by checking, not by noise (ANON-CI and the like, paper App. E)."""
    return Guarantee(
        mechanism, EMPIRICAL, math.inf, 0.0, math.inf, math.inf, math.inf, (), "none",
        tuple(conditional_on), relation="none",
    )  # fmt: skip


def conditions(
    provenance: Mapping[str, str],
    *,
    derived_from_records: Iterable[str] = (),
    delta_is_one_over_n: bool = True,
    values_observed_in_records: bool = False,
) -> tuple[str, ...]:
    """The sentences of DESIGN 4.8 that a card must carry.

    `provenance` maps each attribute to one of `schema.PROVENANCES`; `derived_from_records`
    names whatever else was made by looking at private records without DP (coarsening maps...).
    """
    out = [
        "The schema, its value lists, the coarsening maps, and how values and embeddings are computed from "
        "each text on its own are treated as fixed beforehand."
    ]
    if found := sorted(name for name, how in provenance.items() if how == "dp"):
        out.append(
            "These attributes were found by a differentially private pass over the private records, which "
            f"the ledger charges on its own: {', '.join(found)}."
        )
    observed = sorted(name for name, how in provenance.items() if how == "observed")
    if derived := [*(f"the name or the values of {name}" for name in observed), *derived_from_records]:
        out.append(
            "These were read off the private records without differential privacy, so what they reveal "
            f"(for instance that a value occurs) is not protected: {', '.join(derived)}."
        )
    if values_observed_in_records:
        out.append(
            "Private values were filled in from values seen in the private records: which values occur "
            "is not protected."
        )
    if delta_is_one_over_n:
        out.append("Delta was set to 1/n, so the number of records is treated as known.")
    return tuple(out)


_EXCHANGED = {ONE_RECORD: "the protected part of one record", ONE_USER: "one user's records"}
_ANOTHER = {ONE_RECORD: "another", ONE_USER: "another user's"}


def _meaning(g: Guarantee) -> list[str]:
    odds = math.exp(min(g.epsilon, 700))
    factor = f"{odds:.3g}" if odds < 1e6 else "more than a million"
    exception = f", except with a probability of about {g.delta:.2g}" if g.delta else ""
    out = [
        f"Whether or not {g.unit} is in the data, any outcome of this release is at most {factor} times as "
        f"likely{exception} (ε = {g.epsilon:.4g}).",
        f"If {_EXCHANGED[g.unit]} were exchanged for {_ANOTHER[g.unit]} instead, the same holds with "
        f"ε = {g.epsilon_replacement:.4g}.",
    ]
    if g.kind == FEATURE_DP:
        out.append(
            "What is public of a record (an attribute's value, or its bucket) is released exactly and is not "
            "protected, nor is what follows from it; the protection covers all else and the text."
        )
    if g.epsilon > 5:
        out.append("At this ε the formal protection is weak: rely on the measured attacks as well.")
    return out


def _why_not(noise: Noise, epsilon: float) -> str:
    if not noise.private:
        return f"No privacy: the noise source was {noise.name}. This result must not leave the curator."
    if math.isinf(epsilon):
        return "No privacy: ε is infinite. This result must not leave the curator."
    return ""


def _up(rho: Fraction) -> float:
    """The least float that is not below ρ: a stated cost never understates."""
    near = float(rho)
    return near if Fraction(near) >= rho else math.nextafter(near, math.inf)


def _number(value: float) -> float | str:
    return "inf" if math.isinf(value) else value
