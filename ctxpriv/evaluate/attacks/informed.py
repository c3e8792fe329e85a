"""The classifier adversary in the hands of one who knows the truth behind other released texts [ours].

A rewriting that goes on until one classifier guesses wrongly may have taught that classifier to be wrong,
and a guess that is wrong in a regular way still tells something. So here a second classifier learns, from
released texts by other authors and their true values, what the first one's answers mean, or whether to
believe or to ignore them. It measures what rewrites still tell, where the plain attack measures whether
one reader was led astray.

PRIVATE SIDE: learns from true values of private records.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np

from ctxpriv.evaluate.attacks.adversary import Originals, Terms
from ctxpriv.evaluate.attacks.attack import INFORMED, Attack
from ctxpriv.evaluate.attacks.score import Target, scored
from ctxpriv.evaluate.linear import TABLE_C, Logistic
from ctxpriv.evaluate.metric import Metric
from ctxpriv.evaluate.settings import MIN_TRAIN, EvaluationSettings
from ctxpriv.models.base import ModelIdentity
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.rewriting_roles import Brief, Guessed

FOLDS = 5
FLOOR = -6.0  # log probabilities below say no more than "hardly"


@runtime_checkable
class GivesScores(Protocol):
    """A `Player` that also says how likely it holds every value."""

    @property
    def identity(self) -> ModelIdentity: ...

    def answers(
        self, texts: Sequence[str], brief: Brief, *, progress: Progress = silent, cancel: CancelToken = NEVER
    ) -> list[Guessed]: ...

    def scores(
        self, texts: Sequence[str], brief: Brief, *, progress: Progress = silent, cancel: CancelToken = NEVER
    ) -> dict[str, np.ndarray]: ...


def informed_attack(
    player: GivesScores,
    target: Target,
    originals: Originals,
    settings: EvaluationSettings,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Attack:
    """As `score.attack`, each text read by one who learnt from the texts of other authors.

    The originals are read alike, so that unprotected − leak compares like with like. Without figures
    below `MIN_TRAIN` released records or two authors.
    """
    started = time.perf_counter()
    who = player.identity
    terms = Terms(INFORMED, replace(who, name=f"{who.name}, fitted on released texts by others").to_dict())
    units = [originals.units[row] for row in target.rows]
    if len(units) < MIN_TRAIN or len(set(units)) < 2:
        why = f"needs at least {MIN_TRAIN} released records of two or more authors, there are {len(units)}"
        none = Metric.not_computed(why, len(units))
        return Attack(terms.name, terms.who, none, none, none, none, none, n=len(units))
    rest = tuple(n for n in originals.brief.schema.names if n not in target.attributes)
    brief = replace(originals.brief, public=rest, private=target.attributes)
    fold = _folds(units, settings.seed)
    found = []
    for texts in ([originals.texts[row] for row in target.rows], target.texts):
        scores = player.scores(texts, brief, progress=progress, cancel=cancel)
        found.append({n: _answers(n, scores.get(n), target, originals, fold) for n in target.attributes})
    told = scored(terms, found[0], found[1], target, originals, None, settings)
    return replace(told, seconds=time.perf_counter() - started)


def _answers(
    name: str, scores: np.ndarray | None, target: Target, originals: Originals, fold: np.ndarray
) -> list[tuple[str, ...] | None]:
    """The likeliest coarse value of each text; () where nobody else's value is known."""
    truths, schema = originals.truths(name, target.rows), originals.brief.schema
    out: list[tuple[str, ...] | None] = [() for _ in truths]
    if scores is None:
        return out
    values = schema.coarse_values(name)
    mapping = schema.coarsenings[name].mapping if name in schema.coarsenings else {}
    codes = np.array([values.index(mapping.get(t, t)) if t else -1 for t in truths])
    x = np.maximum(scores, FLOOR)
    for held_out in np.unique(fold):
        seen = (fold != held_out) & (codes >= 0)
        if not seen.any():
            continue
        guess = _learnt(x[seen], codes[seen], fold[seen])(x[fold == held_out])
        for i, code in zip(np.flatnonzero(fold == held_out), guess, strict=True):
            out[i] = (values[int(code)],)
    return out


Guess = Callable[[np.ndarray], np.ndarray]


def _learnt(x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> Guess:
    """The way of guessing that names most of the known values when each fold is guessed from the others:
    to believe the first classifier, to name the most common value, or to learn what its answers mean.
    On a tie the one named first."""
    ways: tuple[Callable[[np.ndarray, np.ndarray], Guess], ...] = (_believe, _common, _refit)
    right = [
        sum((way(x[fold != f], y[fold != f])(x[fold == f]) == y[fold == f]).sum() for f in np.unique(fold))
        for way in (ways if len(np.unique(fold)) > 1 else ways[:1])
    ]
    return ways[int(np.argmax(right))](x, y)


def _believe(x: np.ndarray, y: np.ndarray) -> Guess:
    return lambda new: new.argmax(axis=1)


def _common(x: np.ndarray, y: np.ndarray) -> Guess:
    return lambda new: np.full(len(new), np.bincount(y).argmax())


def _refit(x: np.ndarray, y: np.ndarray) -> Guess:
    return Logistic(x, y, TABLE_C).fit().predict


def _folds(units: Sequence[str], seed: int) -> np.ndarray:
    """A fold per record; records of one author share it."""
    names, index = np.unique(np.asarray(units, str), return_inverse=True)
    order = np.random.default_rng([seed, 61]).permutation(len(names))
    return (order % min(FOLDS, len(names)))[index]
