"""The part of an evaluation that only rewritten records have: attacks, their leak, what was kept.

PRIVATE SIDE (curator-only): rewrites are held against their originals and true values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctxpriv.context import Partition
from ctxpriv.evaluate.attacks.adversary import Adversary, Originals
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, CLASSIFY, Attack
from ctxpriv.evaluate.attacks.informed import GivesScores, informed_attack
from ctxpriv.evaluate.attacks.score import Target, attack
from ctxpriv.evaluate.leak import NOTHING_PRIVATE
from ctxpriv.evaluate.metric import Metric
from ctxpriv.evaluate.rewriting import Kept, rewriting_figures, what_was_kept
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.extract.word_count import is_counted
from ctxpriv.models.base import Embedder
from ctxpriv.privatize.release import Release
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

NOTHING_DONATED = "nothing is donated that the classifier adversary could learn from"


@dataclass(frozen=True)
class Examined:
    """What a `Report` of a rewritten release has beside the metrics of all releases."""

    attacks: tuple[Attack, ...]
    rewriting: Mapping[str, Metric]
    leak: Metric
    leak_rows: Mapping[str, Mapping[str, Any]]


def examine(
    release: Release,
    originals: Originals,
    adversaries: Sequence[Adversary],
    partition: Partition,
    embedder: Embedder,
    settings: EvaluationSettings,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Examined:
    """Every adversary on the release, for the audience of `partition`: what is private for it, is
    attacked, whatever the method protected.

    Withheld records are in no release and so are not attacked. Raises ModelFailed, Cancelled.
    """
    from ctxpriv.matching import Matcher

    if not originals.brief.donated:
        adversaries = [a for a in adversaries if a.name != CLASSIFIER]
    reader = next((a for a in adversaries if a.name == CLASSIFIER), None)
    kept: Kept | str = NOTHING_DONATED
    if reader is not None:
        kept = what_was_kept(reader, release, originals, partition, progress=progress, cancel=cancel)
    useful = kept.useful if isinstance(kept, Kept) else np.zeros(len(release.texts), bool)
    schema = originals.brief.schema
    private = tuple(n for n in schema.names if n in partition.private and not is_counted(schema[n]))
    target = Target(
        release.texts, release.origin, private, useful, release.models.get("privacy_evaluator", {})
    )
    matcher = Matcher(schema, embedder)
    attacks = tuple(
        attack(a, target, originals, matcher, settings, progress=progress, cancel=cancel)
        for a in adversaries
        if private and release.texts
    )
    if attacks and reader is not None and isinstance(reader.player, GivesScores):
        # Beside the classifier's own, in the order in which attacks are shown.
        more = informed_attack(reader.player, target, originals, settings, progress=progress, cancel=cancel)
        attacks = (attacks[0], more, *attacks[1:])
    leak, rows = _leak(attacks, private, len(release.texts))
    return Examined(attacks, rewriting_figures(release, originals, partition, kept, settings), leak, rows)


def _leak(
    attacks: Sequence[Attack], private: Sequence[str], released: int
) -> tuple[Metric, Mapping[str, Mapping[str, Any]]]:
    """The metric "leak": the paper's adversary (App. I) where a real language model plays it, else the
    classifier. The order is fixed, so that no release chooses the adversary that suits it."""
    if not private:
        return Metric.not_computed(NOTHING_PRIVATE), {}
    if not released:
        return Metric.not_computed("no record was released"), {}
    by_name = {a.name: a for a in attacks}
    model = by_name.get(CLASSIFY)
    chosen = model if model is not None and not model.by_stand_in else by_name.get(CLASSIFIER, model)
    if chosen is None:
        return Metric.not_computed(f"{NOTHING_DONATED}, and no language model attacked"), {}
    detail = {
        **chosen.leak.detail,
        "attack": chosen.name,
        "adversary": chosen.who.get("name", ""),
        "same_as_evaluator": chosen.same_as_evaluator,
        "advantage": chosen.advantage.value,
        "majority": chosen.majority.value,
        "unprotected": chosen.unprotected.value,
        "removed": chosen.removed,
        "guesses": chosen.guesses,
    }
    leak = chosen.leak
    metric = Metric(leak.value, leak.low, leak.high, leak.n, leak.missing, detail)
    rows = {n: {"value": row["accuracy"], **row} for n, row in chosen.per_attribute.items()}
    return metric, rows
