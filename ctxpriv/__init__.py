"""Audience-conditioned privatization of text corpora.

    from ctxpriv import SDGCI, Study, Workspace, load_sample, run_study

Names are imported when first asked for, so that `import ctxpriv` is quick and a module on
the release side does not reach the private corpus by being in this package.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "ctxpriv.classify.calibrate": ("calibrate",),
    "ctxpriv.classify.checks.collusion": ("collude",),
    "ctxpriv.classify.checks.review": ("review",),
    "ctxpriv.classify.expert": ("compare_expert", "load_expert"),
    "ctxpriv.comparison": ("Comparison",),
    "ctxpriv.context": ("Approval", "Audience", "CorpusContext", "Judgement", "Partition", "ReleaseContext"),
    "ctxpriv.corpus": ("Corpus", "Splits"),
    "ctxpriv.corpus_source": ("FileCorpus", "SampleCorpus", "WorkspaceCorpus"),
    "ctxpriv.errors": ("BadInput", "CtxprivError", "ModelFailed", "NotReleasable"),
    "ctxpriv.evaluate.reference": ("Reference", "evaluate"),
    "ctxpriv.evaluate.settings": ("EvaluationSettings",),
    "ctxpriv.extract.dp_schema": ("DPSchema",),
    "ctxpriv.extract.from_texts": ("schema_from_texts",),
    "ctxpriv.extract.propose": ("propose_schema",),
    "ctxpriv.extract.quality": ("judge_schema",),
    "ctxpriv.insights.atom_recipe": ("AtomRecipe",),
    "ctxpriv.insights.bundle": ("export_insight",),
    "ctxpriv.insights.planning": ("plan_insights",),
    "ctxpriv.insights.result": ("Insights",),
    "ctxpriv.insights.runner": ("run_insights",),
    "ctxpriv.insights.study": ("InsightAudience", "InsightStudy"),
    "ctxpriv.jobs": ("JobRegistry",),
    "ctxpriv.kinds.kind": ("study_from_yaml",),
    "ctxpriv.loaders.load": ("load_table",),
    "ctxpriv.loaders.mapping": ("ColumnMapping",),
    "ctxpriv.loaders.samples": ("load_sample", "sample", "samples"),
    "ctxpriv.model_choice": ("ModelChoice",),
    "ctxpriv.casting": ("roles_for", "study_roles"),
    "ctxpriv.privacy.ledger": ("Ledger",),
    "ctxpriv.matching": ("Matcher",),
    "ctxpriv.privatize.anon.methods": ("RUPTA", "AnonCI", "OneTwoThree"),
    "ctxpriv.privatize.registry": ("METHODS", "method_from"),
    "ctxpriv.privatize.release": ("Release",),
    "ctxpriv.privatize.sdg.methods": ("MAPLE", "SDGCI", "AugPE"),
    "ctxpriv.privatize.spin.atoms": ("Atom", "AtomSet"),
    "ctxpriv.privatize.spin.compare_plans": ("compare",),
    "ctxpriv.privatize.spin.mechanisms": ("Spin",),
    "ctxpriv.privatize.spin.registry": ("INSIGHTS", "insight_from"),
    "ctxpriv.privatize.spin.semantic_plan": ("SemanticPlan",),
    "ctxpriv.project": ("ProjectState",),
    "ctxpriv.release_bundle": ("export_bundle",),
    "ctxpriv.roles": ("Roles",),
    "ctxpriv.runner": ("plan_study", "run_study"),
    "ctxpriv.schema": ("Attribute", "Coarsening", "Schema"),
    "ctxpriv.schema_proposal": ("SchemaProposal",),
    "ctxpriv.study": ("Study", "StudyAudience"),
    "ctxpriv.workspace": ("Workspace",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'ctxpriv' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
