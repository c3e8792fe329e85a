"""What one rewriting run is to do: the three methods differ in nothing but this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ctxpriv.context import CorpusContext, Partition
from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.word_count import is_counted
from ctxpriv.privatize.anon.assess import attempts
from ctxpriv.rewriting_roles import Brief
from ctxpriv.schema import Schema


@dataclass(frozen=True)
class Recipe:
    """`partition` is the audience's, or the corpus's default one. `checked`: what must stay inferable.

    `loop` False is the single pass of three agents. `label_hidden`: the utility label is private here,
    so that it is protected and not kept.
    """

    method: str
    schema: Schema
    partition: Partition
    label: str | None
    checked: tuple[str, ...]
    rounds: int  # T_max
    guesses: Mapping[str, int]  # per private attribute
    withhold_unsafe: bool
    n_records: int | None
    loop: bool
    label_hidden: bool

    def require_something_private(self) -> None:
        """Raises BadInput where there is nothing to rewrite for. Plans only say so: a study has other
        audiences as well."""
        if not self.guesses:
            raise BadInput(
                "nothing is private, so there is nothing to rewrite.",
                where=f"{self.method} for {self.partition.audience}",
                fix="Mark an attribute private, or leave this audience out.",
            )

    def brief(self, donated: DonatedExamples, context: CorpusContext) -> Brief:
        """What the roles are told."""
        schema, p = self.schema, self.partition
        return Brief(
            schema,
            public=tuple(n for n in schema.names if n in p.public),
            private=tuple(self.guesses),
            label=self.label,
            donated=donated,
            coarsened=tuple(n for n in schema.names if n in p.coarsened),
            domain=context.text_kind,
        )

    def rows(self, n: int, seed: int) -> tuple[int, ...]:
        """Which of n private records are rewritten, ascending; the same for every method of a seed."""
        if self.n_records is None or self.n_records >= n:
            return tuple(range(n))
        chosen = np.random.default_rng([seed, 47]).permutation(n)[: self.n_records]
        return tuple(int(i) for i in sorted(chosen))

    @property
    def disclosed(self) -> tuple[str, ...]:
        """Attributes whose value, or bucket, is released with each text."""
        return tuple(n for n in self.schema.names if n in self.partition.disclosed)


def recipe(
    method: str,
    schema: Schema,
    label: str | None,
    partition: Partition,
    *,
    rounds: int,
    most_guesses: int,
    withhold_unsafe: bool,
    n_records: int | None,
    every_public_value: bool,
    loop: bool = True,
) -> Recipe:
    """Raises BadInput unless the partition covers the schema.

    Counted attributes (the length of a text) are a property of whatever text there is: a rewrite has
    its own, so they are neither protected nor checked.
    """
    partition.check(schema)
    hidden = [n for n in schema.names if n in partition.private and not is_counted(schema[n])]
    shown = [n for n in schema.names if n in partition.disclosed and not is_counted(schema[n])]
    checked = shown if every_public_value else [n for n in shown if n == label]
    return Recipe(
        method,
        schema,
        partition,
        label if label in shown else None,
        tuple(checked),
        rounds,
        {n: attempts(schema[n], most_guesses) for n in hidden},
        withhold_unsafe,
        n_records,
        loop,
        label in hidden,
    )
