"""Evolution: quotas, selection, and the loop with a scripted generator."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.errors import ModelFailed
from ctxpriv.examples import DonatedExamples
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.release import NoCheckpoint
from ctxpriv.privatize.sdg.evolution import evolve, keep_highest, largest_remainder
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.roles import Failure, Written
from ctxpriv.schema import Attribute, Schema

SCHEMA = Schema((Attribute("topic", ("a", "b")),))


class ScriptedGenerator:
    """A generator double: row i gets "t<i>", its variations "t<i>.<j>"; `fails` fail."""

    identity = ModelIdentity("local", "scripted double")

    def __init__(self, fails: dict[str, str] | None = None, same: bool = False) -> None:
        self.fails, self.same = fails or {}, same

    def write(self, rows, donated, *, seed, progress=None, cancel=None) -> Written:
        return self._written([f"t{i}" for i in range(len(rows))])

    def vary(self, texts, rows, donated, *, variations, seed, progress=None, cancel=None) -> Written:
        assert len(texts) == len(rows)
        return self._written(
            [text if self.same else f"{text}.{j}" for text in texts for j in range(variations)]
        )

    def _written(self, texts: list[str]) -> Written:
        failures = tuple(Failure(i, self.fails[t]) for i, t in enumerate(texts) if t in self.fails)
        return Written(tuple("" if t in self.fails else t for t in texts), failures)


def run(generator, vote, *, rounds=1, variations=2, labels=(0, 0, 1, 1), quotas=None, cancel=None):
    labels = np.array(labels)
    table = pd.DataFrame({"topic": np.array(["ab"[c] for c in labels], object)})
    donated = DonatedExamples(("x",), pd.DataFrame({"topic": ["a"]}), SCHEMA, "topic")
    return evolve(
        table,
        labels,
        np.bincount(labels) if quotas is None else np.array(quotas),
        generator,
        donated,
        vote,
        rounds=rounds,
        variations=variations,
        seed=0,
        checkpoint=NoCheckpoint(),
        cancel=cancel or CancelToken(),
    )


def favours(*texts: str):
    return lambda t, pool: np.array([9 if text in texts else 0 for text in pool.texts])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20), st.integers(0, 10**4))
def test_quotas_are_whole_not_negative_and_sum_exactly(weights: list[float], total: int) -> None:
    quotas = largest_remainder(weights, total)
    assert quotas.sum() == total and (quotas >= 0).all()
    if sum(weights) > 0:
        exact = np.array(weights) / sum(weights) * total
        assert (np.abs(quotas - exact) < 1 + 1e-6).all()


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_keeping_fills_quotas_from_the_highest_and_reports_what_lacks(data) -> None:
    n_labels = data.draw(st.integers(1, 4))
    labels = np.array(data.draw(st.lists(st.integers(0, n_labels - 1), max_size=40)), np.int64)
    votes = np.array(
        data.draw(st.lists(st.integers(-5, 5), min_size=len(labels), max_size=len(labels))), np.int64
    )
    quotas = np.array(data.draw(st.lists(st.integers(0, 12), min_size=n_labels, max_size=n_labels)))
    kept, lacking = keep_highest(votes, labels, quotas)
    assert len(set(kept.tolist())) == len(kept) == quotas.sum() - sum(lacking.values())
    for label, quota in enumerate(quotas):
        mine = kept[labels[kept] == label]
        assert len(mine) == min(quota, (labels == label).sum()) == quota - lacking.get(label, 0)
        left = np.setdiff1d(np.flatnonzero(labels == label), mine)
        if len(mine) and len(left):
            assert votes[mine].min() >= votes[left].max()


def test_ties_keep_the_earlier_candidate() -> None:
    kept, _ = keep_highest(np.zeros(4, np.int64), np.zeros(4, np.int64), np.array([2]))
    assert kept.tolist() == [0, 1]


def test_variations_that_win_votes_replace_their_parents() -> None:
    out = run(ScriptedGenerator(), favours("t0.0", "t0.1", "t3", "t2.1"))
    assert out.kept.texts == ("t3", "t0.0", "t0.1", "t2.1")
    assert out.kept.rows == (3, 0, 0, 2) and out.kept.labels == (1, 0, 0, 1)
    last = out.history[-1]
    assert (last["candidates"], last["kept"], last["kept_from_this_round"]) == (12, 4, 3)
    assert last["share_of_kept_that_are_variations"] == 0.75


def test_zero_rounds_return_what_was_written() -> None:
    out = run(ScriptedGenerator(), favours(), rounds=0)
    assert out.kept.texts == ("t0", "t1", "t2", "t3") and len(out.history) == 1


def test_failed_texts_are_dropped_counted_and_made_up_for_by_variations() -> None:
    out = run(ScriptedGenerator({"t0": "empty", "t1.1": "timed out"}), favours())
    assert out.history[0]["lacking_per_label"] == {"0": 1}
    assert out.failures == {"empty": 1, "timed out": 1}
    assert out.kept.texts == ("t1", "t2", "t3", "t1.0") and not out.history[1]["lacking_per_label"]


def test_a_label_whose_texts_all_failed_stays_short_and_says_so() -> None:
    out = run(ScriptedGenerator({"t0": "empty", "t1": "empty"}), favours())
    assert out.kept.labels == (1, 1) and out.history[-1]["lacking_per_label"] == {"0": 2}


def test_all_failed_names_the_commonest_failure() -> None:
    with pytest.raises(ModelFailed, match="3 of them with 'empty'"):
        run(ScriptedGenerator({"t0": "empty", "t1": "empty", "t2": "empty", "t3": "timed out"}), favours())


def test_copies_do_not_compete() -> None:
    out = run(ScriptedGenerator(same=True), favours())
    assert out.history[1]["copies_dropped"] == 8 and out.history[1]["candidates"] == 4


def test_cancel_stops_before_the_next_generation() -> None:
    token = CancelToken()

    def vote(t, pool):
        token.cancel()
        return np.zeros(len(pool), np.int64)

    with pytest.raises(Cancelled):
        run(ScriptedGenerator(), vote, cancel=token)


class BrokenGenerator(ScriptedGenerator):
    """A generator double whose texts are passed through `breaks`."""

    def __init__(self, breaks) -> None:
        super().__init__()
        self.breaks = breaks

    def _written(self, texts: list[str]) -> Written:
        return Written(tuple(self.breaks(texts)))


def test_half_characters_are_replaced() -> None:
    evolved = run(BrokenGenerator(lambda texts: [f"{t}\ud800" for t in texts]), favours())
    assert all(text.encode() for text in evolved.kept.texts) and "\ufffd" in evolved.kept.texts[0]


@pytest.mark.parametrize("breaks", [lambda texts: texts[1:], lambda texts: [*texts, "more"]])
def test_a_generator_that_loses_count_is_stopped(breaks) -> None:
    """Else texts would be attached to the rows of others."""
    with pytest.raises(ModelFailed, match="texts for 4 rows"):
        run(BrokenGenerator(breaks), favours())
    later = BrokenGenerator(lambda texts: texts if "." not in texts[0] else breaks(texts))
    with pytest.raises(ModelFailed, match="texts for 8 rows while varying"):
        run(later, favours())
