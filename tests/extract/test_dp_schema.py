"""The four passes together: noise, ledger, resumption, and who sees what."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.extract.dp_schema import STAGE, DPSchema
from ctxpriv.models.base import Answer
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.ledger import DP_SCHEMA, Ledger
from ctxpriv.privacy.noise import OpenDPNoise

TEXTS = tuple(f"letter {i} about the rent" for i in range(60))
WORDS = {"description": "letters of tenants", "workload": "find urgent ones"}


def reply(prompt):
    asked = prompt.schema["properties"]
    if "kinds" in asked:
        return {"kinds": ["rent", "only letter seven"] if "letter 7 " in prompt.user else ["rent"]}
    return {"description": "d", "decision": "keep"} if "decision" in asked else {"values": ["low", "high"]}


class NonPrivateNoiseDouble(OpenDPNoise):
    """TESTS ONLY: adds nothing, and remembers what the ledger held when it was asked."""

    name, private = "NonPrivateNoiseDouble (tests only)", False

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.seen, self.counts = ledger, [], {}

    def gaussian_threshold(self, counts, sigma, threshold):
        self.seen.append([e.run_id for e in self.ledger.lines()])
        self.counts = dict(counts)
        return {name: count for name, count in counts.items() if count >= threshold}


def run(config, corpus, model, embedder, ledger, **more):
    return config.run(corpus, model, embedder, ledger=ledger, run_id="r", **WORDS, **more)


def test_a_real_run(scripted, private_corpus, embedder):
    ledger, model, corpus = Ledger(None), scripted(reply), private_corpus(TEXTS)
    config = DPSchema(epsilon=2.0)
    plan = config.plan(60)
    told = []
    proposal = run(config, corpus, model, embedder, ledger, curator=told.append)
    assert plan.price.count_with_chance(1 - 1e-9) < 60  # so that "rent" comes out for certain
    assert proposal.schema.names == ("rent",)
    assert proposal.schema["rent"].provenance == "dp"
    assert (proposal.epsilon, proposal.rho) == (2.0, plan.price.rho)
    assert proposal.delta == pytest.approx(1 / 60**2, rel=0.5) and proposal.delta <= 1 / 60**2
    assert set(proposal.facts["released"]) == {"rent"} and proposal.facts["released"]["rent"] != 0
    assert proposal.facts["threshold"] == plan.price.threshold
    assert told == ["0 of 60 texts got no usable answer and count for no name."]
    json.dumps(proposal.to_dict(), allow_nan=False)
    (line,) = ledger.lines()
    assert (line.mechanism, line.audience, line.public) == (DP_SCHEMA, ALL_AUDIENCES, ())
    assert (line.rho, line.extra_delta) == (plan.price.rho, plan.price.delta_threshold)
    assert line.released and line.records == corpus.records_digest and line.run_id == proposal.run_id
    assert epsilon_from(line.rho, line.delta) <= line.epsilon == 2.0


def test_passes_one_and_four_see_what_they_may(scripted, private_corpus, embedder):
    model = scripted(reply)
    run(DPSchema(epsilon=2.0), private_corpus(TEXTS), model, embedder, Ledger(None))
    first = [p for p in model.prompts if "kinds" in p.schema["properties"]]
    rest = [p for p in model.prompts if "kinds" not in p.schema["properties"]]
    assert len(first) == 60 and not any("no construction reads" in p.user for p in first)
    assert len(rest) == 2  # keep or drop "rent"; its values
    assert not any("letter " in p.user or "seven" in p.user for p in rest)


def test_the_ledger_is_charged_before_noise_is_drawn(scripted, private_corpus, embedder):
    ledger = Ledger(None)
    noise = NonPrivateNoiseDouble(ledger)
    run(DPSchema(epsilon=2.0), private_corpus(TEXTS), scripted(reply), embedder, ledger, noise=noise)
    assert noise.seen == [["r"]]
    assert noise.counts == {"rent": 60, "only_letter_seven": 1}


def test_a_model_that_fails_costs_nothing(scripted, private_corpus, embedder):
    ledger = Ledger(None)
    model = scripted(lambda p: Answer(failure="timed out"))
    with pytest.raises(ModelFailed):
        run(DPSchema(), private_corpus(TEXTS), model, embedder, ledger)
    assert ledger.lines() == []


def test_a_resumed_run_pays_once_and_draws_once(scripted, private_corpus, embedder, checkpoint):
    class GoneDouble:
        def embed(self, texts, *, progress=None, cancel=None):
            raise ModelFailed("the embedder is gone")

    def both(prompt):
        asked = prompt.schema["properties"]
        return {"kinds": ["rent", "landlord"]} if "kinds" in asked else reply(prompt)

    ledger, corpus, config = Ledger(None), private_corpus(TEXTS), DPSchema(epsilon=2.0)
    with pytest.raises(ModelFailed, match="embedder"):
        run(config, corpus, scripted(both), GoneDouble(), ledger, checkpoint=checkpoint)
    assert len(ledger.lines()) == 1
    released = checkpoint[STAGE]["released"]
    model = scripted(both)
    proposal = run(config, corpus, model, embedder, ledger, checkpoint=checkpoint)
    assert len(ledger.lines()) == 1
    assert proposal.facts["released"] == released
    assert not any("kinds" in p.schema["properties"] for p in model.prompts)  # pass 1 is not repeated
    again = run(config, corpus, scripted(both), embedder, ledger, checkpoint=checkpoint)
    assert again.facts["released"] == released and len(ledger.lines()) == 1


def test_another_schema_over_the_same_texts_asks_for_the_same_pass(
    scripted, private_corpus, embedder, checkpoint
):
    """Pass 1 reads texts: adopting what a pass proposed must not make the same settings cost again."""
    ledger, corpus, config = Ledger(None), private_corpus(TEXTS), DPSchema(epsilon=2.0)
    proposal = run(config, corpus, scripted(reply), embedder, ledger, checkpoint=checkpoint)
    table = pd.DataFrame({"rent": ["low"] * len(corpus)}, dtype=object)
    adopted = corpus.with_schema(proposal.schema, table)
    model = scripted(reply)
    assert adopted.digest != corpus.digest
    assert config.run_id(adopted, model, "d") == config.run_id(corpus, model, "d")
    again = run(config, adopted, scripted(reply), embedder, ledger, checkpoint=checkpoint)
    assert again.facts["released"] == proposal.facts["released"] and len(ledger.lines()) == 1
    assert ledger.total(adopted.digest, 1e-3, records=adopted.records_digest).runs == 1


def test_without_checkpoints_a_second_run_is_a_second_charge(scripted, private_corpus, embedder):
    ledger, corpus = Ledger(None), private_corpus(TEXTS)
    ids = [run(DPSchema(), corpus, scripted(reply), embedder, ledger).run_id for _ in range(2)]
    assert ids == ["r", "r#2"] == [e.run_id for e in ledger.lines()]


def test_foreign_checkpoints_are_refused(scripted, private_corpus, embedder, checkpoint):
    ledger, corpus = Ledger(None), private_corpus(TEXTS)
    run(DPSchema(epsilon=2.0), corpus, scripted(reply), embedder, ledger, checkpoint=checkpoint)
    with pytest.raises(BadInput, match="another corpus, partition or budget"):
        run(DPSchema(epsilon=1.0), corpus, scripted(reply), embedder, ledger, checkpoint=checkpoint)


def test_noise_that_is_not_private_makes_no_dp_attributes(scripted, private_corpus, embedder):
    ledger = Ledger(None)
    noise = NonPrivateNoiseDouble(ledger)
    proposal = run(
        DPSchema(epsilon=2.0), private_corpus(TEXTS), scripted(reply), embedder, ledger, noise=noise
    )
    assert (proposal.epsilon, proposal.delta, proposal.rho) == (None, None, None)
    assert proposal.schema["rent"].provenance == "observed"
    assert not ledger.lines()[0].released


def test_infinite_epsilon_is_research(scripted, private_corpus, embedder):
    ledger = Ledger(None)
    proposal = run(DPSchema(epsilon=math.inf), private_corpus(TEXTS), scripted(reply), embedder, ledger)
    assert proposal.facts["released"] == {"rent": 60, "only_letter_seven": 1}
    assert {a.provenance for a in proposal.schema.attributes} == {"observed"}
    assert proposal.epsilon is None and "without differential privacy" in proposal.guarantee()
    json.dumps(proposal.to_dict(), allow_nan=False)
    assert ledger.lines()[0].rho == math.inf and not ledger.lines()[0].released


def test_too_little_to_release_is_an_empty_schema(scripted, private_corpus, embedder):
    config = DPSchema(epsilon=0.1)
    assert any("No name can reach" in s for s in config.plan(60).sentences())
    proposal = run(config, private_corpus(TEXTS), scripted(reply), embedder, Ledger(None))
    assert proposal.schema.names == ()
    assert proposal.problems == ("No name reached the threshold.",)


def test_a_plan_says_what_happens():
    said = " ".join(DPSchema(epsilon=2.0).plan(1000).sentences())
    price = DPSchema(epsilon=2.0).plan(1000).price
    assert f"noisy counts of {price.threshold} or more" in said and "1000 private texts" in said
    assert price.delta == 1e-6
    assert DPSchema(delta=1e-3).plan(1000).price.delta == 1e-3
    json.dumps(DPSchema().plan(1000).to_dict(), allow_nan=False)


def test_the_run_id_follows_what_the_private_pass_depends_on(scripted, private_corpus):
    model, corpus = scripted(reply), private_corpus(TEXTS)
    base = DPSchema().run_id(corpus, model, "d")
    assert base == DPSchema(max_attributes=3).run_id(corpus, model, " d")  # pass 4 alone
    others = [
        DPSchema(epsilon=2.0).run_id(corpus, model, "d"),
        DPSchema(guided=True).run_id(corpus, model, "d"),
        DPSchema().run_id(private_corpus(TEXTS[1:]), model, "d"),
        DPSchema().run_id(corpus, model, "e"),
    ]
    assert len({base, *others}) == 5


@pytest.mark.parametrize(
    "settings", [{"epsilon": 0}, {"delta": 2.0}, {"strings_per_record": 0}, {"max_attributes": True}]
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(BadInput):
        DPSchema(**settings)


def test_one_private_record_is_too_few():
    with pytest.raises(BadInput, match="at least two"):
        DPSchema().plan(1)
