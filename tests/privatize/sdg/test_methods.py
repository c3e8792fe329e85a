"""The three methods end to end on a small corpus, and what happens when a run is interrupted."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from ctxpriv.context import Approval, Partition
from ctxpriv.errors import BadInput, BudgetExceeded, ModelFailed, NotReleasable
from ctxpriv.extract.coarsen import PRIVATE, frequent_values
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privacy.accounting import rho_from
from ctxpriv.privacy.guarantee import DP, FEATURE_DP
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.registry import METHODS
from ctxpriv.privatize.sdg.methods import MAPLE, SDGCI, AugPE
from ctxpriv.roles import Failure, Roles, Written

NAMES = ["SDG-CI", "MAPLE", "Aug-PE"]
QUICK = {"evolution_rounds": 1, "variations": 2}
STAGES = ["candidates-0", "votes-0", "candidates-1", "votes-1"]


def config(name: str, **settings):
    return METHODS[name].config(**{**QUICK, **settings})


class CountingNoise(OpenDPNoise):
    """Real noise that counts its draws."""

    def __init__(self) -> None:
        self.draws = 0

    def gaussian(self, counts, sigma, sensitivity=1.0):
        self.draws += 1
        return super().gaussian(counts, sigma, sensitivity)


class NonPrivateNoise:
    """A noise double without noise."""

    name, private = "no noise (test double)", False

    def gaussian(self, counts, sigma, sensitivity=1.0):
        return np.array(counts, np.int64)

    def laplace(self, counts, scale, sensitivity=1):
        return np.array(counts, np.int64)

    def noisy_max(self, scores, epsilon, sensitivity):
        return int(np.argmax(scores))


@pytest.mark.parametrize("name", NAMES)
def test_end_to_end(name, corpus, partition, roles) -> None:
    ledger = Ledger(None)
    method = config(name, n_synthetic=24)
    release = method.run(corpus, partition, roles, ledger=ledger, run_id="one", seed=3)
    assert release.method == name and release.audience == "vendor" and release.n_private == 60
    assert len(release.records) == 24 and all(t.strip() for t in release.texts)
    expected = ["text", "topic"] if name == "Aug-PE" else ["text", *corpus.schema.names]
    assert list(release.records.columns) == expected
    for column in expected[1:]:
        assert set(release.records[column]) <= set(corpus.schema[column].values)
    spent = sum((c.rho for c in release.guarantee.charges), Fraction(0))
    assert spent == Fraction(rho_from(1.0, 1 / 60))
    assert release.guarantee.kind == (FEATURE_DP if name == "SDG-CI" else DP)
    assert 0.999 < release.guarantee.epsilon <= 1.0 and release.guarantee.delta == 1 / 60
    (line,) = ledger.lines()
    assert line.rho == float(spent) and line.audience == "vendor" and line.corpus == corpus.digest
    assert line.public == (("topic", "mood") if name == "SDG-CI" else ())
    assert set(line.public) | set(line.private) == set(corpus.schema.names)
    assert json.loads(json.dumps(release.to_dict()))["config"]["method"] == name
    assert len(release.history) == 2 and set(release.models) == {"embedder", "generator"}
    replace(release, partition=partition.approved(Approval("R", "2026-11-29"))).check_exportable()


def test_sdgci_copies_public_values_of_the_chosen_records(corpus, partition, roles) -> None:
    release = config("SDG-CI", evolution_rounds=0).run(
        corpus, partition, roles, ledger=Ledger(None), run_id="r"
    )
    private = corpus.part("private").table
    mine = release.records[["topic", "mood"]].value_counts().to_dict()
    assert mine == private[["topic", "mood"]].value_counts().to_dict()


def test_what_is_public_when_coarsened_is_copied_as_its_bucket(corpus, roles) -> None:
    """On the row, in what the generator is shown, in the ledger and in the guarantee."""
    partition = Partition("vendor", ("topic",), ("age", "mood"), coarsened=("city",))
    ledger, shown = Ledger(None), []

    class Watching(type(roles.generator)):
        def write(self, rows, donated, **how):
            shown.append(rows)
            return super().write(rows, donated, **how)

    release = config("SDG-CI", evolution_rounds=0).run(
        corpus, partition, replace(roles, generator=Watching()), ledger=ledger, run_id="r"
    )
    private = corpus.schema.coarsen(corpus.part("private").table)
    columns = ["topic", "city"]
    assert release.records[columns].value_counts().to_dict() == private[columns].value_counts().to_dict()
    assert release.bucketed == ("city",) and set(shown[0]["city"]) <= {"Europe", "Africa"}
    (line,) = ledger.lines()
    assert (line.public, line.coarsened, line.private) == (("topic",), ("city",), ("age", "mood"))
    assert any("city only the bucket" in s for s in release.guarantee.conditional_on)
    plan = config("SDG-CI").plan(corpus.facts(), partition, roles)
    assert "(topic) are released as they are, city as buckets only" in plan.relation


def test_more_texts_than_records_repeat_the_records_evenly(corpus, partition, roles) -> None:
    method = config("SDG-CI", evolution_rounds=0, n_synthetic=120)
    release = method.run(corpus, partition, roles, ledger=Ledger(None), run_id="r")
    private = corpus.part("private").table["topic"].value_counts()
    assert release.records["topic"].value_counts().to_dict() == (2 * private).to_dict()


def test_aug_pe_asks_for_every_label_equally(corpus, partition, roles) -> None:
    release = config("Aug-PE", n_synthetic=9).run(corpus, partition, roles, ledger=Ledger(None), run_id="r")
    assert release.records["topic"].value_counts().to_dict() == {"food": 5, "work": 4}


def test_nothing_private_spends_all_on_the_votes_and_says_so(corpus, roles) -> None:
    open_ = Partition("all", corpus.schema.names, ())
    method = config("SDG-CI")
    plan = method.plan(corpus.facts(), open_, roles)
    assert [p.name for p in plan.parts] == ["votes"] and any("Nothing is private" in w for w in plan.warnings)
    release = method.run(corpus, open_, roles, ledger=Ledger(None), run_id="r")
    assert len(release.guarantee.charges) == 2 and any("No attribute is private" in n for n in release.notes)


def test_nothing_public_is_maple(corpus, roles) -> None:
    closed = Partition("none", (), corpus.schema.names)
    sdgci, maple = (config(n).plan(corpus.facts(), closed, roles) for n in ("SDG-CI", "MAPLE"))
    assert sdgci.parts == maple.parts and any("equals MAPLE" in w for w in sdgci.warnings)
    release = config("SDG-CI").run(corpus, closed, roles, ledger=Ledger(None), run_id="r")
    assert release.guarantee.kind == DP and len(release.records) == 60


def test_without_a_label_all_candidates_compete(corpus, partition, roles) -> None:
    bare = replace(corpus, label=None)
    for name in NAMES:
        release = config(name, n_synthetic=10).run(bare, partition, roles, ledger=Ledger(None), run_id=name)
        assert len(release.records) == 10
    assert list(release.records.columns) == ["text"]


def test_infinite_epsilon_has_exact_votes_and_never_leaves(corpus, partition, roles) -> None:
    ledger, noise = Ledger(None), CountingNoise()
    release = config("Aug-PE", epsilon=math.inf).run(
        corpus, partition, roles, ledger=ledger, run_id="r", noise=noise
    )
    assert noise.draws == 0 and release.history[0]["noisy_votes"]["all"] == 60
    assert math.isinf(release.guarantee.rho) and math.isinf(ledger.lines()[0].rho)
    with pytest.raises(NotReleasable):
        release.check_exportable()
    table = config("SDG-CI", epsilon=math.inf).run(corpus, partition, roles, ledger=ledger, run_id="t")
    assert sum(c.rho for c in table.guarantee.charges) == 1000 and not table.guarantee.exportable


def test_test_noise_is_named_and_never_leaves(corpus, partition, roles) -> None:
    release = config("SDG-CI").run(
        corpus, partition, roles, ledger=Ledger(None), run_id="r", noise=NonPrivateNoise()
    )
    assert "test double" in release.guarantee.noise and not release.guarantee.exportable


@pytest.mark.parametrize("expansion", ["declared", "observed"])
def test_buckets_become_values(expansion, corpus, partition, roles) -> None:
    """Nobody in the private part lives in Oslo here, so only "declared" can bring it up."""
    table = corpus.table.copy()
    table["city"] = table["city"].replace({"Oslo, Norway": "Berlin, Germany"})
    moved = replace(corpus, table=table)
    method = config("MAPLE", epsilon=50.0, value_expansion=expansion)
    release = method.run(moved, partition, roles, ledger=Ledger(None), run_id="r")
    seen = set(release.records["city"])
    assert ("Oslo, Norway" in seen) == (expansion == "declared")
    flagged = any("values seen in the private records" in c for c in release.guarantee.conditional_on)
    assert flagged == (expansion == "observed")


@pytest.mark.parametrize("stage", ["table", *STAGES])
def test_a_killed_run_resumes_and_says_what_it_paid_twice(
    stage, corpus, partition, roles, checkpoint_that_stops_at, stopped
) -> None:
    ledger, checkpoint = Ledger(None), checkpoint_that_stops_at(stage)
    method = config("SDG-CI", n_synthetic=20)
    with pytest.raises(stopped):
        method.run(corpus, partition, roles, ledger=ledger, run_id="r", checkpoint=checkpoint)
    assert [line.run_id for line in ledger.lines()] == ["r"]
    finished = {name: value for name, value in checkpoint.stages.items() if not name.endswith("-begun")}
    checkpoint.fail_at, checkpoint.saves = "", []
    release = method.run(corpus, partition, roles, ledger=ledger, run_id="r", checkpoint=checkpoint)
    assert all(checkpoint.stages[name] is value for name, value in finished.items())
    assert sum((c.rho for c in release.guarantee.charges), Fraction(0)) == Fraction(rho_from(1.0, 1 / 60))
    again = [line for line in ledger.lines() if line.run_id != "r"]
    if stage.startswith("candidates"):
        assert not again and not any("interrupted" in note for note in release.notes)
    else:
        cost = release.guarantee.charges
        per_stage = float(sum((c.rho for c in cost if c.what == stage), Fraction(0)))
        assert [line.run_id for line in again] == [f"r/{stage}/again-1"]
        assert stage == "table" or again[0].rho == per_stage
        assert any(f"stage {stage} was interrupted" in note for note in release.notes)


def test_a_resumed_run_draws_no_noise_and_gives_the_same(
    corpus, partition, roles, checkpoint_that_stops_at
) -> None:
    ledger, checkpoint = Ledger(None), checkpoint_that_stops_at("")
    method = config("MAPLE", n_synthetic=20)
    first = method.run(corpus, partition, roles, ledger=ledger, run_id="r", checkpoint=checkpoint)
    noise, embedded = CountingNoise(), roles.embedder.embedded
    second = method.run(
        corpus, partition, roles, ledger=ledger, run_id="r", checkpoint=checkpoint, noise=noise
    )
    assert noise.draws == 0 and roles.embedder.embedded == embedded
    assert second.records.equals(first.records) and second.guarantee == first.guarantee
    assert len(ledger.lines()) == 1 and second.notes == first.notes


def test_noise_of_a_resumed_run_must_be_of_one_source(
    corpus, partition, roles, checkpoint_that_stops_at, stopped
) -> None:
    """Else stages without noise would end up in a release that states OpenDP's."""
    checkpoint, method = checkpoint_that_stops_at("votes-1"), config("SDG-CI", n_synthetic=20)
    common = {"ledger": Ledger(None), "run_id": "r", "checkpoint": checkpoint}
    with pytest.raises(stopped):
        method.run(corpus, partition, roles, noise=NonPrivateNoise(), **common)
    checkpoint.fail_at = ""
    with pytest.raises(BadInput, match="noise came from another source"):
        method.run(corpus, partition, roles, **common)


def test_a_finished_stage_still_counts_against_the_budget_of_a_resumed_run(
    corpus, partition, roles, checkpoint_that_stops_at, stopped
) -> None:
    """Here its table took half of rho, and nine tenths are to go to the votes."""
    checkpoint = checkpoint_that_stops_at("candidates-0")
    common = {"ledger": Ledger(None), "run_id": "r", "checkpoint": checkpoint}
    with pytest.raises(stopped):
        config("SDG-CI", n_synthetic=20, aim_share=0.5).run(corpus, partition, roles, **common)
    checkpoint.fail_at = ""
    with pytest.raises(BudgetExceeded):
        config("SDG-CI", n_synthetic=20, aim_share=0.1).run(corpus, partition, roles, **common)


def test_a_stage_is_marked_as_begun_before_its_noise_is_drawn(
    corpus, partition, roles, checkpoint_that_stops_at
) -> None:
    """Else a kill between the two would lose a draw that nobody has paid for twice."""
    checkpoint, begun = checkpoint_that_stops_at(""), []

    class Watching(OpenDPNoise):
        def gaussian(self, counts, sigma, sensitivity=1.0):
            begun.append([name for name in checkpoint.stages if name.endswith("-begun")][-1])
            return super().gaussian(counts, sigma, sensitivity)

    method = config("SDG-CI", n_synthetic=20)
    method.run(
        corpus,
        partition,
        roles,
        ledger=Ledger(None),
        run_id="r",
        checkpoint=checkpoint,
        noise=Watching(),
    )
    assert begun[0] == "table-begun" and begun[-2:] == ["votes-0-begun", "votes-1-begun"]


def test_checkpoints_of_another_partition_or_corpus_are_refused(
    corpus, partition, roles, checkpoint_that_stops_at
) -> None:
    """Else values copied under one partition would be released under another."""
    checkpoint, method = checkpoint_that_stops_at(""), config("SDG-CI", n_synthetic=20)
    method.run(corpus, partition, roles, ledger=Ledger(None), run_id="r", checkpoint=checkpoint)
    for other_corpus, other in (
        (corpus, partition.moved("mood", "public" if "mood" in partition.private else "private")),
        (replace(corpus, texts=tuple(reversed(corpus.texts))), partition),
    ):
        with pytest.raises(BadInput, match="another corpus, partition or budget"):
            method.run(other_corpus, other, roles, ledger=Ledger(None), run_id="r", checkpoint=checkpoint)


def test_the_card_names_buckets_cut_on_private_values(corpus, partition, roles) -> None:
    schema = corpus.schema.with_coarsening(
        frequent_values(
            list(corpus.table["age"]),
            2,
            attribute="age",
            domain=corpus.schema["age"].values,
            source=PRIVATE,
        )
    )
    release = config("SDG-CI", n_synthetic=10).run(
        replace(corpus, schema=schema), partition, roles, ledger=Ledger(None), run_id="r"
    )
    (told,) = [c for c in release.guarantee.conditional_on if "read off the private records" in c]
    assert "the buckets of age" in told and "city" not in told


def test_running_again_without_checkpoints_is_charged_again(corpus, partition, roles) -> None:
    ledger, method = Ledger(None), config("Aug-PE", n_synthetic=10)
    method.run(corpus, partition, roles, ledger=ledger, run_id="r")
    second = method.run(corpus, partition, roles, ledger=ledger, run_id="r")
    assert [line.run_id for line in ledger.lines()] == ["r", "r#2"]
    (note,) = [n for n in second.notes if "charged again" in n]
    assert "r#" not in note  # notes go on the card, and a run's id is a digest of the records


def test_checkpoints_hold_no_private_text(corpus, partition, roles, checkpoint_that_stops_at) -> None:
    checkpoint = checkpoint_that_stops_at("")
    marked = replace(
        corpus,
        texts=tuple(
            f"{t} secret{i}" if s == "private" else t
            for i, (t, s) in enumerate(zip(corpus.texts, corpus.splits, strict=True))
        ),
    )
    config("SDG-CI").run(marked, partition, roles, ledger=Ledger(None), run_id="r", checkpoint=checkpoint)
    assert "secret" not in json.dumps(checkpoint.stages)


def test_no_donated_texts_are_refused_before_anything_is_paid(corpus, partition, roles) -> None:
    ledger = Ledger(None)
    bare = corpus.subset(np.flatnonzero(corpus.splits != "donated"))
    with pytest.raises(BadInput, match="donated"):
        config("SDG-CI").run(bare, partition, roles, ledger=ledger, run_id="r")
    assert not ledger.lines()


def test_one_private_record_is_refused(corpus, partition, roles) -> None:
    keep = np.flatnonzero(corpus.splits != "private").tolist()
    with pytest.raises(BadInput, match="at least 2"):
        config("SDG-CI").run(
            corpus.subset(np.array([0, *keep])), partition, roles, ledger=Ledger(None), run_id="r"
        )


class UselessGenerator:
    """A generator double that never writes anything."""

    identity = ModelIdentity("local", "useless double")

    def write(self, rows, donated, **_) -> Written:
        return Written(("",) * len(rows), tuple(Failure(i, "not JSON") for i in range(len(rows))))


def test_a_useless_model_is_named(corpus, partition, embedder) -> None:
    with pytest.raises(ModelFailed, match="not JSON"):
        config("SDG-CI").run(
            corpus, partition, Roles(embedder, UselessGenerator()), ledger=Ledger(None), run_id="r"
        )


@pytest.mark.parametrize(
    "bad",
    [
        {"epsilon": 0},
        {"epsilon": -1.0},
        {"epsilon": math.nan},
        {"epsilon": "1"},
        {"epsilon": True},
        {"delta": 0.0},
        {"delta": 1.5},
        {"n_synthetic": 0},
        {"n_synthetic": 2.5},
        {"evolution_rounds": -1},
        {"variations": 0},
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_bad_settings_are_refused(name, bad) -> None:
    with pytest.raises(BadInput):
        METHODS[name].config(**bad)


@pytest.mark.parametrize("bad", [{"aim_share": 0.0}, {"aim_share": 1}, {"value_expansion": "all"}])
@pytest.mark.parametrize("config_", [SDGCI, MAPLE])
def test_bad_table_settings_are_refused(config_, bad) -> None:
    with pytest.raises(BadInput):
        config_(**bad)


def test_a_partition_of_another_schema_is_refused(corpus, roles) -> None:
    with pytest.raises(BadInput, match="says nothing about"):
        SDGCI().plan(corpus.facts(), Partition("x", ("topic",), ("age",)), roles)


def test_plan_numbers(corpus, partition, roles) -> None:
    plan = SDGCI(n_synthetic=10).plan(corpus.facts(), partition, roles)
    rho = rho_from(1.0, 1 / 60)
    parts = {p.name: p for p in plan.parts}
    assert sum(p.rho for p in plan.parts) == pytest.approx(plan.rho) == pytest.approx(rho)
    assert parts["votes"].sigma == pytest.approx(math.sqrt(3 / (2 * 0.9 * rho)))
    assert parts["one-way marginals"].sigma == pytest.approx(math.sqrt(2 / (0.2 * 0.1 * rho)))
    assert parts["chosen marginals"].sigma == pytest.approx(math.sqrt(16 * 4 / (2 * 0.9 * 0.9 * 0.1 * rho)))
    assert plan.expected_error_records == pytest.approx(
        math.sqrt(2 / math.pi) * parts["one-way marginals"].sigma
    )
    assert plan.model_calls == 10 * (1 + 2 * 6) and plan.minutes > 0
    json.dumps(plan.to_dict(), allow_nan=False)


def test_plan_at_infinite_epsilon_is_json_and_warns(corpus, partition, roles) -> None:
    plan = AugPE(epsilon=math.inf).plan(corpus.facts(), partition, roles)
    assert any("no privacy" in w for w in plan.warnings) and plan.expected_error_records is None
    assert json.loads(json.dumps(plan.to_dict(), allow_nan=False))["rho"] == "inf"
