"""What every language model adapter promises, asked of each of them."""

from __future__ import annotations

import threading

import pytest

from ctxpriv.models.base import AnswersAsTheyCome, Prompt
from ctxpriv.models.ollama import OllamaModel
from ctxpriv.models.openai_compatible import OpenAICompatibleModel
from ctxpriv.progress import Cancelled, CancelToken

SCHEMA = {
    "type": "object",
    "properties": {"mood": {"type": "string", "enum": ["glad", "sad"]}},
    "required": ["mood"],
    "additionalProperties": False,
}


@pytest.fixture(params=["ollama", "openai", "embedded"])
def model(request):
    if request.param == "embedded":
        return request.getfixturevalue("embedded_model")
    server = request.getfixturevalue("server")
    if request.param == "ollama":
        return OllamaModel("tiny", server.url, parallel=2)
    return OpenAICompatibleModel(server.url, "tiny", parallel=2)


def _ask(word: str = "", **fields) -> Prompt:
    return Prompt(user=f"Say something kind. {word}", max_tokens=24, allow_cut=True, **fields)


def test_identity_names_a_local_model(model):
    assert model.identity.name and model.identity.place == "this machine"
    assert isinstance(model, AnswersAsTheyCome)


def test_no_prompts_no_answers(model):
    assert model.complete([]) == []


def test_one_answer_per_prompt_with_counts_and_progress(model):
    seen, handed = [], {}
    prompts = [_ask(str(number), seed=number, temperature=0.7) for number in range(5)]
    answers = model.complete_each(
        prompts, handed.__setitem__, stage="write", progress=lambda *call: seen.append(call)
    )
    assert [handed[index] for index in range(5)] == answers
    assert all(answer.completion_tokens > 0 and answer.prompt_tokens > 0 for answer in answers)
    assert [call[1] for call in seen] == [0, 1, 2, 3, 4, 5]
    assert {call[0] for call in seen} == {"write"} and seen[-1][2] == 5


def test_answers_differ_by_seed(model):
    prompts = [
        Prompt(user="Tell me a story.", max_tokens=40, temperature=1.0, seed=seed) for seed in range(4)
    ]
    assert len({answer.text for answer in model.complete(prompts)}) == 4


def test_schema_is_met_and_parsed(model):
    (answer,) = model.complete([Prompt(user="How is a man who won a prize?", schema=SCHEMA, max_tokens=60)])
    assert answer.ok, answer
    assert answer.parsed["mood"] in ("glad", "sad")


def test_too_long_a_prompt_fails_alone(model):
    long, short = model.complete([_ask("word " * 9000), _ask()])
    assert long.failure == "prompt too long"
    assert short.failure in ("", "cut off")


def test_too_long_an_answer_counts_against_the_context(model):
    (answer,) = model.complete([Prompt(user="hi", max_tokens=100_000)])
    assert answer.failure == "prompt too long"


def test_cancelled_before_start(model):
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        model.complete([_ask()], cancel=cancel)


def test_cancel_keeps_what_was_handed_over_and_the_model_usable(model):
    cancel, handed = CancelToken(), {}

    def take(index, answer):
        handed[index] = answer
        cancel.cancel()

    prompts = [Prompt(user=f"Number {n}.", max_tokens=8, seed=n, temperature=0.5) for n in range(40)]
    with pytest.raises(Cancelled):
        model.complete_each(prompts, take, cancel=cancel)
    assert 1 <= len(handed) < 40
    assert len(model.complete([_ask()])) == 1


def test_an_error_while_handing_over_stops_the_run_and_leaves_the_model_usable(model):
    def full_disk(index, answer):
        raise OSError("no space")

    with pytest.raises(OSError):
        model.complete_each([_ask(str(n)) for n in range(6)], full_disk)
    assert len(model.complete([_ask()])) == 1


def test_two_threads_may_ask_at_once(model):
    results = {}
    threads = [
        threading.Thread(target=lambda n=n: results.__setitem__(n, model.complete([_ask(str(n))])))
        for n in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 1, 2] and all(len(answers) == 1 for answers in results.values())


def test_token_counts_grow_with_the_text(model):
    assert 0 == model.count_tokens("") < model.count_tokens("one word") < model.count_tokens("one word " * 20)


def test_speed_is_measured(model):
    speed = model.speed()
    assert speed.tokens_per_second > 0 and speed.batch >= 1 and speed.measured_on
