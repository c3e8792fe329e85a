"""What a card says when the attributes were found by a private pass over the same records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.ledger import DP_SCHEMA, Ledger, LedgerEntry
from ctxpriv.privatize.sdg.methods import SDGCI

QUICK = SDGCI(n_synthetic=12, evolution_rounds=0, variations=1)


def found_with_dp(corpus):
    mood = replace(corpus.schema["mood"], provenance="dp")
    return corpus.with_schema(corpus.schema.with_attribute(mood))


def charged(corpus) -> Ledger:
    ledger = Ledger(None)
    ledger.charge(
        LedgerEntry(
            run_id="schema",
            corpus="an earlier schema",
            audience=ALL_AUDIENCES,
            public=(),
            private=("topic",),
            mechanism=DP_SCHEMA,
            relation="add/drop",
            rho=0.05,
            epsilon=1.0,
            delta=1e-4,
            extra_delta=2e-4,
            schema_provenance="",
            records=corpus.records_digest,
            released=True,
        )
    )
    return ledger


def test_the_card_adds_up_the_schema_and_the_release(corpus, partition, roles):
    corpus = found_with_dp(corpus)
    release = QUICK.run(corpus, partition, roles, ledger=charged(corpus), run_id="r")
    stated = release.guarantee
    (said,) = [s for s in stated.conditional_on if "Finding the attributes cost" in s]
    whole = epsilon_from(stated.rho + 0.05, stated.delta)
    assert "rho = 0.05 and delta = 0.0002" in said
    assert f"epsilon = {whole:.4g} at delta = {stated.delta + 2e-4:.2g}" in said
    assert whole > stated.epsilon


@pytest.mark.parametrize("dp", [False, True])
def test_nothing_is_added_where_nothing_was_found_or_charged(corpus, partition, roles, dp):
    mine = found_with_dp(corpus) if dp else corpus
    ledger = Ledger(None) if dp else charged(corpus)
    release = QUICK.run(mine, partition, roles, ledger=ledger, run_id="r")
    said = " ".join(release.guarantee.conditional_on)
    assert "Finding the attributes cost" not in said
    assert ("is not in this ledger" in said) == dp
