"""Which columns a person is offered first as the source of public labels.

RELEASE SIDE: reads donated records alone. A proposal, which the person changes as they like [ours].
"""

from __future__ import annotations

from ctxpriv.examples import DonatedExamples
from ctxpriv.extract import word_count

RELATED = 0.5
"""Adjusted mutual information with the first column from which on a column refines it. On the five samples,
columns about the author, the place and the length lie below 0.2."""

RECORDS_READ = 2_000
MOST_VALUES = 100  # of a column: beyond, a value is rather a fact of one record than a theme


def first_columns(donated: DonatedExamples) -> tuple[str, ...]:
    """The label and the declared columns that refine it, in the order of the schema; empty without any.

    A label of numbers alone (a rating) names no theme: then the first declared column whose values have
    letters takes its place. A column refines the label where both tell much about each other beyond chance;
    what a column says of the author, not of the text's subject, does not, and is left to the person.
    """
    declared = [
        a.name
        for a in donated.schema.attributes
        if a.provenance == "declared" and a.name != word_count.NAME and len(a.values) <= MOST_VALUES
    ]
    named = [donated.label] if donated.label in donated.schema.names else []
    base = next((n for n in [*named, *declared] if _has_letters(donated, n)), None)
    if base is None:
        return tuple(named)
    refining = [n for n in declared if n != base and _related(donated, base, n)]
    return (base, *refining)


def _has_letters(donated: DonatedExamples, column: str) -> bool:
    return any(c.isalpha() for value in donated.values[column].astype(str).unique() for c in value)


def _related(donated: DonatedExamples, base: str, column: str) -> bool:
    from sklearn.metrics import adjusted_mutual_info_score

    read = donated.values[[base, column]].astype(str).head(RECORDS_READ)
    return bool(adjusted_mutual_info_score(read[base], read[column]) >= RELATED)
