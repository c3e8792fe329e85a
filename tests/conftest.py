"""Doubles that tests of several parts share."""

from __future__ import annotations

import json

import pytest
from hypothesis import settings

from ctxpriv.models.base import Answer, ModelIdentity, Speed

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")  # a test then fails for a change, not by chance


class ScriptedModelDouble:
    """Test double of a language model: `reply(prompt)` gives a JSON value or an Answer.

    `prompts` holds all that was asked, `calls` the number of batches. A cancel stops it.
    """

    context_tokens = 8192
    identity = ModelIdentity("local", "scripted test double")

    def __init__(self, reply) -> None:
        self.reply, self.prompts, self.calls = reply, [], 0

    def complete(self, prompts, *, progress=None, cancel=None, stage=""):
        self.calls += 1
        self.prompts += list(prompts)
        answers = []
        for done, prompt in enumerate(prompts, 1):
            if cancel is not None:
                cancel.check()
            answers.append(self._answer(prompt))
            if progress is not None:
                progress(stage, done, len(prompts))
        return answers

    def _answer(self, prompt):
        value = self.reply(prompt)
        return value if isinstance(value, Answer) else Answer(text=json.dumps(value), parsed=value)

    def count_tokens(self, text):
        return len(text.split())

    def speed(self):
        return Speed(1000.0, 1, "test double")


@pytest.fixture
def scripted():
    return ScriptedModelDouble


@pytest.fixture
def scripted_model():
    """As `scripted`, where a folder of tests gives that name to another double."""
    return ScriptedModelDouble
