"""How near the released texts are to the real ones: MAUVE, KL and TV, JSD per attribute.

Paper section 5: MAUVE (Pillutla et al. 2021) and KL/TV on sentence embeddings, JSD on the
attribute values extracted from the texts of both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from ctxpriv.evaluate import divergence
from ctxpriv.evaluate.intervals import CENTRED, interval, record_weights
from ctxpriv.evaluate.report import Metric
from ctxpriv.evaluate.settings import MIN_HISTOGRAM, MIN_MAUVE, EvaluationSettings
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

MAUVE_SETTINGS: Mapping[str, Any] = {
    "kmeans_explained_var": 0.9,
    "kmeans_num_redo": 5,
    "kmeans_max_iter": 500,
    "mauve_scaling_factor": 5,
    "divergence_curve_discretization_size": 25,
}
"""mauve-text's parameters, stated in every report. Features are L2-normalised there; the number
of cells is min(n)/10."""
MAUVE_MAX_ROWS = 5000  # a side, as in Aug-PE's evaluation: more changes little and costs much


def too_few(n: int, least: int, what: str) -> str:
    """The reason for a missing metric, or "" when n is enough."""
    return "" if n >= least else f"needs at least {least} {what}, there are {n}"


def mauve(
    real: np.ndarray,
    released: np.ndarray,
    settings: EvaluationSettings,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Metric:
    """MAUVE, the mean over `mauve_seeds` k-means seeds. Embeddings (n, d) and (m, d).

    Interval: both sides resampled `mauve_resamples` times, each under every seed.
    """
    n = len(released)
    why = too_few(n, MIN_MAUVE, "released records") or too_few(len(real), MIN_MAUVE, "private records")
    if why:
        return Metric.not_computed(why, n)
    rng = np.random.default_rng([settings.seed, 11])
    real, released = _at_most(real, rng), _at_most(released, rng)
    cells = max(2, round(min(len(real), len(released)) / 10))
    seeds = [settings.seed * 1000 + i for i in range(settings.mauve_seeds)]
    by_seed = [_mauve_once(real, released, cells, s, cancel) for s in seeds]
    value = float(np.mean(by_seed))
    draws = []
    for done in range(settings.mauve_resamples):
        progress("measure MAUVE", done, settings.mauve_resamples)
        a = real[rng.integers(0, len(real), len(real))]
        b = released[rng.integers(0, len(released), len(released))]
        draws += [_mauve_once(a, b, cells, s, cancel) for s in seeds]
    low, high = interval(value, np.array(draws), 0.0, 1.0)
    detail = {
        **MAUVE_SETTINGS,
        "features": "sentence embeddings, L2-normalised",
        "cells": cells,
        "by_seed": [round(v, 4) for v in by_seed],
        "n_real": len(real),
        "n_released": len(released),
        "interval": f"{len(draws)} figures: {len(seeds)} seeds × resamples of both sides; {CENTRED}",
    }
    return Metric(value, low, high, n, detail=detail)


def mauve_ceiling(
    real: np.ndarray,
    settings: EvaluationSettings,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Metric:
    """MAUVE of one random half of the real texts against the other: what to read MAUVE against."""
    if why := too_few(len(real), 2 * MIN_MAUVE, "private records"):
        return Metric.not_computed(why, len(real))
    draws = []
    for i in range(settings.mauve_seeds):
        progress("compare real halves", i, settings.mauve_seeds)
        order = np.random.default_rng([settings.seed, 12, i]).permutation(len(real))[: 2 * MAUVE_MAX_ROWS]
        half = len(order) // 2
        a, b = real[order[:half]], real[order[half : 2 * half]]
        draws.append(_mauve_once(a, b, max(2, round(half / 10)), settings.seed * 1000 + i, cancel))
    return Metric(
        float(np.mean(draws)),
        float(min(draws)),
        float(max(draws)),
        half,
        detail={"interval": f"lowest and highest of {len(draws)} random halvings"},
    )


def _at_most(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if len(rows) <= MAUVE_MAX_ROWS:
        return rows
    return rows[rng.choice(len(rows), MAUVE_MAX_ROWS, replace=False)]


@cache
def _compute_mauve() -> Callable[..., Any]:
    """`mauve.compute_mauve`, without faiss's line on standard error for every small k-means.

    faiss warns below 39 points a cell, and mauve-text offers no way to say that fewer are meant:
    MAUVE's own rule is ten. The parameter changes nothing but the warning.
    """
    from importlib import import_module  # slow to import (torch, transformers)

    module = import_module("mauve.compute_mauve")
    whole = module.faiss
    module.faiss = SimpleNamespace(**vars(whole))
    module.faiss.Kmeans = partial(whole.Kmeans, min_points_per_centroid=1)
    return module.compute_mauve


def _mauve_once(p: np.ndarray, q: np.ndarray, cells: int, seed: int, cancel: CancelToken) -> float:
    cancel.check()
    result = _compute_mauve()(p_features=p, q_features=q, num_buckets=int(cells), seed=seed, **MAUVE_SETTINGS)
    return float(np.clip(result.mauve, 0.0, 1.0))


@dataclass(frozen=True)
class Quantisation:
    """k cells of embedding space, fitted on the real private embeddings alone.

    So one quantisation serves every method of a comparison, and a method added later
    changes no earlier figure. `counts`: real records per cell.
    """

    centres: np.ndarray = field(repr=False)  # (k, d)
    counts: np.ndarray = field(repr=False)  # (k,)

    @staticmethod
    def fit(real: np.ndarray, seed: int) -> Quantisation:
        """k = n/10 within 2..50; k-means++ with 10 starts."""
        from sklearn.cluster import KMeans

        k = int(np.clip(len(real) // 10, 2, 50))
        model = KMeans(k, n_init=10, random_state=seed).fit(real)
        return Quantisation(model.cluster_centers_, np.bincount(model.labels_, minlength=k))

    def histogram(self, embeddings: np.ndarray) -> np.ndarray:
        """Records per cell (nearest centre), int (k,)."""
        distance = (self.centres**2).sum(axis=1) - 2 * embeddings @ self.centres.T
        return np.bincount(distance.argmin(axis=1), minlength=len(self.centres))


def kl_and_tv(
    quantisation: Quantisation | None, released: np.ndarray, settings: EvaluationSettings
) -> tuple[Metric, Metric]:
    """KL(real ‖ released) in nats with KT smoothing, and TV without, on one quantisation.

    `quantisation` is None when there are too few private records to fit one.
    """
    n = len(released)
    why = too_few(n, MIN_HISTOGRAM, "released records")
    if quantisation is None:
        why = f"needs at least {MIN_HISTOGRAM} private records"
    if why:
        return Metric.not_computed(why, n), Metric.not_computed(why, n)
    rng = np.random.default_rng([settings.seed, 13])
    real, ours = quantisation.counts, quantisation.histogram(released)
    real_draws = rng.multinomial(real.sum(), real / real.sum(), size=settings.bootstrap)
    our_draws = rng.multinomial(n, ours / n, size=settings.bootstrap)

    def kl_of(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return divergence.kl(*(divergence.normalise(c, divergence.SMOOTHING) for c in (p, q)))

    def tv_of(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return divergence.tv(divergence.normalise(p), divergence.normalise(q))

    shared = {
        "cells": len(real),
        "n_real": int(real.sum()),
        "quantisation": "k-means on the private embeddings alone, k = n/10 within 2..50",
        "interval": f"{settings.bootstrap} resamples of both histograms; {CENTRED}",
    }
    out = []
    for distance, top, smoothing in ((kl_of, np.inf, divergence.SMOOTHING), (tv_of, 1.0, 0.0)):
        value = float(distance(real, ours))
        low, high = interval(value, distance(real_draws, our_draws), 0.0, top)
        out.append(Metric(value, low, high, n, detail={**shared, "smoothing_per_cell": smoothing}))
    return out[0], out[1]


def attribute_jsd(
    real: Mapping[str, np.ndarray], released: Mapping[str, np.ndarray], settings: EvaluationSettings
) -> tuple[Metric, dict[str, dict[str, Any]]]:
    """Mean over attributes of the JSD between extracted values, and the row of every attribute.

    `real[a]` is (n, values) and `released[a]` (m, values): each row the shares of one
    record's value (one-hot, or an average over extractors). The same attributes on both sides.
    """
    n = len(next(iter(released.values()), ()))
    n_real = len(next(iter(real.values()), ()))
    if not released:
        return Metric.not_computed("the schema has no attributes"), {}
    why = too_few(n, MIN_HISTOGRAM, "released records with extracted values") or too_few(
        n_real, MIN_HISTOGRAM, "private records with extracted values"
    )
    if why:
        return Metric.not_computed(why, n), {}
    rng = np.random.default_rng([settings.seed, 14])
    real_w = record_weights(n_real, settings.bootstrap, rng)
    our_w = record_weights(n, settings.bootstrap, rng)
    rows, all_draws = {}, []
    for name in released:
        value = float(divergence.jsd(*(divergence.normalise(s[name].sum(axis=0)) for s in (real, released))))
        draws = divergence.jsd(
            divergence.normalise(real_w @ real[name]), divergence.normalise(our_w @ released[name])
        )
        low, high = interval(value, draws, 0.0, 1.0)
        rows[name] = {"value": value, "low": low, "high": high}
        all_draws.append(draws)
    value = float(np.mean([r["value"] for r in rows.values()]))
    low, high = interval(value, np.mean(all_draws, axis=0), 0.0, 1.0)
    detail = {
        "attributes": len(rows),
        "n_real": n_real,
        "base": 2,
        "interval": f"{settings.bootstrap} resamples of the records of both sides; {CENTRED}",
    }
    return Metric(value, low, high, n, detail=detail), rows
