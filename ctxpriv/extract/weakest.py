"""Which attributes a schema could do without, in words.

PRIVATE SIDE: the words describe figures computed without noise; curator-only where those are.
"""

from __future__ import annotations

from dataclasses import dataclass

from ctxpriv.extract.agreement import FieldAgreement
from ctxpriv.extract.quality import FieldQuality, SchemaQuality

LITTLE_SIGNAL = 0.1
"""Stated in fewer than one text in ten: the attribute takes its share of the budget and of every
prompt, and is silent about nine records of ten."""

DOMINATED = 0.9
"""One value holds so much that always answering it is right nine times of ten: no task can gain
more than the rest from the attribute, and DP noise easily hides the rest."""

SLIGHT_AGREEMENT = 0.4
"""Landis and Koch (1977) call a kappa below 0.4 slight or fair: two readers then agree little more
than by chance, so the values tell more of the reader than of the text."""

OFTEN_OUTSIDE = 0.1
"""In one answer of ten or more the model wanted to say something that the list does not have."""

FEW = 20
"""With fewer texts the shares above are off by more than 0.2 either way: a hint, no finding."""


@dataclass(frozen=True)
class Weakness:
    """Why one attribute is weak: `says` holds one short phrase a reason, the gravest first.

    `severity` orders attributes: the sum over reasons of how far each is past its threshold (0..1).
    """

    attribute: str
    says: tuple[str, ...]
    severity: float


def weakest(quality: SchemaQuality) -> tuple[Weakness, ...]:
    """The attributes with something to say against them, worst first; counted ones have nothing."""
    found = []
    for figures in quality.fields:
        if figures.counted:
            continue
        outside = quality.outside.get(figures.attribute, 0) / max(
            1, quality.n + sum(quality.failures.values())
        )
        reasons = _reasons(figures, quality.agreement_of(figures.attribute), outside)
        if reasons:
            reasons.sort(reverse=True)
            says = tuple(told for _, told in reasons)
            found.append(Weakness(figures.attribute, says, sum(weight for weight, _ in reasons)))
    return tuple(sorted(found, key=lambda w: -w.severity))


def disagrees(kappa: float | None) -> bool:
    """Whether two readings agree little more than by chance; False where κ is not defined."""
    return kappa is not None and kappa < SLIGHT_AGREEMENT - 1e-9  # 0.4 itself may come out a bit lower


def _reasons(figures: FieldQuality, agreed: FieldAgreement | None, outside: float) -> list[tuple[float, str]]:
    """(how far past the threshold, what to say) for each threshold that is passed."""
    out = []
    if figures.signal < LITTLE_SIGNAL:
        told = (
            "never stated" if figures.signal == 0 else f"nearly always Not stated ({1 - figures.signal:.0%})"
        )
        out.append((1 - figures.signal / LITTLE_SIGNAL, told))
    elif figures.dominance >= DOMINATED:  # where nothing is stated, that is the value that dominates
        told = "one value holds all" if figures.dominance == 1 else f"one value holds {figures.dominance:.0%}"
        out.append(((figures.dominance - DOMINATED) / (1 - DOMINATED), told))
    if agreed is not None and disagrees(agreed.kappa):
        out.append(
            (min(1.0, 1 - agreed.kappa / SLIGHT_AGREEMENT), f"two readings disagree (κ {agreed.kappa:.2f})")
        )
    if outside >= OFTEN_OUTSIDE:
        out.append((min(1.0, outside), f"{min(outside, 1):.0%} of the answers were outside its list"))
    return out
