"""The attribute inference attack on a synthetic release (paper App. I).

The attacker has the release and knows the public attributes of a real target. A logistic
regression from public to private attributes, trained on the release's rows, is tested on
the real test records: advantage of an attribute = accuracy − accuracy of the majority.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ctxpriv.context import Partition
from ctxpriv.evaluate.intervals import CENTRED, interval, record_weights, unit_weights
from ctxpriv.evaluate.linear import TABLE_C, Logistic, one_hot
from ctxpriv.evaluate.report import Metric
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.evaluate.utility import why_no_training
from ctxpriv.progress import NEVER, CancelToken
from ctxpriv.schema import Schema

NOTHING_PRIVATE = "nothing is private for this audience"


def attribute_inference(
    released: np.ndarray,
    test: np.ndarray,
    units: Sequence[str],
    schema: Schema,
    partition: Partition,
    settings: EvaluationSettings,
    *,
    values_from: str = "the release's table",
    cancel: CancelToken = NEVER,
) -> tuple[Metric, dict[str, dict[str, Any]]]:
    """Mean over private attributes of max(advantage, 0), and a row per private attribute.

    released, test: coarse codes (n, |A|) and (n_test, |A|) in schema order. The majority
    is that of the test records, the best that an attacker without the release could do.
    The paper does not say whether negative advantages enter the mean; an attack that does
    worse than guessing leaks nothing, so they count as 0 and are kept in `raw`.
    """
    if not partition.private:
        return Metric.not_computed(NOTHING_PRIVATE), {}
    if why := why_no_training(len(released), len(test)):
        return Metric.not_computed(why, len(released)), {}
    column = {name: i for i, name in enumerate(schema.names)}
    public = [column[n] for n in schema.names if n in partition.disclosed]
    sizes = tuple(len(schema.coarse_values(schema.names[i])) for i in public)
    known, target = one_hot(released[:, public], sizes), one_hot(test[:, public], sizes)
    # One set of draws for all attributes, so that their mean has an interval too.
    rng = np.random.default_rng([settings.seed, 31])
    release_w = record_weights(len(released), settings.refits, rng)
    each = -(-settings.bootstrap // settings.refits)
    test_w = unit_weights(units, each * settings.refits, rng)
    test_w /= test_w.sum(axis=1, keepdims=True)
    rows, draws = {}, []
    for name in (n for n in schema.names if n in partition.private):
        truth = test[:, column[name]]
        model = Logistic(known, released[:, column[name]], TABLE_C)
        guess = model.fit().predict(target)
        majority = np.bincount(truth).argmax()
        advantage = (guess == truth).astype(float) - (truth == majority)
        under = []
        for i, weights in enumerate(release_w):
            cancel.check()
            redone = (model.fit(weights).predict(target) == truth).astype(float) - (truth == majority)
            under.append(test_w[i * each : (i + 1) * each] @ redone)
        draws.append(np.concatenate(under))
        rows[name] = _row(
            guess, truth, float(advantage.mean()), draws[-1], schema.coarse_values(name)[majority]
        )
    raw = float(np.mean([r["raw"] for r in rows.values()]))
    value = float(np.mean([r["value"] for r in rows.values()]))
    low, high = interval(value, np.maximum(draws, 0).mean(axis=0), 0.0, 1.0)
    detail = {
        "raw": raw,
        "attributes": len(rows),
        "public_attributes": len(public),
        "n_train": len(released),
        "values_from": values_from,
        "clipped": "negative advantages count as 0 per attribute; raw keeps them",
        "interval": f"{settings.refits} attacks on resampled releases × resampled test records; {CENTRED}",
    }
    return Metric(value, low, high, len(test), detail=detail), rows


def _row(
    guess: np.ndarray, truth: np.ndarray, raw: float, draws: np.ndarray, majority: str
) -> dict[str, Any]:
    low, high = interval(raw, draws, -1.0, 1.0)
    accuracy = float((guess == truth).mean())
    return {
        "value": max(raw, 0.0),
        "raw": raw,
        "raw_low": low,
        "raw_high": high,
        "accuracy": accuracy,
        "majority": accuracy - raw,
        "majority_value": majority,
        "n": len(truth),
    }
