"""People with several texts."""

from __future__ import annotations

import math

import pytest

from ctxpriv.classify.checks.authors import authors
from ctxpriv.classify.checks.finding import CheckSettings
from ctxpriv.classify.checks.records import records_of
from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from, rho_from


def found(make, names, settings=CheckSettings(), **about):
    return authors(
        records_of(make.corpus({"a": [0] * len(names)}, authors=names), settings), settings, **about
    )


def test_by_hand(make):
    finding = found(make, ["ann"] * 3 + ["bob"] * 3 + ["cid"] + ["dot"] * 5, epsilon=1.0, delta=1e-3)
    assert finding.warning
    assert finding.rows == (
        {"texts": 1, "authors": 1},
        {"texts": 3, "authors": 2},
        {"texts": 5, "authors": 1},
    )
    assert finding.facts["heaviest"] == 5
    assert finding.facts["several"] == 3
    rho = rho_from(1.0, 1e-3)
    assert finding.facts["epsilon_heaviest"] == epsilon_from(25 * rho, 1e-3)
    assert rho_from(finding.facts["epsilon_needed"], 1e-3) * 25 == pytest.approx(rho, rel=1e-4)
    assert "3 of 4 authors have more than one of the 12 texts; the heaviest has 5." in finding.sentence
    assert "ann" not in str(finding.to_dict())


def test_one_text_each_is_no_warning(make):
    finding = found(make, ["ann", "bob", "cid"])
    assert not finding.warning
    assert "guarantee is per person" in finding.sentence
    assert finding.facts["epsilon_heaviest"] == pytest.approx(1, abs=1e-6)


def test_a_threshold_can_be_set(make):
    assert not found(make, ["ann", "ann", "bob"], CheckSettings(texts=3)).warning
    assert found(make, ["ann", "ann", "bob"]).warning


def test_without_authors_nothing_is_known_and_it_is_said(make):
    finding = authors(records_of(make.corpus({"a": [0, 1]})))
    assert not finding.warning
    assert "not known" in finding.sentence
    assert "column with the author" in finding.suggestion


@pytest.mark.parametrize("names", [[], ["ann"]])
def test_one_text_or_none(make, names):
    finding = found(make, names)
    assert not finding.warning
    assert f"{len(names)} private text" in finding.sentence


def test_without_noise_nobody_is_protected(make):
    finding = found(make, ["ann", "ann"], epsilon=math.inf)
    assert finding.warning
    assert "nobody is protected" in finding.sentence


def test_no_epsilon_is_refused(make):
    with pytest.raises(BadInput, match="epsilon"):
        found(make, ["ann", "ann"], epsilon=0)
