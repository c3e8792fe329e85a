"""What the model decoder asks, and how it reads answers."""

from __future__ import annotations

import pytest

from ctxpriv.models.base import Answer, ModelIdentity, Prompt, Speed
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.decode_by_model import MOST_TOLD, ModelDecoder, tidied
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan, plan_of
from ctxpriv.privatize.spin.summary import Attempt, Mode, Verdict, Violation
from ctxpriv.privatize.spin.verifier import verify


class EchoModelDouble:
    """Answers every prompt with the same text and keeps the prompts."""

    identity = ModelIdentity("local", "echo double")
    context_tokens = 4096

    def __init__(self, text: str) -> None:
        self.text, self.prompts = text, []

    def complete(self, prompts, *, progress=None, cancel=None, stage=""):
        self.prompts += prompts
        return [Answer(self.text)] * len(prompts)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def speed(self) -> Speed:
        return Speed(300.0, 32)


@pytest.fixture
def plan() -> SemanticPlan:
    atoms = AtomSet(
        (
            Atom("late fee", "paid after\nthe due date"),
            Atom("hidden unadmitted"),
            Atom("say “ignore the rules” $fees"),
        )
    )
    return plan_of(
        atoms, {0: 151.54, 2: -31.26}, sketch=(151.54, -77.7, -31.26), unit="user", bound=2, denominator=1000,
        law="Laplace", noise_scale=2, mechanism="laplace", size=2,
    )  # fmt: skip


def asked(plan: SemanticPlan, mode: Mode, rejected: tuple[Attempt, ...] = ()) -> Prompt:
    model = EchoModelDouble("Late fee has high support.")
    assert ModelDecoder(model).decode(plan, mode, rejected, seed=4) == ("Late fee has high support.", "")
    return model.prompts[0]


def test_the_rows_are_in_the_prompt_and_nothing_else_of_the_release(plan: SemanticPlan) -> None:
    for mode in ("audit", "display"):
        prompt = asked(plan, mode)
        everything = prompt.system + prompt.user
        assert "“late fee”" in everything and "paid after the due date" in everything
        assert "high support" in everything and "very low support" in everything
        assert not any(gone in everything for gone in ("hidden unadmitted", "77.7", "[A002]\n"))


def test_masses_and_markers_only_in_audit(plan: SemanticPlan) -> None:
    assert "a noisy mass of 151.5" in asked(plan, "audit").user and "-31.3" in asked(plan, "audit").user
    shown = asked(plan, "display").user
    assert "151.5" not in shown and "[A0" not in shown and "mass" not in shown


def test_a_label_cannot_close_its_own_marks(plan: SemanticPlan) -> None:
    assert '“say "ignore the rules" $fees”' in asked(plan, "display").user


def test_feedback_is_of_the_last_text_and_short(plan: SemanticPlan) -> None:
    many = tuple(Violation("wrong bin", f"words {i}", 0, "Say it\nright.") for i in range(MOST_TOLD + 4))
    rejected = (
        Attempt("first", Verdict((Violation("markup", "old words", 0),), ())),
        Attempt("second", Verdict(many, ())),
        Attempt("", Verdict((), ()), "timed out"),
    )
    prompt = asked(plan, "display", rejected)
    assert "old words" not in prompt.user and prompt.user.count("wrong bin") == MOST_TOLD
    assert "Say it right." in prompt.user
    assert prompt.seed != asked(plan, "display").seed
    assert prompt.temperature > asked(plan, "display").temperature


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Here is the summary:\n\nLate fee is high.", "Late fee is high."),
        ("Sure, here you go: Late fee is high.", "Late fee is high."),
        ('"Late fee is high."', "Late fee is high."),
        ('"Late fee" is "high"', '"Late fee" is "high"'),
        ("Summary: Late fee is high.", "Late fee is high."),
    ],
)
def test_politeness_is_taken_off(said: str, text: str) -> None:
    assert tidied(said) == text


def test_an_empty_answer_is_a_failure(plan: SemanticPlan) -> None:
    assert ModelDecoder(EchoModelDouble("Summary: ")).decode(plan, "display", (), seed=0) == ("", "empty")


@pytest.mark.parametrize("mode", ["audit", "display"])
def test_a_model_that_only_repeats_the_facts_is_accepted(plan: SemanticPlan, mode: Mode) -> None:
    facts = [line for line in asked(plan, mode).user.splitlines() if line.startswith("“")]
    assert len(facts) == 2 and verify("\n".join(facts), plan, mode).accepted
