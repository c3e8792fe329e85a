"""Public when coarsened: nothing but the bucket may have any effect on what a run makes or keeps."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from ctxpriv.context import Partition
from ctxpriv.extract.coarsen import by_hand
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privacy.noise import NoNoise
from ctxpriv.privatize.sdg.methods import SDGCI

AGES = {"20": "young", "35": "older", "50": "older"}


@pytest.fixture
def bucketed(corpus):
    return corpus.with_schema(corpus.schema.with_coarsening(by_hand(corpus.schema["age"], AGES)))


def with_other_values(corpus, names):
    """Each private record gets another value of the same bucket; its text stays."""
    rng, table = np.random.default_rng(1), corpus.table.copy()
    for name in names:
        coarsening = corpus.schema.coarsenings[name]
        for row in np.flatnonzero(corpus.splits == "private"):
            members = coarsening.members(coarsening.mapping[table.loc[row, name]])
            table.loc[row, name] = members[rng.integers(len(members))]
    assert not table.equals(corpus.table)
    return replace(corpus, table=table)


@pytest.mark.parametrize("expansion", ["declared", "observed"])
@pytest.mark.parametrize("label", ["topic", "age"])
def test_values_within_a_bucket_change_nothing(bucketed, roles, checkpoint_that_stops_at, expansion, label):
    """Rows, texts, history, checkpoints and ledger alike, also where the utility label is coarsened."""
    partition = Partition("vendor", ("topic",), ("mood",), coarsened=("city", "age"))
    kept = []
    for corpus in (bucketed, with_other_values(bucketed, ["city", "age"])):
        ledger, checkpoint = Ledger(None), checkpoint_that_stops_at("")
        release = SDGCI(epsilon=5.0, evolution_rounds=1, n_synthetic=30, value_expansion=expansion).run(
            replace(corpus, label=label),
            partition,
            roles,
            ledger=ledger,
            run_id="r",
            noise=NoNoise(),
            checkpoint=checkpoint,
        )
        stages = {k: v for k, v in checkpoint.stages.items() if k != "started"}  # a digest of the corpus
        (line,) = ledger.lines()
        told = [release.records.to_dict("records"), release.to_dict(), stages]
        kept.append(json.dumps([_without_seconds(told), asdict(replace(line, corpus="", card_id=""))]))
    assert kept[0] == kept[1]


def _without_seconds(data):
    if isinstance(data, dict):
        return {k: _without_seconds(v) for k, v in data.items() if k != "seconds"}
    return [_without_seconds(v) for v in data] if isinstance(data, list) else data


def test_the_card_says_where_a_bucket_is_a_value(bucketed, roles):
    """Africa holds Lagos alone. The bucket is not named: it need not occur in the records."""
    partition = Partition("vendor", ("topic",), ("mood",), coarsened=("city", "age"))
    release = SDGCI(n_synthetic=10, evolution_rounds=0).run(
        bucketed, partition, roles, ledger=Ledger(None), run_id="r"
    )
    (told,) = [s for s in release.guarantee.conditional_on if "single value" in s]
    assert "age, city" in told and "Africa" not in told and "Lagos" not in told
    whole = Partition("vendor", ("topic", "age"), ("mood", "city"))
    release = SDGCI(n_synthetic=10, evolution_rounds=0).run(
        bucketed, whole, roles, ledger=Ledger(None), run_id="r"
    )
    assert not any("single value" in s for s in release.guarantee.conditional_on)
