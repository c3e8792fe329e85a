"""The made-up plans that the hand-written summaries are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of

HERE = Path(__file__).parent


def plan_from(about: dict[str, Any]) -> SemanticPlan:
    atoms = AtomSet(tuple(Atom(label, text) for label, _, text in about["atoms"]))
    masses = {i: mass for i, (_, mass, _) in enumerate(about["atoms"]) if mass is not None}
    shared = {k: about[k] for k in ("unit", "bound", "denominator", "law", "noise_scale", "size")}
    return plan_of(atoms, masses, sketch=None, mechanism="made up", **shared)


@pytest.fixture(scope="session")
def plans() -> dict[str, SemanticPlan]:
    return plans_in("plans.yaml")


@pytest.fixture(scope="session")
def blind_plans() -> dict[str, SemanticPlan]:
    return plans_in("blind_plans.yaml")


def plans_in(name: str) -> dict[str, SemanticPlan]:
    data = yaml.safe_load((HERE / name).read_text("utf-8"))
    return {name: plan_from(about) for name, about in data.items()}
