"""Corpora written out by hand: all records private, domains read off the columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.schema import Attribute, Coarsening, Schema


def corpus_of(columns, *, authors=None, buckets=None, label=None, splits=None) -> Corpus:
    """`columns`: name -> values; `buckets`: name -> {value: bucket}."""
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({a: np.array([str(v) for v in vs], object) for a, vs in columns.items()})
    attributes = tuple(Attribute(a, tuple(sorted(set(frame[a]))) or ("none",)) for a in columns)
    maps = {
        a: Coarsening(
            a, {v: mapping[v] for v in sorted(set(frame[a]))}, tuple(dict.fromkeys(mapping.values()))
        )
        for a, mapping in (buckets or {}).items()
    }
    return Corpus(
        "by hand",
        tuple(f"r{i}" for i in range(n)),
        tuple(f"text {i}" for i in range(n)),
        frame,
        Schema(attributes, maps),
        np.array(splits if splits is not None else ["private"] * n, object),
        label,
        None if authors is None else tuple(authors),
    )


def sides(public="", private="", coarsened="", audience="vendor") -> Partition:
    """A partition from names written with spaces between them."""
    return Partition(
        audience, tuple(public.split()), tuple(private.split()), coarsened=tuple(coarsened.split())
    )


@pytest.fixture
def make():
    """The makers of this file, for tests that cannot import it (there are no packages here)."""

    class Make:
        corpus = staticmethod(corpus_of)
        sides = staticmethod(sides)

    return Make
