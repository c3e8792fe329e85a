"""What an aggregate release states about itself: ledger line, guarantee, conditions for the card.

RELEASE SIDE: made of public settings and the price.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.guarantee import ADD_DROP, DP, ONE_RECORD, ONE_USER, Guarantee, guarantee_from
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin.atoms import SOURCES
from ctxpriv.privatize.spin.measurement import Measurement

ASSIGNED_BY = {
    "tfidf": "by TF-IDF similarity, with a vocabulary fitted on the labels and on donated texts",
    "embedding": "by embedding similarity",
    "model": "by a language model, each record on its own, its answer clipped afterwards",
}

LARGE_DELTA = 0.01
"""From here on the card warns of δ: 1/n reaches it below a hundred protected units."""


def guarantee(
    title: str,
    charges: Sequence[Charge],
    measurement: Measurement,
    noise: Noise,
    *,
    observed: Iterable[str] = (),
    known_units: bool,
    own_counts: bool = False,
) -> Guarantee:
    """From what was charged. Pure ε-DP where every charge is, else at the measurement's δ.

    `observed`: attributes whose values make labels or are counted, and were read off all records.
    `known_units`: δ or the denominator was taken from the number of protected units. `own_counts`: a
    baseline, which counts its own categories or keywords and not the measurement's atoms.
    """
    pure = all(c.mechanism == "discrete Laplace" for c in charges)
    conditions = _conditions(measurement, tuple(observed), known_units, own_counts)
    if not pure and measurement.delta >= LARGE_DELTA:
        conditions += (_large_delta(measurement),)
    return guarantee_from(
        title,
        DP,
        charges,
        0.0 if pure else measurement.delta,
        noise,
        conditional_on=conditions,
        unit=ONE_USER if measurement.unit == "user" else ONE_RECORD,
    )


def _conditions(
    measurement: Measurement, observed: tuple[str, ...], known_units: bool, own_counts: bool
) -> tuple[str, ...]:
    units = "users" if measurement.unit == "user" else "records"
    out = _fixed_counts() if own_counts else _fixed_concepts(measurement)
    if measurement.unit == "user":
        most = f"count as {measurement.bound} at most" if own_counts else (
            f"add at most {measurement.bound} to the sketch")  # fmt: skip
        out.append(f"All records of one user {most}; more is scaled down.")
    if observed:
        what = "are counted" if own_counts else "a concept's label may be made of"
        out.append(
            f"Which values {what} was read off all records without differential privacy: "
            f"{', '.join(observed)}."
        )
    if known_units:
        out.append(f"The number of {units} is treated as known: delta or the denominator was taken from it.")
    else:
        out.append(
            f"Shares are of a public number ({measurement.denominator:,}), not of the {units} there are."
        )
    if measurement.relation == "replacement":
        out.append(f"The noise was calibrated to the exchange of one of the {units}, the second ε.")
    return tuple(out)


def _fixed_concepts(measurement: Measurement) -> list[str]:
    sources = ", ".join(SOURCES[s] for s in measurement.atoms.sources)
    return [
        f"The {len(measurement.atoms)} concepts are treated as fixed beforehand: their labels are {sources}.",
        f"So is the map from a text to at most {measurement.k} of them, {ASSIGNED_BY[measurement.assign]}.",
    ]


def _fixed_counts() -> list[str]:
    return [
        "What is counted is treated as fixed beforehand: values of the schema, or words of donated texts. So "
        "is how each record is read, which depends on that record alone."
    ]


def _large_delta(measurement: Measurement) -> str:
    unit = "user" if measurement.unit == "user" else "record"
    return (
        f"Delta is large: with a probability of up to {measurement.delta:.2g} this release may protect some "
        f"{unit} by less than ε says."
    )


def relation_of(measurement: Measurement) -> str:
    """For the ledger, whose prices are under add/drop."""
    return ADD_DROP if measurement.unit == "record" else "add/drop of one user"
