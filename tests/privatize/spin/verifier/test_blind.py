"""The verifier on summaries that were written without knowledge of its rules, and on hostile texts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import VIOLATIONS
from ctxpriv.privatize.spin.verifier import verify

HERE = Path(__file__).parent


def load(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text("utf-8"))


SETS = [load(name) for name in ("blind.yaml", "blind_again.yaml", "blind_third.yaml", "probes.yaml")]
BAD = [s for written in SETS for s in written["bad"]]
CLEAN = [s for written in SETS for s in written["clean"]]


def test_every_kind_was_planted_twice() -> None:
    kinds = Counter(s["kind"] for s in BAD if "kind" in s)
    assert set(kinds) == set(VIOLATIONS) and min(kinds.values()) >= 2


def test_no_planted_violation_is_accepted(blind_plans: dict[str, SemanticPlan]) -> None:
    accepted = [s["text"] for s in BAD if verify(s["text"], blind_plans[s["plan"]], s["mode"]).accepted]
    assert not accepted


def test_at_most_one_clean_summary_is_refused_besides_those_listed(
    blind_plans: dict[str, SemanticPlan],
) -> None:
    refused = [s for s in CLEAN if not verify(s["text"], blind_plans[s["plan"]], s["mode"]).accepted]
    listed = [s for s in CLEAN if "refused" in s]
    assert all(s in refused for s in listed), "an exception that is accepted by now: take its reason out"
    assert len([s["text"] for s in refused if s not in listed]) <= 1


GOOD = "Battery life has very high support."
HOSTILE = {
    "zero width in a label": "Battery\u200blife has very high support.",
    "zero width in a word": "Bat\u200btery life has very high support.",
    "zero width in a bin": "Battery life has very hi\u200bgh support.",
    "soft hyphen": "Bat\u00adtery life has very high support.",
    "right to left": "Battery\u202elife has very high support.",
    "right to left mark": GOOD + "\u200f",
    "isolate": "\u2066Battery life\u2069 has very high support.",
    "line separator": GOOD + "\u2028Easy setup has moderate support.",
    "Cyrillic letter": "B\u0430ttery life has very high support.",
    "Greek letter": "Battery life has very h\u03b9gh support.",
    "ligature": "Easy setup ranks \ufb01rst with moderate support.",
    "full width": "Battery life has very high support, more than \uff15 others.",
    "bold letters": "\U0001d41b\U0001d41a\U0001d42d life has very high support.",
    "figure in a circle": GOOD + " \u2460",
    "Arabic figures": "Battery life has very high support, \u0662\u0666\u0668.",
    "emoji alone": "🔥🔥🔥",
    "emoji": "Battery life has very high support 🔥.",
    "stars": "Battery life has very high support ★★★★★.",
    "arrow": "Battery life → easy setup: very high and moderate support.",
    "private use character": "\U000f0001 has very high support.",
    "null": "Battery life has very high support.\x00",
    "carriage return": "Battery life has very\rhigh support.",
    "backspace": "Battery life has very low\b\b\bhigh support.",
    "new line in a claim": "Battery life has\nhigh support.",
    "new line before the theme": "Support is very high for\nbattery life.",
    "half a surrogate": "Battery life has very high support \ud83d.",
    "no spaces": "Batterylifehasveryhighsupport",
    "signs in a label": "Battery*life has very high support.",
    "empty": "",
    "spaces": " \n\t ",
    "link behind a marker": "Battery life [A002](support) has very high support.",
}


def test_the_plain_sentence_is_accepted(blind_plans: dict[str, SemanticPlan]) -> None:
    assert verify(GOOD, blind_plans["gadgets"], "display").accepted


@pytest.mark.parametrize("mode", ["display", "audit"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hidden_and_strange_signs_are_refused(
    blind_plans: dict[str, SemanticPlan], name: str, mode: Any
) -> None:
    text = HOSTILE[name]
    if mode == "audit":
        text = text.replace("Battery life has", "Battery life [A002] has")
    assert not verify(text, blind_plans["gadgets"], mode).accepted


REPEATED = [
    "3 ",
    "1,000,",
    ",",
    "“",
    "'",
    "[[A",
    "(",
    "between 3 and ",
    "two of the themes ",
    "very high ",
    "no ",
]


@pytest.mark.parametrize(
    "part", [*REPEATED, "as as ", "more than ", "not told apart from ", "x", " ", "e.g. ", "\n"]
)
def test_texts_that_repeat_a_part_are_refused(blind_plans: dict[str, SemanticPlan], part: str) -> None:
    """No rule may take long on them either: with one that is quadratic in the text this test hangs."""
    for length in (900, 6_000, 100_000):
        text = f"{GOOD} {part * (length // len(part))}\nEasy setup has high support."
        assert not verify(text, blind_plans["gadgets"], "display").accepted


def test_ten_thousand_true_sentences_are_refused_unread(blind_plans: dict[str, SemanticPlan]) -> None:
    verdict = verify(f"{GOOD} " * 10_000, blind_plans["gadgets"], "display")
    assert not verdict.accepted and not verdict.sentences
