"""What the model generator asks and how it reads answers, with a scripted model."""

from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.models.base import Answer, ModelIdentity, Speed
from ctxpriv.privatize.sdg.write_by_model import ModelGenerator, clean

A_TEXT = Answer("A text.")


class ScriptedModelDouble:
    """Keeps the prompts and gives the same answer to all, or one per call of `answer`."""

    identity = ModelIdentity("local", "scripted double")

    def __init__(self, answer: Answer = A_TEXT, context_tokens: int = 4096) -> None:
        self.answer, self.context_tokens, self.batches = answer, context_tokens, []

    def complete(self, prompts, *, progress=None, cancel=None, stage=""):
        self.batches.append(list(prompts))
        return [self.answer] * len(prompts)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def speed(self) -> Speed:
        return Speed(300.0, 32)


def test_one_batch_with_row_and_nearest_examples_and_distinct_seeds(corpus) -> None:
    model, donated = ScriptedModelDouble(), corpus.donated()
    rows = corpus.part("private").table.iloc[:4]
    written = ModelGenerator(model).write(rows, donated, seed=5)
    (prompts,) = model.batches
    assert written.texts == ("A text.",) * 4 and len({p.seed for p in prompts}) == 4
    for prompt, (_, row) in zip(prompts, rows.iterrows(), strict=True):
        assert all(f"{name}: {value}" in prompt.user.replace("_", " ") for name, value in row.items())
        assert sum(text in prompt.user for text in set(donated.texts)) == 3
        assert prompt.allow_cut and prompt.temperature == 1.0 and prompt.max_tokens > 20


def test_private_texts_never_enter_a_prompt(corpus) -> None:
    model, donated, private = ScriptedModelDouble(), corpus.donated(), corpus.part("private")
    ModelGenerator(model).write(private.table, donated, seed=5)
    hidden = set(private.texts) - set(donated.texts)
    assert not any(text in prompt.user for prompt in model.batches[0] for text in hidden)


def test_fewer_examples_where_the_context_is_short(corpus) -> None:
    model, donated = ScriptedModelDouble(context_tokens=170), corpus.donated()
    ModelGenerator(model).write(corpus.table.iloc[:3], donated, seed=5)
    for prompt in model.batches[0]:
        assert 1 <= sum(text in prompt.user for text in set(donated.texts)) < 3


def test_variations_follow_different_instructions(corpus) -> None:
    model, rows = ScriptedModelDouble(), corpus.table.iloc[:2]
    out = ModelGenerator(model).vary(["First.", "Second."], rows, corpus.donated(), variations=3, seed=1)
    (prompts,) = model.batches
    assert len(out.texts) == 6
    assert ["First." in p.user for p in prompts] == [True] * 3 + [False] * 3
    assert len({p.user.splitlines()[0] for p in prompts[:3]}) == 3 and len({p.seed for p in prompts}) == 6


@pytest.mark.parametrize(
    ("answer", "text", "why"),
    [
        (Answer("", failure="timed out"), "", "timed out"),
        (Answer("no end at all", failure="cut off"), "", "cut off"),
        (Answer('""'), "", "empty"),
        (Answer("Sure! Here is a new text:\n\n“I like it.”"), "I like it.", ""),
    ],
)
def test_answers_are_read_as_text_or_failure(answer, text, why, corpus) -> None:
    written = ModelGenerator(ScriptedModelDouble(answer)).write(
        corpus.table.iloc[:1], corpus.donated(), seed=0
    )
    assert written.texts == (text,)
    assert [f.why for f in written.failures] == ([why] if why else [])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('Text: "Hello there."', "Hello there."),
        ('"One" and "two"', '"One" and "two"'),
        ("assistant: Fine.", "Fine."),
        ("Agent: Hello.\nBuyer: Hi.", "Agent: Hello.\nBuyer: Hi."),
    ],
)
def test_cleaning_takes_off_wrappers_only(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_no_donors_are_refused_and_costs_are_estimated(corpus) -> None:
    generator = ModelGenerator(ScriptedModelDouble())
    with pytest.raises(BadInput, match="donated"):
        generator.write(corpus.table, corpus.part("test").donated(), seed=0)
    assert generator.calls_per_second() == pytest.approx(300 / 150)
    assert generator.tokens_per_text(100)[1] == 150


def test_a_cap_on_words_shortens_answers_and_what_is_asked_for(corpus) -> None:
    model, rows = ScriptedModelDouble(), corpus.table.iloc[:3]
    ModelGenerator(model).write(rows, corpus.donated(), seed=0)
    capped = ModelGenerator(model, most_words=2)
    capped.write(rows, corpus.donated(), seed=0)
    freely, asked = model.batches
    assert all(a.max_tokens < b.max_tokens for a, b in zip(asked, freely, strict=True))
    assert all("about 2 words" in p.user for p in asked)
    assert capped.tokens_per_text(90.0)[1] == 3
