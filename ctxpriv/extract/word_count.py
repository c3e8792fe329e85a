"""The attribute `word_count`: how long a text is, in at most 5 bins (paper Table 4)."""

from __future__ import annotations

from collections.abc import Sequence

from ctxpriv.errors import BadInput
from ctxpriv.extract.bands import Bands, bands_at, parse_number, quantile_bands
from ctxpriv.schema import MAX_BUCKETS, Attribute

NAME = "word_count"
UNIT = "words"
FIXED_EDGES = (25.0, 50.0, 100.0, 200.0)
"""Round edges for a corpus that has no public text to take quantiles of."""


def count_words(text: str) -> int:
    """Words as separated by white space."""
    return len(text.split())


def word_count_bins(reference_texts: Sequence[str], k: int = MAX_BUCKETS) -> Bands:
    """k quantile bins of the word counts of `reference_texts`; without any, `FIXED_EDGES`.

    Reference texts should be public (the donated split): then the bins, and so the
    attribute's domain, do not depend on private records (DESIGN 4.8).
    """
    if not len(reference_texts):
        return bands_at(FIXED_EDGES[: k - 1], UNIT)
    return quantile_bands([count_words(text) for text in reference_texts], k, UNIT)


def word_count_values(texts: Sequence[str], bins: Bands) -> list[str]:
    """The bin of every text."""
    return [bins.label(count_words(text)) for text in texts]


def word_count_attribute(bins: Bands, provenance: str = "declared") -> Attribute:
    """`provenance` is "observed" when the bins were cut on private texts."""
    return Attribute(NAME, bins.labels, "How many words the text has.", provenance)


def counted_values(texts: Sequence[str], attribute: Attribute) -> list[str] | None:
    """The values of `attribute` by counting, when it is `word_count` over the bins of this
    module; None for any other attribute. Extractors use it: a count needs no model."""
    bins = _bins_of(attribute)
    return None if bins is None else word_count_values(texts, bins)


def is_counted(attribute: Attribute) -> bool:
    """Whether extractors count this attribute instead of reading it."""
    return _bins_of(attribute) is not None


def _bins_of(attribute: Attribute) -> Bands | None:
    if attribute.name != NAME:
        return None
    # The label of every band but the first starts with its lower edge.
    edges = [parse_number(label) for label in attribute.values[1:]]
    if None in edges:
        return None
    try:
        bins = bands_at(edges, UNIT)
    except BadInput:
        return None
    return bins if bins.labels == attribute.values else None
