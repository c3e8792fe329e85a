"""From an adversary's answers to its figures, with what they are to be read against.

PRIVATE SIDE (curator-only): answers are held against true private values.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ctxpriv.evaluate.attacks.adversary import Adversary, Originals, Terms
from ctxpriv.evaluate.attacks.attack import Attack
from ctxpriv.evaluate.intervals import CENTRED, interval, unit_weights
from ctxpriv.evaluate.metric import Metric
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.matching import Matcher
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Schema

CANDIDATES = 25  # most common values among which the best constant guesses are sought

Answers = Sequence[tuple[str, ...] | None]


@dataclass(frozen=True)
class Target:
    """What is attacked: released texts, the private rows they were rewritten from, the attributes that
    they had to hide. `useful`: which of them kept what they had to keep (see `evaluate.rewriting`)."""

    texts: tuple[str, ...] = field(repr=False)
    rows: tuple[int, ...] = field(repr=False)
    attributes: tuple[str, ...]
    useful: np.ndarray = field(repr=False)  # bool (n,)
    evaluator: Mapping[str, str] = field(default_factory=dict)  # who judged privacy while rewriting


def attack(
    adversary: Adversary,
    target: Target,
    originals: Originals,
    matcher: Matcher,
    settings: EvaluationSettings,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Attack:
    """One adversary on one release. Raises what the adversary raises: ModelFailed, Cancelled."""
    started = time.perf_counter()
    before, after = (
        originals.ask(adversary, texts, target.attributes, progress=progress, cancel=cancel)
        for texts in ([originals.texts[row] for row in target.rows], target.texts)
    )
    found = scored(adversary.terms, before, after, target, originals, matcher, settings)
    return replace(found, seconds=time.perf_counter() - started)


def scored(
    terms: Terms,
    before: Mapping[str, Answers],
    after: Mapping[str, Answers],
    target: Target,
    originals: Originals,
    matcher: Matcher | None,
    settings: EvaluationSettings,
) -> Attack:
    """What the answers to originals and rewrites are worth. Both per attribute, in the target's order."""
    judge = Judge(terms, originals.brief.schema, matcher)
    truths = {name: originals.truths(name, target.rows) for name in target.attributes}
    hit = _Hits(
        {name: judge.hits(name, after[name], truths[name]) for name in target.attributes},
        {name: judge.hits(name, before[name], truths[name]) for name in target.attributes},
        {name: judge.common(name, truths[name]) for name in target.attributes},
    )
    weights = weights_of([originals.units[row] for row in target.rows], settings)
    return Attack(
        terms.name,
        terms.who,
        **_figures(hit, target.useful, weights, judge.told()),
        guesses=terms.guesses,
        n=len(target.texts),
        unknown=sum(answer is None for name in target.attributes for answer in after[name]),
        per_attribute=_rows(hit, truths, after, weights),
        same_as_evaluator=_same(terms.who, target.evaluator),
    )


@dataclass(frozen=True)
class _Hits:
    """Per attribute (n,): 1 named, 0 not named, NaN where nothing is stated or the answer is unknown."""

    after: dict[str, np.ndarray]
    before: dict[str, np.ndarray]
    common: dict[str, np.ndarray]  # of always guessing the most common values


@dataclass(frozen=True)
class Judge:
    terms: Terms
    schema: Schema
    matcher: Matcher | None  # None: for closed answers only

    def told(self) -> str:
        return (
            "answers are buckets or values of the schema and count when they are the true one"
            if self.terms.closed
            else "guesses count when the typed rules of matching say so"
        )

    def hits(self, attribute: str, answers: Answers, truths: Sequence[str]) -> np.ndarray:
        out = np.full(len(truths), np.nan)
        asked = [i for i, truth in enumerate(truths) if truth and answers[i] is not None]
        pairs = [(i, guess) for i in asked for guess in answers[i] or ()]
        out[asked] = 0.0
        right = self._right(attribute, [(guess, truths[i]) for i, guess in pairs])
        for (i, _), matched in zip(pairs, right, strict=True):
            out[i] = max(out[i], float(matched))
        return out

    def common(self, attribute: str, truths: Sequence[str]) -> np.ndarray:
        """Hits of the constant guesses that name most records, chosen one after the other."""
        counts = Counter(self._coarse(attribute, t) if self.terms.closed else t for t in truths if t)
        values = list(counts)
        candidates = [value for value, _ in counts.most_common(CANDIDATES)]
        pairs = [(guess, truth) for guess in candidates for truth in values]
        named = np.array(self._right(attribute, pairs), bool).reshape(len(candidates), len(values))
        size, covered = np.array([counts[v] for v in values]), np.zeros(len(values), bool)
        for _ in range(min(self.terms.guesses, len(candidates))):
            covered |= named[np.argmax((named & ~covered) @ size)]
        by_value = dict(zip(values, covered, strict=True))
        told = [self._coarse(attribute, t) if self.terms.closed and t else t for t in truths]
        return np.array([float(by_value[t]) if t else np.nan for t in told])

    def _right(self, attribute: str, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        if self.terms.closed:
            return [self._coarse(attribute, a) == self._coarse(attribute, b) for a, b in pairs]
        return [m.matched for m in self.matcher.match_many([(attribute, a, b) for a, b in pairs])]

    def _coarse(self, attribute: str, value: str) -> str:
        """The bucket of a value; buckets and values without one stay as they are."""
        if attribute not in self.schema.coarsenings or value in self.schema.coarse_values(attribute):
            return value
        return self.schema.coarsenings[attribute].mapping.get(value, value)


def _same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two identities name one player; one that has not learnt yet has no digest to compare."""
    named = all(one.get(key) == other.get(key) for key in ("kind", "name", "place"))
    return named and (
        one.get("digest") == other.get("digest") or not (one.get("digest") and other.get("digest"))
    )


def weights_of(units: Sequence[str], settings: EvaluationSettings) -> np.ndarray:
    """(draws, n): whole authors are drawn. Without a record there is nothing to draw."""
    if not units:
        return np.zeros((0, 0))
    return unit_weights(units, settings.bootstrap, np.random.default_rng([settings.seed, 51]))


def _figures(hit: _Hits, useful: np.ndarray, weights: np.ndarray, told: str) -> dict[str, Metric]:
    how = {"interval": f"resampled records, whole authors where there are any; {CENTRED}", "answers": told}
    names = [name for name, row in hit.after.items() if not np.isnan(row).all()]
    # The majority is that of the records whose answers count.
    common = {name: np.where(np.isnan(hit.after[name]), np.nan, hit.common[name]) for name in names}
    after = {name: hit.after[name] for name in names}
    gained = {name: after[name] - common[name] for name in names}
    kept = {name: np.where(useful, after[name], np.nan) for name in names}
    return {
        "leak": _mean(after, weights, 0.0, how, "no answer about a stated value could be read"),
        "majority": _mean(common, weights, 0.0, how, "no answer about a stated value could be read"),
        "advantage": _mean(gained, weights, -1.0, how, "no answer about a stated value could be read"),
        "unprotected": _mean(hit.before, weights, 0.0, how, "no answer about an original could be read"),
        "leak_when_useful": _mean(kept, weights, 0.0, how, "no record kept its label and public values"),
    }


def _mean(
    hits: dict[str, np.ndarray], weights: np.ndarray, least: float, detail: dict[str, Any], why_none: str
) -> Metric:
    """The mean over attributes of the share of hits; attributes without an answer are left out."""
    shares = {name: found for name, row in hits.items() if (found := share(row, weights)) is not None}
    if not shares:
        return Metric.not_computed(why_none)
    value = float(np.mean([found[0] for found in shares.values()]))
    draws = np.array([found[1] for found in shares.values()])
    usable = ~np.isnan(draws).all(axis=0)  # a draw of authors may hold nobody who was answered about
    low, high = interval(value, np.nanmean(draws[:, usable], axis=0), least, 1.0)
    n = int((~np.isnan(np.array([hits[name] for name in shares]))).any(axis=0).sum())
    return Metric(value, low, high, n, detail={**detail, "attributes": len(shares)})


def share(row: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray] | None:
    """The mean of what is not NaN, and the same under every draw of `weights` (NaN where a draw holds
    none of it); None where there is nothing."""
    counted = ~np.isnan(row)
    if not counted.any():
        return None
    total = weights[:, counted].sum(axis=1)
    with np.errstate(invalid="ignore"):
        return float(row[counted].mean()), weights[:, counted] @ row[counted] / total


def _rows(
    hit: _Hits, truths: dict[str, list[str]], after: Mapping[str, Answers], weights: np.ndarray
) -> dict[str, dict[str, Any]]:
    out = {}
    for name, row in hit.after.items():
        counted = ~np.isnan(row)
        found, before = share(row, weights), share(hit.before[name], weights)
        told: dict[str, Any] = {
            "accuracy": None,
            "majority": None,
            "unprotected": None if before is None else before[0],
            "advantage": None,
            "n": int(counted.sum()),
            "not_stated": sum(not truth for truth in truths[name]),
            "unknown": sum(a is None and bool(t) for a, t in zip(after[name], truths[name], strict=True)),
        }
        if found is not None:
            draws = found[1][~np.isnan(found[1])]
            low, high = interval(found[0], draws, 0.0, 1.0)
            majority = float(hit.common[name][counted].mean())
            told |= {"accuracy": found[0], "low": low, "high": high, "majority": majority}
            told["advantage"] = found[0] - majority
        out[name] = told
    return out
