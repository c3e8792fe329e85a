from __future__ import annotations

import pytest

from ctxpriv.asking import Meter, together
from ctxpriv.models.base import Answer, Prompt
from ctxpriv.progress import Cancelled, CancelToken


def asks(model, *steps):
    """An asking that asks each of `steps` (lists of texts) in turn, and returns all answers' texts."""
    got = []
    for step in steps:
        answers = yield model, [Prompt(text) for text in step]
        got += [a.text for a in answers]
    return got


def says_nothing(value):
    return value
    yield


def echo(prompt):
    return Answer(text=prompt.user.upper(), prompt_tokens=2, completion_tokens=1)


def test_prompts_for_one_model_are_one_batch(scripted):
    model, other = scripted(echo), scripted(echo)
    out = together(asks(model, ["a", "b"], ["c"]), asks(model, ["d"]), asks(other, ["e"]), says_nothing(7))
    assert out == [["A", "B", "C"], ["D"], ["E"], 7]
    assert model.calls == 2 and other.calls == 1
    assert [p.user for p in model.prompts] == ["a", "b", "d", "c"]


def test_an_asking_without_prompts_costs_no_call(scripted):
    model = scripted(echo)
    assert together(asks(model, [])) == [[]] and model.calls == 0


def test_the_meter_counts(scripted):
    def reply(prompt):
        return (
            Answer(failure="cut off")
            if prompt.user == "bad"
            else Answer(text="x", cached=prompt.user == "old")
        )

    meter = Meter()
    together(asks(scripted(reply), ["bad", "old", "new"]), meter=meter)
    assert (meter.calls, meter.cached, meter.failures) == (3, 1, {"cut off": 1})
    assert meter.model_seconds > 0


def test_a_cancel_stops_before_the_next_call(scripted):
    token = CancelToken()
    token.cancel()
    model = scripted(echo)
    with pytest.raises(Cancelled):
        together(asks(model, ["a"]), cancel=token)
    assert not model.prompts
