"""Private evolution: write candidates, have them voted on, keep the best, vary (paper Alg. 2).

RELEASE SIDE: sees synthetic rows, candidates, donated examples and noisy histograms. Votes
come from a callback; nothing here can reach a private record.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxpriv.errors import ModelFailed
from ctxpriv.examples import DonatedExamples
from ctxpriv.models.judging import well_formed
from ctxpriv.privatize.release import Checkpoint
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import TextGenerator, Written

Vote = Callable[[int, "Candidates"], NDArray[np.int64]]
"""`vote(round, candidates)` gives the noisy histogram, shape (len(candidates),)."""


@dataclass(frozen=True)
class Candidates:
    """Candidate texts; `rows` points into the synthetic table, `born` is 0 for written
    texts and t for variations made before round t."""

    texts: tuple[str, ...]
    rows: tuple[int, ...]
    labels: tuple[int, ...]
    born: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def pick(self, positions: Sequence[int]) -> Candidates:
        take = [int(p) for p in positions]
        return Candidates(*(tuple(column[p] for p in take) for column in self._columns()))

    def joined(self, other: Candidates) -> Candidates:
        return Candidates(*(a + b for a, b in zip(self._columns(), other._columns(), strict=True)))

    def _columns(self) -> tuple[tuple[Any, ...], ...]:
        return self.texts, self.rows, self.labels, self.born

    def to_dict(self) -> dict[str, list[Any]]:
        return {
            "texts": list(self.texts),
            "rows": list(self.rows),
            "labels": list(self.labels),
            "born": list(self.born),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Sequence[Any]]) -> Candidates:
        return Candidates(*(tuple(data[name]) for name in ("texts", "rows", "labels", "born")))


@dataclass(frozen=True)
class Evolved:
    """What came out. `history` has one entry a round, `failures` counts lost texts by reason."""

    kept: Candidates
    history: tuple[dict[str, Any], ...]
    failures: Mapping[str, int]
    seconds: Mapping[str, float] = field(default_factory=dict)


def largest_remainder(weights: Sequence[float], total: int) -> NDArray[np.int64]:
    """Whole quotas in proportion to `weights` (not negative) that sum to `total` exactly.

    Remaining units go to the largest fractions, ties to the lowest index. All weights zero
    counts as all equal.
    """
    share = np.asarray(weights, float)
    if not share.sum() > 0:
        share = np.ones(len(share))
    exact = share / share.sum() * total
    quotas = np.floor(exact).astype(np.int64)
    order = np.argsort(-(exact - quotas), kind="stable")
    quotas[order[: total - int(quotas.sum())]] += 1
    return quotas


def keep_highest(
    votes: NDArray[np.int64], labels: NDArray[np.int64], quotas: NDArray[np.int64]
) -> tuple[NDArray[np.int64], dict[int, int]]:
    """Positions of the highest noisy votes of each label, and what each label lacks.

    `quotas[l]` are wanted of label code l; ties go to the lowest position. A label with
    fewer candidates than its quota keeps all; the lack is reported, not filled from other
    labels, so that the released label shares stay those of the synthetic table.
    """
    kept, lacking = [], {}
    for label, quota in enumerate(quotas.tolist()):
        choices = np.flatnonzero(labels == label)
        best = choices[np.argsort(-votes[choices], kind="stable")[:quota]]
        kept.append(best)
        if len(best) < quota:
            lacking[label] = quota - len(best)
    return np.sort(np.concatenate(kept)) if kept else np.zeros(0, np.int64), lacking


def evolve(
    table: pd.DataFrame,
    labels: NDArray[np.int64],
    quotas: NDArray[np.int64],
    generator: TextGenerator,
    donated: DonatedExamples,
    vote: Vote,
    *,
    rounds: int,
    variations: int,
    seed: int,
    checkpoint: Checkpoint,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Evolved:
    """Alg. 2, lines 7 to 14: `rounds` + 1 votes, variations before all but the first.

    `table` holds one synthetic row (specific values) per text to write, `labels` its
    label codes, `quotas` how many texts of each label code to keep. Candidates of every
    round are checkpointed before they are voted on; `vote` keeps its own checkpoints.
    Raises ModelFailed when a generation call yields nothing usable at all.
    """
    kept, history = Candidates((), (), (), ()), []
    failures: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for t in range(rounds + 1):
        stage = f"candidates-{t}"
        saved = checkpoint.load(stage)
        if saved is None:
            cancel.check()
            started = time.perf_counter()
            if t == 0:
                texts = generator.write(table, donated, seed=_seed(seed, t), progress=progress, cancel=cancel)
                fresh, lost = _first_generation(texts, labels)
            else:
                written = generator.vary(
                    kept.texts,
                    table.iloc[list(kept.rows)].reset_index(drop=True),
                    donated,
                    variations=variations,
                    seed=_seed(seed, t),
                    progress=progress,
                    cancel=cancel,
                )
                fresh, lost = _next_generation(written, kept, variations, t)
            pool, copies = _with_new(kept, fresh) if t else (fresh, 0)
            saved = {
                **pool.to_dict(),
                "failures": lost,
                "copies": copies,
                "seconds": time.perf_counter() - started,
            }
            checkpoint.save(stage, saved)
        pool = Candidates.from_dict(saved)
        failures.update(saved["failures"])
        seconds["generate" if t == 0 else "vary"] += saved["seconds"]
        votes = vote(t, pool)
        before = len(kept)
        positions, lacking = keep_highest(votes, np.asarray(pool.labels, np.int64), quotas)
        kept = pool.pick(positions)
        history.append(_summary(t, pool, kept, votes[positions], votes, lacking, saved, before))
        progress("evolution rounds", t + 1, rounds + 1)
    return Evolved(kept, tuple(history), dict(failures), dict(seconds))


def _seed(seed: int, round_: int) -> int:
    return int(np.random.SeedSequence([seed, round_]).generate_state(1)[0])


def _first_generation(written: Written, labels: NDArray[np.int64]) -> tuple[Candidates, dict[str, int]]:
    usable, lost = _usable(written, len(labels), "writing")
    return Candidates(
        tuple(well_formed(written.texts[i]) for i in usable),
        tuple(usable),
        tuple(int(labels[i]) for i in usable),
        (0,) * len(usable),
    ), lost


def _next_generation(
    written: Written, parents: Candidates, variations: int, round_: int
) -> tuple[Candidates, dict[str, int]]:
    usable, lost = _usable(written, len(parents) * variations, "varying")
    origin = [i // variations for i in usable]
    return Candidates(
        tuple(well_formed(written.texts[i]) for i in usable),
        tuple(parents.rows[p] for p in origin),
        tuple(parents.labels[p] for p in origin),
        (round_,) * len(usable),
    ), lost


def _usable(written: Written, asked: int, doing: str) -> tuple[list[int], dict[str, int]]:
    """Positions of usable texts and the count of each failure.

    Raises ModelFailed when nothing is usable, or when there is not one text for each that was
    asked for: texts and rows would then no longer belong together.
    """
    if len(written.texts) != asked:
        raise ModelFailed(
            f"The text generator gave {len(written.texts)} texts for {asked} rows while {doing} candidates."
        )
    why = {f.row: f.why for f in written.failures}
    why |= {i: "empty" for i, text in enumerate(written.texts) if i not in why and not text.strip()}
    lost = Counter(why.values())
    if written.texts and len(why) >= len(written.texts):
        reason, count = lost.most_common(1)[0]
        raise ModelFailed(
            f"The text generator gave nothing usable while {doing} candidates: all "
            f"{len(written.texts)} texts failed, {count} of them with {reason!r}. "
            "Check the model, or choose the local generator."
        )
    return [i for i in range(len(written.texts)) if i not in why], dict(lost)


def _with_new(kept: Candidates, fresh: Candidates) -> tuple[Candidates, int]:
    """Kept candidates and the variations that repeat no candidate of their label: a copy never
    wins a vote (ties go to the first), it would only compete by its noise."""
    seen = set(zip(kept.labels, kept.texts, strict=True))
    new = []
    for i, key in enumerate(zip(fresh.labels, fresh.texts, strict=True)):
        if key not in seen:
            seen.add(key)
            new.append(i)
    return kept.joined(fresh.pick(new)), len(fresh) - len(new)


def _summary(
    t: int,
    pool: Candidates,
    kept: Candidates,
    kept_votes: NDArray[np.int64],
    votes: NDArray[np.int64],
    lacking: dict[int, int],
    saved: Mapping[str, Any],
    parents: int,
) -> dict[str, Any]:
    """One round in released quantities."""
    quartiles = np.percentile(kept_votes, [25, 50, 75]).tolist() if len(kept_votes) else []
    return {
        "round": t,
        "candidates": len(pool),
        "kept": len(kept),
        "kept_from_this_round": sum(b == t for b in kept.born) if t else 0,
        "share_of_kept_that_are_variations": sum(b > 0 for b in kept.born) / len(kept) if len(kept) else 0.0,
        "parents": parents,
        "noisy_votes": {
            "all": int(votes.sum()),
            "kept": int(kept_votes.sum()),
            "quartiles_of_kept": quartiles,
            "highest": int(votes.max()) if len(votes) else 0,
        },
        "lacking_per_label": {str(label): count for label, count in lacking.items()},
        "failed": dict(saved["failures"]),
        "copies_dropped": saved["copies"],
    }
