"""Kinds of study: plans of each kind are read, run and told by the same three calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.insights.study import InsightStudy
from ctxpriv.kinds.kind import KINDS, kind, study_from_dict, study_from_yaml
from ctxpriv.study import Study

PLANS = Path(__file__).resolve().parents[2] / "data_samples" / "plans"


def test_every_kind_has_its_five_functions() -> None:
    for name in KINDS:
        assert all(callable(getattr(kind(name), f)) for f in ("read", "run", "plan", "write", "told")), name


@pytest.mark.parametrize("path", sorted(PLANS.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_shipped_plan_is_read_and_goes_through_a_job_file(path: Path) -> None:
    study = study_from_yaml(path)
    assert isinstance(study, {"comparison": Study, "insights": InsightStudy}[study.kind])
    assert study_from_dict(study.to_dict()) == study


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="Did you mean 'comparison'"):
        study_from_dict({"kind": "comparisons"})
