from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from ctxpriv.comparison import Comparison, RunFailure, RunResult
from ctxpriv.context import Approval, Partition
from ctxpriv.evaluate.attacks.attack import Attack
from ctxpriv.evaluate.report import METRICS, Metric, Report


def run(
    method: str, epsilon: float, audience: str = "vendor", missing: str = "", noise: str = "OpenDP"
) -> RunResult:
    metrics = {
        name: Metric.not_computed("too few", 3) if name == missing else Metric(0.25, 0.2, 0.4, 50)
        for name in METRICS
    }
    release = {
        "method": method,
        "n_private": 200,
        "n_released": 150,
        "seconds": {"evolve": 2.5},
        "guarantee": {"delta": 0.005, "rho": 0.02, "noise": noise},
        "models": {"embedder": {"name": "MiniLM"}},
    }
    return RunResult(audience, release, Report(method, audience, epsilon, metrics), f"{method}-{epsilon}")


@pytest.fixture
def comparison() -> Comparison:
    approved = Partition("vendor", ("topic",), ("age",), Approval("R. Meyer", "2026-11-29", "fine"))
    return Comparison(
        {"name": "forum", "n_private": 200},
        {"vendor": approved, "advertiser": Partition("advertiser", (), ("topic", "age"))},
        (
            run("SDG-CI", 1.0),
            run("MAPLE", 1.0, missing="mauve"),
            run("SDG-CI", math.inf),
            run("MAPLE", 1.0, "advertiser"),
        ),
        (RunFailure("vendor", "Aug-PE", 1.0, "the model server stopped answering"),),
    )


def test_round_trip_through_strict_json(comparison):
    text = json.dumps(comparison.to_json_dict(), allow_nan=False)
    assert Comparison.from_json_dict(json.loads(text)) == comparison


def test_the_published_structure(comparison):
    data = json.loads(json.dumps(comparison.to_json_dict(), allow_nan=False))
    vendor = data["audiences"]["vendor"]
    assert vendor["partition"] == {"public": ["topic"], "private": ["age"]}
    assert vendor["reviewed"] == {"name": "R. Meyer", "date": "2026-11-29", "note": "fine"}
    assert data["audiences"]["advertiser"]["reviewed"] is None
    first, second, third = vendor["runs"]
    assert {
        k: first[k] for k in ("method", "epsilon", "delta", "rho", "seed_free", "n_private", "n_released")
    } == {
        "method": "SDG-CI",
        "epsilon": 1.0,
        "delta": 0.005,
        "rho": 0.02,
        "seed_free": True,
        "n_private": 200,
        "n_released": 150,
    }
    assert tuple(first["metrics"]) == METRICS
    assert first["metrics"]["mauve"] == {"value": 0.25, "low": 0.2, "high": 0.4, "n": 50}
    assert second["metrics"]["mauve"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 3,
        "missing": "too few",
    }
    assert third["epsilon"] == "inf"
    assert first["seconds"] == {"evolve": 2.5}
    assert first["model"] == {"embedder": {"name": "MiniLM"}}
    assert vendor["failures"][0]["message"] == "the model server stopped answering"


def test_noise_of_a_test_is_not_seed_free(comparison):
    one = Comparison({}, comparison.audiences, (run("SDG-CI", 1.0, noise="seeded double"),))
    assert one.to_json_dict()["audiences"]["vendor"]["runs"][0]["seed_free"] is False


def test_tables(comparison):
    tidy, wide = comparison.table(), comparison.wide()
    assert list(tidy.columns) == [
        "audience",
        "method",
        "epsilon",
        "metric",
        "value",
        "low",
        "high",
        "n",
        "missing",
    ]
    assert len(tidy) == 4 * len(METRICS)
    gap = tidy[
        (tidy["method"] == "MAPLE") & (tidy["metric"] == "mauve") & (tidy["audience"] == "vendor")
    ].iloc[0]
    assert np.isnan(gap["value"])
    assert gap["missing"] == "too few"
    assert list(wide.columns) == ["audience", "method", "epsilon", "n_released", *METRICS]
    assert wide["epsilon"].tolist() == [1.0, 1.0, math.inf, 1.0]


def test_selection(comparison):
    assert [r.method for r in comparison.of("vendor", 1.0)] == ["SDG-CI", "MAPLE"]
    assert [r.method for r in comparison.of("vendor", math.inf)] == ["SDG-CI"]
    assert comparison.epsilons("vendor") == (1.0, math.inf)
    assert comparison.of("nobody") == ()


@pytest.fixture
def rewritten(comparison) -> Comparison:
    none = Metric.not_computed("nothing was answered")
    attack = Attack(
        "classifier",
        {"name": "embeddings"},
        *(Metric(0.4, 0.3, 0.5, 30), Metric(0.3), Metric(0.1), Metric(0.8), none),
        n=30,
        unknown=2,
        per_attribute={"age": {"accuracy": 0.4, "majority": 0.3, "unprotected": 0.8, "n": 28, "unknown": 2}},
    )
    metrics = {name: Metric(0.25, 0.2, 0.4, 50) for name in METRICS}
    report = Report(
        "ANON-CI", "vendor", None, metrics, attacks=(attack,), rewriting={"safe": Metric(0.9, n=30)}
    )
    release = {"n_released": 30, "guarantee": {"delta": 0.0, "rho": "inf", "noise": "none"}}
    *vendor, advertiser = comparison.runs  # a file lists runs by audience
    return replace(comparison, runs=(*vendor, RunResult("vendor", release, report, "anon"), advertiser))


def test_rewritten_releases_are_a_family_of_their_own(rewritten):
    assert rewritten.families("vendor") == ("synthetic", "rewritten")
    assert rewritten.families("advertiser") == ("synthetic",)
    assert [r.method for r in rewritten.rewritten("vendor")] == ["ANON-CI"]
    assert rewritten.epsilons("vendor") == (1.0, math.inf)


def test_attacks_and_rewriting_stand_beside_the_metrics_in_the_file(rewritten):
    text = json.dumps(rewritten.to_json_dict(), allow_nan=False)
    assert Comparison.from_json_dict(json.loads(text)) == rewritten
    runs = json.loads(text)["audiences"]["vendor"]["runs"]
    anon = next(r for r in runs if r["method"] == "ANON-CI")
    assert (anon["epsilon"], anon["delta"], anon["rho"]) == (None, None, None)
    assert anon["attacks"][0]["leak"]["value"] == 0.4
    assert anon["rewriting"]["safe"]["value"] == 0.9
    assert "attacks" not in runs[0]


def test_tables_of_attacks_and_rewriting(rewritten):
    attacks = rewritten.attacks()
    assert attacks["attribute"].tolist() == ["mean", "age"]
    assert attacks["leak"].tolist() == [0.4, 0.4]
    assert np.isnan(attacks["leak_when_useful"]).all()
    assert rewritten.rewriting()["figure"].tolist() == ["safe"]


def test_an_empty_comparison_has_tables_too():
    empty = Comparison({}, {})
    assert empty.table().empty
    assert empty.wide().empty
    assert empty.attacks().empty and empty.rewriting().empty
    assert Comparison.from_json_dict(empty.to_json_dict()) == empty
