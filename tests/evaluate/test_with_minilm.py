"""Once with the embedder that ships: figures tell texts of one kind from texts of another."""

from __future__ import annotations

import pytest

from ctxpriv.evaluate.fidelity import Quantisation, kl_and_tv, mauve, mauve_ceiling
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.loaders.samples import load_sample
from ctxpriv.models.minilm import MiniLM

SETTINGS = EvaluationSettings(bootstrap=40, refits=5, mauve_seeds=3, mauve_resamples=1)


def first_words(name: str, n: int) -> list[str]:
    return [" ".join(text.split()[:40]) for text in load_sample(name).texts[:n]]


@pytest.mark.embedded
def test_mauve_tells_forum_comments_from_abstracts():
    embed = MiniLM().embed
    forum, other = embed(first_words("forum", 120)), embed(first_words("biomed", 40))
    real, same = forum[:80], forum[80:]
    alike, unlike = mauve(real, same, SETTINGS), mauve(real, other, SETTINGS)
    assert unlike.value < 0.1 < 0.6 < alike.value
    assert mauve_ceiling(real, SETTINGS).value > 0.6
    cells = Quantisation.fit(real, 0)
    assert kl_and_tv(cells, same, SETTINGS)[1].value < kl_and_tv(cells, other, SETTINGS)[1].value
