"""The three methods from config to release, on role doubles."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ctxpriv.context import ALL_AUDIENCES, Partition
from ctxpriv.errors import BadInput, CtxprivError, ModelFailed
from ctxpriv.models.base import ModelIdentity, Speed
from ctxpriv.privacy.guarantee import EMPIRICAL
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.anon.episode_file import EPISODES, EpisodeFile
from ctxpriv.privatize.anon.methods import RUPTA, AnonCI, OneTwoThree
from ctxpriv.privatize.release import NoCheckpoint
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.rewriting_roles import Rewritten, Told
from ctxpriv.roles import Roles

TOWNS = ("Bonn", "Ulm", "Köln")
VENDOR = Partition("vendor", ("topic", "job"), ("town",))


class EmbedderDouble:
    """Test double: every text is the same point."""

    identity, dimension = ModelIdentity("local", "one point (test double)"), 2

    def embed(self, texts, **_):
        return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))


class FileCheckpoint(NoCheckpoint):
    """Keeps files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name):
        return self.folder / name


class AgentsDouble:
    """Test double: three agents that hide every town."""

    identity = ModelIdentity("local", "scripted agents (test double)")

    def prepared(self, brief, seed):
        return self

    def extract(self, texts, *, seed):
        return [tuple(Told("town", town) for town in TOWNS if town in text) for text in texts]
        yield

    def classify(self, told, *, seed):
        return [(True,) * len(things) for things in told]
        yield

    def generate(self, texts, hide, *, seed):
        made = []
        for text, things in zip(texts, hide, strict=True):
            for thing in things:
                text = text.replace(thing.span, "somewhere")
            made.append(Rewritten(text))
        return made
        yield


def without_town(task):
    text = task.text
    for town in TOWNS:
        text = text.replace(town, "somewhere")
    return text


@pytest.fixture
def roles(rewriter, guesser):
    def make(*script):
        return Roles(
            EmbedderDouble(),
            None,
            rewriter=rewriter(*(script or (without_town,))),
            privacy_evaluator=guesser(),
            utility_evaluator=guesser(),
        )

    return make


def run(config, corpus, roles, partition=VENDOR, *, ledger=None, **more):
    return config.run(corpus, partition, roles, ledger=ledger or Ledger(None), run_id="run", **more)


def test_a_release_holds_rewrites_and_what_is_public(corpus, roles):
    ledger = Ledger(None)
    release = run(AnonCI(), corpus, roles(), ledger=ledger)
    private = corpus.part("private")
    assert list(release.records.columns) == ["text", "topic", "job"] and len(release.records) == 24
    assert release.origin == tuple(range(24)) and not any(t in " ".join(release.texts) for t in TOWNS)
    assert list(release.records["job"]) == list(private.table["job"])
    assert release.guarantee.kind == EMPIRICAL and math.isinf(release.guarantee.epsilon)
    assert release.epsilon is None and release.outcome["safe"] == 24
    (line,) = ledger.lines()
    assert (line.mechanism, line.empirical, line.private) == ("ANON-CI", True, ("town",))


def test_the_ledger_is_charged_before_anything_is_rewritten(corpus, roles):
    ledger = Ledger(None)

    def looks(task):
        assert ledger.lines()
        return without_town(task)

    run(AnonCI(), corpus, roles(looks), ledger=ledger)


def test_of_a_coarsened_attribute_only_the_bucket_is_released(corpus, roles):
    coarse = Partition("vendor", ("topic",), ("town",), coarsened=("job",))
    hide = {"baker": "trade", "nurse": "care", "pilot": "transport"}

    def rewrites(task):
        text = without_town(task)
        for job, bucket in hide.items():
            text = text.replace(job, bucket)
        return text

    release = run(AnonCI(), corpus, roles(rewrites), coarse)
    assert release.bucketed == ("job",) and set(release.records["job"]) <= set(hide.values())
    assert release.outcome["safe"] == 24


def test_records_that_failed_are_withheld_and_counted(corpus, roles):
    def fails_on_some(task):
        return Rewritten(failure="cut off") if "Number 3:" in task.original else without_town(task)

    release = run(AnonCI(), corpus, roles(fails_on_some))
    assert 3 not in release.origin and len(release.records) == 23
    assert release.outcome["withheld"] == {"cut off": 1}
    assert any(note.startswith("1 of 24 records were withheld") for note in release.notes)


def test_half_a_character_costs_its_record_and_not_the_run(corpus, roles, tmp_path):
    """A model's cut escape: no file could hold the text, and the finished run would never be released."""

    def breaks(task):
        return "about work \ud83d" if "Number 3:" in task.original else without_town(task)

    release = run(AnonCI(), corpus, roles(breaks))
    assert 3 not in release.origin and release.outcome["withheld"] == {"could not be read": 1}
    release.save(tmp_path)


def test_unsafe_records_are_released_marked_or_withheld_as_asked(corpus, roles):
    def keeps_some(task):
        return task.text + "!" if "Number 3:" in task.original else without_town(task)

    usual = run(AnonCI(max_rounds=2), corpus, roles(keeps_some))
    assert usual.outcome["unsafe"] == 1 and 3 in usual.origin
    assert not any("unsafe" in note for note in usual.notes), "a measured figure is not for the recipient"
    careful = run(AnonCI(max_rounds=2, withhold_unsafe=True), corpus, roles(keeps_some))
    assert 3 not in careful.origin and careful.outcome["unsafe"] == 0
    assert careful.outcome["withheld"] == {"still unsafe after the last round": 1}
    assert not any("(1)" in note for note in careful.notes), "why follows from true values"


def test_the_card_says_what_becomes_of_unsafe_records(corpus, roles):
    usual, careful = (
        " ".join(run(AnonCI(max_rounds=4, withhold_unsafe=w), corpus, roles()).guarantee.sentences())
        for w in (False, True)
    )
    assert "in 4 rounds, what told least was released" in usual
    assert "in 4 rounds, the record was left out" in careful


def test_nothing_usable_at_all_is_no_release(corpus, roles):
    with pytest.raises(CtxprivError, match="not one of 24 records") as raised:
        run(AnonCI(), corpus, roles(Rewritten(failure="cut off")))
    assert not isinstance(raised.value, ModelFailed), "that would stop the other methods as well"


def test_records_that_failed_are_tried_again_when_a_run_goes_on(corpus, roles, tmp_path):
    checkpoint = FileCheckpoint(tmp_path)
    with pytest.raises(CtxprivError):
        run(AnonCI(), corpus, roles(Rewritten(failure="unreachable")), checkpoint=checkpoint)
    release = run(AnonCI(), corpus, roles(), checkpoint=checkpoint)
    assert release.outcome["safe"] == 24 and not release.outcome["withheld"]


def test_what_a_run_took_counts_every_go(corpus, roles, tmp_path):
    from ctxpriv.work_folder import FolderCheckpoint

    checkpoint = FolderCheckpoint(tmp_path)
    first = run(AnonCI(), corpus, roles(), checkpoint=checkpoint).seconds["rewrite"]
    again = run(AnonCI(), corpus, roles(), checkpoint=checkpoint).seconds["rewrite"]
    assert again > first > 0


def test_rupta_checks_the_label_only(corpus, roles):
    made = roles(lambda task: f"About {task.keep['topic']}.")
    release = run(RUPTA(), corpus, made, Partition(ALL_AUDIENCES, ("topic", "job"), ("town",)))
    assert release.outcome["safe"] == 24 and release.outcome["stops"] == {"safe and useful": 24}
    assert made.rewriter.tasks[0].keep.keys() == {"topic"}
    strict = run(AnonCI(max_rounds=2), corpus, roles(lambda task: f"About {task.keep['topic']}."))
    assert strict.outcome["stops"] == {"safe, some utility lost": 24}


def test_a_subset_is_the_same_for_every_method_and_is_told(corpus, roles):
    first = run(AnonCI(n_records=5), corpus, roles())
    second = run(RUPTA(n_records=5), corpus, roles())
    assert first.origin == second.origin and len(first.origin) == 5
    assert "5 of 24 records were drawn at random to be rewritten." in first.notes
    assert run(AnonCI(n_records=5), corpus, roles(), seed=1).origin != first.origin


def test_a_private_label_is_hidden_and_not_kept(corpus, roles):
    hidden = Partition("vendor", ("job",), ("town", "topic"))
    made = roles(lambda task: without_town(task).replace("work", "it").replace("home", "it"))
    release = run(AnonCI(), corpus, made, hidden)
    assert "topic" not in release.records.columns and "topic" not in made.rewriter.tasks[0].keep
    assert any("label is private" in note for note in release.notes)


def test_nothing_private_is_nothing_to_rewrite(corpus, roles):
    everything, ledger = Partition("vendor", corpus.schema.names, ()), Ledger(None)
    with pytest.raises(BadInput, match="nothing is private"):
        run(AnonCI(), corpus, roles(), everything, ledger=ledger)
    assert not ledger.lines()
    plan = AnonCI().plan(corpus.facts(), everything, roles())
    assert plan.model_calls == 0 and "will be refused, the others go on" in plan.warnings[0]


def test_a_resumed_run_does_only_what_is_left(corpus, roles, tmp_path):
    token, seen = CancelToken(), []

    def stops(task):
        seen.append(task.original)
        if len(seen) == 44:  # in the second round of the third wave
            token.cancel()
        return task.text + " again" if task.round == 1 else without_town(task)

    checkpoint = FileCheckpoint(tmp_path)
    with pytest.raises(Cancelled):
        run(AnonCI(), corpus, roles(stops), checkpoint=checkpoint, cancel=token)
    kept = list(EpisodeFile(tmp_path / EPISODES))
    assert [e.stop for e in kept] == ["safe and useful"] * 16 + ["cancelled"] * 8
    made = roles("not asked", without_town)
    release = run(AnonCI(), corpus, made, checkpoint=checkpoint)
    assert [t.round for t in made.rewriter.tasks] == [2] * 8 and release.outcome["safe"] == 24
    again = roles("never asked")
    assert run(AnonCI(), corpus, again, checkpoint=checkpoint).texts == release.texts
    assert not again.rewriter.tasks


class CountingToken(CancelToken):
    """Test double: cancels itself at its n-th check."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.left = n

    def check(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.cancel()
        super().check()


def heals_in_the_second_round(task):
    return f"{task.text} again" if task.round == 1 else without_town(task)


@pytest.mark.parametrize("config", [AnonCI(max_rounds=3), OneTwoThree()])
def test_a_cancel_at_any_moment_changes_nothing_in_the_end(corpus, roles, tmp_path, config):
    """Whatever the moment, going on gives the release of a run that nobody stopped, charged once."""

    def everybody():
        return replace(roles(heals_in_the_second_round), agents=AgentsDouble())

    whole, stopped = run(config, corpus, everybody()), 0
    for n in range(1, 30):
        checkpoint, ledger = FileCheckpoint(tmp_path / str(n)), Ledger(None)
        try:
            run(config, corpus, everybody(), checkpoint=checkpoint, ledger=ledger, cancel=CountingToken(n))
        except Cancelled:
            stopped += 1
        release = run(config, corpus, everybody(), checkpoint=checkpoint, ledger=ledger)
        assert release.texts == whole.texts and release.origin == whole.origin
        assert release.outcome == whole.outcome and len(ledger.lines()) == 1
    assert stopped >= 10


def test_progress_tells_pace_and_safe_share(corpus, roles):
    told = []
    run(AnonCI(), corpus, roles(), progress=lambda stage, done, total: told.append((stage, done, total)))
    assert told[-1][1:] == (24, 24) and "100% safe so far" in told[-1][0] and "a minute" in told[-1][0]


def test_plans_read_facts_only_and_warn(corpus, roles):
    plan = AnonCI(n_records=5).plan(corpus.facts(), VENDOR, roles())
    assert plan.epsilon is None and plan.rho is None and "no formal guarantee" in plan.relation
    assert plan.model_calls == 5 and plan.minutes is None


class SpeedyModelDouble:
    """Test double: only its speed and name are asked for."""

    identity = ModelIdentity("ollama", "speedy (test double)")

    def speed(self):
        return Speed(60.0, 1)


def test_a_plan_counts_each_evaluator_that_is_a_model(corpus, roles):
    """Round by round and once on the original; who is local costs no call."""
    local = roles()
    local.utility_evaluator.model = SpeedyModelDouble()
    plan = AnonCI(n_records=5, max_rounds=3).plan(corpus.facts(), VENDOR, local)
    assert plan.model_calls == 5 * 4 and plan.completion_tokens == 5 * 4 * 2 * 30
    assert plan.minutes == pytest.approx(5 * 4 * 2 * 30 / 60 / 60)


def test_a_plan_for_no_label_says_what_is_checked(corpus, roles):
    facts = replace(corpus.facts(), label=None)
    said = [" ".join(c.plan(facts, VENDOR, roles()).warnings) for c in (AnonCI(), RUPTA())]
    assert "only public values are checked" in said[0] and "nothing needs to stay inferable" in said[1]


@pytest.mark.parametrize(
    "bad", [{"max_rounds": 0}, {"guesses": 1.5}, {"withhold_unsafe": "no"}, {"n_records": 0}]
)
def test_settings_that_cannot_be_used(bad):
    with pytest.raises(BadInput):
        AnonCI(**bad)


def test_only_one_two_three_has_no_rounds():
    assert "max_rounds" in RUPTA().to_dict() and "max_rounds" not in OneTwoThree().to_dict()
