"""What goes wrong with model servers, each shown by a double and asked of both HTTP adapters."""

from __future__ import annotations

import pytest

from ctxpriv.errors import ModelFailed
from ctxpriv.models.base import Prompt
from ctxpriv.models.ollama import OllamaModel
from ctxpriv.models.ollama_library import OllamaTag, list_models, pull, usual_host
from ctxpriv.models.openai_compatible import OpenAICompatibleModel
from ctxpriv.progress import Cancelled, CancelToken

SCHEMA = {"type": "object", "properties": {"mood": {"enum": ["glad"]}}, "required": ["mood"]}


def _open(kind: str, server, **options):
    if kind == "ollama":
        return OllamaModel("tiny", server.url, **options)
    return OpenAICompatibleModel(server.url, "tiny", **options)


@pytest.fixture(params=["ollama", "openai"])
def kind(request):
    return request.param


@pytest.fixture
def model(kind, server):
    return _open(kind, server, parallel=2)


@pytest.mark.parametrize(
    ("word", "schema", "failure", "attempts"),
    [
        ("[rubbish]", SCHEMA, "not JSON", 3),
        ("[ignored]", SCHEMA, "schema violated", 3),
        ("[empty]", None, "empty", 3),
        ("[only thinks]", None, "empty", 3),
        ("[cut]", None, "cut off", 1),
        ("[cut]", SCHEMA, "cut off", 1),
        ("[truncated]", None, "prompt too long", 1),
        ("[window]", None, "prompt too long", 1),
        ("[error]", None, "server error", 1),
    ],
)
def test_failure_of_one_prompt_is_named_and_leaves_the_others(model, word, schema, failure, attempts):
    bad, good = model.complete(
        [Prompt(user=f"one two three four five {word}", schema=schema), Prompt(user="fine")]
    )
    assert (bad.failure, bad.attempts, bad.parsed) == (failure, attempts, None)
    assert good.ok


def test_retries_vary_the_seed_and_warm_a_greedy_prompt(model, server):
    (answer,) = model.complete([Prompt(user="[second try]", seed=5)])
    assert answer.ok and answer.attempts == 2
    first, second = (body.get("options", body) for body in server.requests)
    assert first["seed"] == 5 != second["seed"]
    assert first["temperature"] == 0 < second["temperature"]


def test_a_cut_text_is_trimmed_only_where_allowed(model):
    (answer,) = model.complete([Prompt(user="[cut]", allow_cut=True)])
    assert answer.ok and answer.text == "A whole sentence."


def test_thinking_is_switched_off_when_it_eats_the_answer(model):
    (answer,) = model.complete([Prompt(user="[thinks]")])
    assert answer.ok and answer.attempts == 2


def test_a_thinking_block_in_the_text_is_dropped(model):
    (answer,) = model.complete([Prompt(user="[tagged]")])
    assert answer.text.startswith("A glad answer")


def test_full_queue_is_waited_for(model, server):
    server.busy_answers = 2
    (answer,) = model.complete([Prompt(user="[busy]")])
    assert answer.ok and len(server.requests) == 3


def test_waiting_for_a_full_queue_is_bounded(model, server):
    server.busy_answers = 10_000
    (answer,) = model.complete([Prompt(user="[busy]")])
    assert answer.failure == "server error" and len(server.requests) == 3


def test_slow_answer_times_out(kind, server):
    limits = {"timeout": 0.3, "load_timeout": 0.3} if kind == "ollama" else {"timeout": 0.3}
    slow, good = _open(kind, server, **limits).complete([Prompt(user="[slow]"), Prompt(user="fine")])
    assert slow.failure == "timed out" and good.ok


def test_cancel_does_not_wait_for_a_slow_answer(model, server):
    cancel, handed = CancelToken(), {}

    def take(index, answer):
        handed[index] = answer
        cancel.cancel()

    with pytest.raises(Cancelled):
        model.complete_each([Prompt(user="[slow]"), Prompt(user="fine")], take, cancel=cancel)
    assert list(handed) == [1] and not server.release.is_set()


def test_server_that_dies_mid_run_is_a_model_failure_and_finished_answers_are_kept(kind, server):
    handed = {}
    with pytest.raises(ModelFailed, match="no longer answers") as caught:
        _open(kind, server, parallel=1).complete_each(
            [Prompt(user="fine"), Prompt(user="[die] secret"), Prompt(user="never")], handed.__setitem__
        )
    assert list(handed) == [0] and handed[0].ok
    assert "secret" not in str(caught.value)


def test_no_server_is_a_helpful_failure(kind, server):
    server.stop()
    with pytest.raises(ModelFailed, match="answers at this machine"):
        _open(kind, server)


def test_environment_proxies_are_ignored(kind, server, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert _open(kind, server).complete([Prompt(user="fine")])[0].ok


@pytest.mark.parametrize(
    "host", ["http://192.0.2.1:11434", "http://models.example", "http://localhost.example"]
)
def test_other_machines_need_a_confirmation(kind, host):
    with pytest.raises(ModelFailed, match="confirmation"):
        OllamaModel("tiny", host) if kind == "ollama" else OpenAICompatibleModel(host, "tiny")


def test_unknown_model_lists_what_is_there(kind, server):
    with pytest.raises(ModelFailed, match="tiny"):
        OllamaModel("nope", server.url) if kind == "ollama" else OpenAICompatibleModel(server.url, "nope")


@pytest.mark.parametrize("name", ["hidden", "big:120b-cloud", "absent:cloud", "absent-cloud"])
def test_cloud_models_behind_localhost_are_refused(server, name):
    with pytest.raises(ModelFailed, match="cloud"):
        OllamaModel(name, server.url)


def test_ollama_gets_one_window_and_the_schema(server):
    model = OllamaModel("tiny", server.url, context_tokens=8192)
    model.complete([Prompt(user="a", schema=SCHEMA, max_tokens=9, seed=3), Prompt(user="b")])
    first, second = sorted(server.requests, key=lambda body: body["messages"][-1]["content"])
    assert model.context_tokens == 2048  # what the weights support, not what was asked for
    assert first["options"] == {"num_ctx": 2048, "num_predict": 9, "temperature": 0.0, "seed": 3}
    assert first["format"] == SCHEMA and second["options"]["num_ctx"] == 2048


def test_thinking_models_are_told_not_to(server):
    OllamaModel("thinker", server.url).complete([Prompt(user="a")])
    assert server.requests[0]["think"] is False


def test_openai_key_comes_from_the_environment_only(server, monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(ModelFailed, match="SOME_KEY"):
        OpenAICompatibleModel(server.url, "tiny", api_key_env="SOME_KEY")


def test_openai_context_is_the_servers(server):
    assert OpenAICompatibleModel(server.url, "tiny", context_tokens=8192).context_tokens == 2048


def test_list_models_marks_cloud_models(server):
    assert {tag.name for tag in list_models(server.url) if tag.cloud} == {"hidden:latest", "big:120b-cloud"}
    assert not OllamaTag("cloudy:8b").cloud


@pytest.mark.parametrize(
    ("given", "url"),
    [
        (None, "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        (":5000", "http://127.0.0.1:5000"),
        ("http://localhost:1", "http://localhost:1"),
        ("[::1]", "http://[::1]:11434"),
    ],
)
def test_usual_host(given, url, monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    assert usual_host(given) == url


def test_pull_reports_bytes(server):
    server.pull_lines = [
        {"status": "pulling manifest"},
        {"status": "pulling", "digest": "d", "total": 10, "completed": 4},
        {"status": "success"},
    ]
    seen = []
    pull("tiny", lambda *call: seen.append(call), host=server.url)
    assert ("pull model", 4, 10) in seen


def test_stalled_pull_ends(server):
    server.pull_hangs = True
    with pytest.raises(ModelFailed, match="stalled"):
        pull("tiny", host=server.url, stall_seconds=0.3)


def test_pull_without_success_is_a_failure(server):
    server.pull_lines = [{"status": "pulling manifest"}]
    with pytest.raises(ModelFailed, match="without success"):
        pull("tiny", host=server.url)


def test_pull_can_be_cancelled_while_silent(server):
    server.pull_hangs, server.pull_lines = True, [{"status": "pulling manifest"}]
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        pull("tiny", lambda *call: cancel.cancel(), cancel, host=server.url)
