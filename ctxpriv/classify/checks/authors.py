"""Check (d): the protected unit is one text; what is left for a person with several. PRIVATE SIDE."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ctxpriv.classify.checks.finding import CheckSettings, Finding, count, number
from ctxpriv.classify.checks.records import Records
from ctxpriv.privacy.accounting import epsilon_from, group_epsilon, rho_from


def authors(
    records: Records,
    settings: CheckSettings = CheckSettings(),
    *,
    epsilon: float = 1.0,
    delta: float | None = None,
) -> Finding:
    """For one release at (`epsilon`, `delta`; None: 1/n). Rows: {texts, authors} for every number of
    texts that an author has.

    Raises BadInput for an ε or δ that is none.
    """
    n = len(records)
    if records.author is None:
        return Finding(
            "authors",
            False,
            f"Who wrote which of the {count(n, 'text')} is not known, so nothing can be said about people "
            "with several texts: the guarantee is for one text.",
            "Name the column with the author when you load the corpus, or make sure that nobody has more "
            "than one text.",
            facts={"n": n},
        )
    if n < 2:
        return Finding("authors", False, f"There {_are(n, 'private text')}.", facts={"n": n})
    delta = 1 / n if delta is None else delta
    per_author = np.bincount(records.author)
    texts, number = np.unique(per_author, return_counts=True)
    rows = tuple({"texts": int(t), "authors": int(a)} for t, a in zip(texts, number, strict=True))
    heaviest = int(per_author.max())
    facts = {
        "n": n,
        "authors": len(per_author),
        "heaviest": heaviest,
        "median": float(np.median(per_author)),
        "several": int((per_author > 1).sum()),
        **_levels(epsilon, delta, heaviest),
    }
    if heaviest < settings.texts:
        return Finding("authors", False, _harmless(facts), "", rows, facts)
    return Finding("authors", True, _sentence(facts), _suggestion(facts), rows, facts)


def _levels(epsilon: float, delta: float, heaviest: int) -> dict[str, float]:
    """ε for one text, for the heaviest author, and the ε per text that would give that author ε."""
    rho = rho_from(epsilon, delta)
    return {
        "epsilon": epsilon,
        "delta": delta,
        "epsilon_heaviest": group_epsilon(rho, heaviest, delta),
        "epsilon_needed": epsilon_from(rho / heaviest**2, delta),
    }


def _harmless(facts: dict[str, Any]) -> str:
    if facts["heaviest"] == 1:
        return (
            f"Each of the {count(facts['authors'], 'author')} has one text, so the guarantee is per person."
        )
    return f"No author has more than {count(facts['heaviest'], 'text')}."


def _sentence(facts: dict[str, Any]) -> str:
    text = (
        f"{facts['several']:,} of {count(facts['authors'], 'author')} have more than one of the "
        f"{count(facts['n'], 'text')}; the heaviest has {facts['heaviest']:,}."
    )
    if math.isinf(facts["epsilon"]):
        return f"{text} At ε = ∞ nobody is protected."
    return (
        f"{text} A release at ε = {number(facts['epsilon'])} protects one text; for all texts of the "
        f"heaviest author together it guarantees ε = {number(facts['epsilon_heaviest'])} only."
    )


def _suggestion(facts: dict[str, Any]) -> str:
    text = "Keep fewer texts of the same person (with one each, the guarantee is per person)"
    if math.isinf(facts["epsilon"]):
        return f"{text}."
    return (
        f"{text}, or release at ε = {facts['epsilon_needed']:.2g}, which gives the heaviest author "
        f"ε = {number(facts['epsilon'])}."
    )


def _are(n: int, what: str) -> str:
    return f"is {count(n, what)}" if n == 1 else f"are {count(n, what)}"
