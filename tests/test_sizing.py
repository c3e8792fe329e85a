from __future__ import annotations

import pytest

from ctxpriv.context import Partition
from ctxpriv.corpus import CorpusFacts
from ctxpriv.privatize.sdg.methods import MAPLE, SDGCI, AugPE
from ctxpriv.privatize.sdg.planning import records_worth_voting
from ctxpriv.schema import Attribute, Schema
from ctxpriv.sizing import MOST, suggested_records

SCHEMA = Schema((Attribute("topic", ("a", "b"), ""), Attribute("town", ("x", "y"), "")))
PARTITION = Partition("vendor", ("topic",), ("town",))


def facts(n: int) -> CorpusFacts:
    return CorpusFacts("c", "d", n, 20, 20, SCHEMA, "topic", 100.0, False)


def test_the_number_follows_the_vote_noise_of_the_noisiest_method():
    n = 1000
    each = {
        c: records_worth_voting(c(epsilon=1.0).recipe(SCHEMA, "topic", PARTITION), n) for c in (SDGCI, AugPE)
    }
    assert each[AugPE] < each[SDGCI]
    assert suggested_records([SDGCI(), AugPE()], facts(n), [PARTITION]) == each[AugPE]


@pytest.mark.parametrize(
    "config, n, expected",
    [
        (AugPE(epsilon=0.1), 300, 40),  # never fewer than MAUVE needs
        (MAPLE(epsilon=10.0), 5000, MOST),
        (SDGCI(epsilon=float("inf")), 5000, MOST),  # votes without noise set no limit
        (SDGCI(epsilon=1.0), 12, 12),  # never more than there are
    ],
)
def test_the_number_stays_within_its_bounds(config, n, expected):
    assert suggested_records([config], facts(n), [PARTITION]) == expected
