from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privacy.noise import NoNoise, OpenDPNoise
from ctxpriv.privatize.spin.assign.tfidf import TfidfAssigner
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.contributions import sketch
from ctxpriv.privatize.spin.experiments.probe import (
    PROBE,
    Probe,
    inserted,
    named,
    of_mass_one,
    probe_texts,
    run_probe,
    with_probe,
)
from ctxpriv.privatize.spin.experiments.results import NO_NOISE
from ctxpriv.privatize.spin.measurement import ONE, Measurement


@pytest.fixture
def probed(measurement) -> Measurement:
    return Measurement(with_probe(measurement.atoms), 240, 1e-4, size=4)


def run(probe, probed, assign_double, **more):
    base = assign_double()(AtomSet(probed.atoms.atoms[:-1]), 3)
    return run_probe(probe, base, probed, len(probed.atoms) - 1, **{"noise": OpenDPNoise(), **more})


def test_inserted_records_move_the_probe_alone(probed, assign_double) -> None:
    base, atom = assign_double()(probed.atoms.top(12), 3), 12
    before = sketch(base, probed)
    after = sketch(inserted(base, of_mass_one(base, atom, 9), 7), probed)
    assert (after[:atom] == before[:atom]).all() and after[atom] == 7 * ONE


def test_inserted_records_are_new_users(assign_double, probed) -> None:
    users = Measurement(probed.atoms, 40, 1e-3, size=4, unit="user")
    base = assign_double(users=True)(probed.atoms.top(12), 3)
    more = inserted(base, of_mass_one(base, 12, 5), 5)
    assert len(np.unique(more.users)) == 45 and sketch(more, users)[12] == 5 * ONE


def test_equal_weights_give_an_inserted_record_one_share(measurement, assign_double) -> None:
    equal = Measurement(with_probe(measurement.atoms), 240, 1e-4, size=4, weights="equal")
    base = assign_double()(equal.atoms.top(12), 3)
    assert sketch(inserted(base, of_mass_one(base, 12, 9), 9), equal)[12] == 9 * (ONE // 3)


def test_without_noise_the_probe_is_admitted_from_its_rank_on(probed, assign_double) -> None:
    result = run(Probe(supports=(0, 5, 20, 100), repeats=2), probed, assign_double, noise=NoNoise())
    ranks = {r["s"]: r["mean"] for r in result.some(method=NO_NOISE, measure="rank")}
    assert ranks[0] == 13 and ranks[100] <= 4 and list(ranks.values()) == sorted(ranks.values(), reverse=True)
    for r in result.some(measure="admitted"):
        assert r["mean"] == float(ranks[r["s"]] <= 4)
    assert [r["mean"] for r in result.some(measure="mass")] == [0, 5, 20, 100]


def test_more_records_are_admitted_more_often(probed, assign_double) -> None:
    result = run(Probe(supports=(0, 200), epsilons=(2.0,), repeats=20), probed, assign_double)
    for mechanism in ("laplace", "gaussian", "admission"):
        few, many = result.some(measure="admitted", mechanism=mechanism)
        assert few["high"] < many["low"] and many["mean"] == 1
    assert result.notes and not result.some(measure="mentioned")


def test_mentions_are_what_the_text_says_of_what_was_admitted(probed, assign_double) -> None:
    def silent_when_low(plan):
        return " ".join(r.label.upper() + "." for r in plan.rows if r.rank <= 2)

    result = run(
        Probe(supports=(0, 30, 200), epsilons=(1.0,), repeats=10), probed, assign_double,
        verbalise=silent_when_low,
    )  # fmt: skip
    for said, let_in in zip(result.some(measure="mentioned"), result.some(measure="admitted"), strict=True):
        assert said["mean"] <= let_in["mean"] and said["s"] == let_in["s"]
    assert {r["mean"] for r in result.some(measure="mentioned", s=200)} == {1.0}
    assert not result.notes


def test_the_denominator_grows_with_what_is_inserted(probed, assign_double) -> None:
    seen = set()
    run(
        Probe(supports=(100,), epsilons=(8.0,), repeats=1), probed, assign_double,
        verbalise=lambda plan: seen.add(plan.denominator) or "",
    )  # fmt: skip
    assert seen == {340}


def test_written_records_are_assigned_as_every_record_is(probed, assign_double) -> None:
    texts = TfidfAssigner.fitted(probed, ()).assign(probe_texts(PROBE, 6))
    result = run(Probe(supports=(6,), repeats=1), probed, assign_double, synthetic=texts)
    assert 3 < result.some(measure="mass")[0]["mean"] <= 6
    assert len(probe_texts(PROBE, 5)) == 5 and all(PROBE.label in t for t in probe_texts(PROBE, 5))


def test_named_asks_for_whole_words() -> None:
    assert named("late fees", "Of these, Late-Fees come first.")
    assert not named("late fees", "Plate fees come first.")


def test_bad_probes_are_refused(probed, measurement, assign_double) -> None:
    with pytest.raises(BadInput, match="share the label"):
        with_probe(probed.atoms)
    with pytest.raises(BadInput, match="no atom 13"):
        run_probe(Probe(), assign_double()(measurement.atoms, 3), probed, 13, noise=NoNoise())
    for bad in ({"supports": ()}, {"supports": (-1,)}, {"repeats": 0}, {"epsilons": (0.0,)}, {"insert": "x"}):
        with pytest.raises(BadInput):
            Probe(**bad)
