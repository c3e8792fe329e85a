"""Regeneration with feedback, and the fallback that says it is one."""

from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.models.base import Answer, ModelIdentity, Speed
from ctxpriv.privatize.spin import verbalise as module
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.decode_by_model import ModelDecoder
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of
from ctxpriv.privatize.spin.summary import Summary
from ctxpriv.privatize.spin.template import TemplateDecoder
from ctxpriv.privatize.spin.verbalise import verbalise
from ctxpriv.privatize.spin.verifier import verify
from ctxpriv.progress import Cancelled, CancelToken

GOOD = "Support is high for “slow delivery”. Broken packaging has low support."
INVENTS = "Support is high for slow delivery, and rude waiters have moderate support."
MARKUP = "**Slow delivery** has high support. [More](https://example.org)"


class ScriptedModelDouble:
    """Says the given answers one after the other, the last one again and again; keeps the prompts."""

    identity = ModelIdentity("local", "scripted double")
    context_tokens = 4096

    def __init__(self, *answers: str | Answer | Exception) -> None:
        self.answers, self.prompts = list(answers), []

    def complete(self, prompts, *, progress=None, cancel=None, stage=""):
        (prompt,) = prompts
        self.prompts.append(prompt)
        said = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        if isinstance(said, Exception):
            raise said
        return [said if isinstance(said, Answer) else Answer(said)]

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def speed(self) -> Speed:
        return Speed(300.0, 32)


@pytest.fixture
def plan() -> SemanticPlan:
    atoms = AtomSet((Atom("slow delivery", "parcels that come late"), Atom("secret unadmitted theme"),
                     Atom("broken packaging")))  # fmt: skip
    return plan_of(
        atoms, {0: 151.5, 2: 31.25}, sketch=(151.5, 12.75, 31.25), unit="record", bound=1, denominator=1000,
        law="Laplace", noise_scale=2, mechanism="laplace", size=2,
    )  # fmt: skip


def test_a_model_that_invents_a_theme_is_told_and_repairs(plan: SemanticPlan) -> None:
    model = ScriptedModelDouble(INVENTS, GOOD)
    summary = verbalise(plan, ModelDecoder(model), seed=3)
    assert summary.text == GOOD and not summary.fallback and not summary.notes
    assert [a.verdict.accepted for a in summary.attempts] == [False, True]
    assert "invented theme" in {v.kind for v in summary.attempts[0].verdict.violations}
    first, second = model.prompts
    assert "refused" not in first.user and "invented theme" in second.user and "rude" in second.user
    assert first.seed != second.seed and first.temperature < second.temperature <= 1
    assert [s.atoms for s in summary.sentences] == [(0,), (2,)]
    assert summary.decoder["name"] == "scripted double"


def test_a_model_that_always_invents_ends_in_a_fallback_that_says_so(plan: SemanticPlan) -> None:
    model = ScriptedModelDouble(INVENTS)
    summary = verbalise(plan, ModelDecoder(model), attempts=3)
    assert len(summary.attempts) == len(model.prompts) == 3
    assert summary.fallback and summary.decoder["name"] == "template"
    assert summary.text == TemplateDecoder().decode(plan, "display")[0]
    (note,) = summary.notes
    assert "fallback" in note and "3 attempts" in note and "invented theme (3)" in note
    assert verify(summary.text, plan, "display").accepted


@pytest.mark.parametrize(
    ("said", "failure"),
    [(Answer("", failure="timed out"), "timed out"), (ModelFailed("gone"), "unreachable")],
)
def test_a_model_that_fails_is_kept_as_an_attempt(plan: SemanticPlan, said, failure: str) -> None:
    summary = verbalise(plan, ModelDecoder(ScriptedModelDouble(said)), attempts=2)
    assert [a.failure for a in summary.attempts] == [failure] * 2 and summary.fallback
    assert f"{failure} (2)" in summary.notes[0]


def test_markup_is_never_shown(plan: SemanticPlan) -> None:
    summary = verbalise(plan, ModelDecoder(ScriptedModelDouble(MARKUP)), attempts=1)
    assert summary.fallback and "markup" in {v.kind for v in summary.attempts[0].verdict.violations}
    assert (
        "**" not in summary.text
        and "http" not in summary.text
        and "attempt was not accepted" in summary.notes[0]
    )


@pytest.mark.parametrize("mode", ["audit", "display"])
def test_the_template_needs_one_attempt_and_is_no_fallback(plan: SemanticPlan, mode: str) -> None:
    summary = verbalise(plan, TemplateDecoder(), mode=mode)
    assert len(summary.attempts) == 1 and summary.attempts[0].verdict.accepted and not summary.fallback
    assert Summary.from_dict(summary.to_dict()) == summary


def test_a_template_that_is_refused_shows_nothing(plan: SemanticPlan, monkeypatch) -> None:
    monkeypatch.setattr(TemplateDecoder, "decode", lambda *_, **__: (INVENTS, ""))
    with pytest.raises(RuntimeError, match="invented theme"):
        module.verbalise(plan, TemplateDecoder())


def test_cancel_and_bad_attempts(plan: SemanticPlan) -> None:
    stop = CancelToken()
    stop.cancel()
    with pytest.raises(Cancelled):
        verbalise(plan, ModelDecoder(ScriptedModelDouble(GOOD)), cancel=stop)
    with pytest.raises(BadInput, match="at least one"):
        verbalise(plan, ModelDecoder(ScriptedModelDouble(GOOD)), attempts=0)


def test_a_summary_with_attempts_survives_json(plan: SemanticPlan) -> None:
    summary = verbalise(plan, ModelDecoder(ScriptedModelDouble(INVENTS, GOOD)))
    assert Summary.from_dict(summary.to_dict()) == summary
