from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.models.base import Prompt
from ctxpriv.models.judging import (
    estimated_tokens,
    judge,
    least_tokens,
    varied,
    was_truncated,
    whole_sentences,
)
from ctxpriv.models.places import is_loopback, place

SCHEMA = {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    ("text", "cut", "failure"),
    [
        ('{"a": 1}', False, ""),
        ('```json\n{"a": 1}\n```', False, ""),
        ('{"b": 1}', False, "schema violated"),
        ('{"a": ', False, "not JSON"),
        ('{"a": ', True, "cut off"),
        ("", False, "empty"),
        ("<think>x", False, "empty"),
        ("[" * 100_000, False, "not JSON"),
    ],
)
def test_json(text, cut, failure):
    answer = judge(Prompt(user="", schema=SCHEMA), text, cut=cut)
    assert answer.failure == failure and (answer.parsed is not None) == answer.ok


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("One. Two", "One."),
        ('He said "no." Then', 'He said "no."'),
        ("No end", ""),
        ("3.5 is a numb", ""),
        ("Really? Yes", "Really?"),
    ],
)
def test_whole_sentences(text, kept):
    assert whole_sentences(text) == kept


@given(st.text(max_size=300))
@settings(max_examples=50, deadline=None)
def test_cut_text_is_a_prefix_or_a_failure(text):
    answer = judge(Prompt(user="", allow_cut=True), text, cut=True)
    assert answer.failure == "cut off" or answer.ok and answer.text and answer.text in text


@given(st.text(max_size=200))
@settings(max_examples=50, deadline=None)
def test_estimates_enclose_each_other(text):
    assert least_tokens(text) >= 0 and len(text.encode()) <= 3 * estimated_tokens(text)
    assert not was_truncated(Prompt(user=text), 0)


def test_varied_keeps_the_first_try():
    prompt = Prompt(user="a", seed=2**31 - 1)
    assert varied(prompt, 1) is prompt
    assert len({varied(prompt, attempt).seed for attempt in (1, 2, 3)}) == 3


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1", True),
        ("http://localhost", True),
        ("http://[::1]:9", True),
        ("http://127.9.9.9", True),
        ("http://127.0.0.1.example", False),
        ("http://192.168.0.2", False),
        ("http://localhost@evil.example", False),
        ("http://evil.example#localhost", False),
        ("http://10.0.0.1?127.0.0.1", False),
    ],
)
def test_loopback(url, local):
    assert is_loopback(url) is local


def test_place_shows_no_credentials():
    assert place("http://user:key@host.example:99/path?x=1") == "host.example:99"


@pytest.mark.parametrize("half", ["\ud800", "\udfff", "\ud83d x"])
def test_half_characters_never_leave(half):
    """Neither a file nor SQLite can hold them, so that a run would break after it was paid for."""
    assert judge(Prompt(user=""), f"a{half}b", cut=False).text.encode()
    escaped = json.dumps({"a": f"x{half}", f"k{half}": [half, 1.5, None]})
    answer = judge(Prompt(user="", schema=SCHEMA), escaped, cut=False)
    assert answer.ok and json.dumps(answer.parsed, ensure_ascii=False).encode()
    whole = judge(Prompt(user="", schema=SCHEMA), json.dumps({"a": "\U0001f600"}), cut=False)
    assert whole.parsed == {"a": "\U0001f600"}
