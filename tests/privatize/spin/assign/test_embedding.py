"""Assignment by embeddings."""

from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.spin.assign.assigner import assigner_for
from ctxpriv.privatize.spin.assign.embedding import EmbeddingAssigner
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.contributions import NO_ATOM
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.roles import Roles

ATOMS = AtomSet((Atom("north"), Atom("east"), Atom("south")))
ANGLES = {"north": 0.0, "east": 90.0, "south": 180.0, "near north": 10.0, "between": 45.0, "west": 270.0}


class EmbedderDouble:
    """Unit vectors on a circle, with the last digits disturbed as a batch's size would."""

    identity = ModelIdentity("local", "circle double")
    dimension = 2

    def __init__(self) -> None:
        self.batches: list[int] = []

    def embed(self, texts, *, progress=None, cancel=None):
        self.batches.append(len(texts))
        turned = np.radians([ANGLES[t] for t in texts])
        return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32) * (1 + 3e-8 * len(texts))


def measured(**settings: object) -> Measurement:
    return Measurement(
        ATOMS, **{"denominator": 10, "delta": 1e-5, "size": 1, "assign": "embedding", **settings}
    )


def test_likeness_is_the_cosine_with_what_is_below_the_floor_left_out() -> None:
    got = EmbeddingAssigner(measured(), EmbedderDouble()).assign(["near north", "between", "west"])
    assert got.atoms.tolist() == [[0, 1, NO_ATOM], [0, 1, NO_ATOM], [NO_ATOM] * 3]
    assert got.mass[0, 0] / ONE == pytest.approx(0.985 / (0.985 + 0.174), rel=1e-3)
    assert got.mass[1].tolist() == [ONE // 2, ONE // 2, 0]


def test_the_last_digits_of_an_embedder_change_nothing() -> None:
    texts = ["near north", "between", "north", "east"]
    mine = EmbeddingAssigner(measured(), EmbedderDouble())
    together = mine.assign(texts)
    for i, text in enumerate(texts):
        alone = mine.assign([text])
        assert (alone.atoms[0] == together.atoms[i]).all() and (alone.mass[0] == together.mass[i]).all()


def test_meanings_are_embedded_once_and_texts_in_blocks() -> None:
    embedder = EmbedderDouble()
    roles = Roles(embedder, None)
    assigner = assigner_for(measured(), [], roles)
    assigner.assign(iter(["north"] * 600))
    assigner.assign(["east"])
    assert sorted(embedder.batches) == [1, 3, 88, 512]
    assert assigner.identity == embedder.identity and assigner.failures == {}
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        assigner.assign(["east"], cancel=token)
