"""How many synthetic records to make, where nobody has said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxpriv.context import Partition
from ctxpriv.corpus import CorpusFacts
from ctxpriv.evaluate.settings import MIN_MAUVE
from ctxpriv.privatize.sdg.planning import records_worth_voting

MOST = 200  # beyond that a first look takes long and shows little more


def suggested_records(configs: Sequence[Any], facts: CorpusFacts, partitions: Sequence[Partition]) -> int:
    """As many records as the votes of every config can tell apart, within `MIN_MAUVE`..`MOST`,
    and never more than there are private records.

    `configs` are method configs (`SDGCI`, ...). From public facts alone. Raises BadInput when
    a budget cannot be split, as with fewer than two private records.
    """
    recipes = [c.recipe(facts.schema, facts.label, p) for c in configs for p in partitions]
    worth = [records_worth_voting(recipe, facts.n_private) for recipe in recipes]
    least = min([MOST, *(n for n in worth if n is not None)])
    return max(1, min(facts.n_private, max(MIN_MAUVE, least)))
