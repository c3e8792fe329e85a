"""Which attributes of a schema a clue bears on, and which of their values it points to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from ctxpriv.extract.bands import parse_number
from ctxpriv.extract.evidence.cues import tables
from ctxpriv.extract.evidence.places import continent_of
from ctxpriv.extract.evidence.span import AGE, MONEY, OCCUPATION, ORIGIN, PLACE, WORD, Clue
from ctxpriv.gazetteer import fold, place_of
from ctxpriv.loaders.people import yearly_dollars
from ctxpriv.schema import SAYS_NOTHING, Attribute, Schema


def facet_of(attribute: Attribute) -> str:
    """The facet of `FACETS` that an attribute is about by its name, else by its description; "" for none."""
    name = re.sub(r"[_\W]+", " ", attribute.name)
    for at, text in (("named", name), ("about", attribute.description)):
        for facet, patterns in tables()["facets"].items():
            if re.search(patterns[at], text, re.IGNORECASE):
                return facet
    return ""


class Bearing:
    """The reading of clues for one schema. Knows the schema only."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.facets: Mapping[str, str] = {a.name: facet_of(a) for a in schema.attributes}

    def attributes(self, clue: Clue) -> tuple[str, ...]:
        """Attributes that the clue bears on."""
        if clue.facet == WORD:
            return (clue.what,)
        return tuple(n for n, facet in self.facets.items() if facet == clue.facet)

    def tells(self, clue: Clue) -> tuple[str, ...]:
        """Attributes of which the clue singles out some value: a bucket at least half again as likely
        as if nothing were known. "For twenty years" bears on an age and tells little of it."""
        out = []
        for name in self.attributes(clue):
            w = self.weights(clue, name)
            if w.max() * len(w) >= 1.5:
                out.append(name)
        return tuple(out)

    def weights(self, clue: Clue, name: str) -> np.ndarray:
        """Shape (coarse values of `name`,), summing to 1: how far each bucket is consistent with the
        clue (the share of its values that are, made to sum to 1); all 0 where it tells no value."""
        return _weights(self, clue, name)

    @cached_property
    def _codes(self) -> Mapping[str, np.ndarray]:
        """Bucket of every specific value."""
        out = {}
        for a in self.schema.attributes:
            at = {v: i for i, v in enumerate(self.schema.coarse_values(a.name))}
            c = self.schema.coarsenings.get(a.name)
            out[a.name] = np.asarray([at[c.mapping[v] if c else v] for v in a.values])
        return out

    @cached_property
    def _numbers(self) -> Mapping[str, np.ndarray]:
        """Dollars or years that a value states, by attribute; nan where it states none."""
        out = {}
        for a in self.schema.attributes:
            read = {MONEY: yearly_dollars, AGE: parse_number}.get(self.facets[a.name], lambda v: None)
            out[a.name] = np.asarray([np.nan if (x := read(v)) is None else x for v in a.values], float)
        return out

    @cached_property
    def _places(self) -> Mapping[str, list[tuple[str, str]]]:
        """(city, country) of every value of an attribute of places."""
        out = {}
        for a in self.schema.attributes:
            if self.facets[a.name] in (PLACE, ORIGIN):
                found = [place_of(v) for v in a.values]
                out[a.name] = [
                    ("", "") if p is None else (fold(p.name) if p.kind == "city" else "", p.country)
                    for p in found
                ]
        return out

    def buckets(self, name: str) -> np.ndarray:
        """Int (values of `name`,): the position of each value's bucket."""
        return self._codes[name]

    def countable(self, name: str) -> bool:
        """Whether most values state a number (of years, of money a year)."""
        return bool(np.isfinite(self._numbers[name]).mean() > 0.5)

    def consistent(self, clue: Clue, name: str) -> np.ndarray:
        """Bool (values of `name`,): the specific values that the clue points to."""
        values = self.schema[name].values
        if clue.facet in (PLACE, ORIGIN):
            return self._where(clue, name)
        if clue.facet == AGE:
            return (self._numbers[name] >= clue.low) & (self._numbers[name] <= clue.high)
        if clue.facet == MONEY and clue.high:
            return (self._numbers[name] >= clue.low * 0.8) & (self._numbers[name] <= clue.high * 1.25)
        pattern = tables()["concepts"].get(clue.facet, {}).get(clue.what)
        if pattern is None and clue.facet == OCCUPATION:
            pattern = "|".join(rf"\b{re.escape(w)}" for w in _alternatives(clue))
        if not pattern:
            return np.zeros(len(values), bool)
        return np.asarray(
            [v not in SAYS_NOTHING and bool(re.search(pattern, v, re.IGNORECASE)) for v in values]
        )

    def _where(self, clue: Clue, name: str) -> np.ndarray:
        city, _, countries = clue.what.partition("|")
        codes = countries.split()
        places = self._places[name]
        exact = np.asarray([bool(city) and city == c and k in codes for c, k in places])
        if exact.any():
            return exact
        inside = np.asarray([k in codes for _, k in places])
        if inside.any() or not codes:
            return inside
        near = {continent_of(k) for k in codes} - {""}
        return np.asarray([continent_of(k) in near for _, k in places])


def _alternatives(clue: Clue) -> Sequence[str]:
    return clue.what.split() if clue.hint else [clue.what]


@lru_cache(maxsize=65_536)
def _weights(bearing: Bearing, clue: Clue, name: str) -> np.ndarray:
    pointed = bearing.consistent(clue, name)
    codes, size = bearing.buckets(name), len(bearing.schema.coarse_values(name))
    share = np.bincount(codes, pointed, size) / np.maximum(np.bincount(codes, minlength=size), 1)
    return share / share.sum() if share.sum() else share
