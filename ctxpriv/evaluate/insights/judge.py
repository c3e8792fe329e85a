"""A language model's opinion of a summary (DP-SPIN §6.5, App. H.6). CURATOR-ONLY.

The judge reads what was released and the summary, never a record. Its scores are the opinion of the
named model: no measurement, and no audit of privacy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ctxpriv.evaluate.metric import Metric
from ctxpriv.extract.answers import value_of
from ctxpriv.extract.coverage import HIGHEST, LOWEST, score_of
from ctxpriv.models.answer_forms import object_form
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.spin.insight import Outcome
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

CRITERIA = {
    "coverage": "how many of the released themes it mentions",
    "specificity": "how exactly it says what was released, with amounts and order",
    "insightfulness": "how much a reader learns about the collection as a whole",
    "faithfulness": "how free it is of what the release does not say",
    "privacy_safety": "how free it is of single people, single texts and quotations",
    "clarity": "how easily it is read",
}
"""What is judged, from 1 to 5, in the words that the model gets."""

NO_JUDGE = "no judge is set up: it takes a language model"
_FORM = object_form(
    **{name: {"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))} for name in CRITERIA}
)


def judge_summary(
    text: str,
    released: str,
    model: LanguageModel,
    *,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> dict[str, Metric]:
    """One call. Every key of `CRITERIA`: 1 to 5 with `detail["opinion_of"]` naming the model, or missing
    with the reason. `released`: see `released_words`. Raises as `LanguageModel.complete`."""
    prompt = Prompt(
        render(
            "judge_summary",
            released=_fenced(released),
            summary=_fenced(text),
            criteria="\n".join(f"- {name}: {about}" for name, about in CRITERIA.items()),
            shape=", ".join(f'"{name}": ...' for name in CRITERIA),
        ),
        render("judge_summary_system"),
        _FORM,
        max_tokens=96,
        seed=seed,
    )
    (answer,) = model.complete([prompt], progress=progress, cancel=cancel, stage="judge the summary")
    return _opinions(answer, model.identity)


def no_opinion(why: str = NO_JUDGE) -> dict[str, Metric]:
    """Every criterion missing for the same reason."""
    return {name: Metric.not_computed(why) for name in CRITERIA}


def released_words(outcome: Outcome) -> str:
    """What the decoder had, for the judge: a plan's rows, or the method's own released facts."""
    if outcome.plan is None:
        facts = json.dumps(dict(outcome.details), ensure_ascii=False, default=str)
        return f"{outcome.text}\n{facts}" if outcome.details else outcome.text
    return plan_words(outcome.plan)


def plan_words(plan: SemanticPlan) -> str:
    """One line an admitted atom, by rank."""
    noise = "without noise" if plan.law == "none" else "with noise"
    head = (
        f"{len(plan.rows)} of {len(plan.atoms)} themes; "
        f"masses in {plan.unit}s of {plan.denominator}, {noise}."
    )
    lines = [
        f"{row.rank}. {plan.marker(row)} {row.label}: "
        f"mass {row.mass:.1f}, support {row.support:.3f} ({row.bin})"
        for row in plan.rows
    ]
    return "\n".join([head, *lines])


def _opinions(answer: Answer, judge: ModelIdentity) -> dict[str, Metric]:
    value = value_of(answer)
    if not isinstance(value, Mapping):
        return no_opinion(f"{judge.name} gave no usable answer: {answer.failure or 'no scores'}")
    told = {"opinion_of": judge.name, "place": judge.place}
    out = {}
    for name in CRITERIA:
        score = score_of(value.get(name)) if not isinstance(value.get(name), Mapping) else None
        out[name] = (
            Metric.not_computed(f"{judge.name} gave no score from {LOWEST} to {HIGHEST}", **told)
            if score is None
            else Metric(float(score), n=1, detail=told)
        )
    return out


def _fenced(text: str) -> str:
    """Without the fence of the prompt, so that a text cannot step out of it."""
    return text.replace('"""', "''").strip()
