from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

from ctxpriv.errors import NotReleasable
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.guarantee import DP, FEATURE_DP, Guarantee, conditions, guarantee_from
from ctxpriv.privacy.noise import NoNoise, OpenDPNoise

CHARGES = (
    Charge("marginals", "discrete Gaussian", Fraction(1, 100), 1.0, 7.07),
    Charge("selection", "exponential mechanism", Fraction(1, 200), 168.0, 0.2, 0.2),
)


def test_both_relations():
    g = guarantee_from("SDG-CI", FEATURE_DP, CHARGES, 1e-3, OpenDPNoise())
    assert g.rho == pytest.approx(0.015)
    assert g.epsilon == pytest.approx(epsilon_from(0.015, 1e-3))
    assert g.rho_replacement == pytest.approx(0.02 + 0.02)
    assert g.epsilon_replacement == pytest.approx(epsilon_from(0.04, 1e-3))
    assert g.exportable
    g.require_exportable()


def test_never_states_less_rho_than_was_spent():
    g = guarantee_from(
        "x", DP, [Charge("third", "discrete Gaussian", Fraction(1, 3), 1.0, 1.3)], 1e-3, OpenDPNoise()
    )
    assert Fraction(g.rho) >= Fraction(1, 3)


def test_pure_dp():
    laplace = Charge("sketch", "discrete Laplace", Fraction(1, 8), 1.0, 2.0, epsilon=0.5)
    g = guarantee_from("DP-SPIN", DP, [laplace], 0, OpenDPNoise())
    assert (g.epsilon, g.delta, g.epsilon_replacement) == (0.5, 0, 1.0)
    assert guarantee_from("DP-SPIN", DP, [laplace, CHARGES[0]], 0, OpenDPNoise()).epsilon == math.inf


@pytest.mark.parametrize(("noise", "unlimited"), [(NoNoise(), False), (OpenDPNoise(), True)])
def test_research_results_stay_with_the_curator(noise, unlimited):
    g = guarantee_from("SDG-CI", FEATURE_DP, CHARGES, 1e-3, noise, unlimited=unlimited)
    assert g.epsilon == math.inf
    assert not g.exportable
    with pytest.raises(NotReleasable):
        g.require_exportable()
    assert g.sentences() == [g.why_not]


@pytest.mark.parametrize("noise", [NoNoise(), OpenDPNoise()])
def test_survives_json(noise):
    g = guarantee_from("SDG-CI", FEATURE_DP, CHARGES, 1e-3, noise, conditional_on=["if"])
    assert Guarantee.from_dict(json.loads(json.dumps(g.to_dict(), allow_nan=False))) == g


def test_sentences_name_what_is_not_protected():
    g = guarantee_from(
        "SDG-CI",
        FEATURE_DP,
        CHARGES,
        1e-3,
        OpenDPNoise(),
        conditional_on=conditions({"age": "observed", "sex": "declared"}),
    )
    text = " ".join(g.sentences())
    assert "What is public of a record" in text and "is not protected" in text
    assert "the name or the values of age" in text
    assert "values of sex" not in text
    assert "1/n" in text


def test_attributes_found_by_a_private_pass_are_named():
    said = conditions({"mood": "dp", "age": "dp", "sex": "declared"})
    assert any("differentially private pass" in s and s.endswith("own: age, mood.") for s in said)
    assert not any("differentially private pass" in s for s in conditions({"sex": "prompted"}))
