"""The text generator that needs no language model: it recombines donated texts (DESIGN 9).

RELEASE SIDE. A text is cut into sentences, or into exchanges where it is a conversation;
pieces of donated texts with the row's utility label and nearest attributes are crossed
over, reordered, dropped or added, and phrases that state a donor's value are exchanged for
the row's. What no donor said is never said: use a language model for that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import Embedder, ModelIdentity
from ctxpriv.privatize.sdg.donors import ranked_donors, require_donated
from ctxpriv.privatize.sdg.phrases import with_values
from ctxpriv.privatize.sdg.pieces import Shape
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Failure, Written

NEAREST = 6  # donors that one text may draw on
_TRIES = 8  # attempts at a text that is neither a donated text nor the one to vary
_ROWS_A_BLOCK = 2048  # rows ranked at once, so that memory stays small
_TIMED_TEXTS = 64  # made-up texts that measure the speed before any real call


@dataclass(frozen=True)
class _Donors:
    """Donated texts, cut once."""

    examples: DonatedExamples
    shape: Shape
    pieces: tuple[tuple[str, ...], ...]
    values: tuple[dict[str, str], ...]
    affinity: np.ndarray | None  # (donors, donors) cosine similarity, where there is an embedder

    @cached_property
    def typical(self) -> float:
        """Pieces of a usual text: variations of variations must not grow or shrink for ever."""
        return float(np.median([len(p) for p in self.pieces]))

    @cached_property
    def whole(self) -> frozenset[str]:
        return frozenset(self.shape.join(p) for p in self.pieces)

    @staticmethod
    def of(examples: DonatedExamples, embedder: Embedder | None, cancel: CancelToken) -> _Donors:
        require_donated(examples)
        shape = Shape.of(examples.texts)
        affinity = None
        if embedder is not None:
            vectors = embedder.embed(examples.texts, cancel=cancel)
            affinity = vectors @ vectors.T
        values = tuple({str(k): str(v) for k, v in r.items()} for r in examples.values.to_dict("records"))
        return _Donors(examples, shape, tuple(tuple(shape.cut(t)) for t in examples.texts), values, affinity)


class DonorRecombiner:
    """A `TextGenerator`. Deterministic by seed; `embedder`, where given, lets a text draw on
    donors that resemble each other, so that its parts fit together better."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._prepared: _Donors | None = None
        self._texts, self._seconds = 0, 0.0

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("local", "donor recombination")

    def write(
        self,
        rows: pd.DataFrame,
        donated: DonatedExamples,
        *,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Written:
        """See `TextGenerator`. Raises BadInput when there are no donated texts."""
        donors = self._donors(donated, cancel)
        return self._timed(self._written(rows, donors, seed, progress, cancel))

    def vary(
        self,
        texts: Sequence[str],
        rows: pd.DataFrame,
        donated: DonatedExamples,
        *,
        variations: int,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Written:
        """See `TextGenerator`. Each variation changes about a third of a text's pieces."""
        donors = self._donors(donated, cancel)
        return self._timed(self._varied(texts, rows, donors, variations, seed, progress, cancel))

    def tokens_per_text(self, mean_words: float) -> tuple[int, int]:
        return 0, 0

    def calls_per_second(self) -> float:
        """Measured over all calls so far, else on a few made-up texts."""
        if not self._texts:
            return _speed_on_made_up_texts()
        return self._texts / max(self._seconds, 1e-6)

    # ---- the two kinds of work

    def _written(
        self, rows: pd.DataFrame, donors: _Donors, seed: int, progress: Progress, cancel: CancelToken
    ) -> Iterator[str]:
        for i, row, near in _with_donors(rows, donors, seed):
            if i % 256 == 0:
                cancel.check()
                progress("write candidates", i, len(rows))
            rng = np.random.default_rng([seed, i])
            yield _distinct_from(donors.whole, partial(_crossed, row, near, donors, rng))
        progress("write candidates", len(rows), len(rows))

    def _varied(
        self,
        texts: Sequence[str],
        rows: pd.DataFrame,
        donors: _Donors,
        variations: int,
        seed: int,
        progress: Progress,
        cancel: CancelToken,
    ) -> Iterator[str]:
        for i, row, near in _with_donors(rows, donors, seed):
            if i % 64 == 0:
                cancel.check()
                progress("vary candidates", i * variations, len(texts) * variations)
            rng = np.random.default_rng([seed, i])
            taken = {texts[i], *donors.whole}
            for _ in range(variations):
                text = _distinct_from(taken, partial(_changed, texts[i], row, near, donors, rng))
                taken.add(text)
                yield text
        progress("vary candidates", len(texts) * variations, len(texts) * variations)

    def _donors(self, donated: DonatedExamples, cancel: CancelToken) -> _Donors:
        if self._prepared is None or self._prepared.examples is not donated:
            self._prepared = _Donors.of(donated, self._embedder, cancel)
        return self._prepared

    def _timed(self, texts: Iterator[str]) -> Written:
        started = time.perf_counter()
        out = tuple(texts)
        self._seconds += time.perf_counter() - started
        self._texts += len(out)
        return Written(out, tuple(Failure(i, "empty") for i, text in enumerate(out) if not text))


def _with_donors(
    rows: pd.DataFrame, donors: _Donors, seed: int
) -> Iterator[tuple[int, dict[str, str], np.ndarray]]:
    """(position, values, nearest donors) of every row; donors of another label only when the
    row's label has fewer than two."""
    examples = donors.examples
    for start in range(0, len(rows), _ROWS_A_BLOCK):
        block = rows.iloc[start : start + _ROWS_A_BLOCK]
        ranked = ranked_donors(block, examples, seed=seed + start)
        for offset, values in enumerate(block.to_dict("records")):
            row = {str(k): str(v) for k, v in values.items()}
            near = ranked[offset][:NEAREST]
            label = row.get(examples.label or "")
            same = [d for d in near if label is None or donors.values[d][examples.label] == label]
            yield start + offset, row, np.asarray(same if len(same) > 1 else near[:2])


def _partners(near: np.ndarray, donors: _Donors, rng: np.random.Generator) -> list[int]:
    """Two or three donors of one text, the nearer the likelier; the first sets its length."""
    odds = 1.0 / (1 + np.arange(len(near)))
    chosen = [int(rng.choice(near, p=odds / odds.sum()))]
    others = np.array([d for d in near if d != chosen[0]], np.int64)
    if len(others) == 0:
        return chosen
    odds = np.ones(len(others))
    if donors.affinity is not None:
        odds = np.exp(8 * donors.affinity[chosen[0], others])  # 8: a cosine of 0.1 more doubles the odds
    count = min(len(others), 1 + int(rng.random() < 0.3))
    return chosen + [int(d) for d in rng.choice(others, count, replace=False, p=odds / odds.sum())]


def _crossed(row: dict[str, str], near: np.ndarray, donors: _Donors, rng: np.random.Generator) -> str:
    """Openings, middles and endings of two or three donors, each from its own place in its text."""
    partners = _partners(near, donors, rng)
    length = max(2, len(donors.pieces[partners[0]]))
    keep_first = rng.random() < 0.7
    order = [partners[0], *rng.permutation(partners[1:])] if keep_first else list(rng.permutation(partners))
    cuts = np.sort(rng.choice(np.arange(1, length), min(len(order), length) - 1, replace=False)) / length
    bounds = [0.0, *cuts, 1.0]
    pieces: list[str] = []
    for donor, low, high in zip(order, bounds[:-1], bounds[1:], strict=False):
        pieces += _slice(int(donor), low, high, row, donors)
    if len(partners) == 1 or rng.random() < 0.5:
        pieces = _disturbed(pieces, donors, rng)
    return donors.shape.join(_in_order(pieces, donors))


def _slice(donor: int, low: float, high: float, row: dict[str, str], donors: _Donors) -> list[str]:
    """At least one piece of `donor`, from the relative positions [low, high), in the row's values."""
    pieces = donors.pieces[donor]
    first = min(int(round(low * len(pieces))), len(pieces) - 1)
    last = max(first + 1, int(round(high * len(pieces))))
    return [with_values(p, donors.values[donor], row) for p in pieces[first:last]]


def _changed(
    text: str, row: dict[str, str], near: np.ndarray, donors: _Donors, rng: np.random.Generator
) -> str:
    """One variation: a few pieces replaced by pieces of the row's donors, or one more or less."""
    pieces = donors.shape.cut(text)
    for _ in range(1 + len(pieces) // 4):
        donor = int(rng.choice(near))
        place = float(rng.random())
        new = _slice(donor, place, place, row, donors)
        at = int(rng.integers(0, len(pieces)))
        short = len(pieces) < 0.7 * donors.typical
        resize = short or rng.random() < 0.25
        if resize and len(pieces) > donors.typical:
            del pieces[at]
        else:
            pieces[at : at + (not resize)] = new
    if rng.random() < 0.5:
        pieces = _disturbed(pieces, donors, rng)
    return donors.shape.join(_in_order(pieces, donors))


def _disturbed(pieces: list[str], donors: _Donors, rng: np.random.Generator) -> list[str]:
    """One piece dropped from a text of usual length or more, or two neighbours exchanged."""
    if len(pieces) < 2:
        return pieces
    at = int(rng.integers(0, len(pieces)))
    if len(pieces) >= max(3, donors.typical) and rng.random() < 0.5:
        return pieces[:at] + pieces[at + 1 :]
    other = at + 1 if at + 1 < len(pieces) else at - 1
    swapped = list(pieces)
    swapped[at], swapped[other] = pieces[other], pieces[at]
    return swapped


def _in_order(pieces: list[str], donors: _Donors) -> list[str]:
    """No piece twice, and speakers in turn."""
    unique = list(dict.fromkeys(pieces))
    return donors.shape.in_order(unique) or unique


def _distinct_from(taken: set[str] | frozenset[str], make: Callable[[], str]) -> str:
    """A text outside `taken` where a few tries find one (a single short donor may allow none)."""
    for _ in range(_TRIES):
        text = make()
        if text not in taken:
            break
    return text


def _speed_on_made_up_texts() -> float:
    """Texts per second on sentences of no meaning, about as long as usual ones."""
    from ctxpriv.schema import Attribute, Schema

    schema = Schema((Attribute("kind", ("first", "second")),))
    kinds = ["first", "second"] * (_TIMED_TEXTS // 2)
    texts = tuple(
        " ".join(f"Word {i} and word {j} make sentence {k}." for j, k in enumerate(range(7)))
        for i in range(_TIMED_TEXTS)
    )
    values = pd.DataFrame({"kind": np.asarray(kinds, object)})
    trial = DonorRecombiner()
    trial.write(values, DonatedExamples(texts, values, schema, "kind"), seed=0)
    return trial.calls_per_second()
