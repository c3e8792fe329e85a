"""The verifier on hand-written summaries: nothing planted gets through, good texts do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import VIOLATIONS
from ctxpriv.privatize.spin.verifier import verify

HERE = Path(__file__).parent


def load(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load((HERE / name).read_text("utf-8"))


WRITTEN = [*load("summaries.yaml"), *load("more_summaries.yaml"), *load("held_back.yaml")]
PLANTED = [s for s in WRITTEN if s["kind"]]
CLEAN = [s for s in WRITTEN if not s["kind"]]


def test_there_are_enough_of_every_kind() -> None:
    kinds = Counter(s["kind"] for s in PLANTED)
    assert set(kinds) == set(VIOLATIONS) and min(kinds.values()) >= 2
    assert len(PLANTED) >= 40 and len(CLEAN) >= 20
    assert {s["mode"] for s in CLEAN} == {"audit", "display"}


@pytest.mark.parametrize("summary", PLANTED, ids=lambda s: s["text"][:60])
def test_a_planted_violation_is_found_named_and_told(plans: dict[str, SemanticPlan], summary: dict) -> None:
    verdict = verify(summary["text"], plans[summary["plan"]], summary["mode"])
    found = [v for v in verdict.violations if v.kind == summary["kind"]]
    assert found, [v.told() for v in verdict.violations]
    assert all(v.kind in VIOLATIONS and v.where and v.fix for v in verdict.violations)
    assert all(0 <= v.sentence < len(verdict.sentences) for v in verdict.violations)


def test_at_most_one_clean_summary_is_refused(plans: dict[str, SemanticPlan]) -> None:
    refused = {
        s["text"]: [v.told() for v in verdict.violations]
        for s in CLEAN
        if not (verdict := verify(s["text"], plans[s["plan"]], s["mode"])).accepted
    }
    assert len(refused) <= 1, refused


def test_sentences_are_linked_to_their_rows(plans: dict[str, SemanticPlan]) -> None:
    text = (
        "Late fee has very high support. The plan lists 7 themes. Both identity theft and loan servicing are "
        "less common. They have different levels of support."
    )
    verdict = verify(text, plans["bank"], "display")
    assert [s.atoms for s in verdict.sentences[:3]] == [(0,), (), (3, 5)]
    assert [s.text for s in verdict.sentences][1] == "The plan lists 7 themes."


def test_rates_count_mentions_and_comparisons(plans: dict[str, SemanticPlan]) -> None:
    text = "Late fee is more common than foreclosure. Identity theft is less common than late fee."
    verdict = verify(text, plans["bank"], "display")
    assert (verdict.mentions, verdict.unadmitted) == (4, 1) and verdict.uar == 0.25
    assert (verdict.comparisons, verdict.unsupported) == (2, 1) and verdict.ucr == 0.5
