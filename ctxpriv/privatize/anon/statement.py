"""What a rewriting run states about itself: ledger line, guarantee, sentences for the card."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ctxpriv.corpus import Corpus
from ctxpriv.privacy.guarantee import Guarantee, empirical
from ctxpriv.privacy.ledger import LedgerEntry
from ctxpriv.privatize.anon.recipe import Recipe


def ledger_entry(recipe: Recipe, corpus: Corpus, run_id: str) -> LedgerEntry:
    """A line without ε: the run reads every private text, and nothing formal bounds what it tells."""
    p = recipe.partition
    return LedgerEntry(
        run_id=run_id,
        corpus=corpus.digest,
        audience=p.audience,
        public=tuple(n for n in corpus.schema.names if n in p.public),
        coarsened=tuple(n for n in corpus.schema.names if n in p.coarsened),
        private=tuple(n for n in corpus.schema.names if n in p.private),
        mechanism=recipe.method,
        relation="none",
        rho=math.inf,
        epsilon=math.inf,
        delta=0.0,
        records=corpus.records_digest,
        schema_provenance=corpus.schema.provenances(),
        empirical=True,
    )


def guarantee(recipe: Recipe) -> Guarantee:
    shown, coarse = recipe.disclosed, recipe.partition.coarsened
    exact = [n for n in shown if n not in coarse]
    said = [f"Protected by rewriting: {', '.join(recipe.guesses)}.", _how(recipe)]
    if exact:
        said.append(f"Of every record these are released as they are: {', '.join(exact)}.")
    if coarse:
        said.append(f"Only the bucket is released of: {', '.join(n for n in shown if n in coarse)}.")
    return empirical(recipe.method, conditional_on=said)


def _how(recipe: Recipe) -> str:
    left_out = "the record was left out" if recipe.withhold_unsafe else "what told least was released"
    if not recipe.loop:
        checked = " What a privacy evaluator could still guess from was left out." * recipe.withhold_unsafe
        return f"Three agents wrote every text anew, once, and did not check the result.{checked}"
    return (
        "Every text was rewritten until a privacy evaluator could no longer guess these from it; where that "
        f"did not succeed in {recipe.rounds} rounds, {left_out}."
    )


def notes(recipe: Recipe, outcome: Mapping[str, Any]) -> list[str]:
    """For the card, and so for the recipient: no figure that was measured against true values."""
    said = []
    if not recipe.loop:
        said.append(
            "1-2-3 Check is a reimplementation from its description (arXiv 2508.07667): no code of it is "
            "public."
        )
    if outcome["records"] < outcome["private_records"]:
        said.append(
            f"{outcome['records']} of {outcome['private_records']} records were drawn at random to be "
            "rewritten."
        )
    withheld = outcome["records"] - outcome["released"]
    if withheld:
        # How many for which reason follows from true values, and stays with the curator.
        unsafe = ", or still told something after the last round" if recipe.withhold_unsafe else ""
        said.append(
            f"{withheld} of {outcome['records']} records were withheld: they could not be rewritten or "
            f"checked{unsafe}."
        )
    if outcome["unchanged"]:
        said.append("Texts in which nothing to hide was found are released as they were.")
    if recipe.label_hidden:
        said.append("In this partition the utility label is private, so it was hidden and not kept.")
    return said
