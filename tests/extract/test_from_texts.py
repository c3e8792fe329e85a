from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.extract.from_texts import schema_from_texts
from ctxpriv.extract.menu import catalogue
from ctxpriv.models.base import Answer

TEXTS = tuple(f"word{i} " * (40 + i) for i in range(9))
GOOD = {
    "features": [
        {"name": "Mood", "values": ["calm", "angry", "n/a"], "description": "d", "rationale": "r"},
        {"name": "place", "values": [f"v{i}" for i in range(30)], "description": "d", "rationale": "r"},
    ]
}
WORDS = {"description": "letters of tenants", "workload": "find urgent ones"}


def test_the_chosen_private_texts_are_shown_and_the_result_is_marked(scripted, private_corpus, embedder):
    model = scripted(lambda prompt: GOOD)
    proposal = schema_from_texts(private_corpus(TEXTS), model, embedder, **WORDS)
    assert len(model.prompts) == 1
    question = model.prompts[0].user
    assert sum(f"word{i} " in question for i in range(9)) == 5
    assert "no construction reads" not in question
    assert "letters of tenants" in question and "find urgent ones" in question
    assert proposal.schema["mood"].values == ("calm", "angry", "Not Applicable", "Not stated")
    assert len(proposal.schema["place"].values) == 16  # 14, `Other`, and `Not stated` by rule
    assert {a.provenance for a in proposal.schema.attributes} == {"observed"}
    assert (proposal.way, proposal.reads_private) == ("texts", True)
    assert (proposal.epsilon, proposal.delta, proposal.rho) == (None, None, None)
    assert "word" not in str(proposal.to_dict())


def test_the_same_texts_are_chosen_again(scripted, private_corpus, embedder):
    models = [scripted(lambda prompt: GOOD) for _ in range(2)]
    for model in models:
        schema_from_texts(private_corpus(TEXTS), model, embedder, **WORDS)
    assert models[0].prompts == models[1].prompts


def test_vectors_need_not_be_unit_length(scripted, private_corpus):
    class LongVectorsDouble:
        def embed(self, texts, *, progress=None, cancel=None):
            return np.array([[1.0, 0.0], [900.0, 1.0], [0.0, 5.0]])

    model = scripted(lambda prompt: GOOD)
    texts = ("east", "far east", "north")
    schema_from_texts(private_corpus(texts), model, LongVectorsDouble(), k=2, **WORDS)
    assert "- north" in model.prompts[0].user and "- far east" in model.prompts[0].user


def test_long_texts_are_cut_to_the_context(scripted, private_corpus, embedder):
    model = scripted(lambda prompt: GOOD)
    model.context_tokens = 1000
    schema_from_texts(private_corpus(tuple(t * 50 for t in TEXTS)), model, embedder, **WORDS)
    prompt = model.prompts[0]
    assert 600 < model.count_tokens(prompt.user) + prompt.max_tokens <= 1000


def test_what_cannot_be_done_is_said(scripted, private_corpus, embedder):
    model = scripted(lambda prompt: GOOD)
    with pytest.raises(BadInput, match="workload"):
        schema_from_texts(private_corpus(TEXTS), model, embedder, description="d", workload=" ")
    with pytest.raises(BadInput, match="no private records"):
        schema_from_texts(private_corpus(()), model, embedder, **WORDS)
    model.context_tokens = 300
    with pytest.raises(BadInput, match="5 texts do not fit"):
        schema_from_texts(private_corpus(TEXTS), model, embedder, **WORDS)
    assert model.prompts == []


@pytest.mark.parametrize(
    "broken",
    [
        Answer(failure="cut off"),
        Answer(text="{", failure="schema violated"),
        Answer(parsed={"features": "none"}),
        Answer(parsed={"features": [{"name": "x", "values": ["only one"]}, 3, {"values": ["a", "b"]}]}),
    ],
)
def test_broken_answers_give_no_attributes(broken, scripted, private_corpus, embedder):
    model = scripted(lambda prompt: broken)
    with pytest.raises(ModelFailed, match="no usable feature"):
        schema_from_texts(private_corpus(TEXTS), model, embedder, **WORDS)
    assert len(model.prompts) >= 2  # at once, then names first


def test_names_first_then_the_values_of_each(scripted, private_corpus, embedder):
    def reply(prompt):
        if "values" in prompt.schema["properties"]:
            return {"values": ["low", "high"]}
        return {"features": [{"name": n, "description": "d", "rationale": "r"} for n in ("tone", "length")]}

    model = scripted(reply)
    proposal = schema_from_texts(private_corpus(TEXTS), model, embedder, stepwise=True, **WORDS)
    assert proposal.schema.names == ("tone", "length")
    assert "word" in model.prompts[0].user and "up to 20" in model.prompts[0].user
    assert not any("word" in p.user for p in model.prompts[1:])


def test_guided_asks_about_each_text_and_takes_the_most_chosen(scripted, private_corpus, embedder):
    model = scripted(
        lambda prompt: {"names": ["age", "tone"] if "word0" in prompt.user else ["tone", "bogus"]}
    )
    proposal = schema_from_texts(
        private_corpus(TEXTS[:3]), model, embedder, guided=True, max_attributes=1, **WORDS
    )
    assert proposal.schema.names == ("tone",)
    assert proposal.schema["tone"].description == catalogue()["tone"]["description"]
    assert "chose from the list of common attributes" in proposal.problems[0]
    assert all("word" in p.user for p in model.prompts)
