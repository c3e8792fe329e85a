"""The checks before approval on 100,000 records: all of (a), (b) and (c), for ten audiences.

The table is made up: 12 attributes, of which each audience is told six; one has 200 values;
one private attribute follows from another and one from two together, so that there is
something to find. Beside the seconds stands how often a logistic regression of one of the
private attributes on the same six attributes, fitted once, would have run in that time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd

from ctxpriv.classify.checks.collusion import collude
from ctxpriv.classify.checks.records import Records, records_of
from ctxpriv.classify.checks.review import review
from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.privacy.ledger import Ledger, LedgerEntry
from ctxpriv.schema import Attribute, Schema

RECORDS = 100_000
SIZES = (200, 2, 3, 5, 8, 12, 10, 2, 4, 5, 6, 12)
TOLD = 6
AUDIENCES = 10


def made_up(n: int = RECORDS, seed: int = 0) -> Corpus:
    """Attribute 6 follows from the one with 200 values, attribute 7 from 1 and 3 together, 8 and 9
    lean on 4; the others are independent."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, n) for size in SIZES], axis=1)
    codes[:, 6] = codes[:, 0] % SIZES[6]
    codes[:, 7] = (codes[:, 1] + codes[:, 3] % 2) % 2
    for leaning in (8, 9):
        follows = rng.random(n) < 0.4
        codes[follows, leaning] = codes[follows, 4] % SIZES[leaning]
    names = [f"a{i}" for i in range(len(SIZES))]
    values = [np.array([f"v{v}" for v in range(size)], object) for size in SIZES]
    table = pd.DataFrame({a: values[i][codes[:, i]] for i, a in enumerate(names)})
    schema = Schema(tuple(Attribute(a, tuple(values[i])) for i, a in enumerate(names)))
    ids = tuple(map(str, range(n)))
    return Corpus("made up", ids, ids, table, schema, np.full(n, "private", object))


def partitions(corpus: Corpus, number: int = AUDIENCES) -> dict[str, Partition]:
    """The first audience is told the first six attributes; each further one has one exchanged."""
    names = corpus.schema.names
    out = {}
    for j in range(number):
        told = list(names[:TOLD])
        if j:
            told[1 + j % (TOLD - 1)] = names[TOLD + j % (len(names) - TOLD)]
        audience = f"audience {j}"
        out[audience] = Partition(audience, tuple(told), tuple(a for a in names if a not in told))
    return out


def measure() -> Iterator[tuple[str, float | None, str]]:
    """Figures for `make bench`: name, value, remark."""
    corpus = made_up()
    chosen = partitions(corpus)
    ledger = _with_releases(corpus, chosen)  # its digest is known before: the app names corpora by it
    started = time.perf_counter()
    records = records_of(corpus)
    prepared = time.perf_counter()
    first = review(corpus, chosen["audience 0"], records=records)
    one = time.perf_counter()
    for partition in list(chosen.values())[1:]:
        review(corpus, partition, records=records)
    reviewed = time.perf_counter()
    collude(corpus, chosen, ledger, list(chosen), records=records)
    done = time.perf_counter()
    found = {r["attribute"]: r["accuracy"] for r in first.findings[0].rows if r["warning"]}
    whole = done - started
    yield (
        "checks.seconds",
        whole,
        f"{RECORDS:,} records × {len(SIZES)} attributes, {AUDIENCES} audiences; reading "
        f"{prepared - started:.2f}, reviews {reviewed - prepared:.2f}, collusion {done - reviewed:.2f}",
    )
    told = ", ".join(f"{a} {right:.2f}" for a, right in found.items())
    yield "checks.one_audience_seconds", one - prepared, f"guessed above the majority: {told}"
    peer = _logistic_seconds(records)
    yield (
        "checks.vs_logistic",
        peer * AUDIENCES * TOLD / whole,
        (
            f"one logistic fit of one private attribute took {peer:.2f} s; the checks need about "
            f"{AUDIENCES * TOLD * 5} of them (private attributes × folds)"
        ),
    )


def _with_releases(corpus: Corpus, chosen: dict[str, Partition]) -> Ledger:
    """A ledger in which every audience got one release."""
    ledger = Ledger(None)
    for i, (audience, p) in enumerate(chosen.items()):
        ledger.charge(
            LedgerEntry(
                f"run {i}",
                corpus.digest,
                audience,
                p.public,
                p.private,
                "SDG-CI",
                "add/drop",
                0.03,
                1.0,
                1 / len(corpus),
                "declared",
            )
        )
        ledger.mark_released(f"run {i}")
    return ledger


def _logistic_seconds(records: Records) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder

    told = np.stack([records.exact[f"a{i}"].codes for i in range(TOLD)], axis=1)
    started = time.perf_counter()
    LogisticRegression(max_iter=100).fit(OneHotEncoder().fit_transform(told), records.exact["a8"].codes)
    return time.perf_counter() - started
