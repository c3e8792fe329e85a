"""Coarsening: a map from the values of an attribute to at most 5 buckets (paper App. B).

Four ways: by hand, numeric bands, the most frequent values, and proposed by a language
model (`coarsen_by_model.py`). `Not stated` always keeps a bucket of its
own, because "the text does not say" is not a kind of occupation; values that no bucket
fits share `Other values`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ctxpriv.errors import BadInput
from ctxpriv.extract.bands import parse_number, quantile_bands
from ctxpriv.extract.levels import OTHER_VALUES, is_unstated
from ctxpriv.schema import (
    MAX_BUCKETS,
    NOT_STATED,
    OTHER,
    PRIVATE_VALUES,
    Attribute,
    Coarsening,
)

DECLARED, DONATED, PRIVATE = "declared values", "donated values", PRIVATE_VALUES
"""Where the numbers or counts behind a coarsening came from. A coarsening computed on
private values depends on them without DP, which the card must say (DESIGN 4.8)."""


def by_hand(attribute: Attribute, mapping: Mapping[str, str], buckets: Sequence[str] = ()) -> Coarsening:
    """A mapping that a person wrote, checked: every value once, at most 5 buckets.

    `buckets` gives their order; by default the order of first use. Raises BadInput that
    names the values left out, the ones the attribute does not have, the surplus, or a bucket that
    is named like a value of another one.
    """
    where = f"coarsening of {attribute.name!r}"
    if missing := [v for v in attribute.values if not str(mapping.get(v, "")).strip()]:
        raise BadInput(f"{_some(missing)} in no bucket.", where=where, fix="Put every value into a bucket.")
    if extra := [v for v in mapping if v not in attribute.values]:
        raise BadInput(f"{_some(extra)} not among its values.", where=where, fix="Remove them.")
    clean = {value: str(mapping[value]).strip() for value in attribute.values}
    used = tuple(dict.fromkeys(clean.values()))
    order = tuple(b for b in buckets if b in used) if buckets else used
    if len(used) > MAX_BUCKETS:
        raise BadInput(
            f"has {len(used)} buckets; at most {MAX_BUCKETS} are allowed.",
            where=where,
            fix="Merge some buckets.",
        )
    in_order = order + tuple(b for b in used if b not in order)
    return Coarsening(attribute.name, clean, in_order, "by hand").require_clear(where)


def numeric_bands(
    values: Iterable[object],
    k: int = MAX_BUCKETS,
    *,
    attribute: str = "",
    domain: Sequence[str] | None = None,
    source: str = DECLARED,
) -> Coarsening:
    """Quantile bands of the numbers written in `values`, over the whole `domain`.

    `values` are occurrences (repeats count); `domain` the declared values to cover, by
    default the distinct `values`. `source` says whose values they are: the caller decides
    and the origin records it. Values without a number go to `Other values`, `Not stated`
    to itself, both within the k buckets. Raises BadInput when fewer than half of the
    stated occurrences hold a number: quantiles of the rest would mean nothing.
    """
    values = [str(v) for v in values]
    domain = _domain(values, domain)
    stated = [v for v in values if not is_unstated(v)]
    numbers = [x for x in map(parse_number, stated) if x is not None]
    if not stated or 2 * len(numbers) < len(stated):
        raise BadInput(
            f"only {len(numbers)} of {len(stated)} stated values hold a number.",
            where=f"coarsening of {attribute!r}",
            fix="Coarsen by hand or by frequent values.",
        )
    parsed = {v: parse_number(v) for v in domain if not is_unstated(v)}
    taken = (len(parsed) < len(domain)) + (None in parsed.values())
    bands = quantile_bands(numbers, max(1, k - taken))
    mapping = {v: NOT_STATED for v in domain if is_unstated(v)}
    mapping |= {v: OTHER_VALUES if x is None else bands.label(x) for v, x in parsed.items()}
    used = set(mapping.values())
    buckets = tuple(b for b in (*bands.labels, OTHER_VALUES, NOT_STATED) if b in used)
    return Coarsening(attribute, {v: mapping[v] for v in domain}, buckets, f"quantiles: {source}")


def frequent_values(
    values: Iterable[object],
    k: int = MAX_BUCKETS,
    *,
    attribute: str = "",
    domain: Sequence[str] | None = None,
    source: str = DECLARED,
) -> Coarsening:
    """The most frequent of `values` keep a bucket each, the rest share `Other values`.

    Arguments as for `numeric_bands`; ties go to the value declared first.
    """
    values = [str(v) for v in values]
    domain = _domain(values, domain)
    if k < 2:
        raise BadInput(f"needs at least 2 buckets, not {k}.", where=f"coarsening of {attribute!r}")
    if len(domain) <= k:
        return Coarsening(attribute, {v: v for v in domain}, tuple(domain), f"frequent values: {source}")
    count = Counter(values)
    unstated = [v for v in domain if is_unstated(v)]
    # `sorted` is stable, so the one declared first comes first among equals.
    ranked = sorted((v for v in domain if v not in (*unstated, OTHER, OTHER_VALUES)), key=lambda v: -count[v])
    own = set(ranked[: max(0, k - 1 - bool(unstated))])
    mapping = {v: NOT_STATED if v in unstated else v if v in own else OTHER_VALUES for v in domain}
    used = set(mapping.values())
    buckets = tuple(b for b in (*(v for v in domain if v in own), OTHER_VALUES, NOT_STATED) if b in used)
    return Coarsening(attribute, mapping, buckets, f"frequent values: {source}")


def quantile_coarsening(
    attribute: Attribute, values: Iterable[object], *, source: str = DONATED, k: int = MAX_BUCKETS
) -> Coarsening:
    """`numeric_bands` over the domain of one attribute."""
    return numeric_bands(values, k, attribute=attribute.name, domain=attribute.values, source=source)


def _domain(values: Sequence[str], domain: Sequence[str] | None) -> list[str]:
    return list(dict.fromkeys(values if domain is None else domain))


def _some(values: Sequence[str]) -> str:
    shown = ", ".join(repr(v) for v in values[:5])
    more = f" and {len(values) - 5} more" if len(values) > 5 else ""
    return f"{shown}{more} {'is' if len(values) == 1 else 'are'}"
