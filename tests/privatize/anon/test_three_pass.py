from __future__ import annotations

import pytest

from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.anon.episode import MODEL_FAILED, SAFE_AND_USEFUL, UNSAFE
from ctxpriv.privatize.anon.three_pass import run_pass
from ctxpriv.rewriting_roles import REFUSED, UNREADABLE, Rewritten, Told


class ThreeAgentsDouble:
    """Test double: finds towns and jobs by name, hides towns by cutting them out. `breaks` maps a word
    of the text to the agent that fails on it."""

    identity = ModelIdentity("local", "three agents (test double)")

    def __init__(self, breaks=None, finds=("Ulm", "baker")) -> None:
        self.breaks, self.finds, self.hidden = breaks or {}, finds, []

    def prepared(self, brief, seed):
        return self

    def extract(self, texts, *, seed):
        return [
            UNREADABLE if self._breaks(t, "extract")
            else tuple(Told("town" if w == "Ulm" else "job", w) for w in self.finds if w in t)
            + ((Told("mood", "broken side"),) if self._breaks(t, "classify") else ())
            for t in texts
        ]  # fmt: skip
        yield

    def classify(self, told, *, seed):
        return [
            "cut off" if any(t.what == "mood" for t in things) else tuple(t.what == "town" for t in things)
            for things in told
        ]
        yield

    def generate(self, texts, hide, *, seed):
        self.hidden += hide
        return [self._cut(t, things) for t, things in zip(texts, hide, strict=True)]
        yield

    def _cut(self, text, things):
        if self._breaks(text, "generate"):
            return Rewritten(failure=REFUSED)
        if self._breaks(text, "unchanged"):
            return Rewritten(text)
        for thing in things:
            text = text.replace(thing.span, "a town")
        return Rewritten(text)

    def _breaks(self, text, agent):
        return any(word in text and at == agent for word, at in self.breaks.items())


def episodes(records, agents, assessor, wave=3):
    out = []
    run_pass(records, agents, assessor, out.append, wave=wave)
    return {e.row: e for e in out}


def test_one_pass_hides_what_is_private(record, assessor):
    agents = ThreeAgentsDouble()
    (episode,) = episodes([record()], agents, assessor()).values()
    assert agents.hidden == [(Told("town", "Ulm"),)]
    assert episode.released.text == "I work as a baker in a town, and this is about work."
    assert (episode.stop, len(episode.rounds)) == (SAFE_AND_USEFUL, 2)


@pytest.mark.parametrize(
    ("agent", "why"), [("extract", UNREADABLE), ("classify", "cut off"), ("generate", REFUSED),
                       ("unchanged", "unchanged")]
)  # fmt: skip
def test_a_record_on_which_an_agent_fails_is_withheld_and_the_others_go_on(record, assessor, agent, why):
    records = [record(f"A baker in Ulm, work {w}.", row=i) for i, w in enumerate(("one", "two", "three"))]
    out = episodes(records, ThreeAgentsDouble({"two": agent}), assessor())
    assert (out[1].stop, out[1].chosen, out[1].why_withheld) == (MODEL_FAILED, None, why)
    assert [out[i].stop for i in (0, 2)] == [SAFE_AND_USEFUL] * 2


def test_a_text_in_which_nothing_is_found_is_released_as_it_is(record, assessor):
    """That is the method: its leak is to be measured, not mended."""
    (episode,) = episodes([record()], ThreeAgentsDouble(finds=()), assessor()).values()
    assert episode.released.text == record().text and episode.stop == UNSAFE
    assert episode.rounds[1].leaked == ("town",)
