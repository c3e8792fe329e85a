"""What a synthesis run states about itself: ledger line, guarantee, notes for the card."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ctxpriv.corpus import Corpus
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.guarantee import ADD_DROP, Guarantee, conditions, guarantee_from
from ctxpriv.privacy.ledger import LedgerEntry
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.sdg.evolution import Evolved
from ctxpriv.privatize.sdg.recipe import Recipe, Split
from ctxpriv.privatize.stages import PaidStages
from ctxpriv.schema import NOT_STATED, Schema


def ledger_entry(recipe: Recipe, split: Split, corpus: Corpus, run_id: str) -> LedgerEntry:
    """The whole ρ of the run, charged before it starts."""
    rho = math.inf if split.unlimited else float(split.rho)
    names = corpus.schema.names
    return LedgerEntry(
        run_id=run_id,
        corpus=corpus.digest,
        audience=recipe.audience,
        public=recipe.exact,
        coarsened=recipe.as_buckets,
        private=tuple(n for n in names if n not in recipe.public),
        mechanism=recipe.mechanism,
        relation=ADD_DROP,
        rho=rho,
        epsilon=epsilon_from(rho, split.delta),
        delta=split.delta,
        records=corpus.records_digest,
        schema_provenance=corpus.schema.provenances(),
    )


def guarantee(recipe: Recipe, split: Split, stages: PaidStages, noise: Noise, schema: Schema) -> Guarantee:
    """From the charges of the stages that shaped the release, with what it is conditional on."""
    buckets = [f"the buckets of {c.attribute}" for c in schema.coarsenings.values() if c.reads_private_values]
    stated = guarantee_from(
        recipe.mechanism,
        recipe.kind,
        stages.charges,
        split.delta,
        noise,
        unlimited=split.unlimited,
        conditional_on=conditions(
            {a.name: a.provenance for a in schema.attributes},
            derived_from_records=buckets,
            delta_is_one_over_n=recipe.delta is None,
            values_observed_in_records=bool(recipe.private) and recipe.value_expansion == "observed",
        ),
    )
    if recipe.n_synthetic is None and recipe.delta is not None:
        known = "As many texts as records are released, so the number of records is treated as known."
        stated = replace(stated, conditional_on=(*stated.conditional_on, known))
    if recipe.as_buckets:
        told = f"Of {', '.join(recipe.as_buckets)} only the bucket of each record is released, exactly."
        stated = replace(stated, conditional_on=(*stated.conditional_on, told, *_lone_values(recipe, schema)))
    if not split.unlimited and any(a.provenance == "dp" for a in schema.attributes):
        with_schema = _with_schema_cost(stated, stages.ledger.schema_runs(stages.entry.records))
        stated = replace(stated, conditional_on=(*stated.conditional_on, with_schema))
    if split.unlimited:  # the votes had no noise: no finite ρ bounds them
        return replace(stated, rho=math.inf, rho_replacement=math.inf)
    return stated


def _lone_values(recipe: Recipe, schema: Schema) -> list[str]:
    """A bucket that holds one value tells it. Not which: the bucket need not occur in the release."""
    lone = [
        name
        for name, coarsening in ((n, schema.coarsenings[n]) for n in recipe.as_buckets)
        if any(len(coarsening.members(b)) == 1 and b != NOT_STATED for b in coarsening.buckets)
    ]
    return [f"Some buckets of {', '.join(lone)} hold a single value, which they tell."] if lone else []


def _with_schema_cost(stated: Guarantee, runs: list[LedgerEntry]) -> str:
    """What the private passes that found the attributes cost, and what they and this release make together.

    Every such pass on the records counts, since the ledger does not say which one the schema came from.
    """
    if not runs:
        return "What finding the attributes cost is not in this ledger, so epsilon here leaves it out."
    rho, extra = sum(e.rho for e in runs), sum(e.extra_delta for e in runs)
    whole = epsilon_from(stated.rho + rho, stated.delta)
    return (
        f"Finding the attributes cost rho = {rho:.4g} and delta = {extra:.2g} more, which epsilon above "
        f"leaves out: with it, this release has epsilon = {whole:.4g} at delta = {stated.delta + extra:.2g}."
    )


def notes(
    recipe: Recipe, evolved: Evolved, fit: Mapping[str, Any], stages: PaidStages, schema: Schema
) -> list[str]:
    """Sentences for the card. `fit` holds the released diagnostics of conditional AIM."""
    said = list(stages.notes)
    if recipe.has_rows and not recipe.private:
        said.append("No attribute is private: no table was fitted, and the whole budget went to the votes.")
    if fit.get("merged_values"):
        merged = {n: k for n, k in fit["merged_values"].items() if k}
        if merged:
            said.append(
                "Values too rare to measure share one bin and are drawn uniformly: "
                + ", ".join(f"{k} of {n}" for n, k in merged.items())
                + "."
            )
    for why, count in evolved.failures.items():
        said.append(f"{count} candidate texts were dropped: {why}.")
    names = schema.coarse_values(recipe.label) if recipe.label else ("all",)
    for code, count in evolved.history[-1]["lacking_per_label"].items():
        said.append(
            f"{count} texts fewer than planned for the label {names[int(code)]!r}: too few candidates."
        )
    return said
