"""Every way that the loop of paper Alg. 3 can go, on scripted role doubles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctxpriv.errors import ModelFailed
from ctxpriv.privatize.anon.assess import Record, attempts
from ctxpriv.privatize.anon.episode import (
    CANCELLED,
    MODEL_FAILED,
    SAFE_AND_USEFUL,
    SAFE_SOME_LOST,
    UNSAFE,
    Round,
)
from ctxpriv.privatize.anon.loop import UNCHANGED, best_round, run_loop
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.rewriting_roles import REFUSED, Rewritten
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Coarsening, Schema

GOOD = "I work as a baker in a town, and this is about work."
LEAKS = "I am a baker from Ulm, about work."
LOST = "I have a job somewhere, about work."


def episode_of(record, rewriter, assessor, rounds=10, **more):
    out = []
    run_loop([record], rewriter, assessor, out.append, rounds=rounds, wave=4, **more)
    assert len(out) == 1
    return out[0]


def test_immediate_success(record, rewriter, assessor):
    episode = episode_of(record(), rewriter(GOOD), assessor())
    assert (episode.stop, episode.chosen, len(episode.rounds)) == (SAFE_AND_USEFUL, 1, 2)
    assert episode.released.text == GOOD and episode.safe
    (silent,) = episode.released.privacy
    assert (silent.attribute, silent.guess, silent.matched, silent.rule) == ("town", "", False, "no guess")
    assert episode.rounds[0].leaked == ("town",) and episode.rounds[0].kept == ("topic", "job")


def test_a_leak_that_heals_after_feedback(record, rewriter, assessor):
    double = rewriter(LEAKS, GOOD)
    episode = episode_of(record(), double, assessor())
    assert (episode.stop, episode.chosen) == (SAFE_AND_USEFUL, 2)
    first, second = double.tasks
    assert first.leaks == () and first.keep == {"topic": "work", "job": "baker"}
    (leak,) = second.leaks
    assert (leak.attribute, leak.guess, leak.spans) == ("town", "Ulm", ("Ulm",))
    assert second.text == LEAKS and second.original == record().text


def test_a_leak_that_never_heals_is_marked_unsafe(record, rewriter, assessor):
    double = rewriter(*(f"{LEAKS} {i}" for i in range(9)))
    episode = episode_of(record(), double, assessor(), rounds=5)
    assert (episode.stop, episode.safe, len(episode.rounds)) == (UNSAFE, False, 6)
    assert episode.chosen == 1, "of equally bad rounds the earliest"


def test_of_unsafe_rounds_the_one_with_fewest_leaks(record, rewriter, assessor):
    two = "A baker from Ulm, work."
    one = "Somebody from Ulm, work."
    made = assessor(private=("town", "job"), public=("topic",))
    episode = episode_of(record(), rewriter(two, one, two + "!"), made, rounds=3)
    assert (episode.stop, episode.chosen) == (UNSAFE, 2)


def test_utility_lost_and_regained(record, rewriter, assessor):
    double = rewriter(LOST, GOOD)
    episode = episode_of(record(), double, assessor())
    assert double.tasks[1].lost == ("job",)
    assert (episode.stop, episode.chosen) == (SAFE_AND_USEFUL, 2)


def test_utility_lost_for_good(record, rewriter, assessor):
    worse = "Something."
    episode = episode_of(record(), rewriter(worse, LOST, worse + "!"), assessor(), rounds=3)
    assert (episode.stop, episode.chosen, episode.safe) == (SAFE_SOME_LOST, 2, True)
    assert episode.released.lost == ("job",)


def test_oscillation_releases_the_safe_round(record, rewriter, assessor):
    privacy_calls = assessor()
    episode = episode_of(record(), rewriter(LEAKS, LOST, LEAKS, LOST, LEAKS), privacy_calls, rounds=5)
    assert (episode.stop, episode.chosen) == (SAFE_SOME_LOST, 2)
    seen = privacy_calls.privacy.texts
    assert seen.count(LEAKS) == 1 and seen.count(LOST) == 1, "a text seen before is not evaluated again"
    assert [r.number for r in episode.rounds] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("failure", ["cut off", "not JSON", "timed out", REFUSED])
def test_a_rewriter_that_fails_for_good_withholds_the_record(record, rewriter, assessor, failure):
    episode = episode_of(record(), rewriter(Rewritten(failure=failure)), assessor())
    assert (episode.stop, episode.chosen, episode.released) == (MODEL_FAILED, None, None)
    assert episode.why_withheld == failure and len(episode.rounds) == 4


def test_a_failure_in_between_costs_one_round(record, rewriter, assessor):
    double = rewriter(LEAKS, Rewritten(failure="cut off"), GOOD)
    episode = episode_of(record(), double, assessor())
    assert (episode.stop, episode.chosen) == (SAFE_AND_USEFUL, 3)
    assert double.tasks[2].text == LEAKS and double.tasks[2].leaks, "goes on from the last text there was"


def test_after_a_failed_first_round_the_original_is_the_feedback(record, rewriter, assessor):
    double = rewriter(Rewritten(failure="cut off", memory={"failed": "cut off"}), GOOD)
    episode = episode_of(record(), double, assessor())
    assert double.tasks[1].leaks[0].spans == ("Ulm",) and double.tasks[1].memory == {"failed": "cut off"}
    assert (episode.stop, episode.chosen) == (SAFE_AND_USEFUL, 2)


def test_an_empty_rewrite_is_a_failure(record, rewriter, assessor):
    episode = episode_of(record(), rewriter("  \n"), assessor())
    assert (episode.stop, episode.why_withheld) == (MODEL_FAILED, "empty")


def test_the_original_given_back_is_no_rewrite(record, rewriter, assessor):
    episode = episode_of(record(), rewriter(lambda task: task.original + "\n"), assessor())
    assert (episode.stop, episode.chosen, episode.why_withheld) == (MODEL_FAILED, None, UNCHANGED)


def test_the_original_may_stay_where_it_tells_nothing(record, rewriter, assessor):
    plain = record("As a baker I write about work.")
    episode = episode_of(plain, rewriter(lambda task: task.original), assessor())
    assert (episode.stop, episode.chosen) == (SAFE_AND_USEFUL, 1)


def test_an_inserted_label_is_counted_and_the_plain_round_preferred(record, rewriter, assessor):
    nothing = record("I am a baker in Ulm.", topic="work")
    told = "I am a baker somewhere and my topic is work."
    episode = episode_of(nothing, rewriter(told), assessor())
    assert episode.released.added == (("topic", "work"),)
    plain = Round(2, "b")
    assert best_round([Round(0, "o"), Round(1, "a", added=(("topic", "work"),)), plain]) is plain


def test_what_the_original_does_not_tell_is_no_loss(record, rewriter, assessor):
    quiet = record("I am from Ulm and this is about work.", job="baker")
    episode = episode_of(quiet, rewriter("I am from a town and this is about work."), assessor())
    assert episode.stop == SAFE_AND_USEFUL and episode.released.untold == ("job",)


def test_what_the_privacy_evaluator_cannot_say_is_never_safe(record, rewriter, assessor, guesser):
    mute = guesser(unreadable=lambda text: ("town",))
    episode = episode_of(record(), rewriter(GOOD), assessor(privacy=mute), rounds=2)
    assert (episode.stop, episode.chosen) == (MODEL_FAILED, None)
    assert episode.why_withheld == "privacy could not be judged"
    assert episode.rounds[1].unknown == ("town",)


def test_an_unreadable_evaluation_is_asked_once_more(record, rewriter, assessor, guesser):
    times = []

    def at_first(text):
        times.append(text)
        return ("town",) if text == GOOD and times.count(GOOD) == 1 else ()

    episode = episode_of(record(), rewriter(GOOD), assessor(privacy=guesser(unreadable=at_first)))
    assert (episode.stop, len(episode.rounds)) == (SAFE_AND_USEFUL, 2)


def test_unreadable_utility_is_not_useful(record, rewriter, assessor, guesser):
    mute = guesser(unreadable=lambda text: ("job",) if text == GOOD else ())
    episode = episode_of(record(), rewriter(GOOD), assessor(utility=mute), rounds=2)
    assert episode.stop == SAFE_SOME_LOST and episode.released.unknown_utility == ("job",)


def test_a_surviving_value_leaks_whatever_the_evaluator_says(record, rewriter, assessor, guesser):
    class Blind(guesser):
        def _one(self, text, attributes):
            return super()._one("", attributes)

    double = rewriter("In Ulm I bake, about work.", GOOD)
    episode = episode_of(record(), double, assessor(privacy=Blind()))
    assert episode.rounds[1].survivors == ("town",) and not episode.rounds[1].leaked
    assert double.tasks[1].leaks[0].spans == ("Ulm",) and episode.chosen == 2


def test_a_value_that_is_public_as_well_may_stand(record, assessor):
    made = assessor(private=("town",), public=("topic", "job"))
    assert made.standing(record(job="Ulm"), "In Ulm.") == {}
    assert made.standing(record(), "In Ulm.") == {"town": ("Ulm",)}


def test_of_a_coarsened_attribute_the_bucket_must_stay_and_the_value_go(record, rewriter, assessor):
    made = assessor(public=("topic",), coarsened=("job",))
    double = rewriter("A baker, about work.", "Somebody in a trade, about work.")
    episode = episode_of(record(), double, made)
    assert double.tasks[0].keep == {"topic": "work", "job": "trade"}
    assert episode.rounds[1].survivors == ("job",)
    assert (episode.stop, episode.chosen) == (SAFE_AND_USEFUL, 2)


def test_values_that_say_nothing_are_neither_protected_nor_kept(record, rewriter, assessor):
    none = record("About work.", town="Not stated", job="Not stated")
    episode = episode_of(none, rewriter("Still about work."), assessor())
    assert episode.stop == SAFE_AND_USEFUL and not episode.released.privacy


def test_a_bucket_that_says_nothing_need_not_be_kept(assessor, schema):
    values = {"baker": OTHER, "nurse": "care", "pilot": "transport", NOT_STATED: OTHER}
    schema = replace(schema, coarsenings={"job": Coarsening("job", values, (OTHER, "care", "transport"))})
    keeper = assessor(public=("topic",), coarsened=("job",))
    keeper = replace(keeper, brief=replace(keeper.brief, schema=schema))
    truths = {"topic": "work", "town": "Ulm", "job": "baker"}
    assert keeper.keeps(Record(0, "r", "", truths)) == {"topic": "work"}
    assert keeper.keeps(Record(0, "r", "", {**truths, "job": "nurse"})) == {"topic": "work", "job": "care"}


@pytest.mark.parametrize(("bucket", "hidden"), [("maternity care", True), ("nurse or midwife", False)])
def test_a_bucket_that_says_the_value_lets_it_stand(assessor, bucket, hidden):
    """ "mat" is no part of "maternity care" as a word."""
    schema = Schema(
        (Attribute("topic", ("work",)), Attribute("town", ("Ulm",)), Attribute("job", ("mater", "nurse"))),
        {"job": Coarsening("job", {"mater": bucket, "nurse": bucket}, (bucket,))},
    )
    looker = assessor(public=("topic",), coarsened=("job",))
    looker = replace(looker, brief=replace(looker.brief, schema=schema))
    value = "mater" if hidden else "nurse"
    record = Record(0, "r", "", {"topic": "work", "town": "Ulm", "job": value})
    assert ("job" in looker.standing(record, f"I am a {value}.")) is hidden


def test_figures_that_are_no_decimals_are_words():
    assert attempts(Attribute("power", ("²", "³", "x", "y", "z")), 3) == 2


def test_an_exhausted_rewriter_ends_the_record(record, rewriter, assessor):
    episode = episode_of(record(), rewriter(LEAKS, Rewritten(LEAKS, exhausted=True)), assessor())
    assert (episode.stop, len(episode.rounds)) == (UNSAFE, 3)


def test_memory_goes_from_round_to_round(record, rewriter, assessor):
    double = rewriter(Rewritten(LEAKS, memory={"rung": 1}), GOOD)
    episode_of(record(), double, assessor())
    assert double.tasks[0].memory == {} and double.tasks[1].memory == {"rung": 1}


def test_records_go_in_waves_and_finished_ones_make_room(record, rewriter, assessor):
    double = rewriter(lambda t: LEAKS if t.original.endswith("1") else GOOD, GOOD)
    records = [record(f"A baker in Ulm, about work {i % 2}", row=i) for i in range(5)]
    out = []
    run_loop(records, double, assessor(), out.append, rounds=3, wave=2)
    assert double.waves == [2, 2, 2, 1] and sorted(e.row for e in out) == [0, 1, 2, 3, 4]
    assert {e.row: e.chosen for e in out} == {0: 1, 1: 2, 2: 1, 3: 2, 4: 1}


def test_a_cancel_keeps_what_was_begun_and_a_second_go_takes_it_up(record, rewriter, assessor):
    token, out = CancelToken(), []

    def cancels(task):
        token.cancel()
        return "never seen"

    records = [record(row=i) for i in range(2)]
    with pytest.raises(Cancelled):
        run_loop(records, rewriter(LEAKS, cancels), assessor(cancel=token), out.append, rounds=5, wave=2)
    assert [e.stop for e in out] == [CANCELLED, CANCELLED] and all(e.chosen is None for e in out)
    assert [r.number for r in out[0].rounds] == [0, 1], "what the cancel cut is not kept"
    begun, double, again = {e.row: e for e in out}, rewriter("not asked", GOOD), []
    run_loop(records, double, assessor(), again.append, rounds=5, wave=2, begun=begun)
    assert [t.round for t in double.tasks] == [2, 2] and double.tasks[0].leaks
    assert [(e.stop, e.chosen) for e in again] == [(SAFE_AND_USEFUL, 2)] * 2


def test_a_model_that_is_gone_keeps_what_was_begun(record, rewriter, assessor):
    def gone(task):
        raise ModelFailed("no server")

    out = []
    with pytest.raises(ModelFailed):
        run_loop([record()], rewriter(LEAKS, gone), assessor(), out.append, rounds=5, wave=2)
    assert [e.stop for e in out] == [CANCELLED]
