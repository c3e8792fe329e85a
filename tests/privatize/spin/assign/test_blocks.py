"""Blocks of texts, and the best atoms of a row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.assign.blocks import best_atoms, in_blocks
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import NO_ATOM, from_scores
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.progress import NEVER, Cancelled, CancelToken, silent


def measured(m: int, **settings: object) -> Measurement:
    atoms = AtomSet(tuple(Atom(f"label {i}") for i in range(m)))
    return Measurement(atoms, **{"denominator": 10, "delta": 1e-5, "size": 1, **settings})


@given(
    arrays(np.float32, (4, 6), elements=st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.75, 1.0])),
    st.integers(1, 8),
    st.sampled_from(["scores", "equal"]),
)
def test_the_best_of_a_row_are_those_of_sorting_all(scores: np.ndarray, k: int, weights: str) -> None:
    got = best_atoms(scores, measured(6, k=k, weights=weights))
    every = np.tile(np.arange(6), (4, 1))
    told = from_scores(every, scores.astype(float), k, floor=0.05, equal=weights == "equal")
    width = told.atoms.shape[1]
    assert (got.atoms[:, :width] == told.atoms).all() and (got.mass[:, :width] == told.mass).all()
    assert (got.atoms[:, width:] == NO_ATOM).all() and not got.mass[:, width:].any()
    assert got.atoms.shape == (4, k)


def run(texts, seen: list, **options: object):
    def each(block: tuple[str, ...], within):
        seen.append(len(block))
        within("a model's own words", 1, len(block))
        return from_scores(np.zeros((len(block), 1)), np.ones((len(block), 1)), 1, floor=0.0, equal=False)

    given_ = {"k": 1, "users": None, "progress": silent, "cancel": NEVER, **options}
    return in_blocks(texts, 3, each, **given_)


def test_a_generator_is_read_a_block_at_a_time() -> None:
    seen: list[int] = []
    taken = 0

    def texts():
        nonlocal taken
        for i in range(8):
            assert taken - sum(seen) <= 3  # never further ahead than one block
            taken += 1
            yield f"text {i}"

    told: list[tuple[str, int, int]] = []
    got = run(texts(), seen, progress=lambda *step: told.append(step))
    assert seen == [3, 3, 2] and len(got) == 8
    assert [(done, total) for _, done, total in told] == [(1, 0), (3, 0), (4, 0), (6, 0), (7, 0), (8, 0)]
    assert {stage for stage, _, _ in told} == {"assign records to atoms"}
    run(["a"] * 4, seen, progress=lambda *step: told.append(step))
    assert told[-1] == ("assign records to atoms", 4, 4)


def test_no_texts_give_no_rows() -> None:
    got = run([], [])
    assert got.atoms.shape == (0, 1) and got.mass.sum() == 0


def test_users_go_with_their_texts() -> None:
    got = run(["a"] * 4, [], users=np.array([7, 7, 8, 9]))
    assert got.users.tolist() == [7, 7, 8, 9] and got.n_units == 3 and got.mass.sum() == 4 * ONE
    seen: list[int] = []
    with pytest.raises(BadInput, match="3 users for 4 records"):
        run(["a"] * 4, seen, users=np.array([7, 7, 8]))
    assert not seen  # said before the work, where the number is known
    with pytest.raises(BadInput, match="3 users for 4 records"):
        run(iter(["a"] * 4), seen, users=np.array([7, 7, 8]))


def test_a_cancel_stops_between_blocks() -> None:
    token = CancelToken()
    seen: list[int] = []
    with pytest.raises(Cancelled):
        run(iter("abcdefgh"), seen, cancel=token, progress=lambda *step: token.cancel())
    assert seen == [3]
